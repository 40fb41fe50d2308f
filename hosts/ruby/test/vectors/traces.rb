# frozen_string_literal: true

require "bigdecimal"
require "date"
require "pathname"
require "set"
require "kumihimo"

# The files of tests/vectors and their notation: the trace of a Ruby value, what a value's trace is here, and the value that a
# trace says.
module Traces
  FOLDER = Pathname(__dir__).join("../../../../tests/vectors")

  # What Ruby's values hold otherwise than a trace says, by name; empty where there is no such value.
  HELD = (FOLDER.join("held/ruby").exist? ? "\n#{FOLDER.join("held/ruby").read}" : "").split("\n= ").drop(1).to_h do |part|
    name, trace = part.split("\n", 2)
    [name, trace.to_s.empty? ? "" : "#{trace.chomp}\n"]
  end.freeze
  ASKED = Set.new # of those

  def name_of(file) = file.relative_path_from(FOLDER).to_s.delete_suffix(file.extname)

  # What the trace of the file's value is here.
  def expected(file)
    trace = file.sub_ext(".trace")
    ASKED << name_of(trace)
    HELD.fetch(name_of(trace)) { trace.read }
  end

  # What the walk that writes every format says of a value.
  def trace(value) = Kumihimo.__send__(:trace_any, value, 0)

  # The value that a trace says, line by line; END_LINE for an end. ArgumentError where Ruby has none.
  END_LINE = Object.new
  private_constant :END_LINE

  def build(lines, line = lines.next)
    verb, rest = line.split(" ", 2)
    case verb
    when "null" then nil
    when "boolean" then rest == "true"
    when "i64", "u64" then Integer(rest)
    when "big" then rest.match?(/\A-?\d+\z/) ? Integer(rest) : BigDecimal(rest)
    when "f64" then [rest[2, 16]].pack("H*").unpack1("G")
    when "str", "key" then rest ? unquoted(rest) : build(lines)
    when "bin" then [rest[2..]].pack("H*")
    when "ext" then extension(*rest.split)
    when "time" then moment(*rest.split)
    when "array" then [].tap { |a| while (v = build(lines)) != END_LINE do a << v end }
    when "map" then {}.tap { |h| while (k = build(lines)) != END_LINE do h[k] = build(lines) end }
    when "end" then END_LINE
    else flunk "no such verb: #{line}"
    end
  end

  def unquoted(text)
    bytes = text[1..-2].b.gsub(/\\(?:u\{(\h+)\}|x(\h\h)|(.))/n) { $1 ? [$1.hex].pack("U").b : $2 ? $2.hex.chr : $3 }
    bytes.force_encoding("UTF-8")
  end

  def extension(type, hex)
    raise ArgumentError, "an extension's type is from -128 to 127" unless Integer(type).between?(-128, 127)

    Kumihimo::MessagePack::Extension.new(Integer(type), [hex[2..]].pack("H*"))
  end

  def moment(kind, seconds, nanoseconds, offset)
    return Date.new(1970) + Integer(seconds).div(86_400) if kind == "date"

    at = Time.at(Integer(seconds), Integer(nanoseconds), :nsec)
    case kind
    when "utc", "naive" then at.utc
    when "offset", "local" then at.getlocal(Integer(offset))
    else flunk "no such moment: #{kind}"
    end
  end

  def value_in(file) = build(file.sub_ext(".trace").read.lines(chomp: true).each)
end
