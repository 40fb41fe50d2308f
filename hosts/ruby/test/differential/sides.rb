# frozen_string_literal: true

require "kumihimo"
require "kumihimo/rails"
require_relative "stock"
require_relative "outcome"
require_relative "settings"
require_relative "forked"

# The two that are compared. Both are called as ActiveSupport::JSON.encode calls its encoder.
module Differential
  # Requiring kumihimo/rails put it there; here each call says which it means.
  ActiveSupport.json_encoder = Stock.encoder

  PROFILE = Kumihimo::Rails::Profile.detect(ActiveSupport::VERSION::STRING, ::JSON::VERSION)
  raise "no profile for #{Stock.versions}" unless PROFILE

  OURS = Kumihimo::Rails::Encoder.define(PROFILE)

  class << self
    def stock(value, options = nil)
      Outcome.of { Differential.encode(Stock.encoder, value, options) }
    end

    def ours(value, options = nil, encoder = OURS)
      Outcome.of { Differential.encode(encoder, value, options) }
    end

    def encode(encoder, value, options)
      encoder.new(options).encode(value)
    end

    # Encodes through ActiveSupport's own entry, with `encoder` in the supported seam.
    def through_seam(encoder, value, options = nil)
      old = ActiveSupport.json_encoder
      ActiveSupport.json_encoder = encoder
      USUAL.apply { Outcome.of { ActiveSupport::JSON.encode(value, options) } }
    ensure
      ActiveSupport.json_encoder = old
    end
  end
end
