# frozen_string_literal: true

# Is a method still the one it was? A document in whose middle an as_json changes classes, against stock: what stands before the
# change is written by the old methods, what stands behind it by the new ones. `./dev test ruby` runs this with the quick way to
# ask (rb_callable_method_entry, where Ruby exports it) and with public functions alone; no result may tell which.
require_relative "differential/stock"
require "minitest/autorun"
require_relative "differential/sides"

class IdentityTest < Minitest::Test
  Pair = ::Struct.new(:a, :b)

  class Plain
    def initialize(value) = @value = value
  end

  class Bag
    include Enumerable
    def each(&block) = [1, Time.at(2).utc].each(&block)
  end

  class Answer
    def as_json(*) = { "at" => Time.at(5).utc, price: BigDecimal("19.99"), "list" => [Pair.new(1, 3.days)] }
  end

  # Runs once a document, in the middle.
  class Change
    def initialize(&block) = @block = block

    def as_json(*)
      @block.call
      "changed"
    end
  end

  module Loud
    def as_json(*) = "loud"
  end

  module Passing
    def as_json(*) = ["passed", super]
  end

  module Counting
    def to_s(*) = "counted #{super}"
  end

  def self.values
    [Time.at(0).utc, Time.at(1).in_time_zone("Tokyo"), Date.new(2017, 1, 2), DateTime.new(2017, 1, 2), BigDecimal("107910.55"), 3.days, Set[1, :a], 1..3, /a<b/, Pathname("/a"),
     URI("http://a/b?c"), IPAddr.new("10.0.0.1"), StandardError.new("no <"), Pair.new(1, Time.at(3).utc), Plain.new(BigDecimal("1.5")), Bag.new, "safe".html_safe,
     { "at" => Time.at(4).utc, sum: BigDecimal("0.1") }]
  end

  DEFINED = [Time, ActiveSupport::TimeWithZone, Date, DateTime, BigDecimal, ActiveSupport::Duration, Set, Range, Regexp, Pathname, URI::Generic, IPAddr, StandardError, Pair, Plain, Bag, Answer].freeze

  CHANGES = {
    "reopened" => -> { DEFINED.each { |c| c.class_eval { def as_json(*) = "again" } } },
    "reopened in a base" => -> { [Exception, ::Struct, Object, Enumerable].each { |c| c.class_eval { def as_json(*) = "base" } } },
    "define_method" => -> { DEFINED.each { |c| c.define_method(:as_json) { |*| "defined" } } },
    "attr_reader" => -> { DEFINED.each { |c| c.class_eval { attr_reader :as_json } } },
    "prepended" => -> { DEFINED.each { |c| c.prepend(Passing) } },
    "prepended to a module" => -> { Enumerable.prepend(Loud) },
    "included" => -> { [Plain, Bag, Pair].each { |c| c.include(Passing) } },
    "into an included module" => -> { Comparable.module_eval { def as_json(*) = "comparable" } },
    "aliased" => -> { DEFINED.each { |c| c.class_eval { alias_method :as_json, :hash_of_class } if c.method_defined?(:hash_of_class) } },
    "aliased and wrapped" => -> { DEFINED.each { |c| c.class_eval { alias_method :first_as_json, :as_json; define_method(:as_json) { |*a| ["wrapped", first_as_json(*a)] } } } },
    "undefined" => -> { Time.class_eval { undef_method :as_json } },
    "undefined, decimals" => -> { BigDecimal.class_eval { undef_method :as_json } },
    "removed" => -> { [BigDecimal, ActiveSupport::Duration, Range, URI::Generic].each { |c| c.class_eval { remove_method :as_json } } },
    "private" => -> { BigDecimal.class_eval { private :as_json } },
    "private in Hash" => -> { Hash.class_eval { private :as_json } },
    "refined, which nobody sees" => -> { Module.new { refine(Time) { def as_json(*) = "refined" } } },
    "a thread" => -> { Thread.new { DEFINED.each { |c| c.class_eval { def as_json(*) = "threaded" } } }.join },
    "a subclass" => -> { Class.new(Plain) { def as_json(*) = "below" }; Class.new(BigDecimal) { def as_json(*) = "below" } },
    "then back" => -> { DEFINED.each { |c| m = c.instance_method(:as_json); c.class_eval { def as_json(*) = "gone"; define_method(:as_json, m) } } },
    "what they call" => lambda {
      BigDecimal.class_eval { def finite? = false }
      ActiveSupport::Duration.class_eval { def to_i = 7 }
      Set.class_eval { def to_a = ["to_a"] }
      Time.class_eval { def xmlschema(*) = "xmlschema" }
      Date.class_eval { def strftime(*) = "strftime" }
      ::Object.class_eval { def instance_values = { "values" => 1 } }
    },
    "what they call, prepended" => -> { [BigDecimal, Range, Regexp, Pathname, URI::Generic, IPAddr, StandardError].each { |c| c.prepend(Counting) } },
    "Integer#to_i" => -> { Integer.prepend(Module.new { def to_i = self == 259_200 && Differential.inside? ? 7 : super }) },
    "Set's Hash" => -> { Hash.prepend(Module.new { def keys = Differential.inside? ? ["keys"] : super }) },
  }.freeze

  # A method that a stock as_json is aliased to.
  DEFINED.each { |c| c.class_eval { def hash_of_class = { "aliased" => self.class.name } } }

  # The encoder under `side`, in a process of its own, with the change in the middle.
  def outcome(side, change, options)
    how, answer = Differential.forked do
      $VERBOSE = nil
      # Stock looks into an answer again when all is answered, so one stands behind the change only.
      document = self.class.values + [Change.new(&change)] + self.class.values + [Answer.new]
      Differential.public_send(side, document, options)
    end
    raise answer unless how == :done

    answer
  end

  def compare(name, change, options = nil)
    stock, ours = %i[stock ours].map { |side| outcome(side, change, options) }
    assert stock.same?(ours), -> { "#{Differential::Stock.versions}, #{name}, #{options.inspect}\n  stock: #{stock}\n  ours:  #{ours}" }
  end

  CHANGES.each do |name, change|
    define_method(:"test_#{name.gsub(/\W+/, "_")}_in_the_middle") { compare(name, change) }
    define_method(:"test_#{name.gsub(/\W+/, "_")}_with_options") { compare(name, change, { only: %w[at a value] }) }
  end

  # Objects of their own, which stand behind the one that changes them.
  def test_singletons_and_extended_objects
    compared = %i[stock ours].map do |side|
      set, plain, pair = Set[1], Plain.new(1), Pair.new(1, 2)
      change = Change.new do
        set.extend(Loud)
        def plain.as_json(*) = "single"
        pair.singleton_class.prepend(Passing)
      end
      Differential.public_send(side, [set, plain, pair, change, set, plain, pair], nil)
    end
    assert compared[0].same?(compared[1]), -> { compared.join("\n") }
  end

  # Answers the one instance of a class that nobody else keeps, and lets the collector have those before it.
  class Passer
    def initialize(number) = @number = number

    def as_json(*)
      number = @number
      GC.start if (number % 20).zero?
      number.odd? ? Class.new(Plain).new(number) : Class.new { define_method(:as_json) { |*| number } }.new
    end
  end

  # A class lies where another one lay that was met before: only what lives may be remembered.
  def test_many_classes_that_come_and_go
    compared = %i[stock ours].map { |side| Differential.public_send(side, Array.new(300) { |i| Passer.new(i) }, nil) }
    assert compared[0].same?(compared[1]), -> { compared.join("\n") }
    few = Array.new(6) { |i| Passer.new(i) }
    GC.stress = true
    stressed = Differential.ours(few)
    GC.stress = false
    assert_equal Differential.stock(few).text, stressed.text
  ensure
    GC.stress = false
  end

  class Model
    include ActiveModel::Serializers::JSON
    def attributes = { "id" => nil }
    def id = 1
  end

  # What was stopped while it asked about a class asks again the next time: no as_json of a known kind is called from then on.
  def test_learning_that_is_stopped
    how, answer = Differential.forked do
      stops = true
      UnboundMethod.prepend(Module.new { define_method(:source_location) { stops ? raise(IOError, "stopped") : super() } })
      stopped = Differential.ours(Model.new)
      stops = false
      calls = 0
      written = TracePoint.new(:call) { |point| calls += 1 if point.method_id == :as_json && point.self.is_a?(Model) }.enable { Differential.ours(Model.new) }
      [stopped.to_s, written.text, calls]
    end
    assert_equal :done, how, answer
    assert_match(/stopped/, answer[0])
    assert_equal ['{"id":1}', 0], answer[1..]
  end

  # A class below gets an as_json: Ruby then keeps the methods above in another place. They are the known ones all the same.
  def test_methods_that_moved
    how, answer = Differential.forked do
      base = Class.new(Plain)
      below = Class.new(base)
      [base, below].each { |c| Differential.ours([c.new(1)], nil) }
      base.class_eval { def as_json(*) = "base" }
      document = [below.new(1), Plain.new(2), base.new(3), Set[1], Pair.new(1, 2)]
      3.times.map { [Differential.stock(document, nil), Differential.ours(document, nil)] }
    end
    assert_equal :done, how, answer
    answer.each { |stock, ours| assert stock.same?(ours), -> { "#{stock}\n#{ours}" } }
  end

  # Two keys with one text, in a Hash that compares its keys by identity.
  def test_equal_keys
    same = { "a" => 1, "b" => 2 }.compare_by_identity.tap { |h| h["a".dup] = 3 }
    odd = Class.new(Hash) { def compare_by_identity? = false }.new.compare_by_identity.tap { |h| h["a".dup] = 1; h["a".dup] = 2 }
    [same, odd, [same], { x: same }, {}.compare_by_identity, { "a".dup => 1 }.compare_by_identity].each do |value|
      [nil, { only: "a" }].each do |options|
        stock, ours = Differential.stock(value, options), Differential.ours(value, options)
        assert stock.same?(ours), -> { "#{value} #{options}\n  stock: #{stock}\n  ours:  #{ours}" }
      end
    end
  end

  # What another Ractor redefines counts in this one's next document.
  def test_ractors
    how, answer = Differential.forked do
      $VERBOSE = nil
      encoder = Kumihimo::Rails.encoder.new(nil)
      ractor = Ractor.new(encoder) do |e|
        first = e.encode([BigDecimal("1.5"), 3, nil])
        Ractor.yield first
        Ractor.receive
        e.encode([BigDecimal("1.5"), 3, nil])
      end
      before = ractor.take
      BigDecimal.class_eval { def as_json(*) = "redefined" }
      ractor.send(true)
      [before, ractor.take]
    end
    assert_equal :done, how, answer
    assert_equal ['["1.5",3,null]', '["redefined",3,null]'], answer
  end
end
