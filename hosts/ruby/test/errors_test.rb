# frozen_string_literal: true

require_relative "test_helper"

class ErrorsTest < Minitest::Test
  include AgainstStock

  def error_of(source, **options)
    Kumihimo.parse(source, options)
    flunk "not refused: #{source}"
  rescue JSON::ParserError => e
    e
  end

  def test_classes_stand_below_those_of_json
    assert_equal JSON::ParserError, Kumihimo::ParserError.superclass
    assert_equal JSON::NestingError, Kumihimo::NestingError.superclass
    assert_equal JSON::GeneratorError, Kumihimo::GeneratorError.superclass
    assert_instance_of Kumihimo::ParserError, error_of("[1,]")
    assert_instance_of Kumihimo::NestingError, error_of("[[[]]]".sub("[]", "[1]"), max_nesting: 2)
  end

  # source, byte offset, line, column, path
  PLACES = [
    ["", 0, 1, 1, "$"],
    ["{", 1, 1, 2, "$"],
    ["[1,\n 2,\n  x]", 10, 3, 3, "$[2]"],
    ['{"a":{"b":[1,2,tru]}}', 15, 1, 16, "$.a.b[2]"],
    ["[\"é\", \"\x01\"]", 8, 1, 9, "$[1]"],
    ["{\"a b\":[nul]}", 8, 1, 9, '$["a b"][0]'],
    ["[1] x", 4, 1, 5, "$"],
    ["{\"a\":1,\"b\" 2}", 11, 1, 12, "$.b"]
  ].freeze

  def test_places
    PLACES.each do |source, offset, line, column, path|
      # Small documents and larger ones are read in different ways.
      [["", 0], ["#{" " * 300}\n", 301]].each do |before, more|
        error = error_of(before + source)
        assert_equal [offset + more, line + (more.zero? ? 0 : 1), column, path], [error.offset, error.line, error.column, error.path], source.inspect
        assert_includes error.message, "at line #{error.line} column #{error.column} (byte #{error.offset}"
        assert_equal Encoding::UTF_8, error.message.encoding
        assert_predicate error.message, :valid_encoding?
      end
    end
  end

  def test_messages_say_what_and_show_where
    assert_equal "a trailing comma before ']' at line 1 column 4 (byte 3, $[1]): '[1,]'", error_of("[1,]").message
    assert_match(/\Aa string is not closed at line 1 column 1 \(byte 0\)/, error_of('"abc').message)
    long = error_of("[\"#{"x" * 500}\", oops, \"#{"y" * 500}\"]")
    assert_operator long.message.bytesize, :<, 200
    assert_includes long.message, "oops"
    # Broken bytes in the excerpt, and characters cut by its ends.
    ["[\"\xff\xfe\", oops]", "[\"#{"日本語" * 20}\", oops, \"#{"日本語" * 20}\"]", "[oops, \"\xe6\x97"].each do |source|
      assert_predicate error_of(source).message, :valid_encoding?, source
    end
    assert_includes error_of("%s %d [").message, "%s %d"
  end

  def test_nesting
    error = error_of("[" * 101 + "1" + "]" * 101)
    assert_instance_of Kumihimo::NestingError, error
    assert_match(/\Anesting of 101 is too deep/, error.message)
    assert_equal [100, 1, 101], [error.offset, error.line, error.column]
    assert_match(/\Anesting of 3 is too deep/, error_of('{"a":[{"b":1}]}', max_nesting: 2).message)
  end

  def test_generator_errors_have_the_object
    value = [1, { "a" => Float::NAN }]
    error = assert_raises(Kumihimo::GeneratorError) { Kumihimo.generate(value) }
    assert_kind_of JSON::GeneratorError, error
    assert_predicate error.invalid_object, :nan?
    nested = (1..101).inject(1) { |inner, _| [inner] }
    assert_raises(Kumihimo::NestingError) { Kumihimo.generate(nested) }
  end

  def test_errors_can_be_made_and_copied
    error = Kumihimo::ParserError.new("text")
    assert_equal ["text", nil, nil, nil, nil], [error.message, error.line, error.column, error.offset, error.path]
    copy = error_of("[1,]").exception("other")
    assert_equal ["other", 4, 3], [copy.message, copy.column, copy.offset]
  end
end
