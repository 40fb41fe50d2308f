# frozen_string_literal: true

require "minitest/autorun"
require "kumihimo"

# Stock json and Kumihimo on the same source and options, in this process: the reference is what is installed.
module AgainstStock
  STOCK_VERSION = JSON::VERSION.split(".").map(&:to_i)
  CORPORA = ENV["KUMIHIMO_DATA"]

  module_function

  def stock_at_least?(*version) = (STOCK_VERSION <=> version) >= 0

  # All that can be told apart about a value: classes, encodings, bytes, order, what is frozen.
  def shape(value)
    case value
    when Hash then [value.class, value.frozen?, value.map { |key, inner| [shape(key), shape(inner)] }]
    when Array then [value.class, value.frozen?, value.map { |inner| shape(inner) }]
    when String then [value.class, value.frozen?, value.encoding, value.b, value.valid_encoding?, value.ascii_only?]
    when Float then [Float, [value].pack("G")]
    when Integer, Symbol, nil, true, false then value
    when Numeric then [value.class, value.to_s]
    when Enumerable then [value.class, value.frozen?, value.map { |inner| shape(inner) }]
    else [value.class, value.frozen?, value.instance_variables.map { |name| [name, shape(value.instance_variable_get(name))] }]
    end
  end

  # The shape of what the block returns, or the kind of its error, which is the same for stock and ours.
  def outcome
    shape(yield)
  rescue JSON::NestingError => e
    [:nesting, e.message[/nesting of \d+ is too deep/]]
  rescue JSON::ParserError
    [:refused]
  rescue StandardError => e
    [:raised, e.class]
  end

  def assert_as_stock(source, **options)
    expected = outcome { JSON.parse(source.dup, **options) }
    actual = outcome { Kumihimo.parse(source, options) }
    assert_equal expected, actual, "#{source.inspect[0, 300]} with #{options}"
    expected
  end

  def corpus(name)
    skip "not proven: KUMIHIMO_DATA is not set, so #{name} is not here" unless CORPORA
    File.read(File.join(CORPORA, name), encoding: Encoding::UTF_8)
  end
end

# What tests do to the process they run in.
module InThisProcess
  module_function

  def silently
    verbose, $VERBOSE = $VERBOSE, nil
    yield
  ensure
    $VERBOSE = verbose
  end

  # Moves every object that the collector may move, so that whoever kept an address without marking it is found out.
  def move_objects
    return unless GC.respond_to?(:verify_compaction_references)

    silently { GC.verify_compaction_references(toward: :empty, **(RUBY_VERSION >= "3.2" ? { expand_heap: true } : { double_heap: true })) }
  rescue NotImplementedError
    nil
  end
end

# Gives its bytes in pieces of one size.
class Dripping
  def initialize(bytes, size) = (@bytes, @size, @at = bytes.b, size, 0)

  def readpartial(_most, buffer = +"")
    raise EOFError if @at >= @bytes.bytesize

    buffer.replace(@bytes.byteslice(@at, @size))
    @at += @size
    buffer
  end
end
