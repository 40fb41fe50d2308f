# frozen_string_literal: true

module Kumihimo
  # Options that are read once, and a block for what JSON has no word for. Frozen: one coder may serve all threads.
  #
  #   coder = Kumihimo::Coder.new(symbolize_names: true) do |object, _is_key|
  #     object.respond_to?(:iso8601) ? object.iso8601(3) : object
  #   end
  #   coder.dump({ at: Time.now })
  #   coder.load('{"a":1}')          # => {a: 1}
  #
  # Only JSON's own types are written; any other object goes to the block, whose answer must be one of them (GeneratorError if
  # not, or without a block).
  class Coder
    def initialize(options = nil, &as_json)
      options = options ? options.to_hash.dup : {}
      options[:strict] = true
      options[:as_json] = as_json if as_json
      @generate = GenerateOptions.new(options.freeze)
      @parse = options
      freeze
    end

    # The document, or the IO after it was written there.
    def dump(object, io = nil)
      document = @generate.generate(object)
      return document unless io

      io.write(document)
      io
    end
    alias generate dump

    def load(source) = Kumihimo.parse(source, @parse)
    alias parse load

    def load_file(path) = load(File.read(path, encoding: Encoding::UTF_8))
  end
end
