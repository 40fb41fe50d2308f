# frozen_string_literal: true

module Kumihimo
  # A few values out of documents, as Ruby objects; the rest is checked, but not made.
  #
  #   ticker = Kumihimo.partial(price: "last_price.price", at: "timestamp")
  #   ticker.call(document)                      # => {price: 107910.0, at: "2016-12-25 01:53:10"}
  #   documents.map(&ticker)
  #   ticker.many(File.foreach("frames.ndjson")) # => an Array, one result per document; with a block it yields them
  #
  # A broken document is a ParserError or NestingError; out of many, its index says which one it was.
  #
  # It never changes: share it among threads, and with Ractor.make_shareable among Ractors.
  class Partial
    LEVELS = { strict: 0, structural: 1, trusted: 2 }.freeze
    private_constant :LEVELS

    # The paths, as they were given.
    attr_reader :paths

    class << self
      def compile(paths, names: nil, level: :strict, format: nil, dialect: nil, decimal_class: nil, missing: nil, raw: false,
                  symbolize_names: false, freeze: false, max_nesting: format ? 1024 : 100)
        AnyFormat.needs_format(dialect) if format.nil?
        names, paths = paths.keys, paths.values if paths.is_a?(Hash)
        paths = Array(paths).map { |path| text(path) }.freeze
        raise ArgumentError, "at least one path is needed" if paths.empty?

        names = names.to_a.map { |name| name.is_a?(String) ? -name : name }.freeze if names
        if names && names.size != paths.size
          raise ArgumentError, "there must be one name for each path: #{names.size} for #{paths.size}"
        end

        options = { decimal_class: decimal_class, symbolize_names: symbolize_names, freeze: freeze, max_nesting: max_nesting }
        new(paths, names, level_of(level), missing, raw, options.freeze, format, dialect)
      end

      private :new

      private

      def text(path)
        String.try_convert(path)&.encode(Encoding::UTF_8)&.freeze or
          raise TypeError, "a path is a String such as \"last_price.price\" or \"/last_price/price\", not #{path.inspect}"
      end

      def level_of(level)
        LEVELS.fetch(level.to_sym) { raise ArgumentError, "level is one of :strict, :structural, :trusted, not #{level.inspect}" }
      end
    end

    def to_proc
      method(:call).to_proc
    end

    alias length size

    def initialize_copy(_)
      raise TypeError, "a Kumihimo::Partial cannot be copied, and need not be: it never changes"
    end

    def inspect
      "#<#{self.class} #{(names ? names.zip(paths).to_h : paths).inspect}>"
    end
  end

  # Compiles paths into a Partial.
  #
  # paths:: a path, an Array of paths, or a Hash of names and paths. <tt>last_price.price</tt>, <tt>asks[0][1]</tt>,
  #         <tt>trades[*].price</tt> (every element), <tt>["a.b"]</tt>, or a JSON Pointer: <tt>/last_price/price</tt>
  # names:: makes each result a Hash with these keys instead of an Array
  # level:: what is promised at least of what no path leads to: :strict (it is as valid as what is read), :structural (JSON:
  #         its strings and brackets are; binary formats: it is passed over by its headers), :trusted (the caller vouches for
  #         it). What has to be read whole, for its format or its dialect, is checked as by :strict whatever the level
  # missing:: stands for what a document does not have
  # raw:: gives the exact text of each value instead of an object
  # decimal_class, symbolize_names, freeze, max_nesting:: as in Kumihimo.parse
  # format, dialect:: documents of that format, as the dialect grants them; keys are text, and max_nesting is 1024
  def self.partial(paths = nil, names: nil, level: :strict, format: nil, dialect: nil, decimal_class: nil, missing: nil,
                   raw: false, symbolize_names: false, freeze: false, max_nesting: format ? 1024 : 100, **named)
    raise ArgumentError, "paths are given twice: once in order, once as #{named.keys.inspect}" unless paths.nil? || named.empty?

    Partial.compile(paths || named, names: names, level: level, decimal_class: decimal_class, missing: missing, raw: raw,
                    symbolize_names: symbolize_names, freeze: freeze, max_nesting: max_nesting, format: format,
                    dialect: dialect)
  end
end
