# frozen_string_literal: true

require "json"

# Where a suite's process writes what became of each test. Plain JSON text is made at once and by the stock library: the suite may replace
# JSON, and may end the process.
module PeersRecord
  FILE = File.open(ENV.fetch("KUMIHIMO_PEERS_RECORD"), "a").tap { |file| file.sync = true }
  # Before any driver puts itself in its place.
  DUMP = JSON.method(:generate).unbind.bind(JSON)

  module_function

  def add(test, outcome, assertions, message)
    text = message.to_s.dup.force_encoding(Encoding::UTF_8).scrub.lines.first(8).join.rstrip
    FILE.puts(DUMP.call([test, outcome, assertions, text]))
  end

  # For minitest a reporter of our own beside its own.
  def minitest
    require "minitest"
    recorder = Class.new(Minitest::AbstractReporter) do
      def record(result)
        kind = result.passed? ? "pass" : result.skipped? ? "skip" : result.error? ? "error" : "failure"
        PeersRecord.add("#{result.klass}##{result.name}", kind, result.assertions, result.failure&.message)
      end
    end
    Minitest.singleton_class.define_method(:plugin_kumihimo_peers_init) { |_options| reporter << recorder.new }
    Minitest.load_plugins  # looks for more only while its list is empty
    Minitest.extensions << "kumihimo_peers"
  end

  # test/unit is the gem, or the runner in Ruby's own sources (tool/lib), whichever comes first in the load path.
  def test_unit
    require "test/unit"
    defined?(Test::Unit::Runner) ? Test::Unit::Runner.prepend(RubyCore) : Test::Unit::TestCase.prepend(TestUnitGem)
  end

  # The method that Ruby's runner has for this.
  module RubyCore
    def record(suite, method, assertions, time, error)
      kind = case error
             when nil then "pass"
             when Test::Unit::PendedError then "skip"
             when Test::Unit::AssertionFailedError then "failure"
             else "error"
             end
      PeersRecord.add("#{suite.name}##{method}", kind, assertions, error && "#{error.class}: #{error.message}")
      super
    end
  end

  module TestUnitGem
    KINDS = { "Failure" => "failure", "Error" => "error", "Pending" => "skip", "Omission" => "skip" }.freeze

    def run(result, *rest, **options, &block)
      faults = result.faults.size
      assertions = result.assertion_count
      super
    ensure
      fault = result.faults.drop(faults).find { |f| KINDS.key?(f.class.name[/\w+\z/]) }
      kind = fault ? KINDS.fetch(fault.class.name[/\w+\z/]) : "pass"
      PeersRecord.add("#{self.class.name}##{method_name}", kind, result.assertion_count - assertions, fault&.message)
    end
  end
end
