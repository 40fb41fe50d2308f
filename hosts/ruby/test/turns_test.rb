# frozen_string_literal: true

# A long document is left now and then: signals, Timeout, Thread#kill and other threads get their turn, whatever they do to what is
# being read or written, and nothing is leaked when they raise.
#
# That a signal's handler ran inside a call, and not before or behind it, is told by its backtrace: a method in C has a line there.
#
# The signal is the profiling timer's, which counts the processor's time of this process: however busy the machine is, it comes as
# often in a call. What is waited for ends by itself only where it would never come.
require "active_support"
require "active_support/json"
require "fiddle"
require "minitest/autorun"
require "stringio"
require "timeout"
require "kumihimo"
require "kumihimo/rails"

class TurnsTest < Minitest::Test
  Stop = Class.new(Exception)
  ROWS = 12_000
  PATIENCE = 300  # seconds

  def self.row(i) = { "id" => i, "name" => "row #{i} of many <é>", "tags" => ["a", "b", nil, true], "score" => i / 8.0, "inner" => { "x" => [1, 2, 3] } }
  VALUE = Array.new(ROWS) { |i| row(i) }.freeze
  TEXT = JSON.generate(VALUE).freeze
  PACKED = Kumihimo::MessagePack.pack(VALUE).freeze
  WIDE = ROWS.times.to_h { |i| ["key #{i}", "v" * 200] }.freeze
  NUMBERS = Array.new(400_000) { |i| i }.freeze
  STRINGS = Array.new(200_000, "0123456789" * 2).freeze
  LONG = Array.new(100, "0123456789" * 3000).freeze
  FLAT = JSON.generate(NUMBERS).freeze
  LONG_TEXT = JSON.generate(LONG).freeze
  PARTIAL = Kumihimo.partial(["[*].inner.x", "[*].name"])
  WORDS = Kumihimo.partial(["[*]"])
  ANY_PARTIAL = Kumihimo.partial(["[*].inner.x", "[*].name"], format: "msgpack")
  ANY_LAZY = Kumihimo.lazy(PACKED, format: "msgpack")
  LAZY = Kumihimo.lazy(TEXT)
  LAZY_FLAT = Kumihimo.lazy(FLAT)
  ENCODER = Kumihimo::Rails.encoder.new
  FILTERED = Kumihimo::Rails.encoder.new(only: %w[id inner x])
  NOTHING = Kumihimo::Rails.encoder.new(only: %w[none])
  CODER = Kumihimo::Coder.new
  MIXED = (0...50_000).to_h { |i| [i.even? ? i : i.to_s, nil] }.freeze

  # What takes long, by the method that the backtrace names.
  CALLS = {
    "generate" => -> { Kumihimo.generate(VALUE) },
    "generate, one hash" => -> { Kumihimo.generate(WIDE) },
    "generate, numbers" => -> { Kumihimo.generate(NUMBERS) },
    "generate, strings" => -> { Kumihimo.generate(STRINGS) },
    "generate, long strings" => -> { Kumihimo.generate(LONG) },
    "generate, laid out" => -> { Kumihimo.generate(VALUE, indent: " ", object_nl: "\n", array_nl: "\n") },
    "generate, ascii" => -> { Kumihimo.generate(VALUE, ascii_only: true) },
    "generate, no key twice" => -> { Kumihimo.generate(WIDE, allow_duplicate_key: false) },
    "generate, coder" => -> { CODER.dump(VALUE) },
    "encode" => -> { ENCODER.encode(VALUE) },
    "encode, numbers" => -> { ENCODER.encode(NUMBERS) },
    "encode, one hash" => -> { ENCODER.encode(WIDE) },
    "encode, keys of two kinds" => -> { ENCODER.encode(MIXED) },
    "encode, filtered" => -> { FILTERED.encode(VALUE) },
    "encode, nothing left" => -> { NOTHING.encode(VALUE) },
    "pack" => -> { Kumihimo::MessagePack.pack(VALUE) },
    "pack, one hash" => -> { Kumihimo::MessagePack.pack(WIDE) },
    "pack, numbers" => -> { Kumihimo::MessagePack.pack(NUMBERS) },
    "parse" => -> { Kumihimo.parse(TEXT) },
    "parse, symbols" => -> { Kumihimo.parse(TEXT, symbolize_names: true, freeze: true) },
    "parse, numbers" => -> { Kumihimo.parse(FLAT) },
    "parse, long strings" => -> { Kumihimo.parse(LONG_TEXT) },
    "parse, broken at its end" => -> { Kumihimo.parse("#{FLAT[0..-2]},}") },
    "unpack" => -> { Kumihimo::MessagePack.unpack(PACKED) },
    "unpack, io" => -> { Kumihimo::MessagePack.unpack(StringIO.new(PACKED)) },
    "each" => -> { Kumihimo::MessagePack.each(PACKED) { nil } },
    "call" => -> { PARTIAL.call(TEXT) },
    "call, numbers" => -> { WORDS.call(FLAT) },
    "many" => -> { PARTIAL.many([TEXT]) },
    "open" => -> { Kumihimo.lazy(TEXT) },
    "value" => -> { LAZY.value },
    "values" => -> { LAZY_FLAT.values },
    "keys" => -> { Kumihimo.lazy(JSON.generate(MIXED)).keys },
    "raw" => -> { LAZY.raw },
    "write_any" => -> { Kumihimo.dump(VALUE, format: "msgpack") },
    "write_any, text" => -> { Kumihimo.dump(VALUE, format: "json") },
    "write_any, laid out" => -> { Kumihimo.dump(VALUE, format: "json", dialect: "pretty") },
    "write_any, one hash" => -> { Kumihimo.dump(WIDE, format: "msgpack") },
    "read_any" => -> { Kumihimo.load(PACKED, format: "msgpack") },
    "read_any, text" => -> { Kumihimo.load(TEXT, format: "json") },
    "convert_any" => -> { Kumihimo.convert(TEXT, "json", "msgpack") },
    "call, any format" => -> { ANY_PARTIAL.call(PACKED) },
    "open, any format" => -> { Kumihimo.lazy(PACKED, format: "msgpack") },
    "value, any format" => -> { ANY_LAZY.value },
    "raw, any format" => -> { ANY_LAZY.raw },
    "push, any format" => -> { Kumihimo.each_document(PACKED, format: "msgpack") { nil } },
    "push" => -> { Kumihimo.each_document("#{TEXT}\n") { nil } },
  }.freeze

  SET_TIMER = Fiddle::Function.new(Fiddle.dlopen(nil)["setitimer"], [Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT)
  PROFILING = 2  # ITIMER_PROF

  # A signal after every so many microseconds of work; 0: no more.
  def every(microseconds) = SET_TIMER.call(PROFILING, [0, microseconds, 0, microseconds].pack("l!4"), nil)

  def setup
    @here = false
    @handler = nil
    @before = trap("PROF") { @handler&.call if @here }
    every(1500)
  end

  def teardown
    every(0)
    trap("PROF", @before || "DEFAULT")
  end

  def until_it_happens(what)
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) - started < PATIENCE
      answer = yield
      return answer if answer
    end
    flunk "#{what}: never in #{PATIENCE} seconds"
  end

  # Calls until the handler ran inside a call. What the handler returned, and the call's result or error.
  def interrupt(name, call)
    inside = /\b#{name[/\A\w+/]}'/
    until_it_happens("a signal in #{name}") do
      seen = nil
      @handler = lambda do
        next if seen || caller.none?(inside)

        seen = [nil]  # also when what follows raises
        seen = [yield]
      end
      begin
        @here = true
        result = call.call
        @here = false
      rescue Stop, StandardError => result
        @here = false
      end
      [seen[0], result] if seen
    end
  end

  # The handler may run near either end of a call, where what it does comes too early or too late to be seen. The block says whether it
  # came in between.
  def until_in_between(what, &block) = until_it_happens("#{what}, in between", &block)

  CALLS.each do |name, call|
    define_method("test_a_signal_gets_through_to_#{name.gsub(/\W+/, "_")}") do
      ran, result = interrupt(name, call) { :ran }
      assert_equal :ran, ran
      assert name.include?("broken") ? result.is_a?(JSON::ParserError) : !result.is_a?(Exception), "#{name}: #{result.inspect[0, 300]}"
    end

    define_method("test_a_handler_may_raise_in_#{name.gsub(/\W+/, "_")}") do
      stop = Stop.new
      assert_same stop, interrupt(name, call) { raise stop }[1]
    end
  end

  def test_results_are_whole_after_signals
    assert_equal TEXT, interrupt("generate", CALLS["generate"]) { nil }[1]
    assert_equal PACKED, interrupt("pack", CALLS["pack"]) { nil }[1]
    assert_equal VALUE, interrupt("parse", CALLS["parse"]) { nil }[1]
    assert_equal VALUE, interrupt("unpack", CALLS["unpack"]) { nil }[1]
    assert_equal VALUE, interrupt("open", CALLS["open"]) { nil }[1].value
    assert_equal PACKED, interrupt("write_any", CALLS["write_any"]) { nil }[1]
    assert_equal VALUE, interrupt("read_any", CALLS["read_any"]) { nil }[1]
    assert_equal PACKED, interrupt("convert_any", CALLS["convert_any"]) { nil }[1]
    assert_equal VALUE, interrupt("open", CALLS["open, any format"]) { nil }[1].value
    assert_equal [VALUE.map { |row| row["inner"]["x"] }, VALUE.map { |row| row["name"] }], interrupt("call", CALLS["call"]) { nil }[1]
  end

  # Two threads of one process: the other one sees this one inside the call, or in what the call asks of Ruby.
  %w[generate encode pack parse unpack value].each do |name|
    define_method("test_other_threads_run_during_#{name}") do
      main = Thread.current
      seen = done = false
      inside = /\b#{name}'/
      watching = Thread.new { seen ||= main.backtrace&.any?(inside) until seen || done }
      call = CALLS.fetch(name)
      until_it_happens("another thread during #{name}") do
        call.call
        seen
      end
      done = true
      watching.join
      assert seen, "no other thread ran during #{name}"
    end
  end

  # One call that would take minutes: what ends it ends it inside.
  ENDLESS = (1..9).inject(VALUE) { |inner, _| [inner] * 4 }.freeze

  def test_a_timeout_ends_a_call
    error = assert_raises(Stop) { Timeout.timeout(0.5, Stop) { ENCODER.encode(ENDLESS) } } # Timeout::Error has another backtrace
    assert_match(/\bencode'/, error.backtrace.join("\n"))
  end

  def test_a_thread_is_killed_inside_a_call
    ended = false
    thread = Thread.new do
      ENCODER.encode(ENDLESS)
      ended = true
    end
    until_it_happens("the thread in encode") { thread.backtrace&.any?(/\bencode'/) }
    assert thread.kill.join(PATIENCE), "the thread could not be killed"
    refute ended, "the call came to its end first"
  end

  # ---- what others do meanwhile

  def copy = VALUE.map { |row| row.merge("inner" => row["inner"].dup, "tags" => row["tags"].dup, "name" => row["name"].dup) }

  def test_the_source_of_a_parse_may_be_changed
    text = nil
    {
      "parse" => -> { Kumihimo.parse(text = +TEXT) },
      "unpack" => -> { Kumihimo::MessagePack.unpack(text = +PACKED) },
      "call" => -> { PARTIAL.call(text = +TEXT) },
      "open" => -> { Kumihimo.lazy(text = +TEXT).value },
    }.each do |name, call|
      expected = call.call
      _, found = interrupt(name, call) do
        text.setbyte(text.bytesize - 100, 0x21)
        text.replace("]" * text.bytesize)
        text.clear
        GC.start
      end
      assert_equal expected, found, name
    end
  end

  def test_what_is_written_may_be_changed
    {
      "generate" => ->(value) { Kumihimo.generate(value) },
      "encode" => ->(value) { ENCODER.encode(value) },
    }.each do |name, call|
      until_in_between(name) do
        value = nil
        _, found = interrupt(name, -> { call.call(value = copy) }) do
          value.each do |row|
            row["name"].replace("\u2028" * 50)
            row["inner"]["x"] = nil
            row["tags"].clear
            row.delete("score")
          end
          value.pop(1000)
          GC.start
        end
        rows = JSON.parse(found)
        next unless rows.size == ROWS - 1000 && rows[0] == VALUE[0]

        assert_equal({ "id" => rows.size - 1, "name" => "\u2028" * 50, "tags" => [], "inner" => { "x" => nil } }, rows[-1])
      end
    end
  end

  def test_an_array_that_shrinks_under_pack_is_an_error
    value = nil
    until_in_between("pack") do
      _, found = interrupt("pack", -> { Kumihimo::MessagePack.pack(value = copy) }) { value.clear }
      found.is_a?(RuntimeError) || (assert_includes([PACKED, Kumihimo::MessagePack.pack([])], found) && false)
    end
    until_in_between("pack") do
      _, found = interrupt("pack", -> { Kumihimo::MessagePack.pack(value = WIDE.dup) }) { value.delete("key #{ROWS - 1}") }
      found.is_a?(RuntimeError) || (assert_equal(Kumihimo::MessagePack.pack(WIDE), found) && false)
    end
  end

  # As in every iteration of Ruby's over a Hash.
  def test_a_hash_takes_no_new_key_while_it_is_written
    until_in_between("generate") do
      value = nil
      error, found = interrupt("generate", -> { Kumihimo.generate(value = WIDE.dup) }) do
        value["new"] = 1
      rescue RuntimeError => error
        error
      end
      next unless error.is_a?(RuntimeError)

      assert_match(/iteration/, error.message)
      assert_equal Kumihimo.generate(WIDE), found
      value["new"] = 1
    end
  end

  def test_an_as_json_that_appears_meanwhile_counts_from_there_on
    until_in_between("encode") do
      person = Class.new { def initialize(name) = @name = name }
      people = Array.new(ROWS) { |i| person.new("person #{i}") }
      _, found = interrupt("encode", -> { ENCODER.encode(people) }) { person.define_method(:as_json) { |*| 7 } }
      list = JSON.parse(found)
      next unless list[0] != 7 && list[-1] == 7

      border = list.index(7)
      assert_equal({ "name" => "person #{border - 1}" }, list[border - 1])
      assert_equal [7], list[border..].uniq
    end
  end

  # ---- the same object, used again inside of itself

  def test_one_object_for_several_calls_at_once
    small = TEXT[0...(TEXT.index("},{", 1000) + 1)] + "]"
    {
      "generate, coder" => [CALLS["generate, coder"], -> { CODER.dump(VALUE[0, 9]) }],
      "encode" => [CALLS["encode"], -> { ENCODER.encode(VALUE[0, 9]) }],
      "call" => [CALLS["call"], -> { PARTIAL.call(small) }],
      "value" => [CALLS["value"], -> { [LAZY[7].value, LAZY[-1]["name"], LAZY.size] }],
    }.each do |name, (long, short)|
      expected = [short.call, long.call]
      assert_equal expected, interrupt(name, long, &short), name
    end
  end

  def test_a_stream_that_reads_is_closed_to_others
    stream = nil
    klass = Kumihimo.const_get(:DocumentStream)
    until_in_between("push") do
      answer, found = interrupt("push", -> { (stream = klass.new({}, 1 << 30)).push("#{TEXT}\n") }) do
        stream.push("1 ")
      rescue RuntimeError => error
        error
      end
      assert_equal [VALUE], found
      next unless answer.is_a?(RuntimeError)

      assert_match(/this stream is reading/, answer.message)
    end
  end

  # ---- nothing stays

  def resident = File.read("/proc/self/statm").split[1].to_i * 4096

  # What a call that raises would keep: its objects, or a good part of its document, in each round. The first rounds fill the allocator's
  # own stores. An address that is left on the stack keeps one result alive now and then, also through several rounds: so the least of several
  # rounds counts, and what leaks is more after each group of them, not after one.
  def test_nothing_is_leaked_when_it_raises
    skip "the sanitizers keep freed memory" if ENV["KUMIHIMO_SANITIZED"]
    rounds = 5
    ["generate", "generate, laid out", "encode", "pack", "parse", "unpack", "call", "open", "value", "raw", "write_any", "write_any, laid out", "read_any", "convert_any", "call, any format", "open, any format",
     "value, any format"].each do |name|
      round = proc { interrupt(name, CALLS[name]) { raise Stop }; GC.start }
      4.times(&round)
      groups = Array.new(4) { Array.new(rounds) { round.call; [GC.stat(:heap_live_slots), resident] }.transpose.map(&:min) }
      objects, bytes = groups.each_cons(2).map { |before, after| [after[0] - before[0], after[1] - before[1]] }.transpose.map(&:min)
      assert_operator objects, :<, rounds * 20, "#{name}: objects"
      assert_operator bytes, :<, rounds * TEXT.bytesize / 2, "#{name}: bytes"
    end
  end
end
