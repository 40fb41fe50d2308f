# frozen_string_literal: true

require "kumihimo"
require "active_support"
require "active_support/json"
require "kumihimo/rails/profile"
require "kumihimo/rails/stock"
require "kumihimo/rails/diff"
require "kumihimo/rails/shadow"

module Kumihimo
  # ActiveSupport's JSON, byte for byte, from one pass over the objects. Requiring this file sets
  # ActiveSupport.json_encoder (in an initializer when Rails is there: see rails/railtie.rb) and nothing else.
  module Rails
    # No profile describes the ActiveSupport and json that are loaded.
    class UnsupportedVersion < StandardError; end

    OFF = %w[off 0 false stock].freeze
    private_constant :OFF

    class << self
      # The encoder class of the installed versions, for ActiveSupport.json_encoder=; nil when there is no profile for them.
      def encoder
        # A constant gives it a name where people look: in the console and in logs.
        @encoder ||= profile && const_set(:ActiveSupportEncoder, Encoder.define(profile))
      end

      def profile
        @profile ||= Profile.detect(ActiveSupport::VERSION::STRING, ::JSON::VERSION)
      end

      # Makes Kumihimo the encoder of this process: true, or false (said in the log) where stock stays, because
      # KUMIHIMO_RAILS_ENCODER turns it off or no profile is known. shadow: is a share of the values, from 0.0 to 1.0, to be
      # encoded by both; Shadow.define has the other options.
      def install(shadow: 0, **options)
        if off?("KUMIHIMO_RAILS_ENCODER")
          log(:info, "ActiveSupport's own JSON encoder stays: KUMIHIMO_RAILS_ENCODER=#{ENV["KUMIHIMO_RAILS_ENCODER"]}")
          return false
        end
        return refuse("encoder") unless profile

        share = shadow ? Float(shadow) : 0.0
        # Before anything changes, so that a wrong option leaves the process as it was.
        chosen = share.zero? && options.empty? ? encoder : Shadow.define(encoder, share: share, **options)
        @before = ActiveSupport.json_encoder unless installed?
        ActiveSupport.json_encoder = @installed = chosen
        true
      end

      # Puts back the encoder that install found; false when ours is not installed (any more).
      def uninstall
        return false unless installed?

        ActiveSupport.json_encoder = @before
        @before = @installed = nil
        true
      end

      def installed?
        !@installed.nil? && ActiveSupport.json_encoder.equal?(@installed)
      end

      # The first difference between stock's output and ours for a value, as a Difference; nil when there is none.
      # Takes ActiveSupport::JSON.encode's options, and works whether or not the encoder is installed.
      def diff(value, options = nil)
        Diff.call(Stock.encoder.new(options), supported_encoder.new(options), value)
      end

      # Makes ActiveSupport::JSON.decode read with Kumihimo: a choice of its own, because there is no setting for it.
      def install_decoder
        require "kumihimo/rails/decoder"
        if off?("KUMIHIMO_RAILS_DECODER")
          log(:info, "ActiveSupport's own JSON decoder stays: KUMIHIMO_RAILS_DECODER=#{ENV["KUMIHIMO_RAILS_DECODER"]}")
          return false
        end
        return refuse("decoder") unless profile

        Decoder.install
      end

      def uninstall_decoder
        require "kumihimo/rails/decoder"
        Decoder.uninstall
      end

      def decoder_installed?
        defined?(Decoder) ? Decoder.installed? : false
      end

      # Rails' log where there is one; else the warning stream.
      def log(level, text)
        text = "kumihimo: #{text}"
        logger ? logger.public_send(level, text) : Kernel.warn(text)
        nil
      end

      # nil outside of Rails, and until an application boots: its logger is among the first things it makes.
      def logger
        ::Rails.logger if defined?(::Rails) && ::Rails.respond_to?(:logger)
      end

      private

      def supported_encoder
        encoder or raise UnsupportedVersion, Profile.refusal(ActiveSupport::VERSION::STRING, ::JSON::VERSION)
      end

      def off?(variable)
        OFF.include?(ENV[variable].to_s.strip.downcase)
      end

      # Once per process, however many parts ask.
      def refuse(part)
        unless @refused
          @refused = true
          reason = Profile.refusal(ActiveSupport::VERSION::STRING, ::JSON::VERSION)
          log(:warn, "ActiveSupport's own JSON #{part} stays: #{reason}. Look for a newer kumihimo.")
        end
        false
      end
    end
  end
end

if defined?(::Rails::Railtie)
  require "kumihimo/rails/railtie"
else
  Kumihimo::Rails.install
  # Should Rails come later, its application's settings count all the same.
  ActiveSupport.on_load(:before_configuration) { require "kumihimo/rails/railtie" }
end
