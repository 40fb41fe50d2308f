# frozen_string_literal: true

# What an encode can be told: options for one call, and ActiveSupport's globals.
module Differential
  Settings = Struct.new(:escape_html, :standard_time, :precision, :js_separators) do
    def to_s
      "html=#{escape_html} standard_time=#{standard_time} precision=#{precision}#{" js=#{js_separators}" unless js_separators.nil?}"
    end

    # Sets the globals for the block.
    def apply
      at = ActiveSupport::JSON::Encoding
      old = [at.escape_html_entities_in_json, at.use_standard_json_time_format, at.time_precision]
      old_js = at.escape_js_separators_in_json if Settings.js?
      at.escape_html_entities_in_json, at.use_standard_json_time_format, at.time_precision = escape_html, standard_time, precision
      at.escape_js_separators_in_json = js_separators if Settings.js? && !js_separators.nil?
      yield
    ensure
      at.escape_html_entities_in_json, at.use_standard_json_time_format, at.time_precision = old
      at.escape_js_separators_in_json = old_js if Settings.js?
    end

    def self.js?
      ActiveSupport::JSON::Encoding.respond_to?(:escape_js_separators_in_json)
    end
  end

  JS = Settings.js? ? [true, false] : [nil]
  # Rails' defaults.
  USUAL = Settings.new(true, true, 3, JS.first)

  # Everything but the precision, which matters to times alone.
  SETTINGS = [true, false].product([true, false], JS).map { |html, standard, js| Settings.new(html, standard, 3, js) }.freeze
  TIME_SETTINGS = [true, false].product([true, false], [0, 3, 6, 9, 12], JS).map { |all| Settings.new(*all) }.freeze

  # Each makes its options anew: a call must not see what an earlier one did to them.
  OPTIONS = {
    "none" => -> {},
    "{}" => -> { {} },
    "only: :a" => -> { { only: :a } },
    "only: 'a'" => -> { { only: "a" } },
    "only: [:a, 'b']" => -> { { only: [:a, "b"] } },
    "only: %w[a b]" => -> { { only: %w[a b] } },
    "only: []" => -> { { only: [] } },
    "only: nil, except: :b" => -> { { only: nil, except: :b } },
    "only: false" => -> { { only: false } },
    "only: {a: 1}" => -> { { only: { a: 1 } } },
    "except: :a" => -> { { except: :a } },
    "except: 'a'" => -> { { except: "a" } },
    "except: [:a, 'b', nil, 1]" => -> { { except: [:a, "b", nil, 1] } },
    "only and except" => -> { { only: %w[a b], except: "b" } },
    "string keys" => -> { { "only" => "a", "except" => :b } },
    "escape: false" => -> { { escape: false } },
    "escape: nil" => -> { { escape: nil } },
    "escape: true" => -> { { escape: true } },
    "escape: false, only: 'a'" => -> { { escape: false, only: "a" } },
    "escape_html_entities: false" => -> { { escape_html_entities: false } },
    "escape_html_entities: true" => -> { { escape_html_entities: true } },
    "escape_html_entities: nil" => -> { { escape_html_entities: nil } },
    "methods and include" => -> { { methods: [:a, "twice"], include: :kids } },
    "root: true" => -> { { root: true } },
    "of render" => -> { { prefixes: ["films"], template: "index", status: 200 } },
    "frozen" => -> { { only: %w[a b].freeze }.freeze },
    "indifferent" => -> { ActiveSupport::HashWithIndifferentAccess.new(only: "a") },
    "of the json gem" => -> { { indent: "  ", space: " ", object_nl: "\n", array_nl: "\n", max_nesting: 2, allow_nan: true, ascii_only: true } },
  }.freeze
end
