# frozen_string_literal: true

module Kumihimo
  # A value that is JSON already: written as it is, wherever it stands in a document.
  #
  #   Kumihimo.generate({ "cached" => Kumihimo::Fragment.new('{"a":1}') })   # => {"cached":{"a":1}}
  class Fragment
    def initialize(json)
      text = String.try_convert(json)
      raise TypeError, "no implicit conversion of #{json.class} into String" unless text

      super(text)
    end

    # What JSON.generate asks for.
    def to_json(_state = nil, *) = json
  end

  PRETTY = { indent: "  ", space: " ", object_nl: "\n", array_nl: "\n" }.freeze
  DUMP = { max_nesting: false, allow_nan: true }.freeze
  private_constant :PRETTY, :DUMP

  class << self
    # The document with one value per line. Options as for generate; those given here win over the layout.
    def pretty_generate(object, options = nil)
      generate(object, options ? PRETTY.merge(options_hash(options)) : PRETTY)
    end

    # Like generate, with NaN and any depth allowed. With an IO the document is written to it and the IO returned; with a limit,
    # deeper nesting is an ArgumentError.
    #
    # With format: (a name of Kumihimo.formats) the document is of that format, and dialect: says how it is spelled and what
    # becomes of values that it does not have. A block says what to write instead of an object that has no form at all; the
    # limit, or max_nesting:, is 1024 then. frame: (a name of Kumihimo.frames) compresses it, at frame_level:.
    def dump(object, io = nil, limit = nil, options = nil, &instead)
      if options.nil?
        if limit.nil? && io.is_a?(Hash)
          options, io = io, nil
        elsif limit.is_a?(Hash)
          options, limit = limit, nil
        end
      end
      if io.respond_to?(:to_io)
        io = io.to_io
      elsif limit.nil? && !io.nil? && !io.respond_to?(:write)
        io, limit = nil, io
      end
      return AnyFormat.dump(object, io, limit, **options, &instead) if AnyFormat.asked?(options)

      all = DUMP
      all = all.merge(max_nesting: limit) if limit
      all = all.merge(options) if options
      begin
        document = generate(object, all)
      rescue JSON::NestingError
        raise ArgumentError, "exceed depth limit"
      end
      return document unless io

      io.write(document)
      io
    end

    private

    def options_hash(options)
      return options if options.is_a?(Hash)
      return options.to_hash if options.respond_to?(:to_hash)
      return options.to_h if options.respond_to?(:to_h)

      raise TypeError, "can't convert #{options.class} into Hash"
    end
  end
end
