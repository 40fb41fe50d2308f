# frozen_string_literal: true

require "kumihimo"
require "multi_json"
require "multi_json/adapter"

module Kumihimo
  # MultiJson on Kumihimo, with the results of MultiJson's adapter for the json gem:
  #
  #   require "kumihimo/multi_json"
  #   MultiJson.use Kumihimo::MultiJsonAdapter
  class MultiJsonAdapter < ::MultiJson::Adapter
    ParseError = ::JSON::ParserError

    def load(string, options = {})
      options = options.dup
      options[:symbolize_names] = true if options.delete(:symbolize_keys)
      # The bytes are read as UTF-8, whatever the string says it is: so does the json gem's adapter.
      Kumihimo.parse(string.dup.force_encoding(Encoding::UTF_8), options)
    end

    def dump(object, options = {})
      # With ActiveSupport to_json is its encoder, which takes options of its own: then it writes, with the encoder installed.
      return object.to_json(options) if defined?(::ActiveSupport::JSON::Encoding)

      options = options.dup
      options.delete(:pretty) ? Kumihimo.pretty_generate(object, options) : Kumihimo.generate(object, options)
    end
  end
end
