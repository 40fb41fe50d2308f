# frozen_string_literal: true

require_relative "test_helper"
require_relative "vectors/traces"

# The conformance vectors of JSON and MessagePack by the calls that are named after those of json and msgpack, as far as these
# gems' rules let them; vectors_test.rb has all of them, by the calls for any format.
class StockVectorsTest < Minitest::Test
  include Traces

  PACK = Kumihimo::MessagePack
  DEPTH = 1024
  # JSON.parse's rules are laxer than RFC 8259, and so are parse's; what reads strictly is lazy and partial.
  STRICT = {
    "lazy" => ->(text) { Kumihimo.lazy(text, max_nesting: DEPTH).value },
    "partial" => ->(text) { Kumihimo.partial("", max_nesting: DEPTH).call(text)[0] }
  }.freeze
  PARSE = ->(text) { Kumihimo.parse(text, max_nesting: DEPTH) }
  UNPACK = ->(bytes) { PACK.unpack(bytes, allow_unknown_ext: true, invalid: :refuse) }

  TWICE = "a Hash has a key once"
  READ_EXCEPT = {
    "json/numbers/ok-minus-zero" => "-0 is the Integer 0, as JSON.parse has it",
    "json/numbers/ok-too-large" => "is Infinity, as JSON.parse has it",
    "json/numbers/ok-too-large-negative" => "is -Infinity, as JSON.parse has it"
  }.freeze
  PARSE_TAKES = {
    "json/strings/err-beyond-unicode" => "Strings may be broken", "json/strings/err-cut-sequence" => "Strings may be broken",
    "json/strings/err-overlong" => "Strings may be broken", "json/strings/err-surrogate-raw" => "Strings may be broken"
  }.freeze

  STOCK_TEXT = "JSON.generate writes the object's to_s"
  NO_BYTES = "JSON.generate takes bytes for UTF-8"
  NO_DECIMAL = "Ruby's core has no decimal"
  NO_KIND = "a Time is a moment; Date has no form in the msgpack gem"
  # By model, or by model and dialect.
  WRITE_EXCEPT = {
    "big-decimal" => NO_DECIMAL, "big-exponent" => NO_DECIMAL,
    "bin.json.compact" => NO_BYTES, "bin-255.json.compact" => NO_BYTES, "bin-padding.json.compact" => NO_BYTES,
    "key-bin.json.compact" => NO_BYTES,
    "ext-0.json.compact" => STOCK_TEXT, "ext-1.json.compact" => STOCK_TEXT,
    "key-array.json.compact" => STOCK_TEXT, "key-map.json.compact" => STOCK_TEXT, "key-null.json.compact" => STOCK_TEXT,
    "time-date" => NO_KIND, "time-naive" => NO_KIND,
    "time-local.json.compact" => STOCK_TEXT, "time-offset.json.compact" => STOCK_TEXT,
    "time-offset-zero.json.compact" => STOCK_TEXT, "time-utc.json.compact" => STOCK_TEXT,
    "time-utc-34-bits.json.compact" => STOCK_TEXT, "time-utc-35-bits.json.compact" => STOCK_TEXT,
    "time-utc-before-1970.json.compact" => STOCK_TEXT, "time-utc-nanoseconds.json.compact" => STOCK_TEXT,
    "map-15" => TWICE, "map-16" => TWICE, "map-16-counted" => TWICE, "map-order-and-duplicates" => TWICE,
    **%w[f64-large f64-small f64-large-plain f64-smallest f64-16-digits-whole f64-1e-10 f64-1e-5 f64-1e-6 f64-1e15 f64-1e16
         f64-1e17 f64-1e22 f64-2-to-53].to_h { |name| ["#{name}.json.compact", "the installed json's layout of floats"] },
    **%w[key-ext key-nan key-time time-offset-beyond time-offset-seconds time-utc-before-the-first
         time-utc-behind-the-last time-utc-beyond-and-a-nanosecond time-utc-first time-utc-last
         time-utc-nanosecond].to_h { |name| ["#{name}.json.compact", STOCK_TEXT] },
    "ext-type-128" => "an Extension's type is from -128 to 127",
    "bin-of-slashes.json.compact" => NO_BYTES, "key-big" => NO_DECIMAL,
    "time-date-before-1970.msgpack.standard" => NO_KIND,
    "big-integer.msgpack.lenient" => "the msgpack gem has no Integers beyond 64 bits"
  }.freeze

  def setup
    skip "not proven: no tests/vectors beside this gem" unless FOLDER.directory?
  end

  def test_json
    STRICT.each do |name, read|
      decode("json", name, read)
    end
    vectors("json", "ok") do |file, text|
      next if READ_EXCEPT.key?(name_of(file))

      assert_equal expected(file), trace(PARSE.call(text)), file.to_s
    end
    PARSE_TAKES.each_key do |name|
      text = FOLDER.join("#{name}.in").read
      refute_predicate PARSE.call(text)[0], :valid_encoding?
    end
  end

  def test_message_pack
    decode("msgpack", "unpack", UNPACK)
  end

  def test_writing
    done = Hash.new(0)
    FOLDER.glob("model/*.trace").sort.each do |file|
      name = file.basename(".trace").to_s
      { "json.compact" => ->(v) { Kumihimo.generate(v) },
        "msgpack.standard" => ->(v) { PACK.pack(v, invalid: :refuse) },
        "msgpack.lenient" => ->(v) { PACK.pack(v, invalid: :bin) } }.each do |dialect, write|
        next if WRITE_EXCEPT.key?("#{name}.#{dialect}") || WRITE_EXCEPT.key?(name)

        bytes, refused = file.sub_ext(".#{dialect}"), file.sub_ext(".#{dialect}.error")
        value = build(file.read.lines(chomp: true).each) if bytes.exist? || refused.exist?
        if bytes.exist?
          assert_equal bytes.binread, write.call(value).b, "#{name} as #{dialect}"
        elsif refused.exist?
          assert_raises(Kumihimo::GeneratorError, RangeError, "#{name} as #{dialect}") { write.call(value) }
        else
          next
        end
        done[dialect] += 1
      end
    end
    assert_operator done.values.sum, :>, 150, done
  end

  private

  def vectors(format, kind)
    files = FOLDER.glob("#{format}/**/#{kind}-*.in").sort
    refute_empty files unless kind == "any"
    files.each { |file| yield file, file.binread.force_encoding(format == "json" ? "UTF-8" : "BINARY") }
  end

  def decode(format, name, read)
    vectors(format, "ok") do |file, document|
      next if READ_EXCEPT.key?(name_of(file))

      assert_equal expected(file), trace(read.call(document)), "#{file} by #{name}"
    end
    vectors(format, "err") do |file, document|
      error = assert_raises(Kumihimo::ParserError, Kumihimo::NestingError, "#{file} by #{name}") { read.call(document) }
      _, offset, path = file.sub_ext(".error").read.split(" ", 3)
      assert_equal offset.to_i, error.offset, file.to_s if offset
      assert_equal path.chomp, error.path, file.to_s if path
    end
    vectors(format, "any") do |file, document|
      read.call(document)
    rescue Kumihimo::ParserError, Kumihimo::NestingError => e
      refute_empty e.message, file.to_s
    end
  end
end
