# frozen_string_literal: true

# Loads the stock json: the installed one, or that of a checkout whose extension is built (KUMIHIMO_JSON=<checkout>).
module Differential
  module StockJson
    class << self
      def json_libs(given)
        built = Dir.glob(File.join(given, "**/json/ext/generator.{so,bundle}")).first
        raise "KUMIHIMO_JSON=#{given}: no built json/ext/generator there (run its extconf.rb and make)" unless built

        [File.expand_path("../..", File.dirname(built)), File.join(given, "lib")]
      end

      def load!
        given = ENV["KUMIHIMO_JSON"]
        raise "json was loaded before differential/stock_json.rb" if defined?(::JSON::VERSION) && given

        $LOAD_PATH.unshift(*json_libs(given)) if given
        require "json"
      end

      def at_least?(version)
        Gem::Version.new(::JSON::VERSION) >= Gem::Version.new(version)
      end
    end

    load!
  end
end
