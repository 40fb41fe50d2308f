# frozen_string_literal: true

require_relative "test_helper"
require "stringio"
require "zlib"

class StreamTest < Minitest::Test
  include AgainstStock

  # A source that gives its bytes in pieces of given sizes.
  class Dripping
    def initialize(text, sizes)
      @text = text.b
      @sizes = sizes.cycle
      @at = 0
    end

    def readpartial(_most, buffer = +"")
      raise EOFError if @at >= @text.bytesize

      buffer.replace(@text.byteslice(@at, size = @sizes.next))
      @at += size
      buffer
    end
  end

  # The same by read, which ends in nil.
  class Reading < Dripping
    undef_method :readpartial
    def read(_most, buffer = +"")
      return if @at >= @text.bytesize

      buffer.replace(@text.byteslice(@at, size = @sizes.next))
      @at += size
      buffer
    end
  end

  VALUES = [{ "a" => 1, "b" => [true, nil, "x}\"{\\"] }, [], {}, 12, -0.5, "text \n\u00e9日😀", nil, true, [[["deep"]]], { "k" * 300 => "v" * 700 }].freeze

  def test_every_way_to_lie_behind_each_other
    ["\n", "\n\n \t\r\n", " ", ""].each do |between|
      # Numbers and words need something between them.
      values = between.empty? ? VALUES.reject { |value| value.is_a?(Numeric) || value.nil? || value == true } : VALUES
      text = values.map { |value| JSON.generate(value) }.join(between)
      ["", "\n", " \n\n"].product(["", "\n", "\n \n"]) do |before, behind|
        assert_equal values, Kumihimo.each_document(before + text + behind).to_a
      end
      pretty = values.map { |value| JSON.pretty_generate(value) }.join(between)
      assert_equal values, Kumihimo.each_document(StringIO.new(pretty)).to_a
    end
  end

  def test_every_cut
    text = VALUES.first(9).map { |value| JSON.generate(value) }.join("\n")
    expected = VALUES.first(9)
    (1..text.bytesize).each { |size| assert_equal expected, Kumihimo.each_document(Dripping.new(text, [size])).to_a, "pieces of #{size}" }
    (1..40).each { |size| assert_equal expected, Kumihimo.each_document(Reading.new(text, [size, 1, 7])).to_a }
  end

  def test_sources
    lines = (0...3000).map { |i| { "id" => i, "s" => "é" * (i % 60) } }
    text = lines.map { |line| JSON.generate(line) }.join("\n")
    packed = StringIO.new(Zlib.gzip(text))
    assert_equal lines, Kumihimo.each_document(Zlib::GzipReader.new(packed)).to_a
    assert_equal lines, Kumihimo.each_document(StringIO.new(text)).to_a
    assert_equal lines, Kumihimo.each_document(text).to_a
    assert_equal lines, Kumihimo.each_document(text.encode(Encoding::UTF_16LE)).to_a
    IO.pipe do |reading, writing|
      thread = Thread.new { writing << text; writing.close }
      assert_equal lines, Kumihimo.each_document(reading).to_a
      thread.join
    end
    assert_equal [], Kumihimo.each_document("").to_a
    assert_equal [], Kumihimo.each_document(" \n\n").to_a
    assert_raises(TypeError) { Kumihimo.each_document(1).to_a }
    assert_raises(TypeError) { Kumihimo.each_document(nil) { flunk } }
  end

  def test_documents_come_while_the_stream_runs
    IO.pipe do |reading, writing|
      documents = Kumihimo.each_document(reading)
      writing << "{\"n\":1}\n{\"n\":2}\n{\"n\""
      assert_equal [{ "n" => 1 }, { "n" => 2 }], [documents.next, documents.next]
      writing << ":3}\n"
      writing.close
      assert_equal({ "n" => 3 }, documents.next)
      assert_raises(StopIteration) { documents.next }
    end
  end

  def test_options
    text = "{\"a\":1.5}\n[NaN]"
    assert_equal [{ a: 1.5 }], Kumihimo.each_document(text.lines[0], symbolize_names: true).to_a
    assert_equal [{ a: 1.5 }], Kumihimo.each_document(text.lines[0], { symbolize_names: true }).to_a
    assert_predicate Kumihimo.each_document(text.lines[0], freeze: true).first, :frozen?
    assert_predicate Kumihimo.each_document(text, allow_nan: true).to_a[1][0], :nan?
    assert_raises(JSON::NestingError) { Kumihimo.each_document("[[[1]]]", max_nesting: 2).to_a }
    seen = []
    Kumihimo.each_document("[1]\n[2]", on_load: ->(value) { seen << value; value }) { nil }
    assert_equal [1, [1], 2, [2]], seen
    assert_raises(TypeError) { Kumihimo.each_document("1", max_nesting: "x").to_a }
    assert_nil(Kumihimo.each_document("1") { nil })
  end

  def place(text, **options)
    got = []
    source = options.delete(:pieces) ? Dripping.new(text, [3]) : text
    error = assert_raises(Kumihimo::ParserError, Kumihimo::NestingError) { Kumihimo.each_document(source, **options) { |value| got << value } }
    [got, error.line, error.column, error.offset, error.path]
  end

  def test_errors_count_from_the_start_of_the_stream
    [false, true].each do |pieces|
      assert_equal [[1, 2], 3, 9, 12, "$.a"], place("1\n2\n  {\"a\": tru}\n3", pieces: pieces)
      assert_equal [[{}, [1]], 1, 12, 11, "$[1]"], place("{} [1] [2, x] 5", pieces: pieces)
      assert_equal [["é"], 3, 2, 7, "$"], place("\"é\"\n\n }", pieces: pieces)
      assert_equal [[{ "a" => "\n" }], 2, 2, 12, "$[0]"], place("{\"a\":\"\\n\"}\n[,]", pieces: pieces)
      assert_equal [[1], 2, 1, 2, "$"], place("1\n}", pieces: pieces)
      assert_equal [[], 1, 4, 3], place("[1,", pieces: pieces).first(4)
      assert_equal [[1], 1, 3, 2], place("1 // none here\n2", pieces: pieces).first(4)
    end
  end

  def test_documents_before_a_broken_one_are_yielded
    got = []
    text = "#{(0...5000).map { |i| "[#{i}]" }.join("\n")}\n[oops]\n[1]"
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.each_document(text) { |value| got << value[0] } }
    assert_equal (0...5000).to_a, got
    assert_equal 5001, error.line
    assert_equal 2, error.column
    assert_equal text.index("oops"), error.offset
  end

  def test_a_limit_for_one_document
    big = "[#{"1," * 5000}1]"
    assert_equal 5001, Kumihimo.each_document(big, max_document: big.bytesize).first.size
    [big, Dripping.new("7 #{big}", [100])].each do |source|
      got = []
      error = assert_raises(Kumihimo::ParserError) { Kumihimo.each_document(source, max_document: 1000) { |value| got << value } }
      assert_match(/larger than max_document: 1000 bytes/, error.message)
      assert_equal 1, error.line
      assert_equal got.empty? ? 0 : 1, error.offset
    end
    # White space between documents is none of theirs.
    assert_equal [1, 2], Kumihimo.each_document("1#{"\n" * 100_000}2", max_document: 200_000).to_a
    assert_equal [1, 2], Kumihimo.each_document(Dripping.new("1\n#{"\n" * 100_000}2 ", [10]), max_document: 64).to_a
  end

  def test_memory_stays_bounded
    skip "not proven: no /proc here" unless File.readable?("/proc/self/statm")
    skip "not proven: a sanitizer keeps freed memory" if ENV["ASAN_OPTIONS"]
    line = "{\"a\":\"#{"x" * 200}\",\"b\":[1,2,3]}\n"
    endless = Object.new
    left = 150
    endless.define_singleton_method(:readpartial) { |size, buffer| (left -= 1) < 0 ? raise(EOFError) : buffer.replace(line * (size / line.bytesize)) }
    resident = -> { File.read("/proc/self/statm").split[1].to_i * 4096 }
    count = 0
    before = nil
    Kumihimo.each_document(endless) { before = resident.call if (count += 1) == 20_000 }
    assert_equal 150 * (256 * 1024 / line.bytesize), count
    assert_operator resident.call - before, :<, 40 << 20 # the documents alone were 38 MB of text and more than 100 MB of objects
  end

  # What read returns counts, should it not be the buffer.
  def test_a_read_with_strings_of_its_own
    pieces = ["[1] [", "2]", nil]
    source = Object.new
    source.define_singleton_method(:read) { |_size, _buffer| pieces.shift }
    assert_equal [[1], [2]], Kumihimo.each_document(source).to_a
  end

  def test_leaving_and_errors_of_the_block
    text = "1\n2\n3\n"
    assert_equal :two, Kumihimo.each_document(text) { |value| break :two if value == 2 }
    assert_raises(EOFError) { Kumihimo.each_document(StringIO.new(text)) { raise EOFError } }
    assert_equal 3, Kumihimo.each_document(text).lazy.select(&:odd?).to_a.last
  end

  # What a callback does to the stream that is calling it.
  def test_a_stream_is_used_by_one_at_a_time
    long = "[#{"1," * 20_000}1]"
    uses = {
      "push" => ->(stream) { stream.push(long) },
      "finish" => ->(stream) { stream.finish },
      "initialize" => ->(stream) { stream.send(:initialize, {}, 10) },
      "push in a thread" => ->(stream) { Thread.new { Thread.current.report_on_exception = false; stream.push(long) }.value }
    }
    uses.each do |name, use|
      stream = nil
      said = []
      on_load = lambda do |value|
        said << assert_raises(RuntimeError, name) { use.call(stream) }.message if value == 7
        value
      end
      stream = Kumihimo.const_get(:DocumentStream).new({ on_load: on_load }, 1 << 20)
      # Cut in two, so that the beginning lies in the stream's own memory; and a document that only the end completes.
      assert_equal [], stream.push("[\"#{"x" * 5000}\",7")
      assert_equal [["x" * 5000, 7, "rest"], 7], stream.push(",\"rest\"]7 7")
      assert_equal [7], stream.finish
      assert_equal ["this stream is reading a document: neither its callbacks nor other threads can use it"] * 3, said, name
    end
  end

  def test_a_callback_that_raises_leaves_the_stream_to_others
    stop = true
    stream = Kumihimo.const_get(:DocumentStream).new({ on_load: ->(value) { stop ? raise(IOError) : value } }, 100)
    assert_raises(IOError) { stream.push("[1]") }
    assert_nil(catch(:out) { Kumihimo.each_document("[1]", on_load: ->(_) { throw :out }) { flunk } })
    stop = false
    assert_equal [[2]], stream.push("[2]")
  end

  # A source or block that begins another stream on the same input has one of its own.
  def test_streams_inside_streams
    io = StringIO.new("[1]\n[2]\n")
    inner = []
    Kumihimo.each_document(Dripping.new("[1][2]", [3])) { |value| inner << [value, Kumihimo.each_document(io).to_a] }
    assert_equal [[[1], [[1], [2]]], [[2], []]], inner
  end
end
