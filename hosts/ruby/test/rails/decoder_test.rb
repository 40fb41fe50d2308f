# frozen_string_literal: true

require_relative "helper"

# ActiveSupport::JSON.decode with our reader against the same method without it.
class DecoderTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/time", "active_support/core_ext/hash/indifferent_access", "active_support/core_ext/string/output_safety"

  def setup
    super
    require "kumihimo/rails/decoder"
    @zone = Time.zone
    @parse_json_times = ActiveSupport.parse_json_times
    # New versions of the json gem warn about comments and duplicate keys.
    @verbose = $VERBOSE
    $VERBOSE = nil
  end

  def teardown
    return unless defined?(Kumihimo::Rails::Decoder)

    Kumihimo::Rails.uninstall_decoder
    $VERBOSE = @verbose
    Time.zone = @zone
    ActiveSupport.parse_json_times = @parse_json_times
  end

  VALID = [
    "1", "-1", "0", "-0", "-0.0", "1.5", "1e3", "1E+2", "1e400", "-1e400", "1e-400", "123456789012345678901234567890",
    "0.1", "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "9007199254740993", "1.0000000000000000000000001",
    "true", "false", "null", '""', '"a"', '"\u00e9"', '"\ud83d\ude00"', '"\u0000"', '"\b\f\n\r\t\/\\\\\""', '"組紐"', "[]", "{}",
    "[[[]]]", '{"a":{"b":[1,{"c":null}]}}', '{"a":1,"a":2}', '{"":1}', " [ 1 , 2 ] ", "\n\t\r {\"a\" : 1}\n", '{"json_class":"String","raw":[1]}',
    '{"__proto__":1,"\u0061":2}', "[1.0,2,\"3\"]", '"2020-01-01"', '"<\u2028>"', '"/"', "[#{"1," * 2000}1]", "[" * 100 + "]" * 100,
    '"' + "é" * 5000 + '"', '{"' + "k" * 300 + '":1}', '"\ud83d\ude00x"', "[true,false,null]"
  ].freeze

  INVALID = [
    "", " ", "\n", "[", "]", "{", "}", "[1", "[1,", "[1,]", '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{a:1}", "{'a':1}", "'a'", "nul", "nulll",
    "tru", "NaN", "Infinity", "-Infinity", "[NaN]", "01", "-", "-a", "1.", ".5", "1e", "+1", "0x10", '"a', '"\\', "\"\n\"", "\"\t\"", "\"\0\"", "1 2",
    "[1] 2", "[1}", '{"a":1]', '{"a" 1}', '{1:2}', "\xEF\xBB\xBF[1]", "[\"\\u12\"]", "undefined", "[1,,2]", "[,1]", "a", "[" * 101 + "1" + "]" * 101,
    "\0", "[1]\0", "{\"a\":1}x", "--1", "1e5.5", "\u00A0[1]", "[\f1]"
  ].freeze

  # What the json gem's versions disagree on: whatever the one that is loaded says.
  DISPUTED = [
    "/* c */ [1]", "[1] // c\n", "[1, /* c */ 2]", "// c\n1", '"\ud800"', '"\udc00x"', '"\ud800\u0041"', '"\q"', '"\u00zz"', "\"\xFF\"", "\"\xED\xA0\x80\"",
    "[\"a\xE9\"]", "{\"\xFF\":1}", "\"\u007f\"", "1" * 400, "-", "2." , "[1 2]", "/", "[1]/", "\"\\u0000\\x\"", "/**/", "[/*]",
    "[" * 101 + "]" * 101, '{"a":' * 100 + "{}" + "}" * 100
  ].freeze

  DATES = [
    '"2020-01-02"', '"2020-13-45"', '"2020-01-02T03:04:05Z"', '"2020-01-02T03:04:05.678+09:00"', '"2020-01-02 03:04:05"', '"2020-1-2T3:04:05"',
    '"2020-01-02T25:00:00Z"', '{"2020-01-02":"2020-01-02"}', '[["2020-01-02",{"a":"2020-01-02T03:04:05Z"}],null,"x2020-01-02"]',
    '"2020-01-02T03:04:05 Z"', '" 2020-01-02"', '"2020-01-02\n"', "null", "1", '{"a":{"b":"0000-00-00"}}'
  ].freeze

  # Both decoders on fresh copies, as parse_json_times changes results in place.
  def assert_decodes_as_stock(text, *arguments)
    expected = describe { ActiveSupport::JSON.decode(copy(text), *arguments) }
    Kumihimo::Rails.install_decoder
    actual = describe { ActiveSupport::JSON.decode(copy(text), *arguments) }
    assert_equal expected, actual, "#{text.inspect[0, 80]} #{arguments.inspect}"
    actual
  ensure
    Kumihimo::Rails.uninstall_decoder
  end

  def copy(text)
    text.frozen? && text.is_a?(String) ? text.dup : text
  end

  # A result with everything that == does not see, or an error with its text.
  def describe
    deep(yield)
  rescue StandardError => error
    [:raised, error.class, error.message]
  end

  def deep(value)
    case value
    when Hash then [value.class, value.frozen?, value.map { |key, member| [deep(key), deep(member)] }]
    when Array then [value.class, value.frozen?, value.map { |element| deep(element) }]
    when String then [value.b, value.encoding, value.valid_encoding?, value.frozen?]
    when Float then [value.class, [value].pack("G")]
    else [value.class, value]
    end
  end

  def test_valid_documents
    VALID.each { |text| refute_equal :raised, assert_decodes_as_stock(text)[0], text[0, 80] }
  end

  def test_invalid_documents_raise_stock_errors
    INVALID.each do |text|
      result = assert_decodes_as_stock(text)
      assert_equal :raised, result[0], text
    end
  end

  def test_errors_are_rescuable_and_know_the_place
    Kumihimo::Rails.install_decoder
    error = assert_raises(ActiveSupport::JSON.parse_error) { ActiveSupport::JSON.decode("{\"a\":\n [1, x]}") }
    assert_kind_of Kumihimo::ParserError, error.cause
    assert_equal [2, "$.a[1]"], [error.cause.line, error.cause.path]
  end

  def test_disputed_documents
    DISPUTED.each { |text| assert_decodes_as_stock(text) }
  end

  def test_encodings
    text = '{"é":["ü"]}'
    %w[UTF-16LE UTF-16BE UTF-32LE UTF-16 ISO-8859-1 Windows-1252 Shift_JIS].each do |name|
      encoded = name == "Shift_JIS" ? '["組紐"]'.encode(name) : text.encode(name)
      assert_decodes_as_stock(encoded)
    end
    assert_decodes_as_stock(text.b)
    assert_decodes_as_stock("[\"\xFF\"]".b)
    assert_decodes_as_stock('["a"]'.encode("US-ASCII"))
    assert_decodes_as_stock("[\"\xE9\"]".dup.force_encoding("US-ASCII"))
  end

  def test_what_is_no_string
    [nil, 1, :a, [], {}, Object.new].each { |value| assert_decodes_as_stock(value) }
    like = Object.new
    like.define_singleton_method(:to_str) { "[1]" }
    assert_decodes_as_stock(like)
    assert_decodes_as_stock(Class.new(String).new("[1]"))
    assert_decodes_as_stock("[1]".freeze)
    assert_decodes_as_stock(ActiveSupport::SafeBuffer.new("[1]"))
  end

  # The text is read, never changed.
  def test_the_text_stays
    Kumihimo::Rails.install_decoder
    # (Before 2.7.3 the json gem itself declared BINARY text to be UTF-8.)
    ['{"a":["é"]}', "[1", '["é"]'.encode("UTF-16LE"), '["é"]'.b].each do |text|
      before = [text.dup, text.encoding]
      outcome { ActiveSupport::JSON.decode(text) }
      assert_equal before, [text, text.encoding]
    end
  end

  def test_wrong_arguments
    Kumihimo::Rails.install_decoder
    assert_raises(ArgumentError) { ActiveSupport::JSON.decode }
    assert_raises(ArgumentError) { ActiveSupport::JSON.decode("1", {}, {}) }
    Kumihimo::Rails.uninstall_decoder
    [[nil], [{}], [{symbolize_names: true}], [1], [[]], ["a"]].each { |arguments| assert_decodes_as_stock('{"a":1}', *arguments) }
  end

  # ActiveSupport 8.1 hands its options to JSON.parse; older ones take none and say so.
  def test_options
    texts = ['{"a":{"b":[1.5,"x",null]}}', '{"a":NaN}', "[1,]", '[[[1]]]', '{"json_class":"Range"}', "/* */ 1", '{"a":1,"a":2}', "[0.1]", "[", '["2020-01-02"]']
    options = [{}, {symbolize_names: true}, {symbolize_names: false}, {symbolize_names: nil}, {max_nesting: 2}, {max_nesting: false}, {max_nesting: 0},
               {max_nesting: nil}, {allow_nan: true}, {allow_nan: false}, {freeze: true}, {freeze: nil}, {decimal_class: BigDecimal}, {object_class: ActiveSupport::HashWithIndifferentAccess},
               {array_class: Class.new(Array)}, {create_additions: false}, {allow_trailing_comma: true}, {unknown: 1}, {"symbolize_names" => true},
               {symbolize_names: true, max_nesting: 3, freeze: true}, {quirks_mode: true}, {allow_nan: true, symbolize_names: true}]
    options.each { |option| texts.each { |text| assert_decodes_as_stock(text, option) } }
  end

  def test_parse_json_times
    ["UTC", "Tokyo", "Hawaii", nil].each do |zone|
      Time.zone = zone
      [true, false].each do |convert|
        ActiveSupport.parse_json_times = convert
        (DATES + VALID + INVALID).each { |text| assert_decodes_as_stock(text) }
      end
    end
  end

  # An alias of decode since 7.1.
  def test_load_is_decode_where_stock_has_it
    has = ActiveSupport::JSON.respond_to?(:load)
    Kumihimo::Rails.install_decoder
    assert_equal has, ActiveSupport::JSON.respond_to?(:load)
    return unless has

    assert_equal Kumihimo::Rails::Decoder, ActiveSupport::JSON.method(:load).owner
    assert_equal({"a" => 1}, ActiveSupport::JSON.load('{"a":1}'))
  end

  def test_random_documents
    random = Random.new(11)
    300.times do
      text = JSON.generate(value(random, 4))
      assert_decodes_as_stock(text)
      # One byte changed, removed or doubled: mostly invalid.
      at = random.rand(text.bytesize)
      byte = [random.rand(128).chr, "", text.byteslice(at).b * 2].sample(random: random)
      broken = text.b
      broken[at] = byte.b
      assert_decodes_as_stock(broken.force_encoding("UTF-8"))
    end
  end

  def value(random, depth)
    case random.rand(depth.zero? ? 5 : 8)
    when 0 then random.rand(2**random.rand(1..70)) * [1, -1].sample(random: random)
    when 1 then (random.rand - 0.5) * 10.0**random.rand(-300..300)
    when 2 then [nil, true, false].sample(random: random)
    when 3, 4 then random.rand(12).times.map { [random.rand(0x20..0x7e), random.rand(0xa0..0xd7ff), random.rand(0x10000..0x10ffff)].sample(random: random) }.pack("U*")
    when 5, 6 then Array.new(random.rand(5)) { value(random, depth - 1) }
    else Array.new(random.rand(5)) { |i| ["k#{i} \u00e9", value(random, depth - 1)] }.to_h
    end
  end

  def test_active_model_reads
    Kumihimo::Rails.install_decoder
    model = Class.new do
      require "active_model"
      include ActiveModel::Model
      include ActiveModel::Serializers::JSON
      attr_accessor :name, :age

      def attributes = {"name" => name, "age" => age}

      def attributes=(hash)
        hash.each { |key, member| public_send("#{key}=", member) }
      end
    end
    read = model.new.from_json('{"person":{"name":"bob","age":22}}', true)
    assert_equal ["bob", 22], [read.name, read.age]
  rescue LoadError => error
    skip "not proven: #{error.message}"
  end
end
