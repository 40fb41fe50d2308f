# frozen_string_literal: true

# The private call that the conformance vectors are compared by: the walk of Kumihimo.dump, in the reference notation.
require_relative "test_helper"
require "bigdecimal"
require "timeout"

class TraceTest < Minitest::Test
  # Answers nothing that a walk could ask.
  class Hostile
    %i[to_s to_str to_h to_hash to_a to_ary to_json inspect == hash].each { |name| define_method(name) { |*| raise IOError, "asked for #{name}" } }
  end

  def trace(value, max_nesting = 0, &instead) = Kumihimo.__send__(:trace_any, value, max_nesting, &instead)

  def test_nobody_calls_it_from_outside
    assert_raises(NoMethodError) { Kumihimo.trace_any(1, 0) }
    refute_includes Kumihimo.public_methods(false), :trace_any
  end

  def test_every_verb
    value = { "a" => [nil, true, 1, -2**63, 2**63, 2**64, 0.5, -0.0, 0.0 / 0], sym: "caf\u00E9\"\\\n\u{1F600}", "\xFF".b => "\x00\xFF".b, 5 => BigDecimal("1.50"),
              "t" => Time.at(1, 2, :nsec).utc, "x" => Kumihimo::MessagePack::Extension.new(5, "\n"), [] => {}, "broken\xC3" => "\xED\xA0\x80" }
    said = trace(value)
    assert_equal <<~'TRACE', said
      map
      key "a"
      array
      null
      boolean true
      i64 1
      i64 -9223372036854775808
      u64 9223372036854775808
      big 18446744073709551616
      f64 0x3fe0000000000000 0.5
      f64 0x8000000000000000 -0
      f64 0x7ff8000000000000 nan
      end
      key "sym"
      str "caf\u{e9}\"\\\u{a}\u{1f600}"
      key
      bin 0xff
      bin 0x00ff
      key
      i64 5
      big 1.5
      key "t"
      time utc 1 2 0
      key "x"
      ext 5 0x0a
      key
      array
      end
      map
      end
      key "broken\xc3"
      str "\xed\xa0\x80"
      end
    TRACE
    assert_equal Encoding::UTF_8, said.encoding
  end

  def test_other_objects
    assert_raises(Kumihimo::GeneratorError) { trace([Hostile.new]) }
    by_identity = {}.compare_by_identity
    by_identity[Hostile.new] = 1
    assert_raises(Kumihimo::GeneratorError) { trace(by_identity) }
    assert_equal "array\nstr \"o\"\nend\n", trace([Object.new]) { "o" }
    assert_raises(IOError) { trace([[1] * 5000, Hostile.new]) { raise IOError } }
    assert_equal :thrown, catch(:out) { trace([[1] * 5000, Object.new]) { throw :out, :thrown } }
    assert_equal "array\nstr \"null\\u{a}\"\nend\n", trace([Object.new]) { trace(nil) }
    changed = [Object.new, 2]
    assert_match(/the Array was changed/, assert_raises(RuntimeError) { trace(changed) { changed << 1 && nil } }.message)
    assert_raises(Kumihimo::NestingError) { trace(Object.new, 100) { Object.new } }
    assert_raises(Encoding::UndefinedConversionError) { trace("\x81".dup.force_encoding("Windows-1252")) }
    assert_raises(RangeError) { trace(Kumihimo::MessagePack::Extension.new(128, "")) }
  end

  def test_depth
    deep = 2000.times.inject(1) { |inner, _| [inner] }
    assert_equal "#{"array\n" * 2000}i64 1\n#{"end\n" * 2000}", trace(deep)
    assert_raises(Kumihimo::NestingError) { trace(deep, 1999) }
    assert_raises(ArgumentError) { trace(1, -1) }
    endless = []
    endless << endless
    assert_raises(SystemStackError) { trace(endless) }
    assert_raises(Kumihimo::NestingError) { trace(endless, 100) }
  end

  def test_a_long_one_is_left
    long = ["x" * 1000] * 2_000_000
    assert_raises(Timeout::Error) { Timeout.timeout(0.2) { trace(long) } }
  end
end
