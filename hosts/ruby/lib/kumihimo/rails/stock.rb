# frozen_string_literal: true

module Kumihimo
  module Rails
    # ActiveSupport's own encoder, whatever ActiveSupport.json_encoder is at the moment.
    module Stock
      NAMES = %i[JSONGemCoderEncoder JSONGemEncoder].freeze
      private_constant :NAMES

      def self.encoder
        encoding = ActiveSupport::JSON::Encoding
        encoding.const_get(NAMES.find { |name| encoding.const_defined?(name, false) })
      end
    end
  end
end
