# frozen_string_literal: true

require_relative "test_helper"

# Thousands of documents, right and broken, from a seed: parse gives what the installed json gives.
class ParseGeneratedTest < Minitest::Test
  include AgainstStock

  SEED = Integer(ENV.fetch("KUMIHIMO_SEED", "3"))

  # What a document is broken or made of. Bytes, because some are no characters.
  PIECES = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "u", "\\u", "d800", "dc00", '\ud83d\ude00', '\ud83d', '\udc00', '\ud800abcdef', '\u00e9',
    '\n', '\q', '\/', "é", "日本", "😀", "\xff", "\xed\xa0\x80", "\x01", "\n", "\t", " ", "//", "/*", "*/", "//x\n", "/**/", "-", "0", "1",
    "12", "123456789012345678901", "1.5", "1e5", "1e400", "-0", "-0.0", "0.1", "1E-5", "e", ".", "+", "true", "false", "null", "NaN",
    "Infinity", "-Infinity", "a", "key", "\0", "\r", "\u2028", "\xEF\xBB\xBF", '"a"', '"a":', "1,", "[1]", '{"a":1}'
  ].map { |piece| piece.b.freeze }.freeze
  WHOLE = [
    '{"a":[1,2,{"b":null}],"c":"x\u00e9\n","d":1.5e3}', '["a","b\u0041",true,false,null,-1,0]', "[[[]],{},{\"k\":{}}]", '"str"', "12",
    '{"key":"value","k2":[1.25,-0,1e2]}', "{\"a key that is longer than most\":\"#{"x" * 40}\",\"n\":[#{(1..40).to_a.join(",")}]}"
  ].map { |document| document.b.freeze }.freeze
  OPTIONS = [
    {}, { symbolize_names: true }, { freeze: true }, { allow_nan: true }, { max_nesting: 2 }, { max_nesting: false },
    { symbolize_names: true, freeze: true }, { decimal_class: Float }
  ]
  if AgainstStock.stock_at_least?(2, 20)
    OPTIONS.push({ allow_trailing_comma: true }, { allow_control_characters: true }, { allow_invalid_escape: true }, { allow_comments: true },
                 { allow_control_characters: true, allow_invalid_escape: true }, { allow_duplicate_key: false }, { allow_comments: false })
  end

  def test_broken_and_odd_documents
    random = Random.new(SEED)
    kinds = Hash.new(0)
    8000.times do
      source = odd_document(random)
      result = assert_as_stock(source, **OPTIONS.sample(random: random))
      kinds[%i[refused nesting].include?(result.is_a?(Array) && result[0])] += 1
    end
    assert_operator kinds[true], :>, 1000
    assert_operator kinds[false], :>, 1000
  end

  def test_right_documents
    random = Random.new(SEED + 1)
    2000.times do
      value = value(random, 0)
      source = random.rand(2).zero? ? JSON.generate(value) : JSON.pretty_generate(value)
      assert_as_stock(source, **OPTIONS.reject { |set| set[:max_nesting] == 2 }.sample(random: random))
    end
  end

  # Every cut of a document is refused, or is the same document as for stock, at both of the reader's ways.
  def test_every_prefix
    document = '{"a":[1.5e3,-2,"x\u00e9é\\n",true,null,{"b":{}}],"c":"' + "y" * 120 + "\"}"
    (0..document.bytesize).each { |size| assert_as_stock(document.byteslice(0, size)) }
    (0...document.bytesize).each { |at| assert_as_stock(document.b.tap { |bytes| bytes.setbyte(at, bytes.getbyte(at) ^ 0x20) }) }
  end

  private

  def odd_document(random)
    source =
      case random.rand(6)
      when 0, 1 then pieces(random, 1..8)
      when 2, 3 then "[\"".b + pieces(random, 1..10) + "\"]".b
      else
        whole = WHOLE.sample(random: random).dup
        random.rand(1..3).times { whole[random.rand(whole.size + 1), random.rand(0..2)] = PIECES.sample(random: random) }
        whole
      end
    source += " ".b * 200 + "\n".b if random.rand(8).zero?
    source = "[".b + " ".b * 200 + source + "]".b if random.rand(8).zero?
    source.force_encoding([Encoding::UTF_8, Encoding::BINARY].sample(random: random))
  end

  def pieces(random, count) = Array.new(random.rand(count)) { PIECES.sample(random: random) }.join

  def value(random, depth)
    case random.rand(depth > 5 ? 7 : 10)
    when 0 then nil
    when 1 then random.rand(2).zero?
    when 2 then random.rand(-1000..1000)
    when 3 then random.rand(-(2**70)..2**70)
    when 4 then [random.rand, random.rand * 1e300, -random.rand * 1e-300, random.rand(1000) / 8.0].sample(random: random)
    when 5, 6 then text(random)
    when 7, 8 then Array.new(random.rand(0..12)) { value(random, depth + 1) }
    else Array.new(random.rand(0..20)) { [text(random), value(random, depth + 1)] }.to_h
    end
  end

  def text(random)
    letters = [*"a".."e", "\"", "\\", "\n", "\0", "é", "日", "😀", "/", "\u2028"]
    Array.new([0, 1, 5, 23, 24, 60].sample(random: random)) { letters.sample(random: random) }.join
  end
end
