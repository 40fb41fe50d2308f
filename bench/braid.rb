# frozen_string_literal: true

# The Ruby host's hops of `./dev demo braid`: `braid.rb SOURCE TARGET [FRAME]`, formats by their names, from standard
# input to standard output through Ruby objects.
require "kumihimo"

source, target, frame = ARGV
$stdin.binmode
$stdout.binmode
$stdout.write(Kumihimo.dump(Kumihimo.load($stdin.read, format: source), format: target, frame: frame))
