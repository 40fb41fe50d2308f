# frozen_string_literal: true

# The json gem's ways of reading beside parse, which is native. They do what the installed json does, its default options
# included; only the parser is another.
module Kumihimo
  LOAD_OPTIONS = { max_nesting: false, allow_nan: true, allow_blank: true, create_additions: true }.freeze
  PARSE_BANG_OPTIONS = { max_nesting: false, allow_nan: true }.freeze
  # From json 2.11 on a proc's answers take the place of the values; before, it is called after all is read.
  LOAD_REPLACES = (JSON::VERSION.split(".").first(2).map(&:to_i) <=> [2, 11]) >= 0
  private_constant :LOAD_OPTIONS, :PARSE_BANG_OPTIONS, :LOAD_REPLACES

  class << self
    # parse without a limit for the depth, and with NaN and the infinities.
    def parse!(source, options = nil)
      parse(source, options ? PARSE_BANG_OPTIONS.merge(options) : PARSE_BANG_OPTIONS)
    end

    def load_file(path, options = nil)
      parse(File.read(path, encoding: Encoding::UTF_8), options)
    end

    def load_file!(path, options = nil)
      parse!(File.read(path, encoding: Encoding::UTF_8), options)
    end

    # Reads a String, an IO or what has to_str, to_io or read; nil and "" give nil. The proc is called with every value.
    # As JSON.load this makes objects of the classes that json_class names: not for documents of strangers.
    #
    # With format: or dialect: it reads any format, and makes only plain objects: format: is a name of Kumihimo.formats, or nil
    # for what the first bytes tell; dialect: says what is granted. symbolize_names, freeze, decimal_class and max_nesting
    # (1024) are what they are in parse; what is in a frame (Kumihimo.frames) is unpacked first. A block makes an object of each extension's type and payload.
    def load(source, proc = nil, options = nil, &ext)
      if options.nil? && proc.is_a?(Hash) && AnyFormat.asked?(proc)
        options = proc
        proc = nil
      end
      return AnyFormat.load(whole_source(source), proc, **options, &ext) if AnyFormat.asked?(options)

      load_with(load_defaults(:load_default_options), source, proc, options)
    end

    def unsafe_load(source, proc = nil, options = nil)
      load_with(load_defaults(:unsafe_load_default_options), source, proc, options)
    end

    private

    # The application may have changed json's defaults, under a name that newer versions keep to themselves.
    def load_defaults(name)
      [:"_#{name}", name].each { |reader| return JSON.__send__(reader) if JSON.respond_to?(reader, true) }
      LOAD_OPTIONS
    end

    def load_with(defaults, source, proc, options)
      if LOAD_REPLACES && options.nil? && proc.is_a?(Hash)
        options = proc
        proc = nil
      end
      options = options ? defaults.merge(options) : defaults
      source = whole_source(source)
      source = "null" if options[:allow_blank] && (source.nil? || (source.is_a?(String) && source.empty?))
      return parse(source, proc ? options.merge(on_load: proc.to_proc) : options) if LOAD_REPLACES

      value = parse(source, options)
      tell_all(value, proc.to_proc) if proc
      value
    end

    def whole_source(source)
      if source.respond_to?(:to_str) then source.to_str
      elsif source.respond_to?(:to_io) then source.to_io.read
      elsif source.respond_to?(:read) then source.read
      else source
      end
    end

    # Depth first, a container behind what is in it; keys count as values.
    def tell_all(value, proc)
      case value
      when Array then value.each { |inner| tell_all(inner, proc) }
      when Hash
        value.each do |key, inner|
          tell_all(key, proc)
          tell_all(inner, proc)
        end
      end
      proc.call(value)
    end
  end
end
