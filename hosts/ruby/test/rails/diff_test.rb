# frozen_string_literal: true

require_relative "helper"

class DiffTest < Minitest::Test
  include RailsHelper
  needs "active_support"

  # An encoder that has its answer already: a text, or an error to raise.
  Fixed = Struct.new(:answer) do
    def encode(_value)
      answer.is_a?(String) ? answer : raise(answer)
    end
  end

  def difference(stock, kumihimo)
    Kumihimo::Rails::Diff.call(Fixed.new(stock), Fixed.new(kumihimo), nil)
  end

  def place(stock, kumihimo)
    difference(stock, kumihimo).then { |found| [found.path, found.offset] }
  end

  def test_equal_outputs_have_none
    assert_nil difference('{"a":1}', '{"a":1}')
    assert_nil difference("", "")
    assert_nil difference(KeyError, KeyError)
    assert_nil difference(JSON::ParserError, JSON::NestingError), "NestingError is a ParserError: whoever rescues stock's rescues ours"
  end

  def test_the_place
    assert_equal ["$", 0], place("1", "2")
    assert_equal ["$", 1], place('"a"', '"b"')
    assert_equal ["$.a", 5], place('{"a":1}', '{"a":2}')
    films = '{"films":[{},{},[1,2],{"id":1,"name":"a"}]}'
    assert_equal ["$.films[3].name", films.index("a\"}")], place(films, films.sub('"a"', '"b"'))
    assert_equal ['$["c d"].é.$x', 19], place('{"c d":{"é":{"$x":null}}}', '{"c d":{"é":{"$x":[]}}}')
    assert_equal ['$["q\\"]"][0]', 9], place('{"q\\"]":[1]}', '{"q\\"]":[2]}')
    assert_equal ['$[""]', 4], place('{"":1}', '{"":2}')
    assert_equal ['$["1"]', 5], place('{"1":1}', '{"1":2}')
  end

  def test_the_place_in_structure_is_the_container
    assert_equal ["$", 2], place("[1,2]", "[1]")
    assert_equal ["$", 2], place('{"a":1}', '{"b":1}')
    assert_equal ["$.x", 11], place('{"x":{"a":1},"y":2}', '{"x":{"a":1,"b":2},"y":2}')
    assert_equal ["$[1][0]", 5], place("[0,[1]]", "[0,[12]]"), "the deeper of both sides says more"
    assert_equal ["$[0]", 1], place("[{}]", "[[]]"), "the deeper of both sides says more"
    assert_equal ["$", 3], place("[1]", "[1]]")
    assert_equal ["$", 0], place("", "1")
  end

  def test_the_place_in_large_and_deep_outputs
    text = JSON.generate(Array.new(50_000) { |i| {"id" => i, "name" => "film \\\" #{i}"} })
    other = text.sub("film \\\\\\\" 49999", "film \\\\\\\" 49998")
    refute_equal text, other
    assert_equal "$[49999].name", place(text, other)[0]

    deep = "[" * 10_000
    assert_equal "$#{"[0]" * 10_000}", place("#{deep}1#{"]" * 10_000}", "#{deep}2#{"]" * 10_000}")[0]
  end

  def test_the_text
    assert_equal <<~TEXT.chomp, difference('{"name":"a\u003cb","x":"' + "y" * 50 + '"}', '{"name":"a<b!","x":"' + "y" * 50 + '"}').to_s
      outputs differ at $.name, byte 10
        stock:    {"name":"a\\u003cb","x":"yyyyyyyyyyyyyyyy...
        kumihimo: {"name":"a<b!","x":"yyyyyyyyyyyyyyyyyyyy...
    TEXT
    assert_match(/\A#<Kumihimo::Rails::Difference outputs differ at \$, byte 0;/, difference("1", "2").inspect)
  end

  # Both excerpts begin and end between characters, and are valid however wrong the output is.
  def test_excerpts_are_valid_text
    20.times do |shift|
      text = "#{"x" * shift}#{"組紐" * 20}"
      found = difference("[\"#{text}a\"]", "[\"#{text}b\"]")
      assert_predicate found.stock, :valid_encoding?
      assert_match(/\A\.\.\.[組紐]+a"\]\z/, found.stock)
      assert_match(/\A\.\.\.[組紐]+b"\]\z/, found.kumihimo)
    end
    assert_predicate difference("\"\xFF\"", "\"\xFE\"").to_s, :valid_encoding?
    assert_predicate difference("{\"\xFF\":1}", "{\"\xFF\":2}").to_s, :valid_encoding?
  end

  def test_errors
    found = difference('{"a":1}', JSON::NestingError)
    assert_nil found.path
    assert_nil found.stock_error
    assert_equal JSON::NestingError, found.kumihimo_error
    assert_equal "one raises, the other does not\n  stock:    {\"a\":1}\n  kumihimo: raises JSON::NestingError", found.to_s

    found = difference(SystemStackError, "1")
    assert_equal [SystemStackError, nil, nil, "1"], [found.stock_error, found.kumihimo_error, found.stock, found.kumihimo]

    found = difference(KeyError, TypeError)
    assert_equal "both raise, but not the same\n  stock:    raises KeyError\n  kumihimo: raises TypeError", found.to_s
  end

  def test_interrupts_are_not_about_the_value
    assert_raises(Interrupt) { difference(Interrupt.new(""), "1") }
    assert_raises(SystemExit) { difference("1", SystemExit.new) }
  end

  def test_encodings
    found = difference("1", String.new("1", encoding: "US-ASCII"))
    assert_equal [Encoding::UTF_8, Encoding::US_ASCII], found.encodings
    assert_equal "equal bytes, but stock's String is UTF-8 and Kumihimo's US-ASCII", found.to_s
  end

  def test_without_data
    found = difference('{"secret":"one"}', '{"secret":"two"}').without_data
    assert_equal ["$.secret", 11, nil, nil], [found.path, found.offset, found.stock, found.kumihimo]
    assert_equal "outputs differ at $.secret, byte 11", found.to_s
    refute_match(/secret/, difference('["secret"]', TypeError).without_data.inspect)
  end

  def test_a_value_that_is_not_repeatable
    value = Class.new { def as_json(*) = (@count = @count.to_i + 1) }.new
    found = Kumihimo::Rails.diff([value])
    refute_predicate found, :repeatable?
    assert_match(/not repeatable/, found.to_s)
    assert_predicate difference("1", "2"), :repeatable?
  end

  def test_stock_against_ours
    deep = 150.times.inject([]) { |inner, _| [inner] }
    around = []
    around << around
    values = [nil, true, 1, 1.5, 1e20, 2**70, "a<&>\u2028\u{1F9F5}", :s, [], {}, {a: {"b" => [1, nil]}}, {1 => 2, nil => 3},
              Time.at(0).utc, Time.at(1.5), Date.new(2020, 1, 2), BigDecimal("1.5"), Float::NAN, 1..2, /x</, Struct.new(:a).new(1),
              Object.new, Class.new { def initialize = (@a = 1) }.new, deep, "\xFF", "\xE9".dup.force_encoding("ISO-8859-1")]
    [nil, {}, {only: [:a]}, {except: ["b"]}].each do |options|
      values.each { |value| assert_nil Kumihimo::Rails.diff(value, options), "#{value.inspect[0, 80]} with #{options.inspect}" }
    end
    assert_nil Kumihimo::Rails.diff(around), "an array in itself"
  end

  def test_stock_stays_within_reach
    assert_same_as_stock { stock.new.encode(1) }
    Kumihimo::Rails.install
    assert_includes %w[JSONGemEncoder JSONGemCoderEncoder], stock.name.split("::").last
    refute_same stock, ActiveSupport.json_encoder
  end
end
