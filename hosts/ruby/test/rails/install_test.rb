# frozen_string_literal: true

require_relative "helper"

# What requiring kumihimo/rails changes in a process, and what it leaves alone.
class InstallTest < Minitest::Test
  include RailsHelper
  needs "active_support"

  def teardown
    Kumihimo::Rails.install if defined?(Kumihimo::Rails)
  end

  # Every method of every class and module that exists, with its owner and the place of its definition, and the ancestors.
  SNAPSHOT = <<~'RUBY'
    def snapshot
      modules = ObjectSpace.each_object(Module).select { |mod| (name = Module.instance_method(:name).bind_call(mod)) && !name.start_with?("Kumihimo") }
      modules.flat_map { |mod| [mod, mod.singleton_class] }.to_h do |mod|
        methods = mod.instance_methods(false) + mod.private_instance_methods(false)
        rows = methods.map { |name| mod.instance_method(name).then { |method| [name, method.owner.inspect, method.source_location, method.arity] } }
        [mod, [mod.ancestors.map(&:inspect), rows.sort_by { |row| row[0] }]]
      end
    end

    def changes(before)
      after = snapshot
      before.keys.select { |mod| after[mod] != before[mod] }
    end
  RUBY

  def test_no_method_of_any_class_changes
    output = output_of(<<~RUBY)
      #{SNAPSHOT}
      require "active_support"
      require "active_support/all"
      require "active_support/json"
      require "kumihimo"
      # Standard libraries that kumihimo/rails uses add methods of their own.
      require "strscan"
      before = snapshot
      stock = ActiveSupport.json_encoder
      globals = global_variables
      require "kumihimo/rails"
      puts "size \#{before.size > 1000}", "changed \#{changes(before).inspect}", "installed \#{Kumihimo::Rails.installed?}"
      puts "encoder \#{ActiveSupport.json_encoder.equal?(Kumihimo::Rails.encoder)}", "globals \#{(global_variables - globals).inspect}"
      puts "new \#{(ObjectSpace.each_object(Module).to_a - before.keys).map(&:name).compact.grep_v(/\\AKumihimo|\\A#<|StringIO|RubyVM/).inspect}"
      Kumihimo::Rails.uninstall
      puts "uninstalled \#{changes(before).inspect}", "stock \#{ActiveSupport.json_encoder.equal?(stock)}"
    RUBY
    assert_equal <<~TEXT, output
      size true
      changed []
      installed true
      encoder true
      globals []
      new []
      uninstalled []
      stock true
    TEXT
  end

  # The only setting that changes.
  def test_no_setting_changes_but_the_encoder
    settings = lambda do
      encoding = ActiveSupport::JSON::Encoding
      names = %i[use_standard_json_time_format escape_html_entities_in_json time_precision]
      [names.map { |name| encoding.public_send(name) }, ActiveSupport.parse_json_times, JSON.state, JSON.parser, JSON.generator]
    end
    Kumihimo::Rails.uninstall
    before = settings.call
    Kumihimo::Rails.install
    assert_equal before, settings.call
  end

  def test_the_decoder_changes_one_singleton_class
    output = output_of(<<~RUBY)
      #{SNAPSHOT}
      require "active_support/all"
      require "active_support/json"
      require "kumihimo/rails"
      before = snapshot
      methods = %i[decode load].map { |name| ActiveSupport::JSON.method(name) if ActiveSupport::JSON.respond_to?(name) }
      require "kumihimo/rails/decoder"
      puts "required \#{changes(before).inspect} \#{Kumihimo::Rails.decoder_installed?}"
      puts Kumihimo::Rails.install_decoder, Kumihimo::Rails.decoder_installed?
      puts "changed \#{changes(before).inspect}"
      puts ActiveSupport::JSON.method(:decode).owner
      puts Kumihimo::Rails.uninstall_decoder, Kumihimo::Rails.uninstall_decoder, Kumihimo::Rails.decoder_installed?
      puts methods.compact == %i[decode load].map { |name| ActiveSupport::JSON.method(name) if ActiveSupport::JSON.respond_to?(name) }.compact
      puts Kumihimo::Rails.install_decoder, ActiveSupport::JSON.method(:decode).owner, ActiveSupport::JSON.decode("[1]").inspect
      puts ActiveSupport::JSON.singleton_class.ancestors.count(Kumihimo::Rails::Decoder)
    RUBY
    assert_equal <<~TEXT, output
      required [] false
      true
      true
      changed [#<Class:ActiveSupport::JSON>]
      Kumihimo::Rails::Decoder
      true
      false
      false
      true
      true
      Kumihimo::Rails::Decoder
      [1]
      1
    TEXT
  end

  def test_requiring_loads_active_support
    assert_equal "true\n", output_of('require "kumihimo/rails"; puts ActiveSupport.json_encoder == Kumihimo::Rails.encoder')
  end

  # Their readers are not ActiveSupport's then, and asked by name: what they are asked of may lie elsewhere after a collection.
  def test_settings_that_were_somebody_elses_before
    assert_equal "true\ntrue\n", output_of(<<~RUBY)
      require "test_helper"
      require "active_support"
      require "active_support/json"
      require "active_support/time"
      encoding = ActiveSupport::JSON::Encoding
      %w[time_precision use_standard_json_time_format escape_html_entities_in_json escape_js_separators_in_json].each do |name|
        value = encoding.respond_to?(name) ? encoding.public_send(name) : true
        encoding.define_singleton_method(name) { value }
      end
      stock = ActiveSupport::JSON.encode([Time.at(0).utc, "<"])
      require "kumihimo/rails"
      puts ActiveSupport::JSON.encode([Time.at(0).utc, "<"]) == stock
      5.times { InThisProcess.move_objects }
      Array.new(100_000) { Object.new.singleton_class }
      puts Array.new(3) { ActiveSupport::JSON.encode([Time.at(0).utc, "<"]) } == [stock] * 3
      $stdout.flush
      exit!(0) # there are no tests to be run
    RUBY
  end

  def test_plain_kumihimo_does_not_load_active_support
    assert_equal "false\n", output_of('require "kumihimo"; puts !!defined?(ActiveSupport)')
  end

  def test_install_and_uninstall
    other = Class.new(stock)
    with_encoder(other) do
      assert Kumihimo::Rails.install
      assert Kumihimo::Rails.install, "twice is once"
      assert_predicate Kumihimo::Rails, :installed?
      assert Kumihimo::Rails.uninstall
      assert_same other, ActiveSupport.json_encoder
      refute_predicate Kumihimo::Rails, :installed?
      refute Kumihimo::Rails.uninstall

      Kumihimo::Rails.install
      ActiveSupport.json_encoder = other
      refute_predicate Kumihimo::Rails, :installed?
      refute Kumihimo::Rails.uninstall, "someone else's encoder is not ours to take away"
      assert_same other, ActiveSupport.json_encoder
    end
  end

  def test_the_environment_turns_it_off
    code = 'require "kumihimo/rails"; puts Kumihimo::Rails.installed?, Kumihimo::Rails.install, {a: 1}.to_json'
    ["off", "0", "false", "stock", "OFF", " off "].each do |value|
      output, errors, status = ruby(code, "KUMIHIMO_RAILS_ENCODER" => value)
      assert status.success?, errors
      assert_equal "false\nfalse\n{\"a\":1}\n", output
      assert_equal 2, errors.scan(/kumihimo: ActiveSupport's own JSON encoder stays: KUMIHIMO_RAILS_ENCODER=#{value}$/).size, errors
    end
    ["on", "1", "true", ""].each { |value| assert_equal "true\ntrue\n{\"a\":1}\n", output_of(code, "KUMIHIMO_RAILS_ENCODER" => value) }
  end

  def test_the_environment_turns_the_decoder_off
    code = 'require "kumihimo/rails"; puts Kumihimo::Rails.install_decoder, Kumihimo::Rails.installed?'
    output, errors, = ruby(code, "KUMIHIMO_RAILS_DECODER" => "off")
    assert_equal "false\ntrue\n", output
    assert_match(/kumihimo: ActiveSupport's own JSON decoder stays: KUMIHIMO_RAILS_DECODER=off$/, errors)
  end

  UNKNOWN = <<~RUBY
    require "active_support"
    require "active_support/json"
    require "active_support/version"
    ActiveSupport::VERSION.send(:remove_const, :STRING)
    ActiveSupport::VERSION::STRING = "8.9.1"
  RUBY

  def test_an_unknown_active_support_keeps_stock_and_says_so_once
    output, errors, status = ruby(<<~RUBY)
      #{UNKNOWN}
      require "kumihimo/rails"
      puts Kumihimo::Rails.installed?, Kumihimo::Rails.install, Kumihimo::Rails.install_decoder, Kumihimo::Rails.encoder.inspect
      puts ActiveSupport.json_encoder == Kumihimo::Rails::Stock.encoder, {a: "<"}.to_json
      begin
        Kumihimo::Rails.diff(1)
      rescue Kumihimo::Rails::UnsupportedVersion => error
        puts error.message
      end
    RUBY
    assert status.success?, errors
    assert_equal <<~TEXT, output
      false
      false
      false
      nil
      true
      {"a":"\\u003c"}
      ActiveSupport 8.9.1 is not among the versions whose output is known (6.1 to 8.1)
    TEXT
    assert_equal 1, errors.scan("kumihimo").size - errors.scan("newer kumihimo").size, errors
    assert_match(/kumihimo: ActiveSupport's own JSON encoder stays: ActiveSupport 8\.9\.1 is not among/, errors)
  end

  def test_rails_logger_has_the_message
    output, errors, status = ruby(<<~RUBY, "KUMIHIMO_RAILS_ENCODER" => "off")
      require "logger"
      module Rails
        def self.logger = @logger ||= Logger.new($stdout, formatter: ->(level, _, _, text) { "\#{level} \#{text}\\n" })
      end
      require "kumihimo/rails"
      ENV.delete("KUMIHIMO_RAILS_ENCODER")
      #{UNKNOWN}
      2.times { Kumihimo::Rails.install }
    RUBY
    assert status.success?, errors
    assert_equal <<~TEXT, output
      INFO kumihimo: ActiveSupport's own JSON encoder stays: KUMIHIMO_RAILS_ENCODER=off
      WARN kumihimo: ActiveSupport's own JSON encoder stays: ActiveSupport 8.9.1 is not among the versions whose output is known (6.1 to 8.1). Look for a newer kumihimo.
    TEXT
    assert_empty errors
  end
end
