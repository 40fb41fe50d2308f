# frozen_string_literal: true

# The conformance vectors that every implementation runs; tests/vectors/README.md has the layout and the notation.
#
# tests/vectors/held/ruby says what Ruby's values hold otherwise. What its calls have otherwise stands here, by name: what is in
# a list without need fails, and so does what is not there any more.
require_relative "test_helper"
require_relative "vectors/traces"

class VectorsTest < Minitest::Test
  include Traces

  FORMATS = Kumihimo.formats.to_h { |format| [format[:name], format] }
  BINARY = FORMATS.reject { |_, row| row[:text] }.keys
  FRAMES = Kumihimo.frames.map { |frame| frame[:name] }
  AREAS = [*FORMATS.keys.flat_map { |f| ["#{f}/", "read/#{f}/", "streams/#{f}/"] }, *FRAMES.map { |f| "frames/#{f}/" }, *BINARY.map { |f| "levels/#{f}/" },
           "model/", "convert/", "paths/", "project/", "detect/"].freeze
  READ = [Kumihimo::ParserError, Kumihimo::NestingError].freeze

  LONE = "half a surrogate pair is no character of a String"
  NO_NUMBER = "MessagePack has no such number"
  NOT_AT_HAND = "the frame behind a skippable one tells, which is not at hand in the first piece"
  # By a check's name, or by what stands before the first dot of it, which stands for all dialects.
  LEFT_OUT = {
    **%w[half-first half-first-and-letter half-first-and-six-letters half-in-a-key half-second
         half-swapped].to_h { |name| ["read/json/#{name}.python_read", LONE] },
    "read/cbor/key-text-and-bytes" => "a String of ASCII is the same key in BINARY and in UTF-8",
    "model/key-str.tagged.safe" => "a String as a key is a name, whichever way it was said",
    "frames/lz4/ok-skippable-first.by_1" => NOT_AT_HAND, "frames/lz4/ok-skippable-first.by_3" => NOT_AT_HAND,
    "project/beyond-a-double.in_msgpack" => NO_NUMBER, "project/beyond-a-double-wanted.in_msgpack" => NO_NUMBER,
    "project/beyond-a-double-within.in_msgpack" => NO_NUMBER
  }.freeze

  def setup
    skip "not proven: no tests/vectors beside this gem" unless FOLDER.directory?
  end

  # ---- documents

  def test_documents
    FORMATS.each do |format, row|
      run_area("#{format}/", files(format, ".in").flat_map do |file|
        document = file.binread
        checks = ways(document, format, row[:read_dialects].first).map do |way, load|
          [name_of(file) + way, -> { read_as_its_name_says(file, load) }]
        end
        checks << ["#{name_of(file)}.place", -> { placed(file, document, format) }] if file.sub_ext(".place").exist?
        checks
      end)
    end
  end

  def test_read_dialects
    FORMATS.each do |format, row|
      run_area("read/#{format}/", row[:read_dialects].flat_map do |dialect|
        FOLDER.glob("read/#{format}/*.#{dialect}.*").sort.map do |file|
          document = (file.dirname / "#{file.basename.to_s[/\A[^.]+/]}.in").binread
          load = -> { Kumihimo.load(document, format: format, dialect: dialect, max_nesting: 1024) }
          [name_of(file), -> { file.extname == ".error" ? refused(file.read, &load) : traced(expected(file), &load) }]
        end
      end)
    end
  end

  # ---- models

  def test_writing
    held = files("model", ".trace").select { |file| HELD.key?(name_of(file)) }
    checks = held.map { |file| [name_of(file), -> { traced(expected(file)) { value_in(file) } }] }
    checks += models.reject { |model, *| HELD.key?(name_of(model)) }.map do |model, format, dialect, file|
      ["model/#{file.basename}", -> { becomes(file) { Kumihimo.dump(value_in(model), format: format, dialect: dialect) } }]
    end
    run_area("model/", checks)
  end

  # From each format whose document is read as the model, into every dialect.
  def test_converting
    run_area("convert/", models.flat_map do |model, format, dialect, file|
      FORMATS.filter_map do |source, row|
        document = model.sub_ext(".#{source}.#{row[:write_dialects].first}")
        next unless read_as?(document, source, model)

        ["convert/#{file.basename}.from_#{source}",
         -> { becomes(file) { Kumihimo.convert(document.binread, source, format, target_dialect: dialect) } }]
      end
    end)
  end

  # ---- paths

  def test_paths
    run_area("paths/", files("paths", ".path").map do |file|
      [name_of(file), lambda do
        path = file.binread.force_encoding("UTF-8")
        next Kumihimo.partial(path) if ok?(file)

        code, offset = file.sub_ext(".error").read.split
        error = assert_raises(ArgumentError) { Kumihimo.partial(path) }
        assert_match(/\bbyte #{offset}\b/, error.message) if code == "syntax"
      end]
    end)
  end

  def test_projection
    checks = projection("project")
    # The same paths in the document's other formats.
    files("project", ".in").product(FORMATS.keys) do |file, format|
      found = file.sub_ext(".strict.found")
      next unless found.exist?

      checks << ["#{name_of(file)}.in_#{format}", lambda do
        document = file.binread
        partial = Kumihimo.partial(paths_of(file), format: format, max_nesting: 1024)
        assert_equal found_in(found, document, format: "json").inspect, partial.call(Kumihimo.convert(document, "json", format)).inspect
      end]
    end
    run_area("project/", checks)
  end

  def test_levels
    BINARY.each { |format| run_area("levels/#{format}/", projection("levels/#{format}", format: format)) }
  end

  # ---- frames, streams, detection

  def test_frames
    FRAMES.each do |frame|
      run_area("frames/#{frame}/", files("frames/#{frame}", ".in").flat_map do |file|
        packed = file.binread
        whole = [name_of(file), lambda do
          next refused(file.sub_ext(".error").read) { Kumihimo.unpack(packed, frame) } unless ok?(file)

          text = file.sub_ext(".out").binread
          assert_equal text, Kumihimo.unpack(packed, frame).b
          assert_equal text, Kumihimo.unpack(packed).b
          assert_equal text, Kumihimo.unpack(Kumihimo.pack(text, frame), frame).b
        end]
        next [whole] unless ok?(file) && file.sub_ext(".out").binread.start_with?("{")

        text = file.sub_ext(".out").binread
        [whole, *SIZES.map do |size|
          ["#{name_of(file)}.by_#{size}", lambda do
            unframed, framed = [text, packed].map { |s| Kumihimo.each_document(source(s, size), format: "json").to_a }
            assert_equal unframed, framed
          end]
        end]
      end)
    end
  end

  def test_streams
    FORMATS.each_key do |format|
      run_area("streams/#{format}/", files("streams/#{format}", ".in").flat_map do |file|
        SIZES.map { |size| ["#{name_of(file)}.by_#{size}", -> { stream(file, format, source(file.binread, size)) }] }
      end)
    end
  end

  def test_detection
    told = ->(what, data) { Kumihimo.__send__(:told_any, what, data).map { |name| name || "none" } }
    checks = { "format" => 0, "frame" => 1 }.flat_map do |what, place|
      files("detect/#{what}", ".in").map do |file|
        [name_of(file), -> { assert_equal file.basename.to_s[/\A[a-z0-9]+/], told.call("bytes", file.binread)[place] }]
      end
    end
    checks += FOLDER.join("detect/media-types").read.lines(chomp: true).map do |line|
      format, type = line.split("\t", -1)
      ["detect/media-types #{type}", -> { assert_equal format, told.call("media_type", type).first }]
    end
    checks += FOLDER.join("detect/names").read.lines(chomp: true).map do |line|
      *names, name = line.split("\t", -1)
      ["detect/names #{name}", -> { assert_equal names, told.call("name", name) }]
    end
    run_area("detect/", checks)
  end

  def test_every_name_in_the_lists_is_of_an_area
    [*LEFT_OUT.keys, *HELD.keys].each { |name| assert name.start_with?(*AREAS), "there is no such vector: #{name}" }
  end

  private

  SIZES = [nil, 1, 3].freeze
  private_constant :SIZES

  # A stream that gives a few bytes at a time.
  Pieces = Struct.new(:whole, :size) do
    def read(_ = nil, into = +"")
      at = @at.to_i
      @at = at + size
      into.replace(whole.byteslice(at, size)) if at < whole.bytesize
    end
  end
  private_constant :Pieces

  def source(whole, size) = size ? Pieces.new(whole, size) : whole

  def files(folder, ending) = FOLDER.glob("#{folder}/**/*#{ending}").sort

  def ok?(file) = file.basename.to_s.start_with?("ok-")

  # What fails needs a reason in LEFT_OUT, and every reason of the area must be needed; so must what is held otherwise.
  def run_area(area, checks)
    assert_includes AREAS, area
    refute_empty checks
    needed = []
    checks.each do |name, check|
      check.call
    rescue Minitest::Assertion, StandardError => e
      needed << (LEFT_OUT.key?(name) ? name : name[/\A[^.]+/])
      assert LEFT_OUT.key?(needed.last), "#{name}: #{e.message}"
    end
    assert_empty LEFT_OUT.keys.select { |name| name.start_with?(area) } - needed, "without need"
    assert_empty HELD.keys.select { |name| name.start_with?(area) } - ASKED.to_a, "there is no such vector"
  end

  # The calls that read a whole document.
  def ways(document, format, dialect)
    { "" => -> { Kumihimo.load(document, format: format, dialect: dialect, max_nesting: 1024) },
      ".lazy" => -> { Kumihimo.lazy(document, format: format, max_nesting: 1024).value },
      ".partial" => -> { Kumihimo.partial("", format: format, max_nesting: 1024).call(document)[0] } }
  end

  def read_as_its_name_says(file, load)
    case file.basename.to_s
    when /\Aok-/ then traced(expected(file), &load)
    when /\Aerr-/ then refused(file.sub_ext(".error").read, &load)
    else
      begin
        load.call
      rescue *READ => e
        refute_empty e.message
      end
    end
  end

  def placed(file, document, format)
    error = assert_raises(*READ) { Kumihimo.load(document, format: format) }
    assert_equal file.sub_ext(".place").read, "#{error.line} #{error.column}\n"
  end

  # The call raises by the line's code, and at its offset and path as far as it says them.
  def refused(line, &call)
    code, offset, path = line.chomp.split(" ", 3)
    error = assert_raises(*READ, &call)
    assert_equal code == "depth", error.is_a?(Kumihimo::NestingError), error.message
    assert_equal offset.to_i, error.offset if offset
    assert_equal path, error.path if path
  end

  # The call's value has this trace; an empty one: there is no such value, and it raises.
  def traced(wanted, &call)
    return assert_equal(wanted, trace(call.call)) unless wanted.empty?

    assert_raises(ArgumentError, *READ, &call)
  end

  # Each model, with each dialect that has a say of it: what it becomes.
  def models
    files("model", ".trace").flat_map do |model|
      FORMATS.flat_map do |format, row|
        row[:write_dialects].filter_map do |dialect|
          file = model.sub_ext(".#{format}.#{dialect}")
          [model, format, dialect, file] if file.exist? || Pathname("#{file}.error").exist?
        end
      end
    end
  end

  # The call gives the file's bytes, or raises where an error stands beside it.
  def becomes(file, &call)
    return assert_equal(file.binread, call.call.b) if file.exist?

    assert_raises(Kumihimo::GeneratorError, *READ, &call)
  end

  def read_as?(document, format, model)
    return false if !document.exist? || HELD.key?(name_of(model))

    trace(Kumihimo.load(document.binread, format: format)) == model.read.gsub(/^(array|map) \d+$/) { $1 }
  rescue Kumihimo::GeneratorError, *READ
    false
  end

  def paths_of(file) = file.sub_ext(".paths").read.split("\n", -1)[0..-2]

  # By the call for a format, or that of JSON where none is named.
  def projection(folder, **format)
    files(folder, ".in").product(%w[strict structural trusted]).filter_map do |file, level|
      found, error = file.sub_ext(".#{level}.found"), file.sub_ext(".#{level}.error")
      next unless found.exist? || error.exist?

      ["#{name_of(file)}.#{level}", lambda do
        call = -> { Kumihimo.partial(paths_of(file), level: level.to_sym, max_nesting: 1024, **format).call(file.binread) }
        next refused(error.read, &call) if error.exist?

        assert_equal found_in(found, file.binread, **format).inspect, call.call.inspect
      end]
    end
  end

  # What a .found file says, as values.
  def found_in(file, document, **format)
    lines = file.read.lines(chomp: true)
    value = lambda do |line|
      next if line == "absent"

      part = document.byteslice(*line.split.map { |n| Integer(n) })
      format.empty? ? Kumihimo.parse(part, max_nesting: 1024) : Kumihimo.load(part, max_nesting: 1024, **format)
    end
    values = []
    while (line = lines.shift)
      values << (line.start_with?("each ") ? Array.new(line[5..].to_i) { value.call(lines.shift) } : value.call(line))
    end
    values
  end

  def stream(file, format, source)
    traces, error = +"", nil
    begin
      Kumihimo.each_document(source, format: format) { |value| traces << trace(value) }
    rescue Kumihimo::ParserError => e
      error = e
    end
    wanted = expected(file)
    return refute_nil(error) if wanted.empty? && !file.sub_ext(".trace").empty? # a document that is no value here

    assert_equal wanted, traces
    assert_equal ok?(file), error.nil?, error&.message
    return unless error

    # The offset is that in the stream.
    code, offset, path = file.sub_ext(".error").read.split(" ", 3)
    refused("#{code} #{file.sub_ext(".start").read.to_i + offset.to_i} #{path}") { raise error }
  end
end
