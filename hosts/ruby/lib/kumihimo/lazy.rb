# frozen_string_literal: true

module Kumihimo
  # A value of a document that was read and checked, but not turned into Ruby objects.
  #
  #   frame = Kumihimo.lazy(document)
  #   frame["last_price"]["price"]    # => 107910.0
  #   frame.dig("asks", -1, 0)        # => 108125.0
  #   frame["asks"].each { |ask| ... }
  #   frame["asks"].value             # => [[107905.0, 0.3027], ...]
  #
  # What it holds comes as a String, Integer, Float, true, false or nil, or as another Lazy for an object or an array. A key may
  # be asked for as a String or as a Symbol. Of equal keys in one object [] gives the last; size, keys and each know them all.
  class Lazy
    alias length size
    alias each_pair each
    alias has_key? key?
    alias member? key?

    def include?(wanted)
      type == :object ? key?(wanted) : super
    end

    def empty?
      size.zero?
    end

    # The object as a Hash, in full.
    def to_h
      type == :object ? (block_given? ? super : value) : raise(TypeError, "this value is of type #{type}, not an object")
    end

    # The array as an Array, in full; of an object its pairs.
    def to_a
      case type
      when :array then value
      when :object then value.to_a
      else raise TypeError, "this value is of type #{type}, not an object or an array"
      end
    end
    alias entries to_a

    def ==(other)
      equal?(other) || value == (other.is_a?(Lazy) ? other.value : other)
    end

    def eql?(other)
      other.is_a?(Lazy) && value.eql?(other.value)
    end

    def hash
      value.hash
    end

    # The document's own text, as it is; of a document whose format was named, the value as JSON.
    def to_json(*)
      json? ? raw : Kumihimo.generate(value)
    end

    def as_json(*)
      value
    end

    def inspect
      text = json? ? raw : value.inspect
      "#<#{self.class} #{text.size > 60 ? "#{text[0, 60]}..." : text}>"
    end

    def initialize_copy(_)
      raise TypeError, "a Kumihimo::Lazy cannot be copied, and need not be: it never changes"
    end

    private

    def missing(key)
      raise KeyError.new("key not found: #{key.inspect}", receiver: self, key: key) if type == :object

      raise IndexError, "index #{key} outside of array bounds: #{-size}...#{size}"
    end
  end

  # Reads one JSON document (strictly: RFC 8259) without making Ruby objects of it. decimal_class, symbolize_names, freeze and
  # max_nesting are what they are in Kumihimo.parse.
  #
  # With format: the document is of that format, as dialect: grants it: what it holds comes as load gives it, max_nesting is
  # 1024, and a key that is no text may be asked for by its value.
  def self.lazy(source, format: nil, dialect: nil, decimal_class: nil, symbolize_names: false, freeze: false,
                max_nesting: format ? 1024 : 100)
    AnyFormat.needs_format(dialect) if format.nil?
    options = { decimal_class: decimal_class, symbolize_names: symbolize_names, freeze: freeze, max_nesting: max_nesting }
    Lazy.send(:open, source, options, format, dialect)
  end
end
