# frozen_string_literal: true

require_relative "test_helper"
require "bigdecimal"
require "ostruct"
require "set"

# Kumihimo.parse gives what JSON.parse of the installed json gives.
class ParseTest < Minitest::Test
  include AgainstStock

  OPTIONS = [
    {}, { symbolize_names: true }, { freeze: true }, { symbolize_names: true, freeze: true }, { allow_nan: true },
    { max_nesting: 3 }, { max_nesting: false }, { max_nesting: nil }, { max_nesting: 0 }, { max_nesting: -1 },
    { decimal_class: BigDecimal }, { decimal_class: Float }, { decimal_class: nil }, { object_class: OpenStruct },
    { array_class: Set }, { object_class: OpenStruct, array_class: Set, freeze: true }, { create_additions: false }, { unknown: 1 }
  ].freeze

  SOURCES = [
    "null", "true", "false", "0", "-0", "-0.0", "0e1", "-0e1", "1", "-1", "12345678901234567890", "-9223372036854775808",
    "-9223372036854775809", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "4611686018427387903", "4611686018427387904", "-4611686018427387904", "-4611686018427387905", "1" * 400, "-#{"9" * 90}",
    "1.5", "0.1", "1e400", "-1e400", "1e-400", "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "1E+2", "1e-7",
    "0.30000000000000004", "1.#{"1" * 400}", "123456789.123456789e-5", '""', '"a"', '"é日本😀"', '"\u0000"', '"\ud83d\ude00"',
    '"\" \\\\ \/ \b \f \n \r \t \u00e9"', '"' + "x" * 23 + '"', '"' + "x" * 24 + '"', '"' + "é" * 5000 + '"', "[]", "{}", "[[]]",
    "[{}]", '{"a":{}}', '{"":1}', '{"a":1,"a":2}', '{"a":1,"\u0061":2,"b":3}', " [ 1 , 2 ] ", "\t\r\n{\n\"a\"\t:\r1}\n",
    '{"a":[1,2.5,"x",null,true,false,{"b":[]}]}', '{"json_class":"String"}', "[#{(1..1000).to_a.join(",")}]",
    "{#{(1..40).map { |i| "\"key #{i}\":#{i}" }.join(",")}}", "[#{(["{\"a\":1,\"b\":[true]}"] * 300).join(",")}]",
    "[" * 100 + "]" * 100, "[" * 101 + "]" * 101, "[" * 100 + "1" + "]" * 100, "[" * 101 + "1" + "]" * 101, "[[[[1]]]]", "[[[[]]]]",
    '{"a":{"a":{"a":{"a":1}}}}', '{"a":{"a":{"a":{}}}}',
    "", " ", "\n", "nul", "tru", "truee", "nulll", "[true1]", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", '{"a"', '{"a":',
    '{"a":1', '{"a":1,', '{"a":1,}', "{,}", '{"a" 1}', '{"a":1 "b":2}', "{1:2}", "{a:1}", "{'a':1}", "['a']", "[1 2]", '["a""b"]', "[1]]",
    "[1]x", "{}{}", "1 2", "-", "- 1", "--1", "+1", ".5", "5.", "1.e1", "1e", "1e+", "00", "01", "-01", "0x10", "1_000", "1a", "1-2", "1.5.5",
    "NaN", "-NaN", "Infinity", "-Infinity", "[NaN]", "[-Infinity]", "[Infinity]", "nan", "inf", "Infinityx", "[-Inf]",
    "\"", '"a', '"\\', '"\\"', '["\u12"]', '["\u12G4"]', '["\uZZZZ"]', '["\u"]', "[\"\x01\"]", "[\"\n\"]", "[\"\t\"]", "[\"\0\"]", "[\"\x7f\"]",
    "[\"\\\n\"]", "[\"\\\x01\"]", "\0[1]", "[1]\0", "[\0]", "\xEF\xBB\xBF[1]", "[\u00a01]", "[\f1]", "[1\u2028]",
    '["\q"]', '["\é"]', '["\u00e9\q"]', "[\"\xff\"]", "{\"\xff\":1}", "[\"\xed\xa0\x80\"]", "[\"a\xc3\"]", "[\"\xf5\x80\x80\x80\"]",
    '["\ud800"]', '["\udc00"]', '["\udc00\ud83d"]', '["\ud800\u0041"]', '["\ud83d\ud83d"]', '["\ud800x"]', '["\ud800abcdefgh"]',
    '["\ud800\nabcdef"]', '["\ud800\\\\u0041xx"]', '["\ud800\ud800\udc00"]', '{"\ud800":1}', '{"\udc00":1}', '["\udbff\u0000"]',
    "[1] // x", "[1] // x\n", "[1] // x\r", "// x\n[1]", "/* a */[1]/* b */", "[1/**/,//\n2]", "[/*]", "[1/ * */]", "/", "//", "/**/", "[1]/*", "[1]/**",
    "[1] /", "{/* \xff */\"a\"// \xff\n:1}", "{\"a\"//\r:1\n:2}", "1//a", "1//a\n"
  ].freeze

  def test_hand_picked_sources_with_every_option
    SOURCES.each do |source|
      OPTIONS.each do |options|
        assert_as_stock(source, **options)
        # The same at a size where the reader takes its other way, and inside a container.
        assert_as_stock("#{source}#{" " * 300}", **options)
        assert_as_stock("[#{" " * 300}#{source}]", **options)
        assert_as_stock("{\"key\":#{source},\"more\":\"#{"y" * 200}\"}", **options)
      end
    end
  end

  def test_options_of_newer_versions
    options = [{ allow_trailing_comma: true }, { allow_control_characters: true }, { allow_invalid_escape: true }, { allow_comments: true },
               { allow_comments: false }, { allow_control_characters: true, allow_invalid_escape: true }, { allow_duplicate_key: false },
               { allow_duplicate_key: true }, { allow_duplicate_key: nil }]
    known = { allow_trailing_comma: [2, 10], allow_duplicate_key: [2, 13], allow_control_characters: [2, 20], allow_invalid_escape: [2, 20],
              allow_comments: [2, 20] }
    options.select! { |set| set.keys.all? { |key| stock_at_least?(*known.fetch(key)) } }
    options.reject! { |set| set[:allow_duplicate_key].nil? && set.key?(:allow_duplicate_key) }
    skip "not proven: json #{JSON::VERSION} has none of these options" if options.empty?
    SOURCES.product(options) do |source, set|
      assert_as_stock(source, **set)
      assert_as_stock("[#{" " * 300}#{source}]", **set)
    end
  end

  # What these options do where the installed json has them not.
  def test_options_that_are_ours_with_every_json
    assert_equal [1, { "a" => 2 }], Kumihimo.parse('[1,{"a":2,},]', allow_trailing_comma: true)
    assert_equal ["a\n\0"], Kumihimo.parse("[\"a\n\0\"]", allow_control_characters: true)
    assert_equal ["q\u00e9"], Kumihimo.parse('["\q\u00e9"]', allow_invalid_escape: true)
    assert_raises(JSON::ParserError) { Kumihimo.parse('["\q"]', allow_invalid_escape: false) }
    assert_raises(JSON::ParserError) { Kumihimo.parse("[1]/**/", allow_comments: false) }
    assert_equal [1], Kumihimo.parse("[1]/**/", allow_comments: true)
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.parse('{"a":1,"b":{"x":1,"x":2}}', allow_duplicate_key: false) }
    assert_match(/\Aduplicate key "x" at line 1 column 19 \(byte 18, \$\.b\)/, error.message)
    assert_raises(Kumihimo::ParserError) { Kumihimo.parse("{\"\xff\":1,\"\xff\":2}", allow_duplicate_key: false) }
    assert_equal({ "a" => 2 }, Kumihimo.parse('{"a":1,"a":2}', allow_duplicate_key: true))
    assert_equal({ a: 1, b: 2 }, Kumihimo.parse('{"a":1,"b":2}', allow_duplicate_key: false, symbolize_names: true))
  end

  def test_on_load_sees_every_key_and_value_and_replaces_them
    seen = []
    made = Kumihimo.parse('{"a":[1,"x",null],"b":{}}', on_load: lambda { |value|
      seen << value
      value.is_a?(Integer) ? value + 1 : value
    })
    assert_equal ["a", 1, "x", nil, [2, "x", nil], "b", {}, { "a" => [2, "x", nil], "b" => {} }], seen
    assert_equal({ "a" => [2, "x", nil], "b" => {} }, made)
    return unless stock_at_least?(2, 10)

    theirs = []
    JSON.parse('{"a":[1,"x",null],"b":{}}', on_load: ->(value) { theirs << value && value.is_a?(Integer) ? value + 1 : value })
    assert_equal theirs, seen
  end

  def test_sources
    latin = "[\"\u00e9\"]".encode(Encoding::ISO_8859_1)
    sources = [latin, "[\"é日\"]".encode(Encoding::UTF_16LE), "[\"é\"]".encode(Encoding::UTF_16BE), "[\"日\"]".encode(Encoding::UTF_32LE),
               "[\"日\"]".encode(Encoding::Shift_JIS), "[\"é\"]".b, "[1]".dup.force_encoding(Encoding::US_ASCII),
               "[\"\xe9\"]".dup.force_encoding(Encoding::US_ASCII), "[\"\xff\"]".dup.force_encoding(Encoding::Shift_JIS), nil, 1, :a, [], {}]
    convertible = Object.new
    def convertible.to_str = "[1,2]"
    [*sources, convertible].each do |source|
      before = source.encoding if source.is_a?(String)
      assert_equal outcome { JSON.parse(source.is_a?(String) ? source.dup : source) }, outcome { Kumihimo.parse(source) }, source.inspect
      assert_equal before, source.encoding if before
    end
    assert_equal [1], Kumihimo.parse("[1]".freeze)
  end

  def test_arguments
    assert_equal [1], Kumihimo.parse("[1]", nil)
    assert_equal({ a: 1 }, Kumihimo.parse('{"a":1}', symbolize_names: true))
    assert_raises(ArgumentError) { Kumihimo.parse }
    assert_raises(TypeError) { Kumihimo.parse("[1]", 1) }
    assert_raises(TypeError) { Kumihimo.parse("[1]", max_nesting: "x") }
    assert_raises(ArgumentError) { Kumihimo.parse("{}", symbolize_names: true, create_additions: true) }
  end

  def test_decimals
    source = "[1.10, 1e3, -0.0, 12345678901234567890.5, 1e400, 7, -0, 123456789012345678901234567890]"
    [BigDecimal, Float, Rational, String].each { |klass| assert_as_stock(source, decimal_class: klass) }
    assert_equal "0.11e1", Kumihimo.parse(source, decimal_class: BigDecimal)[0].to_s
  end

  class Point
    attr_reader :x

    def initialize(x) = @x = x
    def self.json_create(object) = new(object["x"])
    def ==(other) = other.is_a?(Point) && x == other.x
  end

  def test_a_match_string_that_is_no_hash
    [5, "x", :x, [/x/], Comparable].each do |other|
      assert_raises(TypeError, NoMethodError) { Kumihimo.parse('["x"]', create_additions: true, match_string: other) }
    end
  end

  def test_additions
    source = '[{"json_class":"ParseTest::Point","x":[1]},{"json_class":"ParseTest","x":1},{"json_class":null},{"kind":"ParseTest::Point","x":2}]'
    [{ create_additions: true }, { create_additions: false }, {}, { create_additions: true, create_id: "kind" }].each do |options|
      next if options[:create_id] && stock_at_least?(2, 10) # no longer an option there

      assert_equal outcome { JSON.parse(source, **options) }, outcome { Kumihimo.parse(source, options) }, options.inspect
    end
    assert_equal Point.new([1]), Kumihimo.parse(source, create_additions: true)[0]
    bad = '{"json_class":"No::Such"}'
    assert_equal outcome { JSON.parse(bad, create_additions: true) }, outcome { Kumihimo.parse(bad, create_additions: true) }
    pattern = { create_additions: true, match_string: { /\Ap:/ => Class.new { def self.json_create(text) = text.delete_prefix("p:").to_sym } } }
    assert_equal outcome { JSON.parse('["p:a","b"]', **pattern) }, outcome { Kumihimo.parse('["p:a","b"]', pattern) }
  end

  def test_corpora
    %w[films.json twitter.json citm_catalog.json canada.json].each do |name|
      source = corpus(name)
      [{}, { symbolize_names: true }, { freeze: true }].each { |options| assert_as_stock(source, **options) }
    end
  end

  def test_json_test_suite
    skip "not proven: KUMIHIMO_DATA is not set, so JSONTestSuite is not here" unless CORPORA
    files = Dir[File.join(CORPORA, "JSONTestSuite/**/*.json")]
    assert_operator files.size, :>, 300
    files.each do |path|
      source = File.read(path, encoding: Encoding::UTF_8)
      [{}, { symbolize_names: true }, { allow_nan: true }].each { |options| assert_as_stock(source, **options) }
      # Stock recursed before 2.20 and ended in a SystemStackError; ours never does.
      assert_as_stock(source, max_nesting: false) unless source.b.count("[{") > 10_000
    end
  end

  def test_deep_documents_without_a_limit
    depth = 100_000
    source = "[" * depth + "]" * depth
    value = Kumihimo.parse(source, max_nesting: false)
    levels = 0
    levels += 1 while (value = value[0])
    assert_equal depth - 1, levels
    assert_raises(JSON::ParserError) { Kumihimo.parse("{\"a\":[" * depth, max_nesting: false) }
  end

  def test_keys_are_frozen_and_shared
    first, second = Kumihimo.parse('[{"some key":1},{"some key":2}]').map { |hash| hash.keys[0] }
    assert_same first, second
    assert_predicate first, :frozen?
    assert_same first, JSON.parse('{"some key":1}').keys[0]
  end
end
