# frozen_string_literal: true

# The Ruby host's hop of `./dev demo braid`: `braid.rb SOURCE TARGET`, json or msgpack each, from standard input to standard output through
# Ruby objects.
require "kumihimo"

READERS = { "json" => ->(bytes) { Kumihimo.parse(bytes.force_encoding(Encoding::UTF_8)) }, "msgpack" => ->(bytes) { Kumihimo::MessagePack.unpack(bytes) } }.freeze
WRITERS = { "json" => ->(value) { Kumihimo.generate(value) }, "msgpack" => ->(value) { Kumihimo::MessagePack.pack(value) } }.freeze

source, target = ARGV
$stdin.binmode
$stdout.binmode
$stdout.write(WRITERS.fetch(target).call(READERS.fetch(source).call($stdin.read)))
