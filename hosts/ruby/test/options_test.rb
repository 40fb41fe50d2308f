# frozen_string_literal: true

# Options that are no plain Hash, settings that somebody has put a method in front of, keys that lose against each other and keys that an
# as_json has answered: each value with each form of options, compared with stock in the same process.
require_relative "differential/stock"
require "active_support/ordered_options"
require "minitest/autorun"
require_relative "differential/sides"

class OptionsTest < Minitest::Test
  class Answering
    def initialize(&answer) = @answer = answer
    def as_json(*) = @answer.call
  end

  def self.answer(&answer) = Answering.new(&answer)
  def self.deep(levels) = (1..levels).inject(1) { |inner, _| [inner] }

  VALUES = {
    "text to escape" => { a: "<b>\u2028&", "a" => 1, b: Time.at(0).utc },
    "a Struct" => [Struct.new(:a).new("<")],
    "an as_json" => answer { "<x>" },
    # Of two keys with one text the first one's place and the last one's value count; what loses is not written.
    "a broken text that loses" => { "a" => "\xff", :a => 1 },
    "one inside of a list" => { :a => ["\xff"], "a" => 2, 5 => 1 },
    "a broken text that wins" => { "a" => 1, :a => "\xff" },
    "one that loses, further inside" => [{ "x" => { "a" => { "b" => "\xff" }, :a => 1 } }],
    "one that wins inside of what loses" => { "a" => { "b" => 1, :b => "\xff" }, :a => 3 },
    "a broken key inside of what loses" => { "a" => { "\xff" => 1 }, :a => 3 },
    "bytes without an encoding that lose" => { "a" => "\xff".b, :a => 1 },
    "a key that is no text inside of what loses" => { "a" => { Answering.new { BasicObject } => 1 }, :a => 3 },
    "a deep value that loses" => { "a" => deep(120), :a => 1 },
    "a losing text in an answer" => answer { { 1 => "\xff", "1" => 2 } },
    "a losing text in an answer, by as_json of its key" => answer { { answer { "q" } => "\xff", "q" => 2 } },
    # What as_json answers is jsonified, its keys too.
    "an answer with a Hash as key" => answer { { { 1 => 2 } => 1 } },
    "an answer with lists as keys" => answer { { [1, :a, "<b>", nil, { c: 1.5 }] => 1, { a: { "b" => [1] } } => 2 } },
    "an answer with other keys" => answer { { nil => 1, true => 2, 1.5 => 3, :s => 4, Time.at(0).utc => 5, [[]] => 6 } },
    "an answer with keys of one text" => answer { { [1] => 1, "[1]" => 2, answer { [1] } => 3 } },
    "an answer with a key that answers a Hash" => answer { { answer { { x: 1 } } => 1 } },
    "containers as keys" => { { 1 => 2 } => 1, [1] => 2 },
  }.freeze

  OPTIONS = [{}, { only: ["a"] }, { except: ["zz"] }, { escape: false }, { escape: true }, { "escape" => false }, { escape: nil }, { escape_html_entities: false },
             { escape: false, only: [:a] }, { escape: false, escape_html_entities: true }].freeze

  FORMS = {
    "a Hash" => ->(options) { options.dup },
    "a frozen Hash" => ->(options) { options.dup.freeze },
    "a Hash's subclass" => ->(options) { Class.new(Hash)[options] },
    "a Hash with a default" => ->(options) { Hash.new { |_, key| key == :escape ? false : nil }.merge!(options) },
    "HashWithIndifferentAccess" => ->(options) { ActiveSupport::HashWithIndifferentAccess.new(options) },
    "a frozen HashWithIndifferentAccess" => ->(options) { ActiveSupport::HashWithIndifferentAccess.new(options).freeze },
    "OrderedOptions" => ->(options) { ActiveSupport::OrderedOptions.new.tap { |made| options.each { |key, value| made[key] = value } } },
    "an empty Hash with a default" => ->(options) { Hash.new { |_, key| options[key] } },
    "InheritableOptions" => ->(options) { ActiveSupport::InheritableOptions.new(options) },
  }.freeze

  VALUES.each do |said, value|
    define_method("test_#{said.tr(" ,", "_")}") do
      assert_equal Differential.stock(value), Differential.ours(value), said
      FORMS.each do |form, make|
        OPTIONS.each do |options|
          given = make.call(options)
          assert_equal Differential.stock(value, make.call(options)), Differential.ours(value, given), "#{form} #{options}"
          assert_equal make.call(options).to_a, given.to_a, "the options were changed: #{form} #{options}"
        end
      end
    end
  end

  # ActiveSupport 8.1's own answers, whatever is installed.
  def test_escape_of_8_1
    encoder = Kumihimo::Rails::Encoder.define(Kumihimo::Rails::Profile.detect("8.1.3.1", "2.21.1"))
    ActiveSupport::JSON::Encoding.instance_variable_set(:@escape_js_separators_in_json, false) unless Differential::PROFILE[:js_separators]
    FORMS.except("InheritableOptions", "an empty Hash with a default").each do |form, make| # whose delete does not know what it inherits
      assert_equal "{\"a\":\"<\u2028\"}", encoder.new(make.call({ escape: false })).encode({ a: "<\u2028" }), form
      escaped = Differential::PROFILE[:js_separators] ? '{"a":"\u003c\u2028"}' : "{\"a\":\"\\u003c\u2028\"}"
      assert_equal escaped, encoder.new(make.call({ escape: true })).encode({ a: "<\u2028" }), form
      assert_equal escaped.sub('\u003c', "<"), encoder.new(make.call({ escape_html_entities: false })).encode({ a: "<\u2028" }), form
    end
  end

  SETTINGS = {
    "time_precision" => 6,
    "use_standard_json_time_format" => false,
    "escape_html_entities_in_json" => false,
    "escape_js_separators_in_json" => false,
  }.freeze

  # In a process of its own each, since it stays.
  def overridden(value = [Time.at(1.123456789r).utc, Time.at(2).in_time_zone("Tokyo"), DateTime.new(2017), "<&>\u2028"])
    how, answers = Differential.forked do
      yield ActiveSupport::JSON::Encoding
      [Differential.stock(value), Differential.ours(value)].map(&:inspect).map { |text| text.sub(/0x\h+/, "") }
    end
    assert_equal :done, how, answers.inspect
    assert_equal(*answers)
    answers[0]
  end

  SETTINGS.each do |name, value|
    define_method("test_#{name}_as_a_method") do
      skip "not a setting of #{Differential::Stock.versions}" unless ActiveSupport::JSON::Encoding.respond_to?(name)
      usual = overridden { nil }
      refute_equal usual, overridden { |encoding| encoding.define_singleton_method(name) { value } }
      refute_equal usual, overridden { |encoding| encoding.singleton_class.prepend(Module.new { define_method(name) { value } }) }
      refute_equal usual, overridden { |encoding| encoding.instance_eval("def #{name} = #{value.inspect}", __FILE__, __LINE__) }
      refute_equal usual, overridden { |encoding| encoding.public_send("#{name}=", value) }
    end
  end

  def test_a_setting_that_raises
    overridden { |encoding| encoding.define_singleton_method(:time_precision) { raise IOError, "no settings here" } }
  end

  # Where stock's stack ends, which is the machine's affair, ours may still write; what it writes is right.
  def test_depth_beyond_stocks_stack
    skip "no depth limit but the stack" if Differential::PROFILE[:max_nesting] != 0
    value = self.class.deep(5000)
    text = "#{"[" * 5000}1#{"]" * 5000}"
    stock = Differential.stock(value)
    assert_equal text, stock.text unless stock.kind == :error
    assert_equal text, Differential.ours(value).text
  end
end
