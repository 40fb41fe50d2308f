# frozen_string_literal: true

require_relative "test_helper"
begin
  require "multi_json"
  require "kumihimo/multi_json"
rescue LoadError
  nil
end

# The adapter against MultiJson's own for the json gem.
class MultiJsonAdapterTest < Minitest::Test
  def setup
    skip "not proven: multi_json is not installed" unless defined?(Kumihimo::MultiJsonAdapter)
  end

  VALUES = [nil, true, 1, 2**70, 1.5, 1e20, "", "é\u2028</\"\n", :symbol, [], {}, [1, [nil]], {"a" => {b: [1, {c: nil}]}}, {1 => 2, nil => 3}, 1r, Time.at(0).utc,
            Float::NAN, "\xFF", Object].freeze
  TEXTS = ["1", "[1,2.5,null]", '{"a":{"b":["é"]}}', "", " ", "nil", "[", "{a:1}", '"\ud83d\ude00"', "[1,]", nil, '{"json_class":"Range"}'].freeze

  def outcome
    yield
  rescue StandardError => error
    error.class.ancestors.find { |klass| !klass.name.start_with?("Kumihimo") }
  end

  def assert_same_as_json_gem(message)
    expected, actual = [:json_gem, Kumihimo::MultiJsonAdapter].map { |adapter| MultiJson.with_adapter(adapter) { outcome { yield } } }
    assert_equal expected, actual, message
  end

  def test_dump
    [{}, {pretty: true}, {space: " "}, {max_nesting: 2}].each do |options|
      VALUES.each { |value| assert_same_as_json_gem("#{value.inspect} #{options}") { MultiJson.dump(value, options.dup) } }
    end
  end

  def test_load
    [{}, {symbolize_keys: true}, {max_nesting: 1}, {symbolize_names: true, freeze: true}].each do |options|
      TEXTS.each { |text| assert_same_as_json_gem("#{text.inspect} #{options}") { MultiJson.load(text&.dup, options.dup) } }
    end
    ["é".encode("UTF-16LE"), '["é"]'.b, '["é"]'.dup.force_encoding("ISO-8859-1")].each { |text| assert_same_as_json_gem(text.inspect) { MultiJson.load(text) } }
    assert_same_as_json_gem("an IO") { MultiJson.load(StringIO.new("[1]")) }
  end

  def test_errors
    MultiJson.with_adapter(Kumihimo::MultiJsonAdapter) do
      error = assert_raises(MultiJson::ParseError) { MultiJson.load('{"a": nope}') }
      assert_kind_of Kumihimo::ParserError, error.cause
      assert_equal '{"a": nope}', error.data
    end
  end
end
