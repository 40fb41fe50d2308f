# frozen_string_literal: true

require_relative "test_helper"
require "bigdecimal"
require "date"
require "set"
require "stringio"

class MessagePackTest < Minitest::Test
  OURS = Kumihimo::MessagePack

  VALUES = [
    nil, true, false, 0, 1, -1, 127, 128, 255, 256, 65_535, 65_536, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1,
    -32, -33, -128, -129, -32_768, -32_769, -2**31, -2**31 - 1, -2**62, -2**63, 0.0, -0.0, 1.5, -1e300, 5e-324, Float::INFINITY,
    -Float::INFINITY, :symbol, :"é", "", "a", "é", "a" * 31, "a" * 32, "é" * 128, "a" * 256, "a" * 65_536, "a".b, "\xFF".b,
    "".b, "x".b * 256, "x".b * 65_536, "é".encode("ISO-8859-1"), "é".encode("UTF-16LE"), "a".encode("US-ASCII"),
    "あ".encode("Shift_JIS"), "\xFF", "\xED\xA0\x80", [], [nil], [1] * 15, [1] * 16, [[]] * 65_536, {}, { "a" => 1 },
    { a: 1, "b" => { 1 => nil, nil => [2] } },
    { [1] => 2, { 3 => 4 } => 5, 1.5 => 6, "k".b => 7, true => 8 }, (0..15).to_h { |n| [n, n] }, (0..70_000).to_h { |n| [n, n] }
  ].freeze

  begin
    require "msgpack"
  rescue LoadError
    def test_against_the_gem
      skip "not proven: the msgpack gem is not installed"
    end
  else
    GEM = ::MessagePack

    def test_against_the_gem
      VALUES.each do |value|
        packed = GEM.pack(value)
        assert_equal packed, OURS.pack(value), value.inspect[0, 80]
        assert_alike GEM.unpack(packed), OURS.unpack(packed)
        assert_alike GEM.unpack(packed, symbolize_keys: true), OURS.unpack(packed, symbolize_keys: true)
      end
    end

    def test_random_values_against_the_gem
      random = Random.new(11)
      1500.times do
        value = any(random)
        packed = GEM.pack(value)
        assert_equal packed, OURS.pack(value)
        assert_alike GEM.unpack(packed), OURS.unpack(packed)
        assert_alike GEM.unpack(packed, freeze: true), OURS.unpack(packed, freeze: true)
      end
    end

    def test_random_bytes_against_the_gem
      random = Random.new(12)
      kinds = Hash.new(0)
      20_000.times do
        bytes = random.bytes(random.rand(1..12))
        bytes = garbled(OURS.pack(any(random)), random) if random.rand(2).zero?
        # The gem makes room for whatever a long header promises, until memory is out. Timestamps are Times here.
        next if bytes.match?(/[\xC6\xC9\xDB\xDC-\xDF\xFF]/n)

        stock = outcome { GEM.unpack(bytes, allow_unknown_ext: true) }
        ours = outcome { OURS.unpack(bytes, allow_unknown_ext: true) }
        kinds[[stock[0], ours[0]]] += 1
        assert_equal stock[0], ours[0], bytes.inspect
        assert_alike stock[1], ours[1] if stock[0] == :value
      end
      assert_equal 2, kinds.size
      kinds.each_value { |n| assert_operator n, :>, 1000 }
    end

    def test_subclasses_are_what_they_are_made_of
      values = [Class.new(String).new("x"), Class.new(Hash)[1, 2], Class.new(Array)[1, 2], Class.new(String).new("\xFF".b)]
      values.each { |value| assert_equal GEM.pack(value), OURS.pack(value) }
    end

    def test_integers_beyond_64_bits
      [2**64, -2**63 - 1, 2**100].each do |n|
        stock = assert_raises(RangeError) { GEM.pack([n]) }
          assert_equal stock.message, assert_raises(RangeError) { OURS.pack([n]) }.message
      end
    end

    def test_extensions_of_the_gem
      value = GEM::ExtensionValue.new(5, "ab")
      assert_equal GEM.pack([value]), OURS.pack([value])
      assert_equal GEM.pack([value]), OURS.pack([OURS::Extension.new(5, "ab")])
      timestamp = GEM::Timestamp.new(1, 2)
      assert_equal timestamp.to_msgpack_ext, OURS.pack(OURS::Timestamp.new(1, 2))[2..]
    end
  end

  def test_round_trip
    VALUES.grep_v(Symbol).each do |value|
      next if value.is_a?(String) && ![Encoding::UTF_8, Encoding::BINARY].include?(value.encoding)

      assert_alike stringified(value), OURS.unpack(OURS.pack(value))
    end
    assert_predicate OURS.unpack(OURS.pack(Float::NAN)), :nan?
  end

  def test_text_knows_itself
    text, ascii = OURS.unpack(OURS.pack(["é", "a"]))
    assert_equal [Encoding::UTF_8] * 2, [text.encoding, ascii.encoding]
    assert text.valid_encoding? && ascii.ascii_only?
    mixed = OURS.unpack("\x92\xA1\xFF\xA2\xC3\xA9".b)
    assert_equal [false, true], mixed.map(&:valid_encoding?)
    assert_equal "é", mixed[1]
    assert_equal Encoding::BINARY, OURS.pack("é").encoding
    assert_equal "\xC4\x02\xC3\xA9".b, OURS.pack("é".b)
  end

  def test_text_that_is_none
    assert_equal "\x92\xA1\xFF\xA1a".b, OURS.pack(["\xFF", "a"])
    assert_equal "\xC4\x01\xFF".b, OURS.pack("\xFF", invalid: :bin)
    error = assert_raises(Kumihimo::GeneratorError) { OURS.pack(["\xFF"], invalid: :refuse) }
    assert_equal "\xFF", error.invalid_object
    assert_equal "\xFF", OURS.unpack("\xA1\xFF".b)
    assert_equal Encoding::BINARY, OURS.unpack("\xA1\xFF".b, invalid: :bin).encoding
    error = assert_raises(Kumihimo::ParserError) { OURS.unpack("\x91\xA1\xFF".b, invalid: :refuse) }
    assert_equal [2, "$[0]"], [error.offset, error.path]
    assert_raises(ArgumentError) { OURS.pack(1, invalid: :sloppy) }
    assert_raises(EncodingError) { OURS.unpack("\x81\xA1\xFF\x01".b, symbolize_keys: true) }
    assert_raises(EncodingError) { OURS.pack("\xFF".dup.force_encoding("Shift_JIS")) }
  end

  def test_times
    times = [Time.at(0), Time.at(1, 5, :nsec), Time.at(2**32), Time.at(2**34, 999_999_999, :nsec), Time.at(-1, 1, :nsec)]
    times.each do |time|
      back = OURS.unpack(OURS.pack(time))
      assert_equal [time, true], [back, back.utc?]
      stamp = OURS.unpack(OURS.pack(time), timestamp: true)
      assert_instance_of OURS::Timestamp, stamp
      assert_equal [time.to_i, time.nsec, time], [stamp.sec, stamp.nsec, stamp.to_time]
      assert_equal OURS.pack(time), OURS.pack(OURS::Timestamp.from_time(time))
    end
    assert_equal "\xD6\xFF\x00\x00\x00\x01".b, OURS.pack(Time.at(1))
    assert_equal OURS.pack(Time.at(5)), OURS.pack(Class.new(Time).at(5))
    assert_raises(RangeError) { OURS.pack(OURS::Timestamp.new(1, 10**9)) }
    assert_raises(RangeError) { OURS.pack(OURS::Timestamp.new(2**64, 0)) }
    assert_raises(RangeError, ArgumentError) { OURS.pack(Time.at(2**70)) }
    assert_raises(Kumihimo::ParserError) { OURS.unpack("\xC7\x0C\xFF\xFF\xFF\xFF\xFF".b + "\0" * 8) }
  end

  def test_extensions
    [0, 1, 2, 3, 4, 8, 16, 17, 255, 256, 65_536].product([-128, -2, 0, 127]) do |size, type|
      made = OURS::Extension.new(type, ("x" * size).b)
      assert_equal made, OURS.unpack(OURS.pack(made), allow_unknown_ext: true)
    end
    packed = OURS.pack({ "a" => [OURS::Extension.new(5, "ab")] })
    error = assert_raises(Kumihimo::ParserError) { OURS.unpack(packed) }
    assert_equal [4, "$.a[0]"], [error.offset, error.path]
    assert_equal({ "a" => [[5, "ab"]] }, OURS.unpack(packed) { |type, payload| [type, payload] })
    assert_equal({ "a" => [7] }, OURS.unpack(packed, ext: ->(type, payload) { type + payload.size }))
    [128, -129, 2**70].each { |type| assert_raises(RangeError) { OURS.pack(OURS::Extension.new(type, "")) } }
    assert_raises(TypeError) { OURS.pack(OURS::Extension.new("1", "")) }
    assert_raises(TypeError) { OURS.pack(OURS::Extension.new(1, 2)) }
    # A timestamp of a length that no timestamp has.
    assert_equal OURS::Extension.new(-1, "abc"), OURS.unpack("\xC7\x03\xFFabc".b, allow_unknown_ext: true)
  end

  def test_other_objects
    other = Object.new
    error = assert_raises(Kumihimo::GeneratorError) { OURS.pack([other]) }
    assert_same other, error.invalid_object
    [Date.new(2020), 1r, 1i, BigDecimal("1"), 1..2, Set[1], Object].each do |v|
      assert_raises(Kumihimo::GeneratorError) { OURS.pack(v) }
    end
    packed = OURS.pack({ other => Date.new(2020) }) { |v| v.is_a?(Date) ? v.to_s : [v.class.name] }
    assert_equal({ ["Object"] => "2020-01-01" }, OURS.unpack(packed))
    assert_equal "\xD4\x01x".b, OURS.pack(other) { OURS::Extension.new(1, "x") }
    assert_raises(Kumihimo::GeneratorError) { OURS.pack(other) { |v| v } }
    assert_raises(Kumihimo::NestingError) { OURS.pack(other, max_nesting: 50) { Object.new } }
    assert_equal 3, OURS.pack([other, 1]) { break 3 }
  end

  def test_an_object_that_packs_itself
    point = Struct.new(:x, :y) { def to_msgpack(*) = OURS.pack([x, y]) }
    assert_equal [1, [2, 3]], OURS.unpack(OURS.pack([1, point.new(2, 3)]))
    ["", "\x01\x02", "\x92\x01", "\xC1".b].each do |bytes|
      liar = Class.new { define_method(:to_msgpack) { bytes } }.new
      assert_raises(Kumihimo::GeneratorError) { OURS.pack([liar]) }
    end
    assert_raises(TypeError) { OURS.pack(Class.new { def to_msgpack = 5 }.new) }
  end

  # The number of values goes out before them.
  def test_containers_that_change
    object = Object.new
    array = [object, 1]
    assert_raises(RuntimeError) { OURS.pack(array) { array.clear && 1 } }
    array = [object]
    assert_raises(RuntimeError) { OURS.pack(array) { array.push(1) && 1 } }
    hash = { 1 => object, 2 => 3 }
    assert_raises(RuntimeError) { OURS.pack(hash) { hash.delete(2) } }
    hash = { 1 => object }
    assert_raises(RuntimeError) { OURS.pack(hash) { hash[5] = 1 } }
  end

  def test_io
    io = StringIO.new("".b)
    assert_nil OURS.pack([1, 2], io)
    assert_nil OURS.dump("a", io)
    assert_equal "\x92\x01\x02\xA1a".b, io.string
    assert_equal [1, 2], OURS.unpack(StringIO.new("\x92\x01\x02"))
    assert_equal [1, 2], OURS.load("\x92\x01\x02")
    assert_equal({ a: 1 }, OURS.load("\x81\xA1a\x01", { symbolize_keys: true }))
    [nil, 5, :a].each { |source| assert_raises(TypeError) { OURS.unpack(source) } }
    assert_raises(NoMethodError) { OURS.pack(1, 5) }
    assert_raises(ArgumentError) { OURS.pack }
    assert_equal "\x81\xA1a\x01".b, OURS.pack(a: 1)
    assert_equal "\x81\xA1a\x01".b, OURS.pack({ a: 1 }, max_nesting: 1)
    assert_equal "\x81\xA1a\x01".b, OURS.pack({ a: 1 }, { max_nesting: 1 })
    assert_raises(ArgumentError) { OURS.pack(1, nope: 2) }
    assert_raises(ArgumentError) { OURS.unpack("\x01", nope: 2) }
  end

  def test_streams
    packed = [1, "a", [nil], { "k" => "\xFF" }, Time.at(5)].map { |v| OURS.pack(v) }.join
    seen = []
    assert_nil OURS.each(packed) { |value| seen << value }
    assert_equal [1, "a", [nil], { "k" => "\xFF" }, Time.at(5)], seen
    assert_equal seen, OURS.each(StringIO.new(packed)).to_a
    assert_equal [{ k: 1 }], OURS.each("\x81\xA1k\x01", symbolize_keys: true).to_a
    assert_equal [], OURS.each("").to_a
    assert_equal 1, OURS.each(packed) { |value| break value }
    seen = []
    error = assert_raises(Kumihimo::ParserError) { OURS.each("\x01\x92\x02".b) { |value| seen << value } }
    assert_equal [[1], 1], [seen, error.offset]
  end

  def test_options
    packed = OURS.pack({ "a" => ["b", { "c" => 1 }], 1 => "d", "e".b => 2 })
    assert_equal [:a, 1, :e], OURS.unpack(packed, symbolize_keys: true).keys
    frozen = OURS.unpack(packed, freeze: true)
    assert [frozen, frozen["a"], frozen["a"][0], frozen["a"][1]].all?(&:frozen?)
    refute OURS.unpack(packed)["a"][0].frozen?
    deep = "\x91".b * 1024 + "\x01"
    assert_equal 1, OURS.unpack(deep).flatten[0]
    error = assert_raises(Kumihimo::NestingError) { OURS.unpack("\x91".b + deep) }
    assert_equal 1024, error.offset
    assert_equal 1, OURS.unpack("\x91".b * 5000 + "\x01", max_nesting: 0).flatten[0]
    array = []
    array << array
    assert_raises(Kumihimo::NestingError) { OURS.pack(array) }
    assert_raises(SystemStackError) { OURS.pack(array, max_nesting: nil) }
    assert_raises(Kumihimo::NestingError) { OURS.pack([[[]]], max_nesting: 2) }
    assert_equal "\x91\x91\x90".b, OURS.pack([[[]]], max_nesting: 3)
  end

  def test_errors
    { "" => 0, "\x92\x01" => 0, "\x92\x01\xCD" => 2, "\xC1" => 0, "\x01\x02" => 1, "\xDD\xFF\xFF\xFF\xFF" => 0,
      "\xC6\xFF\xFF\xFF\xFF" => 0, "\x81\xA1a\x92\x01\xC1" => 5 }.each do |bytes, offset|
      error = assert_raises(Kumihimo::ParserError) { OURS.unpack(bytes.b) }
      assert_equal offset, error.offset, bytes.inspect
    end
    error = assert_raises(Kumihimo::ParserError) { OURS.unpack("\x81\xA1a\x92\x01\xC1".b) }
    assert_equal "$.a[1]", error.path
    packed = OURS.pack(VALUES.first(60))
    packed.bytesize.times.each_slice(7) { |n, *| assert_raises(Kumihimo::ParserError) { OURS.unpack(packed.byteslice(0, n)) } }
  end

  # Code of the user's in the midst of it: changes the source, leaves by throw.
  def test_callbacks
    source = OURS.pack([OURS::Extension.new(1, "x"), "rest" * 20]).dup
    assert_equal [1, "rest" * 20], OURS.unpack(source) { |type, _| source.replace("!") && type }
    packed = OURS.pack([OURS::Extension.new(1, "x")] * 600)
    20.times { assert_equal 7, catch(:out) { OURS.unpack(packed) { throw :out, 7 } } }
    assert_raises(IOError) { OURS.unpack(packed) { raise IOError } }
    20.times { assert_equal 7, catch(:out) { OURS.pack([[1] * 5000, Object.new]) { throw :out, 7 } } }
  end

  def test_collector
    value = { "a" => ["b" * 50, { "c" => 1.5 }, 2**64 - 1], "t" => Time.at(5) }
    packed = OURS.pack(value)
    extension = OURS.pack([OURS::Extension.new(1, "abc")])
    GC.stress = true
    assert_equal value, OURS.unpack(packed)
    assert_equal packed, OURS.pack(value)
    assert_equal ["abc"], OURS.unpack(extension) { |_, payload| payload.dup }
    assert_equal ["x"], OURS.unpack(OURS.pack([Object.new]) { +"x" })
    assert_raises(Kumihimo::ParserError) { OURS.unpack("\x92\x01") }
    assert_equal [value, value], OURS.each(packed * 2).to_a
  ensure
    GC.stress = false
  end

  def test_ractors
    skip "not proven: this Ruby has no Ractors" unless defined?(Ractor)
    verbose, $VERBOSE = $VERBOSE, nil
    ractors = Array.new(3) do
      Ractor.new do
        Array.new(300) { |i| Kumihimo::MessagePack.unpack(Kumihimo::MessagePack.pack({ "n" => [i % 2, "x"] })) }.uniq
      end
    end
    ractors.each { |r| assert_equal [{ "n" => [0, "x"] }, { "n" => [1, "x"] }], r.respond_to?(:value) ? r.value : r.take }
  ensure
    $VERBOSE = verbose if verbose
  end

  private

  # Equal, and of the same encodings and signs.
  def assert_alike(expected, actual)
    assert_equal [described(expected)], [described(actual)]
  end

  def described(value)
    case value
    when String then [value.b, value.encoding.name, value.frozen?]
    when Symbol then [value.to_s.b, :symbol]
    when Array then value.map { |v| described(v) }
    when Hash then value.map { |k, v| [described(k), described(v)] }
    when Float then [value].pack("G")
    else value.respond_to?(:payload) ? [value.type, value.payload] : value
    end
  end

  def stringified(value)
    case value
    when Symbol then value.to_s
    when String then value.dup
    when Array then value.map { |v| stringified(v) }
    when Hash then value.to_h { |k, v| [k.is_a?(Symbol) ? k.to_s.encode("UTF-8") : k, stringified(v)] }
    else value
    end
  end

  def outcome
    [:value, yield]
  rescue StandardError => e
    [:error, e]
  end

  def garbled(bytes, random)
    return bytes if bytes.empty?

    random.rand(1..2).times { bytes.setbyte(random.rand(bytes.bytesize), random.rand(255)) }
    bytes
  end

  def any(random, depth = 0)
    case random.rand(depth > 3 ? 8 : 11)
    when 0 then nil
    when 1 then random.rand(2).zero?
    when 2 then random.rand(-2**63..2**64 - 1) >> random.rand(64)
    when 3 then random.rand(-200..70_000)
    when 4 then random.rand * 10**random.rand(-300..300)
    when 5, 6 then Array.new(random.rand(12)) { ["a", "é", "\n", "日", "😀"].sample(random: random) }.join
    when 7 then random.bytes(random.rand(40))
    when 8, 9 then Array.new(random.rand(5)) { any(random, depth + 1) }
    else Array.new(random.rand(5)) { [any(random, depth + 2), any(random, depth + 1)] }.to_h
    end
  end
end
