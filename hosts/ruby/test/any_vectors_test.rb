# frozen_string_literal: true

# The conformance vectors of every format there is, by the calls that name none.
require_relative "test_helper"
require_relative "vectors/traces"
require "pathname"

class AnyVectorsTest < Minitest::Test
  include Traces

  FOLDER = Pathname(__dir__).join("../../../tests/vectors")
  FORMATS = Kumihimo.formats.to_h { |format| [format[:name], format] }
  FOLDERS = FORMATS.keys

  # By model: what Ruby cannot hold, beside what Traces finds out itself.
  WRITE_EXCEPT = {
    "big-decimal" => "a BigDecimal has no zeros at its end", "big-zeros-kept" => "a BigDecimal has no zeros at its end",
    "key-big" => "a BigDecimal has no zeros at its end", "big-capital-exponent" => "a BigDecimal has no exponent of its own",
    "big-minus-zero" => "an Integer has no minus zero", "ext-type-128" => "an Extension's type is a byte: RangeError",
    "key-str" => "a String as a key is a name, whichever way it was said",
    "time-local" => "a Time does not know whether its offset is the process's own"
  }.freeze

  def setup
    skip "not proven: no tests/vectors beside this gem" unless FOLDER.directory?
  end

  def test_every_format_has_its_vectors
    refute_empty FOLDERS
    FOLDERS.each { |format| assert_predicate FOLDER.join(format), :directory?, format }
  end

  def test_reading
    done = Hash.new(0)
    vectors do |format, file, bytes|
      read = ways(format, bytes)
      case file.basename.to_s
      when /\Aok-/
        expected = said_in(file)
        read.each do |name, call|
          next assert_equal expected, trace(call.call), "#{file} by #{name}" unless @beyond

          assert_match(/#{@beyond}/, assert_raises(Kumihimo::ParserError, "#{file} by #{name}", &call).message)
        end
      when /\Aerr-/
        _, offset, path = file.sub_ext(".error").read.split(" ", 3)
        read.each do |name, call|
          error = assert_raises(Kumihimo::ParserError, Kumihimo::NestingError, "#{file} by #{name}", &call)
          assert_equal offset.to_i, error.offset, "#{file} by #{name}" if offset
          assert_equal path.chomp, error.path, "#{file} by #{name}" if path && !path.empty?
        end
      else
        read.each do |name, call|
          call.call
        rescue Kumihimo::ParserError, Kumihimo::NestingError => e
          refute_empty e.message, "#{file} by #{name}"
        end
      end
      done[format] += 1
    end
    FOLDERS.each { |format| assert_operator done[format], :>, 20, done }
  end

  # A document that is converted into its own format says the same, and one that is converted into another says it again there
  # or is refused.
  def test_converting
    vectors do |format, file, bytes|
      next unless file.basename.to_s.start_with?("ok-")

      expected = said_in(file)
      next if @beyond

      FORMATS.each_key do |target|
        there = Kumihimo.convert(bytes, format, target)
        again = Kumihimo.load(there, format: target, max_nesting: false)
        assert_equal expected, trace(again), file.to_s if target == format
      rescue Kumihimo::ParserError => e
        # A number of many digits is text of another kind, or refused.
        refute_equal target, format, "#{file}: #{e.message}"
      end
    end
  end

  def test_writing
    done = Hash.new(0)
    FOLDER.glob("model/*.trace").sort.each do |file|
      name = file.basename(".trace").to_s
      value = value_in(file)
      next if @lost || WRITE_EXCEPT.key?(name)

      FORMATS.each do |format, row|
        row[:write_dialects].each do |dialect|
          bytes, refused = file.sub_ext(".#{format}.#{dialect}"), file.sub_ext(".#{format}.#{dialect}.error")
          next unless bytes.exist? || refused.exist?

          what = "#{name} as #{format}, #{dialect}"
          if bytes.exist?
            written = Kumihimo.dump(value, format: format, dialect: dialect)
            assert_equal bytes.binread, written.b, what
          else
            assert_raises(Kumihimo::GeneratorError, what) { Kumihimo.dump(value, format: format, dialect: dialect) }
          end
          done[format] += 1
        end
      end
    end
    FOLDERS.each { |format| assert_operator done[format], :>, 40, done if FOLDER.glob("model/*.#{format}.*").any? }
  end

  private

  def vectors
    FOLDERS.each do |format|
      FOLDER.glob("#{format}/**/*.in").sort.each { |file| yield format, file, file.binread }
    end
  end

  def ways(format, bytes)
    { "load" => -> { Kumihimo.load(bytes, format: format) },
      "lazy" => -> { Kumihimo.lazy(bytes, format: format).value },
      "partial" => -> { Kumihimo.partial("", format: format).call(bytes)[0] } }
  end
end
