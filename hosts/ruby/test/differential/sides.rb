# frozen_string_literal: true

require "kumihimo"
require "kumihimo/rails"
require_relative "stock"
require_relative "outcome"
require_relative "settings"

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

    # Runs the block in a child, so that what it does to classes ends with it; gives back what it returned.
    def forked
      reader, writer = IO.pipe(binmode: true)
      pid = fork do
        reader.close
        answer = begin
          [:done, yield]
        rescue Exception => e # rubocop:disable Lint/RescueException
          [:failed, "#{e.class}: #{e.message}\n#{e.backtrace.first(5).join("\n")}"]
        end
        writer.write(Marshal.dump(answer))
        writer.close
        exit!(0)
      end
      writer.close
      bytes = reader.read
      _, status = Process.wait2(pid)
      return [:failed, "the child died: #{status.inspect}"] if bytes.empty?

      Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
    ensure
      reader&.close
    end
  end
end
