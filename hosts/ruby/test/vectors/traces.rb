# frozen_string_literal: true

require "bigdecimal"
require "date"
require "kumihimo"

# The notation of tests/vectors (engine/core/trace.hpp): the trace of a Ruby value, and the value that a trace says.
module Traces
  # What a file says.
  def trace_in(file) = spelled(file.sub_ext(".trace").read)

  # What the walk that writes every format says of a value.
  def trace(value) = spelled(Kumihimo.__send__(:trace_any, value, 0))

  # A BigDecimal has digits and no spelling: neither zeros at their end nor an exponent of its own.
  def spelled(lines) = lines.gsub(/^big (.*[.eE].*)/) { "big #{BigDecimal($1).to_s("F")}" }

  # The value that a trace says, line by line; END_LINE for an end.
  END_LINE = Object.new
  private_constant :END_LINE

  def build(lines, line = lines.next)
    verb, rest = line.split(" ", 2)
    case verb
    when "null" then nil
    when "boolean" then rest == "true"
    when "i64", "u64" then Integer(rest)
    when "big"
      @changed = "an Integer has no minus zero" if rest == "-0"
      rest.match?(/\A-?\d+\z/) ? Integer(rest) : BigDecimal(rest)
    when "f64" then [rest[2, 16]].pack("H*").unpack1("G")
    when "str", "key" then rest ? unquoted(rest) : build(lines)
    when "bin" then [rest[2..]].pack("H*")
    when "ext"
      type, hex = rest.split
      @beyond = "an extension's type is not within" unless Integer(type).between?(-128, 127)
      Kumihimo::MessagePack::Extension.new(Integer(type), [hex[2..]].pack("H*"))
    when "time" then moment(*rest.split)
    when "array" then [].tap { |a| while (v = build(lines)) != END_LINE do a << v end }
    when "map" then {}.tap { |h| while (k = build(lines)) != END_LINE do pair(h, k, build(lines)) end }
    when "end" then END_LINE
    else flunk "no such verb: #{line}"
    end
  end

  def unquoted(text)
    bytes = text[1..-2].b.gsub(/\\(?:u\{(\h+)\}|x(\h\h)|(.))/n) { $1 ? [$1.hex].pack("U").b : $2 ? $2.hex.chr : $3 }
    bytes.force_encoding("UTF-8")
  end

  def pair(hash, key, value)
    @lost = "a Hash has a key once" if hash.key?(key)
    hash[key] = value
  end

  def moment(kind, seconds, nanoseconds, offset)
    if kind == "date"
      @changed = "a Date has no hour" unless (Integer(seconds) % 86_400).zero?
      return Date.new(1970) + Integer(seconds) / 86_400
    end

    at = Time.at(Integer(seconds), Integer(nanoseconds), :nsec)
    case kind
    when "utc" then at.utc
    when "offset" then at.getlocal(Integer(offset))
    when "local"
      @changed = "a Time does not know whether its offset is the process's own"
      at.getlocal(Integer(offset))
    when "naive"
      @lost = "Ruby has no clock without a zone: the reading is taken for UTC"
      at.utc
    else flunk "no such moment: #{kind}"
    end
  end

  # The value of a trace; what Ruby cannot hold of it is in @lost and @changed, what it refuses to in @beyond.
  def value_in(file)
    @lost = @changed = @beyond = nil
    build(file.sub_ext(".trace").read.lines(chomp: true).each)
  end

  # The trace of a file as a Ruby value has it.
  def said_in(file)
    value = value_in(file)
    @lost || @changed ? trace(value) : trace_in(file)
  end
end
