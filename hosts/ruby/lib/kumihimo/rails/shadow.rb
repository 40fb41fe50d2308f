# frozen_string_literal: true

require "kumihimo/rails/diff"
require "kumihimo/rails/stock"

module Kumihimo
  module Rails
    # An encoder for people who decide whether to switch: it encodes a sampled share of the values with stock's encoder and
    # with ours and reports where they differ, as the ActiveSupport notification "difference.kumihimo". For a sampled
    # value stock's result counts (its String, its exception), so that nobody sees a difference; the others are ours.
    #
    # Classes come from define. Their instances fulfil ActiveSupport's contract for encoders: frozen and without state,
    # because ActiveSupport 8.1 shares them between threads.
    class Shadow
      EVENT = "difference.kumihimo"

      # Says yes for a share of the calls.
      class Sampler
        def initialize(share)
          @share = Float(share)
          raise ArgumentError, "the share of values to be compared is from 0.0 to 1.0, not #{share.inspect}" unless @share.between?(0.0, 1.0)

          freeze
        end

        def call
          Random.rand < @share
        end
      end

      # Reports a Difference to the subscribers of "difference.kumihimo": payload[:value_class] is the value's class
      # name, payload[:difference] the Difference, without excerpts unless they are asked for.
      class Notifier
        def initialize(data)
          @data = data ? true : false
          freeze
        end

        def call(value, difference)
          difference = difference.without_data unless @data
          ActiveSupport::Notifications.instrument(EVENT, value_class: Shadow.class_name(value), difference: difference)
        end
      end

      # The errors of encoding. Stock's other errors (a timeout that was thrown in, a lost connection) are not tried again.
      COMPARED = [::JSON::JSONError, ArgumentError, EncodingError, NameError, TypeError, SystemStackError].freeze
      # Stock's encoder and ActiveSupport::Notifications work in the main Ractor only: elsewhere nothing is compared.
      MAIN = (Ractor.current if defined?(Ractor))
      private_constant :COMPARED, :MAIN

      class << self
        # An encoder class around another one. share: is the share of the values that are compared, data: true puts excerpts
        # of the outputs into the reports. sampler: (call gives true or false) and notifier: (call(value, difference)) replace
        # chance and ActiveSupport::Notifications.
        def define(encoder, share: 0, data: false, stock: Stock.encoder, sampler: Sampler.new(share), notifier: Notifier.new(data))
          Class.new(self) do
            # Constants, not variables: a Ractor may read them as long as they are shareable.
            const_set(:KUMIHIMO, encoder)
            const_set(:STOCK, stock)
            const_set(:SAMPLER, sampler)
            const_set(:NOTIFIER, notifier)
          end
        end

        # A value's class without its own answer: it may be a BasicObject or a proxy.
        def class_name(value)
          klass = Kernel.instance_method(:class).bind_call(value)
          Module.instance_method(:name).bind_call(klass) || "an anonymous class"
        rescue TypeError
          "BasicObject"
        end
      end

      def initialize(options = nil)
        @kumihimo = self.class::KUMIHIMO.new(options)
        @stock = self.class::STOCK.new(options).freeze
        freeze
      end

      def options
        @kumihimo.options
      end

      def encode(value)
        sampled? ? compare(value) : @kumihimo.encode(value)
      end

      private

      def sampled?
        self.class::SAMPLER.call && (MAIN.nil? || MAIN.equal?(Ractor.current))
      rescue StandardError
        false
      end

      # Stock first, outside of any rescue that swallows: what it raises, and what is thrown into it from another thread, passes.
      def compare(value)
        begin
          expected = @stock.encode(value)
        rescue *COMPARED => error
          observe(value, error)
          raise
        end
        observe(value, expected)
        expected
      end

      def observe(value, expected)
        actual = Diff.outcome(@kumihimo, value)
        return unless Diff.compare(expected, actual)
        # Stock differs from itself where the value has a clock, an address or a reader inside: nothing to report.
        return if Diff.compare(expected, Diff.outcome(@stock, value))

        self.class::NOTIFIER.call(value, Diff.compare(expected, actual))
      rescue *Diff::ERRORS
        # A subscriber's error, or the comparison's own, must not reach who only wanted JSON.
        nil
      end
    end
  end
end
