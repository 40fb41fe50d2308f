# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require "rbconfig"

# What the tests of the Rails integration share. ActiveSupport and the rest of Rails are not dependencies of the gem: a test
# whose libraries are missing says so and is skipped.
module RailsHelper
  ROOT = File.expand_path("../..", __dir__)

  def self.included(test_class)
    test_class.extend(ClassMethods)
  end

  # The parts of Rails that must be of ActiveSupport's own version: the first part of a library's name, and who knows it.
  PARTS = {"active_model" => "ActiveModel", "active_record" => "ActiveRecord", "action_controller" => "ActionPack",
           "action_dispatch" => "ActionPack", "action_cable" => "ActionCable", "rails" => "Rails"}.freeze

  module ClassMethods
    # Libraries that every test of the class needs.
    def needs(*libraries)
      @needed = libraries
    end

    # Why the first of them that cannot be had cannot be had; nil when all are there.
    def missing
      @missing ||= (@needed || []).map { |library| reason(library) }.find(&:itself)
    end

    def reason(library)
      part = PARTS[library.split("/").first]
      require "#{part.gsub(/(?<=[a-z])(?=[A-Z])/, "_").downcase}/gem_version" if part
      if part && Object.const_get(part).gem_version != ActiveSupport.gem_version
        return "#{library} is not of ActiveSupport's version, #{ActiveSupport.gem_version}"
      end

      require library
      nil
    rescue LoadError
      "#{library} is not installed"
    end
  end

  def setup
    reason = self.class.missing
    skip "not proven: #{reason}" if reason
    require "kumihimo/rails"
    super
  end

  def stock
    Kumihimo::Rails::Stock.encoder
  end

  # What the block gives or raises, in a form that compares.
  def outcome
    value = yield
    [value, value.class, value.is_a?(String) ? value.encoding : nil]
  rescue StandardError, SystemStackError => error
    [:raised, error.class]
  end

  # The block under stock's encoder and under ours: equal results.
  def assert_same_as_stock(message = nil)
    expected, actual = [stock, Kumihimo::Rails.encoder].map { |encoder| with_encoder(encoder) { yield } }
    assert_equal expected, actual, message
    actual
  end

  def with_encoder(encoder)
    before = ActiveSupport.json_encoder
    ActiveSupport.json_encoder = encoder
    yield
  ensure
    ActiveSupport.json_encoder = before
  end

  # A process of its own, with this one's load path: standard output and error, and its exit status.
  def ruby(code, environment = {}, *arguments)
    paths = $LOAD_PATH.flat_map { |path| ["-I", path.to_s] }
    defaults = {"KUMIHIMO_RAILS_ENCODER" => nil, "KUMIHIMO_RAILS_DECODER" => nil}
    # Newer ActiveSupports rely on a Ruby that has loaded these two by itself.
    Open3.capture3(defaults.merge(environment), RbConfig.ruby, "-rset", "-rlogger", *paths, "-e", code, *arguments)
  end

  # Its standard output, as it must run without an error or a warning.
  def output_of(code, environment = {})
    output, errors, status = ruby(code, environment)
    assert status.success?, "#{errors}\n#{output}"
    output
  end
end
