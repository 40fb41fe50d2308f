# frozen_string_literal: true

require "kumihimo/rails"

module Kumihimo
  module Rails
    # ActiveSupport::JSON.decode on Kumihimo's reader. ActiveSupport has no setting for its decoder, so this module is
    # prepended to ActiveSupport::JSON's singleton class; nothing else changes, JSON.parse least of all.
    #
    # Kumihimo's answer counts when it has one. When it refuses, stock decides: so a document that is wrong raises stock's
    # own error, with its text (and Kumihimo's, which knows line, column and path, as its cause).
    module Decoder
      # JSON.parse's options that mean the same to Kumihimo.parse. ActiveSupport 8.1 passes its caller's options on.
      OPTIONS = %i[symbolize_names max_nesting allow_nan freeze].freeze
      # The methods of ActiveSupport::JSON that read; load is an alias since 7.1.
      METHODS = %i[decode load].freeze
      private_constant :OPTIONS, :METHODS

      class << self
        def install
          unless installed?
            @takes_options = ActiveSupport::JSON.method(:decode).arity != 1
            METHODS.each { |name| define_reader(name) if ActiveSupport::JSON.respond_to?(name) }
            ActiveSupport::JSON.singleton_class.prepend(self)
          end
          true
        end

        # A prepended module stays an ancestor for ever; without methods it does nothing there.
        def uninstall
          return false unless installed?

          METHODS.each { |name| remove_method(name) if method_defined?(name, false) }
          true
        end

        def installed?
          method_defined?(:decode, false)
        end

        # The arguments of Kumihimo.parse, or nil for what only stock knows: text that is no String, other options, mistakes.
        def arguments_for_parse(json, *rest)
          return unless json.instance_of?(String)
          return [json, {}] if rest.empty?

          options = rest[0].nil? ? {} : rest[0]
          [json, options] if @takes_options && rest.size == 1 && known?(options)
        end

        private

        def known?(options)
          options.instance_of?(Hash) && options.each_key.all? { |key| OPTIONS.include?(key) }
        end

        def define_reader(name)
          define_method(name) do |*arguments|
            text, options = Decoder.arguments_for_parse(*arguments) unless arguments.empty?
            return super(*arguments) unless text

            begin
              data = Kumihimo.parse(text, **options)
            rescue ::JSON::JSONError, EncodingError
              return super(*arguments)
            end
            ActiveSupport.parse_json_times ? convert_dates_from(data) : data
          end
        end
      end
    end
  end
end
