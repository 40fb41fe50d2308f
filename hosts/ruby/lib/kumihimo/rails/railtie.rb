# frozen_string_literal: true

require "kumihimo/rails"
require "rails/railtie"

module Kumihimo
  module Rails
    # In a Rails application the encoder is installed when it boots, after config/initializers, so that
    # config.kumihimo applies wherever it is set:
    #
    #   config.kumihimo.encoder = true          # ActiveSupport.json_encoder
    #   config.kumihimo.decoder = false         # ActiveSupport::JSON.decode
    #   config.kumihimo.shadow = 0.0            # the share of values that stock encodes too
    #   config.kumihimo.shadow_data = false     # excerpts of the outputs in what the shadow reports
    class Railtie < ::Rails::Railtie
      config.kumihimo = ActiveSupport::OrderedOptions.new
      config.kumihimo.encoder = true
      config.kumihimo.decoder = false
      config.kumihimo.shadow = 0.0
      config.kumihimo.shadow_data = false

      initializer "kumihimo.install", after: :load_config_initializers do |app|
        Railtie.apply(app.config.kumihimo)
      end

      # Once per boot, whichever of the two ways comes first.
      def self.apply(settings)
        return if @applied

        @applied = true
        # It is installed already where kumihimo/rails was required before Rails.
        settings.encoder ? Rails.install(**shadow_options(settings)) : Rails.uninstall
        Rails.install_decoder if settings.decoder
      end

      def self.shadow_options(settings)
        return {} if settings.shadow.nil? || settings.shadow == false || Float(settings.shadow).zero?

        {shadow: settings.shadow, data: settings.shadow_data}
      end
      private_class_method :shadow_options

      # Required from config/initializers: the application has collected its initializers before this one existed, so
      # the end of booting is the next occasion.
      ActiveSupport.on_load(:after_initialize) { |app| Railtie.apply(app.config.kumihimo) } if Rails.logger
    end
  end
end
