# frozen_string_literal: true

require_relative "helper"

class ShadowTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/notifications", "timeout"

  # Ours, gone wrong: another text for every value, or an error.
  class Wrong
    attr_reader :options

    def initialize(options = nil)
      @options = options || {}
    end

    def encode(value)
      value.is_a?(Exception) || value == ["raise"] ? raise(KeyError, "of Kumihimo") : '{"wrong":true}'
    end
  end

  # Says yes to every n-th call.
  class Every
    def initialize(n)
      @n = n
      @calls = 0
      @lock = Mutex.new
    end

    def call
      @lock.synchronize { ((@calls += 1) % @n).zero? }
    end
  end

  Always = -> { true }
  Never = -> { false }

  def shadow(encoder = Wrong, sampler: Always, **options)
    Kumihimo::Rails::Shadow.define(encoder, sampler: sampler, **options)
  end

  # What is reported while the block runs.
  def reports
    payloads = []
    lock = Mutex.new
    subscriber = ActiveSupport::Notifications.subscribe("difference.kumihimo") { |*, payload| lock.synchronize { payloads << payload } }
    yield
    payloads
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  def test_stock_counts_where_they_differ
    payloads = reports { assert_equal '{"a":1}', shadow.new.encode({a: 1}) }
    assert_equal 1, payloads.size
    assert_equal %i[value_class difference], payloads[0].keys
    assert_equal "Hash", payloads[0][:value_class]
    assert_equal ["$", 2], [payloads[0][:difference].path, payloads[0][:difference].offset]
  end

  def test_ours_counts_where_nobody_compares
    payloads = reports { assert_equal '{"wrong":true}', shadow(sampler: Never).new.encode({a: 1}) }
    assert_empty payloads
  end

  def test_equal_outputs_are_not_reported
    payloads = reports do
      assert_equal '{"a":["\u003c"]}', shadow(Kumihimo::Rails.encoder).new.encode({a: ["<"]})
      assert_raises(JSON::GeneratorError) { shadow(Kumihimo::Rails.encoder).new.encode(["\xFF"]) }
    end
    assert_empty payloads
  end

  def test_data_only_when_asked_for
    payloads = reports { shadow.new.encode({wage: "secret"}) }
    refute_match(/secret/, payloads.inspect)
    payloads = reports { shadow(data: true).new.encode({wage: "secret"}) }
    assert_match(/secret/, payloads[0][:difference].stock)
  end

  def test_a_share_of_the_calls
    payloads = reports { encoder = shadow(sampler: Every.new(10)).new; 100.times { |i| encoder.encode(i) } }
    assert_equal 10, payloads.size
  end

  def test_the_sampler_of_a_share
    sampler = Kumihimo::Rails::Shadow::Sampler
    refute(Array.new(1000) { sampler.new(0).call }.any?)
    assert(Array.new(1000) { sampler.new(1).call }.all?)
    srand(7)
    assert_in_delta 250, Array.new(10_000) { sampler.new(0.025).call }.count(true), 100
    [-0.1, 1.01, Float::NAN].each { |share| assert_raises(ArgumentError) { sampler.new(share) } }
  end

  def test_our_errors_never_pass
    payloads = reports { assert_equal '["raise"]', shadow.new.encode(["raise"]) }
    assert_equal [KeyError, nil], [payloads[0][:difference].kumihimo_error, payloads[0][:difference].stock_error]
  end

  def test_stock_errors_pass_and_are_compared
    payloads = reports { assert_raises(JSON::GeneratorError) { shadow.new.encode(["\xFF"]) } }
    assert_equal [nil, JSON::GeneratorError], [payloads[0][:difference].kumihimo_error, payloads[0][:difference].stock_error]
  end

  # rack-timeout and the like raise an error of their own in the middle of whatever runs: not again.
  def test_errors_that_are_not_about_encoding_pass_at_once
    count = 0
    value = Object.new
    value.define_singleton_method(:as_json) { |*| (count += 1) && raise(Timeout::Error, "too late") }
    payloads = reports { assert_raises(Timeout::Error) { shadow(Kumihimo::Rails.encoder).new.encode([value]) } }
    assert_equal [1, []], [count, payloads]
  end

  def test_throw_passes
    value = Object.new
    value.define_singleton_method(:as_json) { |*| throw :done, 42 }
    assert_equal 42, catch(:done) { shadow(Kumihimo::Rails.encoder).new.encode([value]) }
  end

  def test_a_failing_subscriber_sampler_or_notifier_is_not_noticed
    subscriber = ActiveSupport::Notifications.subscribe("difference.kumihimo") { raise "subscriber" }
    assert_equal "1", shadow.new.encode(1)
    assert_equal "1", shadow(notifier: ->(*) { raise NotImplementedError }).new.encode(1)
    assert_equal '{"wrong":true}', shadow(sampler: -> { raise "sampler" }).new.encode(1)
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  def test_values_that_differ_from_themselves_are_not_reported
    count = 0
    value = Object.new
    value.define_singleton_method(:as_json) { |*| count += 1 }
    assert_empty(reports { shadow(Kumihimo::Rails.encoder).new.encode([value]) })
  end

  def test_class_names
    name = ->(value) { Kumihimo::Rails::Shadow.class_name(value) }
    assert_equal "Integer", name.call(1)
    assert_equal "an anonymous class", name.call(Class.new.new)
    assert_equal "BasicObject", name.call(BasicObject.new)
    liar = Class.new { def class = raise }.new
    assert_equal "an anonymous class", name.call(liar)
  end

  def test_the_contract_of_encoders
    klass = shadow(Kumihimo::Rails.encoder)
    assert_predicate klass.new, :frozen?
    assert_equal '{"a":1}', klass.new(only: [:a]).encode({a: 1, b: 2})
    assert_equal({only: [:a]}, klass.new(only: [:a]).options.slice(:only))
    assert_equal({}, klass.new.options.to_h)
    with_encoder(klass) do
      assert_equal '{"a":1}', ActiveSupport::JSON.encode({a: 1, b: 2}, only: [:a])
      assert_equal '"\u003c"', "<".to_json
    end
  end

  def test_threads
    klass = shadow(sampler: Every.new(2))
    encoder = klass.new
    payloads = reports do
      Array.new(4) { |n| Thread.new { 50.times.map { |i| encoder.encode([n, i]) } } }.each_with_index do |thread, n|
        thread.value.each_with_index { |text, i| assert_includes ["[#{n},#{i}]", '{"wrong":true}'], text }
      end
    end
    assert_equal 100, payloads.size
  end

  def test_shareable
    skip "not proven: this Ruby has no Ractor" unless defined?(Ractor)
    klass = Kumihimo::Rails::Shadow.define(Kumihimo::Rails.encoder, share: 0.5)
    %i[KUMIHIMO STOCK SAMPLER NOTIFIER].each { |name| assert Ractor.shareable?(klass.const_get(name)), name.to_s }
    assert Ractor.shareable?(Ractor.make_shareable(klass.new))
  end

  def test_in_another_ractor_only_ours_encodes
    skip "not proven: this Ruby has no Ractor" unless defined?(Ractor)
    output = output_of(<<~RUBY)
      Warning[:experimental] = false
      require "kumihimo/rails"
      shadow = Kumihimo::Rails::Shadow.define(Kumihimo::Rails.encoder, share: 1.0)
      ractors = [shadow.new, Kumihimo::Rails.encoder.new].map do |encoder|
        Ractor.new(Ractor.make_shareable(encoder)) { |shared| shared.encode({a: [1, "<", nil, 1.5, Time.at(0).utc], "b" => :c}) }
      end
      ractors.each { |ractor| puts ractor.respond_to?(:value) ? ractor.value : ractor.take }
    RUBY
    assert_equal "{\"a\":[1,\"\\u003c\",null,1.5,\"1970-01-01T00:00:00.000Z\"],\"b\":\"c\"}\n" * 2, output
  end

  def test_installed_through_the_seam
    Kumihimo::Rails.uninstall
    assert Kumihimo::Rails.install(shadow: 1.0)
    assert_operator ActiveSupport.json_encoder, :<, Kumihimo::Rails::Shadow
    assert_equal '{"a":1}', {a: 1}.to_json
    assert Kumihimo::Rails.install
    assert_same Kumihimo::Rails.encoder, ActiveSupport.json_encoder
    assert Kumihimo::Rails.install(sampler: Always)
    assert_same Always, ActiveSupport.json_encoder::SAMPLER
    assert Kumihimo::Rails.install(shadow: nil)
    assert_same Kumihimo::Rails.encoder, ActiveSupport.json_encoder
    assert_raises(ArgumentError) { Kumihimo::Rails.install(shadow: 2) }
    assert_same Kumihimo::Rails.encoder, ActiveSupport.json_encoder, "a wrong option changes nothing"
    assert Kumihimo::Rails.uninstall
    assert_same stock, ActiveSupport.json_encoder
  ensure
    Kumihimo::Rails.install
  end
end
