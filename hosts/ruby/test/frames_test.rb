# frozen_string_literal: true

# Compression around documents of any format, against Ruby's own zlib.
require_relative "test_helper"
require "open3"
require "rbconfig"
require "stringio"
require "zlib"

class FramesTest < Minitest::Test
  FRAMES = Kumihimo.frames
  NAMES = Kumihimo.formats.map { |format| format[:name] }
  VALUE = { "id" => 7, "tags" => ["a", nil, { "deep" => [[], {}] }], "text" => "café 😀" * 50, "x" => -1.5 }.freeze

  # What is not installed is said to be so, by a test of its own.
  def here = FRAMES.select { |frame| frame[:available] }.map { |frame| frame[:name] }

  def setup
    puts "not proven: frames of #{(FRAMES.map { |frame| frame[:name] } - here).join(", ")} (no library)" if here.size < FRAMES.size
    skip "no library for any frame" if here.empty?
  end

  def test_the_table
    assert_equal %i[name ending media_type levels usual_level available], FRAMES.flat_map(&:keys).uniq
    assert_operator FRAMES.size, :>=, 2
    FRAMES.each { |frame| assert_includes frame[:levels], frame[:usual_level] }
    assert Ractor.shareable?(FRAMES)
  end

  def test_there_and_back
    here.product(["", "a", "text" * 100_000, Random.new(1).bytes(300_000)]) do |frame, data|
      range = FRAMES.find { |one| one[:name] == frame }[:levels]
      [nil, [range.begin, -5].max, [range.end, 9].min].each do |level|
        packed = Kumihimo.pack(data, frame, level)
        assert_equal Encoding::BINARY, packed.encoding
        [nil, frame, frame.to_sym].each { |name| assert_equal data.b, Kumihimo.unpack(packed, name) }
        assert_equal data.b * 2, Kumihimo.unpack(packed * 2)
      end
    end
  end

  def test_against_zlib
    skip "no zlib" unless here.include?("gzip")
    assert_equal "text" * 1000, Zlib.gunzip(Kumihimo.pack("text" * 1000, "gzip"))
    assert_equal "text" * 1000, Kumihimo.unpack(Zlib.gzip("text" * 1000))
    assert_equal({ "a" => 1 }, Kumihimo.load(Zlib.gzip('{"a":1}'), format: "json"))
  end

  def test_documents
    here.product(NAMES) do |frame, format|
      plain = Kumihimo.dump(VALUE, format: format)
      packed = Kumihimo.dump(VALUE, format: format, frame: frame)
      assert_equal plain.b, Kumihimo.unpack(packed, frame)
      assert_equal VALUE, Kumihimo.load(packed, format: format)
      assert_equal VALUE, Kumihimo.load(StringIO.new(packed), format: format)
      assert_equal VALUE, Kumihimo.lazy(packed, format: format).value
      assert_equal [7, -1.5], Kumihimo.partial(%w[id x], format: format).call(packed)
      assert_equal [[7]] * 2, Kumihimo.partial("id", format: format).many([packed, plain])
      assert_equal plain, Kumihimo.convert(packed, format, format)
      assert_equal packed, Kumihimo.convert(plain, format, format, frame: frame)
      io = StringIO.new(+"".b)
      assert_same io, Kumihimo.dump(VALUE, io, format: format, frame: frame, frame_level: 1)
      assert_equal VALUE, Kumihimo.load(io.string, format: format)
    end
    assert_equal [1], Kumihimo.load(Kumihimo.pack("[1]", here[0]), format: nil)
    assert_equal "[1]", Kumihimo.convert(Kumihimo.pack("[1]", here[0]), nil, "json")
  end

  def test_streams
    values = (0...300).map { |i| { "n" => i, "text" => "x" * (i % 40) } }
    here.product(NAMES) do |frame, format|
      plain = values.map { |value| Kumihimo.dump(value, format: format) }
      half = plain.first(150).join, plain.drop(150).join
      packed = half.map { |part| Kumihimo.pack(part, frame) }.join
      assert_equal values, Kumihimo.each_document(packed, format: format).to_a
      [1, 2, 3, 7, 1000, 1 << 20].each { |size| assert_equal values, Kumihimo.each_document(Dripping.new(packed, size), format: format).to_a }
      assert_equal values.first(1), Kumihimo.each_document(packed, format: format).first(1)
      seen = []
      assert_raises(Kumihimo::ParserError) { Kumihimo.each_document(Dripping.new(packed.byteslice(0..-3), 50), format: format) { |value| seen << value } }
      assert_equal values.first(seen.size), seen
      assert_operator seen.size, :>=, 150
      # Fewer bytes than tell a frame.
      assert_equal [0], Kumihimo.each_document(Dripping.new(Kumihimo.dump(0, format: format), 1), format: format).to_a
      assert_equal [], Kumihimo.each_document("", format: format).to_a
    end
  end

  def test_a_stream_that_unpacks_to_much
    text = "[#{"1," * 2_000_000}1]"
    here.each { |frame| assert_equal [2_000_001], Kumihimo.each_document(Kumihimo.pack(text, frame), format: "json").map(&:size) }
  end

  # A small packed piece may hold any amount of text: it is unpacked as its documents are taken.
  def test_small_documents_of_a_bomb
    here.each do |frame|
      code = <<~'RUBY'
        # One member of 5 MB, 80 times; each document has so much of its own that the ratio is an honest one.
        random = Random.new(1)
        text = Array.new(500) { |i| "[#{i}, \"#{random.bytes(32).unpack1("H*") + "a" * 10_000}\"]\n" }.join
        bomb = Kumihimo.pack(text, ARGV[0]) * 80
        n = 0
        Kumihimo.each_document(bomb, format: "json") { |document| n += document.size }
        abort "#{n} values" unless n == 2 * 500 * 80
        puts File.read("/proc/self/status")[/VmHWM:\s+(\d+)/, 1]
      RUBY
      out, status = Open3.capture2(RbConfig.ruby, *$LOAD_PATH.map { |path| "-I#{path}" }, "-rkumihimo", "-e", code, frame)
      assert status.success?, out
      # Of the 400 MB, what Ruby's collector leaves lying before it begins: some 100 MB.
      assert_operator out.to_i, :<, 200 << 10, frame
    end
  end

  def test_what_is_refused
    here.each do |frame|
      packed = Kumihimo.pack('{"a":1}' * 100, frame)
      [packed.byteslice(0..-2), packed + "something else"].each do |broken|
        [-> { Kumihimo.unpack(broken) }, -> { Kumihimo.load(broken, format: "json") }, -> { Kumihimo.lazy(broken, format: "json") },
         -> { Kumihimo.convert(broken, "json", "json") }, -> { Kumihimo.partial("a", format: "json").call(broken) }].each do |call|
          error = assert_raises(Kumihimo::ParserError, &call)
          assert_operator error.offset, :<=, broken.bytesize
        end
      end
      assert_raises(Kumihimo::ParserError) { Kumihimo.unpack(packed, size: 699) }
      assert_equal 700, Kumihimo.unpack(packed, size: 700).bytesize
      assert_raises(Kumihimo::ParserError) { Kumihimo.unpack(packed, (here - [frame])[0]) } if here.size > 1
    end
    if here.include?("zstd")
      bomb = Kumihimo.pack("\0" * (64 << 20), "zstd")
      assert_match(/bomb/, assert_raises(Kumihimo::ParserError) { Kumihimo.unpack(bomb) }.message)
    end
    assert_match(/begin as no frame does/, assert_raises(Kumihimo::ParserError) { Kumihimo.unpack("[1]") }.message)
    assert_raises(TypeError) { Kumihimo.unpack(5) }
    assert_raises(TypeError) { Kumihimo.pack(nil, here[0]) }
  end

  def test_names_and_levels_that_are_none
    ["zip", "", 5, "GZIP"].each do |name|
      [-> { Kumihimo.pack("", name) }, -> { Kumihimo.unpack("", name) }, -> { Kumihimo.dump(1, format: "json", frame: name) },
       -> { Kumihimo.convert("1", "json", "json", frame: name) }].each do |call|
        assert_match(/\Aframe is one of "gzip", .*, not #{name.inspect}\z/, assert_raises(ArgumentError, &call).message)
      end
    end
    FRAMES.each do |frame|
      [frame[:levels].end + 1, frame[:levels].begin - 1, 2**80].each do |level|
        error = assert_raises(ArgumentError) { Kumihimo.dump(1, format: "json", frame: frame[:name], frame_level: level) }
        assert_match(/the levels of #{frame[:name]} are/, error.message)
      end
      assert_raises(TypeError) { Kumihimo.pack("", frame[:name], "high") }
    end
    assert_match(/none is named/, assert_raises(ArgumentError) { Kumihimo.dump(1, format: "json", frame_level: 3) }.message)
    assert_match(/needs the format/, assert_raises(ArgumentError) { Kumihimo.dump(1, frame: "gzip") }.message)
  end

  # A library that is not there is an error that says what to install, and no other call minds.
  def test_a_library_that_is_missing
    (FRAMES.map { |frame| frame[:name] } - here).each do |frame|
      assert_match(/install/, assert_raises(Kumihimo::ParserError) { Kumihimo.pack("", frame) }.message)
    end
    assert_equal [1], Kumihimo.load("[1]", format: "json")
  end

  def test_others_run_and_the_source_may_change
    source = Kumihimo.pack("[#{"1," * 500_000}1]", here[0])
    expected = Kumihimo.load(source, format: "json").size
    readers = 3.times.map { Thread.new { Kumihimo.load(source, format: "json").size } }
    assert_equal [expected] * 3, readers.map(&:value)
    io = Dripping.new(source, 5000)
    assert_equal 5, (catch(:out) { Kumihimo.each_document(io, format: "json") { throw :out, 5 } })
  end

  def test_under_stress
    packed = Kumihimo.dump(VALUE, format: NAMES[1], frame: here[0])
    GC.stress = true
    found = [Kumihimo.load(packed, format: NAMES[1]), Kumihimo.each_document(packed, format: NAMES[1]).to_a[0], Kumihimo.frames.size, Kumihimo.pack("a", here[0]).size]
    GC.stress = false
    assert_equal [VALUE, VALUE, FRAMES.size, Kumihimo.pack("a", here[0]).size], found
  ensure
    GC.stress = false
  end
end
