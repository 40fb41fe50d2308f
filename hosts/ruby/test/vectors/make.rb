# frozen_string_literal: true

# Writes rails_8.1.json beside itself: what stock ActiveSupport 8.1 answers to the hand-picked values of differential/probes, so
# that the 8.1 profile is tested where an older ActiveSupport is installed. Needs the checkouts:
#
#      KUMIHIMO_RAILS=<rails 8.1> KUMIHIMO_JSON=<json 2.15.2 or newer, built> ruby test/vectors/make.rb
#
# An answer that the installed as_json definitions decide, and not the encoder, is left out; `left_out` says which and why.
require_relative "../differential/stock"
require_relative "../differential/outcome"
require_relative "../differential/settings"
require_relative "../differential/forked"
require_relative "../differential/probe"
require_relative "vectors"

abort "ActiveSupport 8.1 with JSON::Coder is needed, this is #{Differential::Stock.versions}" unless Differential::Stock.family == :coder

ENV["TZ"] = "Asia/Tokyo"
$VERBOSE = nil

answers = {}
left_out = {}
Differential::Probes::ALL.each do |probe|
  reason = probe.core_ext || Differential::Vectors.left_out(probe)
  next left_out[probe.name] = reason if reason

  how, found = Differential.forked { Differential::Vectors.answers(probe, Differential::Stock.encoder) }
  abort "#{probe.name}: #{found}" unless how == :done
  answers[probe.name] = found
end

document = { versions: "ActiveSupport #{ActiveSupport::VERSION::STRING}, json #{JSON::VERSION}, Ruby #{RUBY_VERSION}", answers: answers, left_out: left_out }
File.write(Differential::Vectors::FILE, "#{Differential::Vectors.dump(document)}\n")
puts "#{answers.size} values, #{left_out.size} left out, #{File.size(Differential::Vectors::FILE)} bytes"
