# frozen_string_literal: true

require "kumihimo"
require "active_support"
require "active_support/core_ext/object/json"
require "active_support/core_ext/hash/keys"
require "action_controller"

module Kumihimo
  module Rails
    # Binary formats by content type, in a Rails application: `require "kumihimo/rails/formats"` in an initializer. For each of
    # Kumihimo.formats that is no text:
    #
    #   render cbor: object                  its as_json in that format; also dialect:, and all options of as_json
    #   respond_to { |as| as.cbor { ... } }  by Accept, or by the ending of the path
    #   params                               of request bodies with its media types
    #
    # What the application or another library has already registered by a name stays as it is.
    module Formats
      # JSON's, in ActiveSupport's decoder.
      MAX_NESTING = 100

      class << self
        def install
          formats = Kumihimo.formats.reject { |format| format[:text] }
          formats.each do |format|
            register(format)
            add_renderer(format[:name].to_sym)
          end
          request = ActionDispatch::Request
          parsers = formats.to_h { |format| [format[:name].to_sym, parser(format[:name])] }
          request.parameter_parsers = parsers.merge(request.parameter_parsers)
        end

        # The body: bytes are a document already, as a String is for render json:.
        def document(object, name, options)
          return object if object.is_a?(String) && object.encoding == Encoding::BINARY

          options = options.dup
          dialect = options.delete(:dialect)
          Kumihimo.dump(object.as_json(options), format: name, dialect: dialect, &:as_json)
        end

        # The parameters of a request's body. What is not a Hash is params[:_json], as it is for JSON.
        def parameters(body, name)
          # A frame would let a small request become a large one.
          raise ParserError, "a request's body is not unpacked: it begins as a frame does" if Kumihimo.__send__(:framed?, body)

          data = Kumihimo.load(body.b, format: name, max_nesting: MAX_NESTING)
          data.is_a?(Hash) ? data.deep_stringify_keys : { _json: data }
        end

        private

        def register(format)
          name = format[:name].to_sym
          return if Mime[name]

          first, *others = format[:media_types].reject { |type| Mime::LOOKUP.key?(type) }
          endings = format[:endings].map { |ending| ending.delete_prefix(".") }.reject { |ending| Mime[ending] }
          Mime::Type.register(first || "application/x-#{name}", name, others, endings - [name.to_s])
        end

        def add_renderer(name)
          return if ActionController::Renderers::RENDERERS.include?(name)

          ActionController::Renderers.add(name) do |object, options|
            self.content_type = Mime[name] if media_type.nil?
            response.charset = false  # bytes have none
            Formats.document(object, name, options)
          end
        end

        def parser(name)
          ->(body) { Formats.parameters(body, name) }
        end
      end

      install
    end
    private_constant :Formats
  end
end
