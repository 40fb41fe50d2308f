# frozen_string_literal: true

require_relative "helper"
require "delegate"
require "ostruct"
require "set"
require "stringio"
require "tempfile"

# to_json of everything that applications meet, under stock's encoder and under ours.
class ToJsonTest < Minitest::Test
  include RailsHelper
  needs "active_support", "active_support/all", "active_support/json"

  Point = Struct.new(:x, :y)
  Keyword = Struct.new(:name, :at, keyword_init: true)

  class Plain
    def initialize
      @name = "<plain>"
      @at = Time.utc(2020, 1, 2, 3, 4, 5.678r)
      @_hidden = [1, {b: 2}]
      @self = nil
    end
  end

  class Hashlike
    def to_hash
      {"a" => Plain.new, :b => 1.5}
    end
  end

  class Money < Numeric
    def as_json(*)
      {"cents" => 5, "tags" => [:a, 1r]}
    end
  end

  class Weird < String
    def as_json(*)
      "weird"
    end
  end

  class List
    include Enumerable

    def each
      yield 1
      yield self.class
      yield nil
    end
  end

  # Newer json gems warn about BINARY strings and duplicate keys.
  def setup
    super
    @verbose = $VERBOSE
    $VERBOSE = nil
  end

  def teardown
    $VERBOSE = @verbose
  end

  def values
    utc = Time.utc(2020, 2, 29, 23, 59, 59.999_999_9r)
    zone = ActiveSupport::TimeZone["Tokyo"]
    {
      scalars: [nil, true, false, 0, -1, 2**64, -(2**70), 1.0, -0.0, 0.1, 1e15, 1e16, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, Float::NAN, Float::INFINITY],
      numbers: [BigDecimal("1.10"), BigDecimal("NaN"), BigDecimal("-0"), BigDecimal("1e50"), 1r / 3, Complex(1, 2), Money.new],
      strings: ["", "a", "<script>&\u2028\u2029/\\\"", "\u0000\u001f\u007f", "組紐\u{1F9F5}", "a".encode("UTF-16LE"), "\xE9".dup.force_encoding("ISO-8859-1"), "é".b,
                "frozen".freeze, Weird.new("x"), Class.new(String).new("sub"), ActiveSupport::SafeBuffer.new("<b>&amp;")],
      # Deprecated in 8.1.
      chars: ActiveSupport.gem_version < Gem::Version.new("8.1.0.a") ? [ActiveSupport::Multibyte::Chars.new(+"é<")] : [],
      symbols: [:a, :"<é>", :"with space", :""],
      times: [utc, utc.getlocal("+09:00"), utc.getlocal("-03:30"), Time.at(0, 1, :nsec).utc, Time.utc(-1), Time.utc(12_345), utc.to_datetime, utc.to_date,
              DateTime.new(2020, 1, 2, 3, 4, 5.5r, "+05:30"), utc.in_time_zone("UTC"), utc.in_time_zone(zone), utc.in_time_zone("Kathmandu"), zone, Date.new(-1, 1, 1)],
      durations: [3.days, 1.5.hours, 2.months + 1.day, ActiveSupport::Duration.parse("P1Y2M3DT4H5M6S"), 0.seconds],
      ranges: [1..2, 1...2, (1..), (..2), "a".."c", utc..(utc + 1), Date.new(2020)..Date.new(2021)],
      hashes: [{}, {a: 1}, {"a" => 1, :b => nil, nil => 2, 1 => 3, 1.5 => 4, utc => 5, [1] => 6, {a: 1} => 7, true => 8, Point => 9, :"<" => 10},
               {a: 1, "a" => 2}, Hash.new(5).merge(x: 1), {a: 1}.compare_by_identity, {a: {b: {c: [{}]}}}.with_indifferent_access,
               ActiveSupport::OrderedHash[[["z", 1], ["a", 2]]], ActiveSupport::OrderedOptions.new.tap { |options| options.color = "<red>" },
               ActiveSupport::InheritableOptions.new({a: 1}).tap { |options| options.b = 2 }, Class.new(Hash).new.merge!(sub: 1)],
      lists: [[], [[]], [1, [2, [3]]], Class.new(Array).new([1, 2]), Set[1, :a, nil], [1, 2].each, [1, 2].lazy.map { |i| i * 2 }, List.new, 1.step(5, 2), {a: 1}.each, [3, 1].to_enum(:sort_by)],
      structs: [Point.new(1, Plain.new), Point.new, Keyword.new(name: "<", at: utc), OpenStruct.new(a: 1, b: [utc])],
      objects: [Plain.new, Object.new, Hashlike.new, Class.new { def to_h = {a: 1} }.new, Class.new { def to_s = "to_s" }.new, Class.new { def to_json(*) = '"own"' }.new,
                Class.new { def as_json(options = nil) = {"got" => options.inspect} }.new, Object.new.extend(Comparable)],
      standard: [URI("http://a.b/?c=d&e=f"), Pathname("/a/<b>"), /a<b>/mi, IPAddr.new("10.0.0.0/8"), IPAddr.new("::1"), RuntimeError.new("<boom>"), StandardError.new,
                 String, Comparable, Math, 12.method(:+).name, $stdout.class, Encoding::UTF_8.to_s, ENV.to_h.class, :a.to_proc.arity],
      delegates: [SimpleDelegator.new([1, {a: utc}]), SimpleDelegator.new({a: 1}), SimpleDelegator.new("s"), SimpleDelegator.new(Plain.new), DelegateClass(Array).new([1])],
      active_support: [ActiveSupport::StringInquirer.new("production"), ActiveSupport::ArrayInquirer.new(%w[a b]), "a b".parameterize, "x".html_safe, {a: 1}.to_query,
                       ActiveSupport::HashWithIndifferentAccess.new("<" => [{b: 1}])]
    }
  end

  OPTIONS = [nil, {}, {only: :a}, {only: ["a", :x]}, {except: [:a, "b"]}, {only: nil, except: :x}, {prefixes: %w[a], template: "x"}, {root: true}].freeze

  def test_everything
    OPTIONS.each do |options|
      values.each do |kind, list|
        list.each_index { |index| assert_same_as_stock("#{kind} #{index} #{options.inspect}") { outcome { values[kind][index].to_json(options) } } }
      end
    end
  end

  def test_everything_at_once
    kinds = values.except(:objects)
    assert_same_as_stock { outcome { kinds.to_json } }
    assert_same_as_stock { outcome { [kinds, {"again" => kinds.values}].to_json(except: :durations) } }
  end

  def test_options_reach_as_json_as_in_stock
    seen = []
    recorder = Class.new do
      define_method(:initialize) { |log| @log = log }
      define_method(:as_json) { |*arguments| @log << arguments.map { |argument| [argument.class, argument.frozen?, argument.inspect] } and 1 }
    end
    OPTIONS.each do |options|
      assert_same_as_stock(options.inspect) do
        seen.clear
        one = recorder.new(seen)
        [{a: one, x: [one, {b: one}], s: Point.new(one)}.to_json(options), seen.dup]
      end
    end
  end

  def test_globals
    settings = {use_standard_json_time_format: [true, false], escape_html_entities_in_json: [true, false], time_precision: [0, 3, 9]}
    settings[:escape_js_separators_in_json] = [true, false] if ActiveSupport.respond_to?(:escape_js_separators_in_json)
    settings.each do |name, choices|
      before = ActiveSupport.public_send(name)
      choices.each do |choice|
        ActiveSupport.public_send("#{name}=", choice)
        %i[times strings hashes ranges].each { |kind| values[kind].each_index { |index| assert_same_as_stock("#{name} #{kind} #{index}") { outcome { values[kind][index].to_json } } } }
      end
    ensure
      ActiveSupport.public_send("#{name}=", before)
    end
  end

  # Objects whose to_s has an address, and handles: the same object, twice.
  def test_objects_with_an_identity
    [$stdout, StringIO.new("x\ny"), Tempfile.new("x"), Thread.current, binding, method(:puts), proc { 1 }, Random.new(1), Mutex.new, ObjectSpace::WeakMap.new].each do |object|
      assert_same_as_stock(object.class.name) do
        # They are Enumerable: encoding reads them.
        object.rewind if object.is_a?(StringIO) || object.is_a?(Tempfile)
        outcome { object.to_json }
      end
    end
    system("true")
    assert_same_as_stock { $?.to_json }
  end

  def test_json_gem_calls_bypass_active_support_as_before
    document = {a: [1, "<", nil, 1.5, :s], b: {c: Time.at(0).utc.to_s}}
    assert_same_as_stock { [JSON.generate(document), JSON.dump(document), JSON.pretty_generate(document), document.to_json(JSON::State.new)] }
  end

  def test_nested_encodes
    outer = Class.new { def as_json(*) = {"inner" => {a: ["<", Time.at(0).utc]}.to_json, "again" => ActiveSupport::JSON.encode(self.class)} }
    assert_same_as_stock { [outer.new, {a: outer.new}].to_json }
  end

  Pair = Struct.new(:a, :b)
  Bare = Class.new { def initialize = (@a, @b = 1, "x") }

  # What is known is written without a call.
  def test_known_classes_are_not_asked
    values = [Pair.new(1, "x"), Bare.new, { a: [1.5, nil, true, :b, 2**70] }, Time.at(0), Date.new(2020, 1, 2), Time.at(0).in_time_zone("Tokyo")]
    encoder = Kumihimo::Rails.encoder.new
    encoder.encode(values)
    calls = 0
    TracePoint.new(:call) { |at| calls += 1 if at.method_id == :as_json }.enable { encoder.encode(values) }
    assert_equal 0, calls
  end
end
