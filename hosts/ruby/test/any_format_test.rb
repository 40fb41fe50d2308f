# frozen_string_literal: true

# The calls that read the table of formats: they know no format, so nearly all of this runs for every one there is.
require_relative "test_helper"
require "bigdecimal"
require "date"
require "set"
require "stringio"
require "timeout"

class AnyFormatTest < Minitest::Test
  include InThisProcess

  FORMATS = Kumihimo.formats
  NAMES = FORMATS.map { |format| format[:name] }
  WRITTEN = FORMATS.flat_map { |format| format[:write_dialects].map { |dialect| [format[:name], dialect] } }
  READ = FORMATS.flat_map { |format| format[:read_dialects].map { |dialect| [format[:name], dialect] } }
  TEXT = FORMATS.to_h { |format| [format[:name], format[:text]] }
  EXTENSION = Kumihimo::MessagePack::Extension

  PLAIN = { "id" => 7, "tags" => ["a", nil, true, { "deep" => [[], {}] }], "text" => "café 😀 \"\\\n", "x" => -1.5, "big" => 2**63, "n" => -2**63, "" => 0 }.freeze
  VALUES = [0, "", nil, [], {}, 1.5, "text" * 50_000, (0...20_000).to_a, 2**64 - 1, 2**62, -2**62 - 1, PLAIN].freeze

  # ---- there and back

  def test_there_and_back
    VALUES.product(NAMES) do |value, format|
      written = Kumihimo.dump(value, format: format)
      assert_equal TEXT[format] ? Encoding::UTF_8 : Encoding::BINARY, written.encoding
      [format, format.to_sym].each { |name| assert_equal [value], [Kumihimo.load(written, format: name)] }
    end
  end

  def test_every_dialect_is_read_again
    WRITTEN.each do |format, dialect|
      assert_equal held(PLAIN, format, dialect), Kumihimo.load(Kumihimo.dump(PLAIN, format: format, dialect: dialect), format: format), dialect
    end
  end

  def test_every_dialect_reads
    READ.each do |format, dialect|
      written, expected = taken(PLAIN["tags"], format, dialect)
      assert_equal expected, Kumihimo.load(written, format: format, dialect: dialect)
      assert_equal expected, Kumihimo.lazy(written, format: format, dialect: dialect).value
      assert_equal [expected, expected[2]], Kumihimo.partial(["", "[2]"], format: format, dialect: dialect).call(written)
      streamed = -> { Kumihimo.each_document(written * 2, format: format, dialect: dialect).to_a }
      # In a layout without a mark a document ends only where the bytes do: a stream of it is one document.
      followed?(format, written) ? assert_equal([expected] * 2, streamed.call) : assert_raises(Kumihimo::ParserError, &streamed)
      NAMES.each do |target|
        there = Kumihimo.convert(written, format, target, source_dialect: dialect)
        assert_equal expected, Kumihimo.load(there, format: target)
      end
    end
  end

  def test_random_values
    random = Random.new(13)
    400.times do
      value = plain(random)
      WRITTEN.each do |format, dialect|
        expected = held(value, format, dialect)
        unless sayable?(value, format, dialect)
          assert_raises(Kumihimo::GeneratorError) { Kumihimo.dump(value, format: format, dialect: dialect) }
          next
        end
        written = Kumihimo.dump(value, format: format, dialect: dialect)
        assert_equal [expected], [Kumihimo.load(written, format: format)], [format, dialect]
        assert_equal [expected], [Kumihimo.lazy(written, format: format).value]
      end
      NAMES.product(NAMES) do |source, target|
        written = Kumihimo.dump(value, format: source)
        assert_equal Kumihimo.dump(value, format: target), Kumihimo.convert(written, source, target)
      end
    end
  end

  # What a format has no value for is lowered or refused, as its dialect says, and nothing else happens.
  def test_random_values_of_every_kind
    random = Random.new(14)
    kinds = Hash.new(0)
    600.times do
      value = any(random)
      WRITTEN.each do |format, dialect|
        written = begin
          Kumihimo.dump(value, format: format, dialect: dialect)
        rescue Kumihimo::GeneratorError => e
          refute_empty e.message
          kinds[:refused] += 1
          next
        end
        kinds[:written] += 1
        assert_predicate written, :valid_encoding?
        assert_equal written, Kumihimo.dump(value, format: format, dialect: dialect)
      end
    end
    kinds.each_value { |n| assert_operator n, :>, 500, kinds }
    assert_equal 2, kinds.size
  end

  # ---- kinds of values

  def test_more_than_text_has
    value = { "raw" => "\x00\xFF".b, "at" => Time.at(1_482_630_790, 250_000_000, :nsec).utc, "ext" => EXTENSION.new(5, "abc"), "nan" => Float::INFINITY,
              1 => "a", -5 => "b", nil => true, "k".b => nil, 2.5 => [], [1] => {}, { "k" => 1 } => 0 }
    (NAMES - NAMES.select { |format| TEXT[format] }).each do |format|
      written = Kumihimo.dump(value, format: format)
      assert_equal value, Kumihimo.load(written, format: format)
      assert_equal Encoding::BINARY, Kumihimo.load(written, format: format)["raw"].encoding
      assert_equal [5, "abc"], Kumihimo.load(Kumihimo.dump(EXTENSION.new(5, "abc"), format: format), format: format) { |type, payload| [type, payload] }
    end
  end

  def test_what_becomes_of_each_kind
    json = ->(value, dialect = "compact") { Kumihimo.dump(value, format: "json", dialect: dialect) }
    assert_equal '"AP8="', json["\x00\xFF".b]
    assert_equal '"YQ=="', json["a".b]
    assert_equal '{"YQ==":1,"1":2,"null":3,"1.5":4,"s":5,"true":6}', json[{ "a".b => 1, 1 => 2, nil => 3, 1.5 => 4, s: 5, true => 6 }]
    assert_equal [2**64, -2**63 - 1, 10**100].to_s.delete(" "), json[[2**64, -2**63 - 1, 10**100]]
    assert_equal "[1.5,-0.0,123.0,0.00000001,1e400,-1.25e-400,7e70]",
                 json[%w[1.5 -0 123 1e-8 1e400 -1.25e-400 7e70].map { |digits| BigDecimal(digits) }]
    assert_equal "[null,null,null,null]", json[[Float::NAN, -Float::INFINITY, BigDecimal("NaN"), BigDecimal("-Infinity")], "lenient"]
    assert_equal '["é","é","é","a"]', json[["é".encode("ISO-8859-1"), "é".encode("UTF-16LE"), :é, "a".encode("Shift_JIS")]]
    assert_equal '{"é":1,"a":2}', json[{ "é".encode("UTF-16BE") => 1, "a".encode("Shift_JIS") => 2 }]
    moments = [Time.at(0, 500, :millisecond).utc, Time.at(0, in: "+09:00"), Time.at(0, in: "-00:30"), DateTime.new(2016, 12, 25, 1, 53, 10, "+2"), Date.new(2016, 12, 25), Date.new(1500, 1, 1),
               Kumihimo::MessagePack::Timestamp.new(-1, 5)]
    assert_equal '["1970-01-01T00:00:00.5Z","1970-01-01T09:00:00+09:00","1969-12-31T23:30:00-00:30","2016-12-25T01:53:10+02:00","2016-12-25","1500-01-10",' \
                 '"1969-12-31T23:59:59.000000005Z"]', json[moments]
    assert_equal '{"type":-1,"data":"YQ=="}', json[EXTENSION.new(-1, "a"), "lenient"]
    assert_equal '["\ufffd",{"\ufffd":1}]', json[["\xFF", { "\xFF" => 1 }], "lenient"].gsub("\u{FFFD}", '\ufffd')
    assert_equal '[[1],{"a":1},"s"]', json[[Class.new(Array)[1], Class.new(Hash)["a", 1], Class.new(String).new("s")]]

    pack = ->(value, dialect = "standard") { Kumihimo.dump(value, format: "msgpack", dialect: dialect) }
    (VALUES - [PLAIN]).each { |value| assert_equal Kumihimo::MessagePack.pack(value), pack[value] }
    assert_equal "\xA718446744073709551616".b.sub("\xA7".b, "\xB4".b), pack[2**64, "big_text"]
    assert_equal "\xA92016-12-25".b.sub("\xA9".b, "\xAA".b), pack[Date.new(2016, 12, 25)]
    assert_equal "\xB91970-01-01T09:00:00+09:00".b, pack[Time.at(0, in: "+09:00"), "time_text"]
    assert_equal "\x91\xC4\x01\xFF".b, pack[["\xFF"], "lenient"]
    assert_equal "\x91\xA1\xFF".b, pack[["\xFF"], "ruby"]
  end

  def test_what_cannot_be_written
    far = Time.at(2**70)
    NAMES.each do |format|
      ["\xFF", { "\xFF" => 1 }, { [] => "\xFF" }].each do |value|
        assert_raises(Kumihimo::GeneratorError, value.inspect) { Kumihimo.dump([value], format: format) }
      end
      [Object.new, 1r, 1i, Set[1], far, Time.at(0, in: "+09:00").localtime(Rational(1, 3)), (1..2), BasicObject].each do |value|
        error = assert_raises(Kumihimo::GeneratorError, value.inspect) { Kumihimo.dump([value], format: format) }
        assert_same value, error.invalid_object
      end
      assert_raises(RangeError) { Kumihimo.dump(EXTENSION.new(128, ""), format: format) }
      assert_raises(RangeError) { Kumihimo.dump(Kumihimo::MessagePack::Timestamp.new(0, 10**9), format: format) }
      assert_raises(Encoding::UndefinedConversionError) { Kumihimo.dump("\x81".dup.force_encoding("Windows-1252"), format: format) }
    end
  end

  def test_the_callers_block
    odd = Struct.new(:n).new(3)
    NAMES.each do |format|
      assert_equal [[3], { "k" => 3 }], Kumihimo.load(Kumihimo.dump([[odd], { "k" => odd }], format: format) { |object| object.n }, format: format)
      assert_equal({ "3" => 1 }, Kumihimo.load(Kumihimo.dump({ odd => 1 }, format: format) { |object| object.n.to_s }, format: format))
      error = assert_raises(Kumihimo::GeneratorError) { Kumihimo.dump(odd, format: format) { |object| object } }
      assert_match(/the block gave it back/, error.message)
      assert_raises(Kumihimo::NestingError) { Kumihimo.dump(odd, format: format) { |_| odd.dup } }
    end
  end

  # ---- options

  def test_options_of_writing
    NAMES.each do |format|
      deep = 1025.times.inject(1) { |inner, _| [inner] }
      assert_raises(Kumihimo::NestingError) { Kumihimo.dump(deep, format: format) }
      written = Kumihimo.dump(deep, format: format, max_nesting: 0)
      assert_raises(Kumihimo::NestingError) { Kumihimo.load(written, format: format) }
      assert_equal deep, Kumihimo.load(written, format: format, max_nesting: 1025)
      assert_equal deep, Kumihimo.load(written, format: format, max_nesting: false)
      assert_raises(Kumihimo::NestingError) { Kumihimo.dump([[1]], 1, format: format) }
      assert_raises(Kumihimo::NestingError) { Kumihimo.dump({ 1 => [1] }, format: format, max_nesting: 1) }
      assert_raises(ArgumentError) { Kumihimo.dump(1, format: format, max_nesting: -1) }
      assert_raises(ArgumentError) { Kumihimo.dump(1, format: format, indent: " ") }
      io = StringIO.new(+"".b)
      assert_same io, Kumihimo.dump([1], io, format: format)
      assert_equal [1], Kumihimo.load(StringIO.new(io.string), format: format)
    end
  end

  def test_options_of_reading
    NAMES.each do |format|
      written = Kumihimo.dump([{ "a" => "b" }], format: format)
      assert_equal [{ a: "b" }], Kumihimo.load(written, format: format, symbolize_names: true)
      frozen = Kumihimo.load(written, format: format, freeze: true)
      assert frozen.frozen? && frozen[0].frozen? && frozen[0]["a"].frozen?
      seen = []
      Kumihimo.load(written, ->(value) { seen << value; value }, format: format)
      assert_equal ["b", { "a" => "b" }, [{ "a" => "b" }]], seen - ["a"]
      assert_raises(ArgumentError) { Kumihimo.load(written, format: format, allow_nan: true) }
      assert_raises(TypeError) { Kumihimo.load(5, format: format) }
      assert_raises(TypeError) { Kumihimo.load(nil, format: format) }
    end
    assert_equal [BigDecimal("1.10"), 2**80, BigDecimal("1e400")], Kumihimo.load("[1.10,#{2**80},1e400]", format: "json", decimal_class: BigDecimal)
    exact = Kumihimo.load("[1.10,1e400]", format: "json", dialect: "exact_decimals")
    assert_equal [BigDecimal("1.10"), BigDecimal("1e400")], exact
    assert_equal [1.1, BigDecimal("-1e400")], Kumihimo.load("[1.10,-1e400]", format: "json")
    assert_equal "[1.1,1e400]", Kumihimo.dump(exact, format: "json")
  end

  def test_text_that_is_none
    mixed = Kumihimo.load("\x92\xA1\xFF\xA2\xC3\xA9".b, format: "msgpack", dialect: "ruby_read")
    assert_equal [false, true], mixed.map(&:valid_encoding?)
    lazy = Kumihimo.lazy("\x92\xA1\xFF\xA2\xC3\xA9".b, format: "msgpack", dialect: "ruby_read")
    assert_equal [[false, true]] * 2, [lazy.value, lazy.to_a].map { |values| values.map(&:valid_encoding?) }
    assert_equal false, lazy[0].valid_encoding?
    assert_equal [false], Kumihimo.partial("[0]", format: "msgpack", dialect: "ruby_read").call("\x92\xA1\xFF\xA2\xC3\xA9".b).map(&:valid_encoding?)
    ['["\ud800"]', '{"\ud800":1}', '["\udc00\ud800"]'].each do |text|
      error = assert_raises(Kumihimo::ParserError) { Kumihimo.load(text, format: "json", dialect: "python_read") }
      assert_equal 1, error.offset
    end
    assert_equal ["😀"], Kumihimo.load('["\ud83d\ude00"]', format: "json", dialect: "python_read")
  end

  def test_text_in_other_encodings
    NAMES.select { |format| TEXT[format] }.each do |format|
      written = Kumihimo.dump({ "é" => "日" }, format: format)
      %w[UTF-16LE UTF-16BE UTF-32LE EUC-JP].each do |encoding|
        coded = written.encode(encoding, fallback: { "é" => "é".encode("EUC-JP", undef: :replace) })
        next unless coded.encode("UTF-8") == written

        assert_equal({ "é" => "日" }, Kumihimo.load(coded, format: format))
        assert_equal({ "é" => "日" }, Kumihimo.lazy(coded, format: format).value)
        assert_equal [{ "é" => "日" }], Kumihimo.each_document(coded, format: format).to_a
        assert_equal written, Kumihimo.convert(coded, format, format)
      end
    end
    # Bytes are bytes, whatever the String says they are.
    (NAMES - NAMES.select { |format| TEXT[format] }).each do |format|
      written = Kumihimo.dump({ "é" => ["日", -1] }, format: format)
      %w[US-ASCII UTF-8 Shift_JIS].each do |encoding|
        coded = written.dup.force_encoding(encoding)
        assert_equal({ "é" => ["日", -1] }, Kumihimo.load(coded, format: format))
        assert_equal({ "é" => ["日", -1] }, Kumihimo.lazy(coded, format: format).value)
        assert_equal [["日", -1]], Kumihimo.partial(["é"], format: format).call(coded)
        assert_equal [{ "é" => ["日", -1] }], Kumihimo.each_document(coded, format: format).to_a
      end
    end
  end

  # ---- names

  def test_the_format_that_the_bytes_tell
    assert_equal({ "a" => 1 }, Kumihimo.load(' {"a": 1}', format: nil))
    assert_equal [1, 2, 3], Kumihimo.load("\x93\x01\x02\x03".b, format: nil)
    assert_equal [1], Kumihimo.load("[1,] // more", dialect: "relaxed")
    assert_equal [1], Kumihimo.load(StringIO.new("[1]"), format: nil)
    assert_equal ["é"], Kumihimo.load('["é"]'.encode("UTF-16BE"), format: nil)
    assert_equal '{"a":null}', Kumihimo.convert("\x81\xA1a\xC0".b, nil, "json")
    # Any first byte may begin a document of one format or another.
    [-> { Kumihimo.load("", format: nil) }, -> { Kumihimo.convert("", nil, NAMES[0]) }].each do |call|
      error = assert_raises(Kumihimo::ParserError, &call)
      assert_equal "the bytes do not tell their format: name it, one of #{listed(NAMES)}", error.message
    end
  end

  def test_names_that_are_none
    ["yaml", "JSON", "", :yaml, 5, ["json"]].each do |name|
      { "format" => [-> { Kumihimo.dump(1, format: name) }, -> { Kumihimo.load("1", format: name) }, -> { Kumihimo.lazy("1", format: name) },
                     -> { Kumihimo.partial("a", format: name) }, -> { Kumihimo.each_document("1", format: name) { nil } }],
        "source" => [-> { Kumihimo.convert("1", name, NAMES[0]) }], "target" => [-> { Kumihimo.convert("1", NAMES[0], name) }] }.each do |argument, calls|
        calls.each { |call| assert_equal "#{argument} is one of #{listed(NAMES)}, not #{name.inspect}", assert_raises(ArgumentError, &call).message }
      end
    end
    FORMATS.each do |format|
      name = format[:name]
      written = Kumihimo.dump(1, format: name)
      ["no such one", "", :none, 5].each do |dialect|
        { "dialect" => [-> { Kumihimo.load(written, format: name, dialect: dialect) }, -> { Kumihimo.lazy(written, format: name, dialect: dialect) },
                        -> { Kumihimo.partial("a", format: name, dialect: dialect) }, -> { Kumihimo.each_document(written, format: name, dialect: dialect) { nil } }],
          "source_dialect" => [-> { Kumihimo.convert(written, name, name, source_dialect: dialect) }] }.each do |argument, calls|
          wanted = "#{argument} of #{name.inspect} is one of #{listed(format[:read_dialects])}, not #{dialect.inspect}"
          calls.each { |call| assert_equal wanted, assert_raises(ArgumentError, &call).message }
        end
        { "dialect" => -> { Kumihimo.dump(1, format: name, dialect: dialect) },
          "target_dialect" => -> { Kumihimo.convert(written, name, name, target_dialect: dialect) } }.each do |argument, call|
          wanted = "#{argument} of #{name.inspect} is one of #{listed(format[:write_dialects])}, not #{dialect.inspect}"
          assert_equal wanted, assert_raises(ArgumentError, &call).message
        end
      end
    end
    [-> { Kumihimo.dump(1, dialect: "pretty") }, -> { Kumihimo.dump(1, format: nil) }, -> { Kumihimo.lazy("1", dialect: "relaxed") },
     -> { Kumihimo.partial("a", dialect: "relaxed") }, -> { Kumihimo.each_document("1", dialect: "relaxed") { nil } }].each do |call|
      assert_match(/format.*one of #{Regexp.escape(listed(NAMES))}/, assert_raises(ArgumentError, &call).message)
    end
  end

  def test_the_table
    assert_equal %i[name text media_types endings read_dialects write_dialects], FORMATS.flat_map(&:keys).uniq
    assert_operator FORMATS.size, :>=, 2
    FORMATS.each do |format|
      assert_includes [true, false], format[:text]
      lists = format.values_at(:media_types, :endings, :read_dialects, :write_dialects)
      assert(lists.all? { |list| list.any? && list.frozen? && list.all? { |name| name.is_a?(String) && name.frozen? } })
    end
    assert Ractor.shareable?(FORMATS)
  end

  # The json gem's ways stay what they are.
  def test_without_a_format_nothing_changes
    moment = Time.at(0).utc
    assert_equal JSON.dump({ "at" => moment, nil => "\u2028" }), Kumihimo.dump({ "at" => moment, nil => "\u2028" })
    assert_equal JSON.dump([Float::NAN]), Kumihimo.dump([Float::NAN], allow_nan: true)
    assert_nil Kumihimo.load("")
    assert_equal [Float::INFINITY], Kumihimo.load("[1e400]")
    assert_raises(ArgumentError) { Kumihimo.dump([[[1]]], 1) }
  end

  # ---- errors

  def test_places
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.load("[1,\n {\"b\": 01}]", format: "json") }
    assert_equal [2, 9, 12, "$[1].b"], [error.line, error.column, error.offset, error.path]
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.load("\x92\x01\x81\xA1b\xC1".b, format: "msgpack") }
    assert_equal [nil, nil, 5, "$[1].b"], [error.line, error.column, error.offset, error.path]
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.convert("\x91\xCB\x7F\xF8\0\0\0\0\0\0".b, "msgpack", "json") }
    assert_equal [1, "$[0]"], [error.offset, error.path]
    assert_raises(Kumihimo::NestingError) { Kumihimo.convert("[[1]]", "json", "msgpack", max_nesting: 1) }
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.load('{"a":1,"a":2}', format: "json", dialect: "unique_keys") }
    assert_equal 7, error.offset
  end

  # One verdict, whichever way a document is read.
  def test_hostile_bytes
    random = Random.new(15)
    verdicts = Hash.new(0)
    3000.times do |i|
      NAMES.each do |format|
        bytes = i.odd? ? random.bytes(random.rand(1..16)) : garbled(Kumihimo.dump(any_written(random, format), format: format), random)
        dialect = FORMATS.find { |one| one[:name] == format }[:read_dialects].sample(random: random)
        loaded = outcome { Kumihimo.load(bytes, format: format, dialect: dialect) }
        verdicts[loaded[0]] += 1
        lazy = outcome { Kumihimo.lazy(bytes, format: format, dialect: dialect).value }
        picked = outcome { Kumihimo.partial("", format: format, dialect: dialect).call(bytes)[0] }
        assert_equal loaded, lazy, [format, dialect, bytes]
        assert_equal loaded, picked, [format, dialect, bytes]
        streamed = outcome { Kumihimo.each_document(bytes, format: format, dialect: dialect).to_a }
        assert_includes %i[value refused], streamed[0]
        NAMES.each do |target|
          converted = outcome { Kumihimo.load(Kumihimo.convert(bytes, format, target, source_dialect: dialect), format: target) }
          assert_equal :refused, converted[0] if loaded[0] == :refused && !loaded[1].b.match?(NOT_RUBYS)
        end
      end
    end
    assert_equal 2, verdicts.size
    verdicts.each_value { |n| assert_operator n, :>, 200, verdicts }
  end

  # ---- parts

  def test_lazy
    value = { "a" => [{ "b" => 1 }, { "c" => 2 }], 7 => "seven", "\xFE".b => "\xFF".b, nil => Time.at(5).utc, "ext" => EXTENSION.new(3, "x"), [1] => 2.5, "raw" => "text" }
    (NAMES - NAMES.select { |format| TEXT[format] }).each do |format|
      document = Kumihimo.lazy(Kumihimo.dump(value, format: format), format: format)
      assert_equal value, document.value
      assert_equal ["seven", Time.at(5).utc, 2.5, 1], [document[7], document[nil], document[[1]], document["a"][0]["b"]]
      assert_equal ["\xFF".b, "text"], [document["\xFE".b], document["raw".b]]
      assert_nil document[8]
      assert_equal value.keys, document.keys
      assert_equal value.keys, document.map { |key, _| key }
      assert_equal value.size, document.size
      assert document.key?(7) && document.key?("ext") && !document.key?(8)
      assert_equal 2, document.dig("a", -1, "c")
      if part_is_document(format)
        assert_equal Kumihimo.dump(value["a"], format: format), document["a"].raw
      else
        assert_includes document.raw, document["a"].raw
        assert_operator document["a"].raw.bytesize, :>, 5
      end
      assert_equal Encoding::BINARY, document.raw.encoding
      assert_equal Kumihimo.generate(value["a"]), document["a"].to_json
      assert_match(/\A#<Kumihimo::Lazy \{"a"=>/, document.inspect)
      types = { "raw" => "\xFF".b, "at" => Time.at(5), "ext" => value["ext"], "n" => 2**63 }
      types.zip(%i[binary time extension number]) do |(_, inner), type|
        assert_equal type, Kumihimo.lazy(Kumihimo.dump(inner, format: format), format: format).type
      end
    end
    NAMES.each do |format|
      written = Kumihimo.dump({ "a" => [1, "é"] }, format: format)
      assert_equal({ a: [1, "é"] }, Kumihimo.lazy(written, format: format, symbolize_names: true).value)
      assert Kumihimo.lazy(written, format: format, freeze: true)["a"][1].frozen?
      assert_raises(Kumihimo::NestingError) { Kumihimo.lazy(written, format: format, max_nesting: 1) }
      assert_raises(Kumihimo::ParserError) { Kumihimo.lazy(written.byteslice(0..-2), format: format) }
    end
  end

  # What Partial finds in JSON it finds in the same document of any format.
  def test_partial
    random = Random.new(16)
    keys = %w[a b c]
    hits = 0
    600.times do
      value = nested(random, keys)
      text = Kumihimo.generate(value)
      paths = Array.new(4) { Array.new(random.rand(1..4)) { [".#{keys.sample(random: random)}", "[#{random.rand(3)}]", "[*]"].sample(random: random) }.join }.map { |path| "$#{path}" }
      paths << "/#{keys.sample(random: random)}/#{random.rand(3)}" << "/0/a" << ""
      missing = Object.new
      expected = Kumihimo.partial(paths, missing: missing).call(text)
      hits += expected.flatten.count { |found| found != missing }
      NAMES.each do |format|
        written = Kumihimo.dump(value, format: format)
        wanted = Kumihimo.partial(paths, missing: missing, format: format)
        assert_equal expected, wanted.call(written), paths
        assert_equal [expected] * 2, wanted.many([written] * 2)
        raw = Kumihimo.partial(paths, missing: nil, raw: true, format: format).call(written)
        if part_is_document(format)
          assert_equal expected, expected.zip(raw).map { |found, bytes| loaded_again(found, bytes, missing, format) }
        else
          raw.flatten.compact.each { |bytes| assert_includes written, bytes }
        end
      end
    end
    assert_operator hits, :>, 1000
  end

  def test_partial_options
    NAMES.each do |format|
      written = Kumihimo.dump({ "p" => { "a" => [1, "é"] }, "q" => nil }, format: format)
      assert_equal({ "x" => { a: [1, "é"] }, y: nil }, Kumihimo.partial({ "x" => "p", :y => "q" }, format: format, symbolize_names: true).call(written))
      assert_equal [TEXT[format] ? Encoding::UTF_8 : Encoding::BINARY], Kumihimo.partial("p.a", format: format, raw: true).call(written).map(&:encoding)
      assert Kumihimo.partial("p", format: format, freeze: true).call(written)[0]["a"].frozen?
      error = assert_raises(Kumihimo::ParserError) { Kumihimo.partial("p", format: format).many([written, written.byteslice(0..-2)]) }
      assert_equal 1, error.index
      assert_raises(Kumihimo::NestingError) { Kumihimo.partial("q", format: format, max_nesting: 2).call(written) }
    end
    doubled = "\x82\xA1a\x01\xA1a\x02".b
    assert_equal [2], Kumihimo.partial("a", format: "msgpack").call(doubled)
  end

  # ---- streams

  def test_streams
    values = [{ "a" => [1, "x" * 300] }, [], "text", { "b" => nil }, [[[]]]]
    NAMES.each do |format|
      all = values.map { |value| Kumihimo.dump(value, format: format) }.join
      assert_equal values, Kumihimo.each_document(all, format: format).to_a
      assert_equal values, Kumihimo.each_document(StringIO.new(all), format: format).to_a
      (1..40).each { |size| assert_equal values, Kumihimo.each_document(Dripping.new(all, size), format: format).to_a, "pieces of #{size}" }
      seen = []
      error = assert_raises(Kumihimo::ParserError) { Kumihimo.each_document(all.byteslice(0..-2), format: format) { |value| seen << value } }
      assert_equal values[0..-2], seen
      assert_operator error.offset, :>, Kumihimo.dump(values[0], format: format).bytesize
      error = assert_raises(Kumihimo::ParserError) { Kumihimo.each_document(all, format: format, max_document: 100) { nil } }
      assert_equal [0, TEXT[format] ? 1 : nil], [error.offset, error.line]
      assert_equal [{ a: 1 }], Kumihimo.each_document(Kumihimo.dump({ "a" => 1 }, format: format), { format: format, symbolize_names: true }).to_a
      assert_raises(ArgumentError) { Kumihimo.each_document(all, format: format, allow_nan: true) { nil } }
      assert_equal [], Kumihimo.each_document("", format: format).to_a
    end
    packed = Kumihimo.dump(EXTENSION.new(5, "a"), format: "msgpack")
    assert_equal [[5, "a"]] * 2, Kumihimo.each_document(packed * 2, format: "msgpack", ext: ->(type, payload) { [type, payload] }).to_a
    assert_raises(Kumihimo::ParserError) { Kumihimo.each_document("[1] // [2]\n", format: "json", dialect: "relaxed").to_a }
    assert_raises(ArgumentError) { Kumihimo.const_get(:DocumentStream).allocate.push("1") }
  end

  # ---- whatever the program does meanwhile

  def test_under_stress
    value = { "a" => ["x" * 100, 1, 2.5, nil], "é" => 2**62, "raw" => "\xFF".b, 5 => Time.at(0).utc, "odd" => 3r, "d" => BigDecimal("1.5") }
    written = WRITTEN.to_h { |format, dialect| [[format, dialect], outcome { Kumihimo.dump(value, format: format, dialect: dialect, &:to_s) }] }
    found = {}
    read = {}
    GC.stress = true
    WRITTEN.each { |pair| found[pair] = outcome { Kumihimo.dump(value, format: pair[0], dialect: pair[1], &:to_s) } }
    NAMES.each do |format|
      bytes = Kumihimo.dump(PLAIN, format: format)
      read[format] = [Kumihimo.load(bytes, format: format), Kumihimo.lazy(bytes, format: format).value, Kumihimo.partial("$", format: format).call(bytes)[0],
                      Kumihimo.each_document(bytes, format: format).first, Kumihimo.load(Kumihimo.convert(bytes, format, format), format: format)]
    end
    GC.stress = false
    assert_equal written, found
    NAMES.each { |format| assert_equal [PLAIN] * 5, read[format] }
  ensure
    GC.stress = false
  end

  def test_compaction
    documents = NAMES.map { |format| [format, Kumihimo.dump([PLAIN, { 1 => 2 }], format: format)] }
    lazies = documents.map { |format, bytes| Kumihimo.lazy(bytes, format: format) }
    partials = documents.map { |format, _| Kumihimo.partial({ "x" => "[0].tags" }, format: format, missing: Object.new) }
    move_objects
    documents.each_with_index do |(format, bytes), i|
      moving = Object.new
      assert_equal [1], Kumihimo.load(Kumihimo.dump([moving], format: format) { [move_objects].size }, format: format)
      assert_equal PLAIN, lazies[i][0].value
      assert_equal({ "x" => PLAIN["tags"] }, partials[i].call(bytes))
    end
  end

  def test_jumps
    NAMES.each do |format|
      dialects = FORMATS.find { |one| one[:name] == format }[:write_dialects]
      dialects.each do |dialect|
        value = ["x" * 10_000, Object.new, 1]
        assert_equal 5, (catch(:out) { Kumihimo.dump(value, format: format, dialect: dialect) { throw :out, 5 } })
        assert_raises(IOError) { Kumihimo.dump(value, format: format, dialect: dialect) { raise IOError } }
        changed = [Object.new, 1]
        assert_match(/the Array was changed/, assert_raises(RuntimeError) { Kumihimo.dump(changed, format: format, dialect: dialect) { changed << 1 && nil } }.message)
        changed = [Object.new, 1]
        assert_match(/the Array was changed/, assert_raises(RuntimeError) { Kumihimo.dump(changed, format: format, dialect: dialect) { changed.clear && nil } }.message)
        removed = { "a" => Object.new, "b" => 1 }
        assert_match(/the Hash was changed/, assert_raises(RuntimeError) { Kumihimo.dump(removed, format: format, dialect: dialect) { removed.delete("b") && nil } }.message)
      end
      written = Kumihimo.dump([1, "a", { "b" => [2] }], format: format)
      assert_equal 6, (catch(:out) { Kumihimo.load(written, ->(_) { throw :out, 6 }, format: format) })
      assert_raises(IOError) { Kumihimo.each_document(written, format: format) { raise IOError } }
      text = written * 2000
      again = text.dup
      assert_equal 2000, (Kumihimo.each_document(again, format: format).each { again.clear if again == text }).then { 2000 }
    end
  end

  def test_a_source_cannot_change_under_the_reader
    NAMES.each do |format|
      source = Kumihimo.dump(["a" * 100] * 100, format: format)
      expected = Kumihimo.load(source, format: format)
      found = Kumihimo.load(source, ->(value) { source.clear; value }, format: format)
      assert_equal expected, found
    end
  end

  def test_ractors
    skip "Ractors are not for this Ruby" unless defined?(Ractor)
    silently do
      NAMES.each do |format|
        packed = Kumihimo.dump([PLAIN], format: format)
        found = Ractor.new(packed, format) do |bytes, name|
          value = Kumihimo.load(bytes, format: name)
          [value, Kumihimo.load(Kumihimo.dump(value, format: name), format: name), Kumihimo.convert(bytes, name, name) == bytes, Kumihimo.lazy(bytes, format: name).value]
        end.take
        assert_equal [[PLAIN], [PLAIN], true, [PLAIN]], found
      end
    end
  end

  private

  def listed(names) = names.map(&:inspect).join(", ")

  # Refusals of what a format can say and Ruby has no value for.
  NOT_RUBYS = /surrogate|offset are out of range|type is not within/

  # What the dialects hold less than all: as docs/formats.md has it.
  NUMBERS_FOR_BOOLEANS = [%w[tagged study]].freeze

  # The value as it comes back.
  def held(value, format, dialect)
    return value unless NUMBERS_FOR_BOOLEANS.include?([format, dialect])

    case value
    when true then 1
    when false then 0
    when Array then value.map { |inner| held(inner, format, dialect) }
    when Hash then value.transform_values { |inner| held(inner, format, dialect) }
    else value
    end
  end

  # Whether the dialect's bytes can say a plain value: a map without pairs has no bytes there, when it is the document.
  def sayable?(value, format, dialect) = !(value == {} && NUMBERS_FOR_BOOLEANS.include?([format, dialect]))

  # The bytes of the first dialect that writes what this one reads, and the value as it comes back.
  def taken(value, format, read_dialect)
    FORMATS.find { |one| one[:name] == format }[:write_dialects].each do |dialect|
      written = Kumihimo.dump(value, format: format, dialect: dialect)
      Kumihimo.load(written, format: format, dialect: read_dialect)
      return [written, held(value, format, dialect)]
    rescue Kumihimo::ParserError, Kumihimo::GeneratorError
      next
    end
    flunk "#{read_dialect} of #{format} reads nothing that is written"
  end

  # Whether a value's own bytes are a document: not where a document begins with a mark.
  def part_is_document(format) = Kumihimo.dump([[1]], format: format).include?(Kumihimo.dump([1], format: format))

  # Whether another document may follow these bytes.
  def followed?(format, written)
    Kumihimo.each_document(written + Kumihimo.dump(0, format: format), format: format).to_a.size == 2
  rescue Kumihimo::ParserError
    false
  end

  def outcome
    [:value, AgainstStock.shape(yield)]
  rescue Kumihimo::ParserError, Kumihimo::NestingError => e
    [:refused, e.message]
  rescue Kumihimo::GeneratorError => e
    [:unwritten, e.message]
  end

  def loaded_again(found, bytes, missing, format)
    if found.is_a?(Array) && bytes.is_a?(Array)
      found.zip(bytes).map { |one, raw| loaded_again(one, raw, missing, format) }
    else
      bytes.nil? ? missing : Kumihimo.load(bytes, format: format)
    end
  end

  def text(random) = Array.new(random.rand(12)) { ["a", "é", "\n", "日", "😀", '"', "\\", "\u2028"].sample(random: random) }.join

  # What every format has.
  def plain(random, depth = 0)
    case random.rand(depth > 3 ? 7 : 10)
    when 0 then [nil, true, false].sample(random: random)
    when 1 then random.rand(-2**63..2**64 - 1)
    when 2 then random.rand(-200..70_000)
    when 3, 4 then random.rand * 10**random.rand(-300..300)
    when 5, 6 then text(random)
    when 7 then Array.new(random.rand(5)) { plain(random, depth + 1) }
    else Array.new(random.rand(5)) { [text(random), plain(random, depth + 1)] }.to_h
    end
  end

  # What a format may lower or refuse as well.
  def any(random, depth = 0)
    case random.rand(depth > 3 ? 10 : 13)
    when 0 then plain(random, 4)
    when 1 then random.rand(2**62..2**66)
    when 2 then random.bytes(random.rand(20))
    when 3 then random.bytes(random.rand(1..4)).force_encoding("UTF-8")
    when 4 then Time.at(random.rand(-10**10..10**11), random.rand(10**9), :nsec, in: ["+09:00", "UTC", "-03:30"].sample(random: random))
    when 5 then Date.new(random.rand(1000..3000), 1, 1)
    when 6 then EXTENSION.new(random.rand(-128..127), random.bytes(random.rand(20)))
    when 7 then BigDecimal("#{random.rand(-10**20..10**20)}e#{random.rand(-90..90)}")
    when 8 then [Float::NAN, Float::INFINITY, BigDecimal("NaN")].sample(random: random)
    when 9 then text(random).to_sym
    when 10 then Array.new(random.rand(5)) { any(random, depth + 1) }
    else Array.new(random.rand(5)) { [any(random, depth + 3), any(random, depth + 1)] }.to_h
    end
  end

  # Any value that the format takes.
  def any_written(random, format)
    loop do
      value = [any(random), plain(random)]
      Kumihimo.dump(value, format: format)
      return value
    rescue Kumihimo::GeneratorError
      next
    end
  end

  def nested(random, keys, depth = 0)
    case random.rand(depth > 4 ? 2 : 6)
    when 0 then random.rand(100)
    when 1 then nil
    when 2, 3 then Array.new(random.rand(4)) { nested(random, keys, depth + 1) }
    else keys.sample(random.rand(4), random: random).to_h { |key| [key, nested(random, keys, depth + 1)] }
    end
  end

  def garbled(bytes, random)
    bytes = bytes.b
    random.rand(1..3).times do
      break if bytes.empty?

      case random.rand(3)
      when 0 then bytes.setbyte(random.rand(bytes.bytesize), random.rand(256))
      when 1 then bytes = bytes.byteslice(0, random.rand(bytes.bytesize))
      else bytes.insert(random.rand(bytes.bytesize), random.bytes(1))
      end
    end
    bytes
  end
end
