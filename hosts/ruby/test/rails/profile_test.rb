# frozen_string_literal: true

require_relative "helper"

class ProfileTest < Minitest::Test
  include RailsHelper
  needs "active_support"

  KEYS = %i[family max_nesting escape_options js_separators floats active_support json].freeze

  # ActiveSupport, json => family, max_nesting, escape_options, js_separators, floats
  KNOWN = {
    ["6.1.0", "2.3.0"] => [:as_json, 0, false, false, :ruby],
    ["6.1.7.10", "2.6.1"] => [:as_json, 0, false, false, :ruby],
    ["7.0.10", "2.10.2"] => [:as_json, 0, false, false, :ruby],
    ["7.0.10", "2.11.0"] => [:as_json, 0, false, false, :json_2_11],
    ["7.1.6", "2.11.3"] => [:jsonify, 0, false, false, :json_2_11],
    ["7.1.6", "2.12.0"] => [:jsonify, 0, false, false, :json_2_12],
    ["7.2.3.2", "2.14.1"] => [:jsonify, 0, false, false, :json_2_12],
    ["8.0.0.beta1", "2.7.2"] => [:jsonify, 0, :escape_html_entities, false, :ruby],
    ["8.0.5.1", "2.15.0"] => [:jsonify, 0, :escape_html_entities, false, :json_2_15],
    ["8.1.0", "2.14.1"] => [:jsonify, 100, :escape, true, :json_2_12],
    ["8.1.0", "2.15.0"] => [:coder, 100, :escape, true, :json_2_15],
    ["8.1.1", "2.15.1"] => [:jsonify, 100, :escape, true, :json_2_15],
    ["8.1.1", "2.15.2"] => [:coder, 100, :escape, true, :json_2_15],
    ["8.1.1", "2.15.2.1"] => [:coder, 100, :escape, true, :json_2_15],
    ["8.1.3.1", "2.6.1"] => [:jsonify, 100, :escape, true, :ruby],
    ["8.1.3.1", "2.21.1"] => [:coder, 100, :escape, true, :json_2_15],
    ["8.1.99", "2.99.0"] => [:coder, 100, :escape, true, :json_2_15]
  }.freeze

  UNKNOWN = {
    ["8.2.0", "2.21.1"] => /ActiveSupport 8\.2\.0 is not among .*6\.1 to 8\.1/,
    ["8.2.0.alpha", "2.21.1"] => /ActiveSupport 8\.2\.0\.alpha/,
    ["9.0.0", "2.6.1"] => /ActiveSupport 9\.0\.0/,
    ["6.0.6.1", "2.6.1"] => /ActiveSupport 6\.0\.6\.1/,
    ["8.1.3.1", "3.0.0"] => /json 3\.0\.0 is newer/,
    ["8.1.3.1", "3.0.0.beta1"] => /json 3\.0\.0\.beta1/,
    ["6.1.7.10", "4.1"] => /json 4\.1/
  }.freeze

  def detect(versions)
    Kumihimo::Rails::Profile.detect(*versions)
  end

  def test_known_versions
    KNOWN.each do |versions, expected|
      profile = detect(versions)
      assert_equal KEYS, profile.keys & KEYS, versions.join(" with ")
      assert_equal KEYS.size, profile.size
      assert_equal expected, profile.values_at(:family, :max_nesting, :escape_options, :js_separators, :floats), versions.join(" with ")
      assert_equal versions, profile.values_at(:active_support, :json)
      assert_nil Kumihimo::Rails::Profile.refusal(*versions)
    end
  end

  def test_newer_and_older_versions_have_no_profile
    UNKNOWN.each do |versions, reason|
      assert_nil detect(versions), versions.join(" with ")
      assert_match reason, Kumihimo::Rails::Profile.refusal(*versions)
    end
  end

  def test_profiles_are_shareable
    KNOWN.each_key { |versions| assert Ractor.shareable?(detect(versions)) } if defined?(Ractor)
    KNOWN.each_key { |versions| assert_predicate detect(versions), :frozen? }
  end

  # What the rules say about the loaded ActiveSupport, asked of itself.
  def test_the_profile_of_this_process_is_true
    profile = Kumihimo::Rails.profile
    encoding = ActiveSupport::JSON::Encoding
    assert_equal encoding.const_defined?(:JSONGemCoderEncoder, false), profile[:family] == :coder
    assert_equal encoding.respond_to?(:escape_js_separators_in_json), profile[:js_separators]

    # A first pass over everything asks before the elements are asked: only then does the array's own as_json run.
    array = Class.new(Array) { attr_reader :asked; def as_json(*) = (@asked = true; super) }.new([1])
    stock.new.encode([array])
    assert_equal profile[:family] != :jsonify, !array.asked.nil?

    deep = 150.times.inject([]) { |inner, _| [inner] }
    limited = outcome { stock.new.encode(deep) } == [:raised, JSON::NestingError]
    assert_equal profile[:max_nesting] == 100, limited

    html = stock.new(escape_html_entities: false).encode("<")
    assert_equal profile[:escape_options] != false, html == '"<"'
    plain = stock.new(escape: false).encode("<")
    assert_equal profile[:escape_options] == :escape, plain == '"<"'
  end

  def test_the_floats_of_this_process_are_true
    layouts = {ruby: %w[1.5e-07 100000000000000.0], json_2_11: %w[1.5e-7 1e+14], json_2_12: %w[0.00000015 1e+14],
               json_2_15: %w[0.00000015 100000000000000.0]}
    assert_equal layouts.fetch(Kumihimo::Rails.profile[:floats]), [1.5e-7, 1e14].map { |float| stock.new.encode(float) }
  end
end
