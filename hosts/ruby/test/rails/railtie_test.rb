# frozen_string_literal: true

require_relative "helper"
require "tmpdir"
require "fileutils"

# A minimal application, booted in a process of its own.
class RailtieTest < Minitest::Test
  include RailsHelper
  needs "active_support", "rails", "action_controller/railtie"

  # Boots an application in a folder of its own; files: paths and texts under it. Gives what `code` prints after booting.
  def boot(code, config: "", files: {}, first: "", before: 'require "kumihimo/rails"', environment: {})
    Dir.mktmpdir do |root|
      files.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(root, path)))
        File.write(File.join(root, path), text)
      end
      output, errors, status = ruby(<<~RUBY, environment.merge("RAILS_ENV" => "production"))
        #{first}
        require "logger"
        require "rails"
        require "action_controller/railtie"
        #{before}
        class Application < Rails::Application
          config.root = #{root.inspect}
          config.eager_load = false
          config.secret_key_base = "x" * 32
          config.logger = Logger.new($stdout, formatter: ->(level, _, _, text) { "\#{level} \#{text}\\n" })
          config.hosts.clear if config.respond_to?(:hosts)
          #{config}
        end
        Rails.application.initialize!
        #{code}
      RUBY
      assert status.success?, errors + output
      assert_empty errors
      output
    end
  end

  STATE = 'puts Kumihimo::Rails.installed?, Kumihimo::Rails.decoder_installed?, ActiveSupport.json_encoder < Kumihimo::Rails::Encoder ? "encoder" : ActiveSupport.json_encoder.superclass'

  def test_it_is_installed_when_the_application_boots
    before = 'require "kumihimo/rails"; puts Kumihimo::Rails.installed?'
    assert_equal "false\ntrue\nfalse\nencoder\n", boot(STATE, before: before)
  end

  def test_the_defaults
    output = boot('Rails.application.config.kumihimo.then { |kumihimo| p kumihimo.encoder, kumihimo.decoder, kumihimo.shadow, kumihimo.shadow_data }')
    assert_equal "true\nfalse\n0.0\nfalse\n", output
  end

  def test_the_encoder_can_stay_off
    assert_equal "false\nfalse\nObject\n", boot(STATE, config: "config.kumihimo.encoder = false")
  end

  def test_the_decoder_is_another_choice
    assert_equal "true\ntrue\nencoder\n", boot(STATE, config: "config.kumihimo.decoder = true")
    assert_equal "false\ntrue\nObject\n", boot(STATE, config: "config.kumihimo.encoder = false; config.kumihimo.decoder = true")
  end

  def test_shadow
    shadow = "puts Kumihimo::Rails.installed?, ActiveSupport.json_encoder.superclass, ActiveSupport.json_encoder::SAMPLER.inspect[/share=.*/]"
    assert_equal "true\nKumihimo::Rails::Shadow\nshare=0.25>\n", boot(shadow, config: "config.kumihimo.shadow = 0.25")
    ["0", "0.0", "nil", "false"].each do |share|
      assert_equal "true\nfalse\nencoder\n", boot(STATE, config: "config.kumihimo.shadow = #{share}")
    end
  end

  def test_shadow_reports_to_subscribers
    reports = <<~RUBY
      wrong = Class.new { def initialize(*) = nil; def encode(*) = "{\\"secret\\":false}" }
      ActiveSupport::Notifications.subscribe("difference.kumihimo") { |*, payload| puts payload[:value_class], payload[:difference] }
      ActiveSupport.json_encoder.send(:remove_const, :KUMIHIMO)
      ActiveSupport.json_encoder::KUMIHIMO = wrong
      puts ActiveSupport.json_encoder.new.encode({secret: true})
    RUBY
    assert_equal "Hash\noutputs differ at $.secret, byte 10\n{\"secret\":true}\n", boot(reports, config: "config.kumihimo.shadow = 1")
    assert_equal "Hash\noutputs differ at $.secret, byte 10\n  stock:    {\"secret\":true}\n  kumihimo: {\"secret\":false}\n{\"secret\":true}\n",
                 boot(reports, config: "config.kumihimo.shadow = 1; config.kumihimo.shadow_data = true")
  end

  def test_settings_in_an_initializer_apply
    files = {"config/initializers/json.rb" => "Rails.application.config.kumihimo.decoder = true\n"}
    assert_equal "true\ntrue\nencoder\n", boot(STATE, files: files)
  end

  def test_required_in_an_initializer
    files = {"config/initializers/kumihimo.rb" => "require \"kumihimo/rails\"\nRails.application.config.kumihimo.decoder = true\n"}
    assert_equal "true\ntrue\nencoder\n", boot(STATE, files: files, before: "")
  end

  def test_required_before_rails
    first = 'require "kumihimo/rails"; puts Kumihimo::Rails.installed?'
    assert_equal "true\ntrue\nfalse\nencoder\n", boot(STATE, first: first, before: "")
    assert_equal "true\nfalse\ntrue\nObject\n", boot(STATE, first: first, before: "", config: "config.kumihimo.encoder = false; config.kumihimo.decoder = true")
  end

  def test_required_after_booting
    assert_equal "true\nfalse\nencoder\n", boot("require 'kumihimo/rails'\n#{STATE}", before: "")
  end

  # Frameworks set escape_html_entities_in_json and time_precision while booting: read at encode time, so order is no matter.
  def test_active_support_settings_apply
    output = boot('puts({a: "<", t: Time.at(0).utc}.to_json)',
                  config: "config.active_support.escape_html_entities_in_json = false; config.active_support.time_precision = 0")
    assert_equal "{\"a\":\"<\",\"t\":\"1970-01-01T00:00:00Z\"}\n", output
  end

  def test_the_environment_turns_it_off_and_the_log_says_so
    output = boot(STATE, config: "config.log_level = :info", environment: {"KUMIHIMO_RAILS_ENCODER" => "off"})
    assert_equal "INFO kumihimo: ActiveSupport's own JSON encoder stays: KUMIHIMO_RAILS_ENCODER=off\nfalse\nfalse\nObject\n", output
  end

  # Both ways lead to installing: the initializer, and the end of booting, as a logger is there already.
  def test_a_logger_before_booting
    before = 'Rails.logger = Logger.new($stdout, formatter: ->(level, _, _, text) { "#{level} #{text}\n" }); require "kumihimo/rails"'
    output = boot(STATE, before: before, environment: {"KUMIHIMO_RAILS_ENCODER" => "off"})
    assert_equal 1, output.scan("encoder stays").size, output
    assert_equal "true\nfalse\nencoder\n", boot(STATE, before: before)
  end

  def test_an_unknown_version_is_logged
    before = <<~RUBY
      require "active_support/json"
      require "kumihimo/rails"
      Kumihimo::Rails::Profile.define_singleton_method(:detect) { |*| nil }
      Kumihimo::Rails::Profile.define_singleton_method(:refusal) { |*| "ActiveSupport 9 is unknown" }
    RUBY
    output = boot(STATE, before: before, config: "config.kumihimo.decoder = true")
    assert_equal "WARN kumihimo: ActiveSupport's own JSON encoder stays: ActiveSupport 9 is unknown. Look for a newer kumihimo.\nfalse\nfalse\nObject\n", output
  end
end
