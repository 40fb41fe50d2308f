# frozen_string_literal: true

# The conformance vectors beside documents and models: read dialects, paths, frames, streams, detection. Their README has the
# layout. What Ruby's values cannot hold is left out by name, with the reason; a name that is left out without need fails.
require_relative "test_helper"
require_relative "vectors/traces"
require "pathname"
require "stringio"

class VectorFoldersTest < Minitest::Test
  include Traces

  FOLDER = Pathname(__dir__).join("../../../tests/vectors")
  FORMATS = Kumihimo.formats.to_h { |format| [format[:name], format] }
  TWICE = "a Hash has a key once"
  LONE = "half a surrogate pair is no character of a String"
  # By name, or by what stands before its first dot, which stands for all dialects.
  DIALECT_EXCEPT = {
    **%w[json/key-twice json/key-twice-empty json/key-twice-escaped json/key-twice-nested cbor/key-twice
         cbor/key-twice-in-chunks cbor/key-twice-in-order cbor/key-twice-in-two-widths].to_h { |name| ["read/#{name}", TWICE] },
    **%w[half-first half-first-and-letter half-first-and-six-letters half-in-a-key half-second
         half-swapped].to_h { |name| ["read/json/#{name}.python_read", LONE] },
    "read/cbor/key-text-and-bytes" => "a String of ASCII is the same key in BINARY and in UTF-8"
  }.freeze
  OTHER_FORMATS_EXCEPT = {
    "member-of-each-kind" => "-0 is the Integer 0 where no format is named, as JSON.parse has it",
    "beyond-a-double" => "MessagePack has no such number", "beyond-a-double-wanted" => "MessagePack has no such number"
  }.freeze

  def setup
    skip "not proven: no tests/vectors beside this gem" unless FOLDER.directory?
  end

  def test_read_dialects
    FORMATS.each do |format, row|
      done = row[:read_dialects].flat_map do |dialect|
        FOLDER.glob("read/#{format}/*.#{dialect}.*").sort.map do |file|
          document = (file.dirname / "#{file.basename.to_s[/\A[^.]+/]}.in").binread
          load = -> { Kumihimo.load(document, format: format, dialect: dialect, max_nesting: 1024) }
          [name_of(file), file.extname == ".error" ? -> { refused(file, &load) } : -> { assert_equal trace_in(file), trace(load.call) }]
        end
      end
      left_out(done, DIALECT_EXCEPT.select { |name, _| name.start_with?("read/#{format}/") })
    end
  end

  def test_places
    FOLDER.glob("json/places/*.in").sort.each do |file|
      error = assert_raises(Kumihimo::ParserError, file.to_s) { Kumihimo.lazy(file.binread) }
      assert_equal file.sub_ext(".place").read, "#{error.line} #{error.column}\n", file.to_s
    end
  end

  def test_paths
    FOLDER.glob("paths/*.path").sort.each do |file|
      path = file.binread.force_encoding("UTF-8")
      next Kumihimo.partial(path) if file.basename.to_s.start_with?("ok-")

      error = assert_raises(ArgumentError, file.to_s) { Kumihimo.partial(path) }
      code, offset = file.sub_ext(".error").read.split
      assert_match(/\bbyte #{offset}\b/, error.message, file.to_s) if code == "syntax"
    end
  end

  def test_projection
    FOLDER.glob("project/*.in").sort.each do |file|
      document = file.binread.force_encoding("UTF-8")
      paths = file.sub_ext(".paths").read.split("\n", -1)[0..-2]
      %i[strict structural trusted].each do |level|
        wanted = Kumihimo.partial(paths, level: level, max_nesting: 1024)
        found, error = file.sub_ext(".#{level}.found"), file.sub_ext(".#{level}.error")
        if found.exist?
          assert_equal values_at(document, found.read.lines(chomp: true)).inspect, wanted.call(document).inspect, found.to_s
        elsif error.exist?
          refused(error) { wanted.call(document) }
        end
      end
      # The same paths in the document's other formats.
      found = file.sub_ext(".strict.found")
      next if !found.exist? || OTHER_FORMATS_EXCEPT.key?(file.basename(".in").to_s)

      FORMATS.each_key do |format|
        there = Kumihimo.convert(document, "json", format)
        same = Kumihimo.partial(paths, format: format, max_nesting: 1024).call(there)
        assert_equal values_at(document, found.read.lines(chomp: true)).inspect, same.inspect, "#{found} as #{format}"
      end
    end
  end

  def test_frames
    Kumihimo.frames.each do |frame|
      name = frame[:name]
      files = FOLDER.glob("frames/#{name}/*.in").sort
      refute_empty files
      files.each do |file|
        packed = file.binread
        if file.basename.to_s.start_with?("ok-")
          text = file.sub_ext(".out").binread
          assert_equal text, Kumihimo.unpack(packed, name).b, file.to_s
          assert_equal text, Kumihimo.unpack(Kumihimo.pack(text, name), name).b, file.to_s
          next unless text.start_with?("{")

          unframed, framed = [text, packed].map { |s| Kumihimo.each_document(StringIO.new(s), format: "json").to_a }
          assert_equal unframed, framed, file.to_s
        else
          refused(file.sub_ext(".error")) { Kumihimo.unpack(packed, name) }
        end
      end
    end
  end

  def test_streams
    FORMATS.each_key do |format|
      files = FOLDER.glob("streams/#{format}/*.in").sort
      refute_empty files
      files.each do |file|
        [file.binread, StringIO.new(file.binread)].each do |source|
          traces, error = +"", nil
          begin
            Kumihimo.each_document(source, format: format) { |value| traces << trace(value) }
          rescue Kumihimo::ParserError => e
            error = e
          end
          assert_equal trace_in(file), traces, file.to_s
          assert_equal file.basename.to_s.start_with?("ok-"), error.nil?, "#{file}: #{error&.message}"
          next unless error

          _, offset, path = file.sub_ext(".error").read.split(" ", 3)
          assert_equal file.sub_ext(".start").read.to_i + offset.to_i, error.offset, file.to_s
          assert_equal path.chomp, error.path, file.to_s
        end
      end
    end
  end

  def test_detection
    FOLDER.glob("detect/format/*.in").sort.each do |file|
      told = file.basename.to_s[/\A[a-z0-9]+/]
      document = file.binread
      next if told == "none" # load("") is nil, as JSON.load has it

      by_bytes, by_name = [nil, told].map do |format|
        Kumihimo.load(document, format: format).inspect
      rescue Kumihimo::ParserError => e
        [e.message, e.offset, e.path]
      end
      assert_equal by_name, by_bytes, file.to_s
    end
  end

  private

  def name_of(file) = file.relative_path_from(FOLDER).to_s.delete_suffix(file.extname)

  # The call raises at the offset and path of the file, as far as it says them.
  def refused(file, &call)
    error = assert_raises(Kumihimo::ParserError, Kumihimo::NestingError, file.to_s, &call)
    _, offset, path = file.read.chomp.split(" ", 3)
    assert_equal offset.to_i, error.offset, file.to_s if offset
    assert_equal path, error.path, file.to_s if path
  end

  # What fails needs a reason, by its name or by what stands before the first dot of it, and every reason must be needed.
  def left_out(done, reasons)
    needed = done.filter_map do |name, check|
      check.call
      nil
    rescue Minitest::Assertion, StandardError => e
      reason = reasons.key?(name) ? name : name[/\A[^.]+/]
      assert reasons.key?(reason), "#{name}: #{e.message}"
      reason
    end
    assert_empty reasons.keys - needed
  end

  def value_at(document, line)
    return if line == "absent"

    offset, length = line.split.map { |n| Integer(n) }
    Kumihimo.parse(document.byteslice(offset, length), max_nesting: 1024)
  end

  def values_at(document, lines)
    values = []
    while (line = lines.shift)
      values << (line.start_with?("each ") ? Array.new(line[5..].to_i) { value_at(document, lines.shift) } : value_at(document, line))
    end
    values
  end
end
