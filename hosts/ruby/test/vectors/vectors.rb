# frozen_string_literal: true

require "digest"
require "json"

module Differential
  # The committed answers of stock ActiveSupport 8.1: per value, the answer under Rails' defaults, and every other answer with the
  # numbers of the combinations (the file's table: options, globals) under which it was given.
  #
  #      "string, html": ["\"\\u003ca...", {"3,5-7": "\"<a..."}]
  #
  # An exception is ["its class", "its message"], the message null where it is stock's own affair. What is longer than a line is
  # kept as "sha256 <digest>".
  module Vectors
    FILE = File.join(__dir__, "rails_8.1.json")

    # What no 8.1 can tell about another version.
    REASONS = {
      /ipaddr|all keys together/ => "IPAddr#to_s and as_json are of their version",
      /Symbol.*(to_s|name)|symbol.*to_s/ => "Symbol#as_json calls to_s or name, by version",
      /to_json/ => "ActiveSupport 6.1 puts its to_json in front of a class's own, 8.1 behind",
      /TimeWithZone#as_json by a module/ => "writes the name of the class, which 6.1 gives as Time",
      /model/ => "ActiveModel's serializable_hash is of its version",
      /indifferent|HashWithIndifferentAccess|OrderedOptions|ordered options/ => "ActiveSupport's own hashes are of its version",
      /Fragment|JSON::State/ => "needs a json that has it",
      /notes/ => "tells how the installed as_json definitions ask each other",
      /changes its options/ => "whether nested options are frozen is decided by the installed as_json definitions",
      /File\z|\AIO\z|Process::Status|Thread and Fiber|Dir\z/ => "differs from run to run",
      /with its options|gives super/ => "tells how the installed as_json definitions ask each other",
    }.freeze

    class << self
      def left_out(probe)
        return probe.passes if probe.passes

        _, reason = REASONS.find { |pattern, _| probe.name.match?(pattern) }
        reason
      end

      # Each option under the usual globals, and each global without options.
      def combinations
        usual = OPTIONS.keys.reject { |said| said == "of the json gem" || said == "indifferent" }.map { |said| [said, USUAL] }
        usual + (TIME_SETTINGS - [USUAL]).map { |settings| ["none", settings] }
      end

      # Every answer of `encoder`, by options and globals.
      def answers(probe, encoder)
        probe.reopen&.call
        grouped = Hash.new { |all, answer| all[answer] = [] }
        combinations.each_with_index do |(said, settings), i|
          next unless settings.precision == 3 || probe.kind == :times

          outcome = settings.apply { Outcome.of { encoder.new(OPTIONS.fetch(said).call).encode(probe.make.call) } }
          grouped[answer(outcome)] << i
        end
        usual = grouped.find { |_, under| under.include?(0) }.first
        [usual, grouped.reject { |answer, _| answer == usual }.to_h { |answer, under| [ranges(under), answer] }]
      end

      def ranges(numbers)
        # By format: a probe may have another Integer#to_s.
        numbers.slice_when { |a, b| b != a + 1 }.map { |run| run.size == 1 ? format("%d", run[0]) : format("%d-%d", run[0], run[-1]) }.join(",")
      end

      # The answers under each combination, as they were.
      def expand(usual, others, numbers)
        all = numbers.to_h { |i| [i, usual] }
        others.each { |under, answer| under.split(",").each { |run| Range.new(*run.split("-").values_at(0, -1).map { |n| Integer(n) }).each { |i| all[i] = answer } } }
        all
      end

      def answer(outcome)
        case outcome.kind
        when :value
          text = Outcome.stable(outcome.text).force_encoding("UTF-8")
          text.bytesize > 300 ? "sha256 #{Digest::SHA256.hexdigest(text)}" : text
        when :thrown then { "thrown" => outcome.text }
        else [outcome.error.dup.force_encoding("UTF-8"), (outcome.text.dup.force_encoding("UTF-8").scrub if outcome.stable_message?)]
        end
      end

      # One line per value: a change shows as a change of that line.
      def dump(document)
        lines = document[:answers].map { |name, all| "    #{::JSON.generate(name)}: #{::JSON.generate(all)}" }
        out = document[:left_out].map { |name, why| "    #{::JSON.generate(name)}: #{::JSON.generate(why)}" }
        table = combinations.map { |said, settings| "    #{::JSON.generate([said, settings.to_s])}" }
        "{\n  \"versions\": #{::JSON.generate(document[:versions])},\n  \"combinations\": [\n#{table.join(",\n")}\n  ],\n  \"answers\": {\n#{lines.join(",\n")}\n  },\n  \"left_out\": {\n#{out.join(",\n")}\n  }\n}"
      end

      def load
        ::JSON.parse(File.read(FILE), max_nesting: false)
      end
    end
  end
end
