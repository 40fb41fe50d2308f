# frozen_string_literal: true

# Loads the stock implementation: the installed ActiveSupport and json, or those of a checkout.
#
#      KUMIHIMO_RAILS=<rails checkout, or its activesupport, or activesupport/lib>
#      KUMIHIMO_JSON   as stock_json.rb says
#
# Must be required before anything that loads json (minitest does not, Kumihimo does).
module Differential
  module Stock
    class << self
      def rails_libs(given)
        root = [given, File.join(given, "activesupport"), File.dirname(given)].find { |at| File.directory?(File.join(at, "lib/active_support")) }
        raise "KUMIHIMO_RAILS=#{given}: no lib/active_support there" unless root

        [root, File.join(File.dirname(root), "activemodel")].map { |at| File.join(at, "lib") }.select { |at| File.directory?(at) }
      end

      def load!
        $LOAD_PATH.unshift(*rails_libs(ENV["KUMIHIMO_RAILS"])) if ENV["KUMIHIMO_RAILS"]
        require "set" # ActiveSupport 8 counts on Ruby 3.2, where Set needs no require
        require_relative "stock_json"
        require "concurrent"
        # ActiveSupport 8 asks a newer concurrent-ruby than some distributions have.
        Concurrent.define_singleton_method(:available_processor_count) { 2 } unless Concurrent.respond_to?(:available_processor_count)
        require "active_support"
        require "active_support/json"
        require "active_support/time"
        require "active_support/core_ext"
        require "active_model"
        ActiveSupport.deprecator.silenced = true if ActiveSupport.respond_to?(:deprecator)
      end

      # The encoder class that ActiveSupport itself chose, whatever is set now.
      attr_reader :encoder

      def versions
        "ActiveSupport #{ActiveSupport::VERSION::STRING}, json #{::JSON::VERSION}, Ruby #{RUBY_VERSION}"
      end

      # How the installed pair behaves, as the profile's family names it.
      def family
        return :coder if ActiveSupport::JSON::Encoding.const_defined?(:JSONGemCoderEncoder)

        ActiveSupport.version >= Gem::Version.new("7.1") ? :jsonify : :as_json
      end
    end

    load!
    @encoder = ActiveSupport::JSON::Encoding.json_encoder
  end
end

require "bigdecimal"
require "bigdecimal/util"
require "delegate"
require "ipaddr"
require "ostruct"
require "pathname"
require "stringio"
require "uri"
