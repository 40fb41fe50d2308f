# frozen_string_literal: true

# The memory of large results is used again: in a steady state a call needs no new pages, although the results of several calls wait
# for the collector (output.cpp). Counted by the kernel, and not timed.
require "active_support"
require "active_support/json"
require "minitest/autorun"
require "kumihimo"
require "kumihimo/rails"
require_relative "differential/forked"

class LargeResultsTest < Minitest::Test
  ROWS = Array.new(1264) { |i| { "id" => i, "text" => "The quick brown fox jumps over the lazy dog. " * 58 } }.freeze
  CALLS = {
    "generate" => -> { Kumihimo.generate(ROWS) },
    "generate, laid out" => -> { Kumihimo.pretty_generate(ROWS) },
    "encode" => -> { Kumihimo::Rails.encoder.new.encode(ROWS) },
    "pack" => -> { Kumihimo::MessagePack.pack(ROWS) },
  }.freeze

  def faults = File.read("/proc/self/stat")[/\) (.*)/, 1].split[7].to_i

  def setup
    skip "needs glibc's malloc" if ENV["KUMIHIMO_SANITIZED"] || !File.exist?("/proc/self/stat") || !RUBY_PLATFORM.match?(/linux(-gnu)?\z/)
  end

  CALLS.each do |name, call|
    define_method("test_#{name.gsub(/\W+/, "_")}_needs_no_new_pages") do
      # In a process of its own: what freed large blocks before decides too.
      how, answer = Differential.forked do
        # What waits for a collection is as much as Ruby lets wait.
        round = proc { 9.times { call.call }; GC.start }
        6.times(&round)
        before = faults
        4.times(&round)
        [faults - before, call.call.bytesize / 4096]
      end
      assert_equal :done, how, answer
      found, pages = answer
      assert_operator pages, :>, 800
      assert_operator found / 36, :<, pages / 8, "#{name}: #{found} faults in 36 calls of #{pages} pages"
    end
  end
end
