# frozen_string_literal: true

# With all of ActiveSupport, which before 7.2 puts a to_s of its own in front of Integer's and Float's.
require "active_support/all"
require_relative "helper"
require "kumihimo/rails"

class NumberTextTest < Minitest::Test
  VALUE = { 1 => 1.5, 2 => [2.5, 1e20, 2**70] }.freeze

  # The to_s calls that an encode makes, by the class of the number.
  def calls
    found = []
    TracePoint.new(:call, :c_call) { |at| found << at.self.class if at.method_id == :to_s && at.self.is_a?(Numeric) }.enable { yield }
    found
  end

  def test_numbers_are_not_asked_for_their_text
    encoder = Kumihimo::Rails.encoder.new
    encoder.encode(VALUE)
    assert_empty calls { encoder.encode(VALUE) }
    assert_empty calls { Kumihimo.generate(VALUE[2]) }
    assert_nil Kumihimo::Rails.diff(VALUE)
  end

  # What stands behind ActiveSupport's to_s counts, when it is not Ruby's any more.
  def test_a_reopened_to_s_behind_it_is_seen
    reader, writer = IO.pipe
    pid = fork do
      Kumihimo::Rails.encoder.new.encode(VALUE)
      Float.class_eval { def to_s = "0.25" }
      writer.write(Kumihimo::Rails.diff(VALUE).nil?.to_s)
      writer.close
      exit!(0)
    end
    writer.close
    assert_equal "true", reader.read
  ensure
    Process.wait(pid)
  end
end
