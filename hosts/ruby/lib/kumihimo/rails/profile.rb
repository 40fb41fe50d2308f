# frozen_string_literal: true

module Kumihimo
  module Rails
    # Which bytes ActiveSupport writes is a function of two versions: its own and the json gem's. A profile names the
    # behaviour of one such pair; the encoder is compiled from it (Encoder.define).
    module Profile
      OLDEST = "6.1"
      NEWEST = "8.1"
      # The first json gem that is announced to change results (duplicate keys and BINARY strings raise).
      JSON_UNKNOWN = "3.0"

      # ActiveSupport's "major.minor" => what belongs to it alone.
      RULES = {
        "6.1" => {family: :as_json, max_nesting: 0, escape_options: false, js_separators: false},
        "7.0" => {family: :as_json, max_nesting: 0, escape_options: false, js_separators: false},
        "7.1" => {family: :jsonify, max_nesting: 0, escape_options: false, js_separators: false},
        "7.2" => {family: :jsonify, max_nesting: 0, escape_options: false, js_separators: false},
        "8.0" => {family: :jsonify, max_nesting: 0, escape_options: :escape_html_entities, js_separators: false},
        "8.1" => {family: :coder, max_nesting: 100, escape_options: :escape, js_separators: true}
      }.each_value(&:freeze).freeze

      # json's float layouts, newest first: [first version, name].
      FLOATS = [["2.15.0", :json_2_15], ["2.12.0", :json_2_12], ["2.11.0", :json_2_11], ["0", :ruby]].each(&:freeze).freeze

      private_constant :RULES, :FLOATS

      module_function

      # A frozen profile, or nil where stock's behaviour is not known: refusal says why.
      def detect(active_support, json)
        return if refusal(active_support, json)

        active_support = Gem::Version.new(active_support)
        json = Gem::Version.new(json)
        rules = RULES.fetch(series(active_support))
        family = rules[:family]
        family = :jsonify if family == :coder && json < first_coder(active_support)
        {
          **rules,
          family: family,
          floats: FLOATS.find { |first, _name| json >= Gem::Version.new(first) }.last,
          active_support: active_support.to_s.freeze,
          json: json.to_s.freeze
        }.freeze
      end

      # Why a pair of versions has no profile, as a sentence; nil when it has one.
      def refusal(active_support, json)
        if !RULES.key?(series(Gem::Version.new(active_support)))
          "ActiveSupport #{active_support} is not among the versions whose output is known (#{OLDEST} to #{NEWEST})"
        elsif Gem::Version.new(json).release >= Gem::Version.new(JSON_UNKNOWN)
          "json #{json} is newer than the versions whose output is known (below #{JSON_UNKNOWN})"
        end
      end

      def series(version)
        version.segments.first(2).join(".")
      end
      private_class_method :series

      # JSON::Coder tells keys from values since 2.15.0, and counts depth per call since 2.15.2: 8.1.0 asked for the first,
      # all later ones ask for the second.
      def first_coder(active_support)
        Gem::Version.new(active_support < Gem::Version.new("8.1.1") ? "2.15.0" : "2.15.2")
      end
      private_class_method :first_coder
    end
  end
end
