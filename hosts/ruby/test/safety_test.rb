# frozen_string_literal: true

# What must hold whatever the program does meanwhile: the collector at any moment, jumps out of callbacks, changes of the container
# that is being walked, depth, circles, Ractors, fork.
require "active_support"
require "active_support/json"
require "active_support/time"
require "minitest/autorun"
require "objspace"
require "timeout"
require "kumihimo"
require "kumihimo/rails"
require_relative "differential/forked"

class SafetyTest < Minitest::Test
  class Jumping
    def initialize(&jump) = @jump = jump
    def as_json(*) = @jump.call
    def to_json(*) = @jump.call
  end

  class Answering
    def initialize(answer) = @answer = answer
    def as_json(*) = @answer.respond_to?(:call) ? @answer.call : @answer
    def to_json(*) = (@answer.respond_to?(:call) ? @answer.call : @answer).to_json
  end

  class Film
    def initialize(n) = (@name, @at, @tags = "film #{n} <é>", Time.at(n).utc, ["a", :b, nil, 1.5])
  end

  Point = Struct.new(:x, :y)

  def encode(value, options = nil) = Kumihimo::Rails.encoder.new(options).encode(value)
  def stock(value, options = nil) = ActiveSupport::JSON::Encoding::JSONGemEncoder.new(options).encode(value)

  def tree
    { "text" => "a <é> \u2028" * 20, sym: [1, 2.5, 2**70, nil, true], "films" => Array.new(3) { |i| Film.new(i) }, "point" => Point.new(1, "y"), "set" => Set[1, 2], "latin" => "\xe9".dup.force_encoding("ISO-8859-1"),
      "twz" => Time.at(0).in_time_zone("Tokyo"), "date" => Date.new(2017), "dt" => DateTime.new(2017), 5 => { nil => Answering.new({ a: Film.new(9) }) }, "big" => BigDecimal("1.5") }
  end

  # ---- the collector

  def test_encoding_under_stress
    expected = stock(tree)
    value = tree
    GC.stress = true
    found = encode(value)
    filtered = encode(value, only: %w[text films])
    GC.stress = false
    assert_equal expected, found
    assert_equal stock(tree, only: %w[text films]), filtered
  ensure
    GC.stress = false
  end

  def test_generating_under_stress
    value = { "a" => ["x" * 100, 1, 2.5, nil, { b: Answering.new("inner") }], "é" => 2**80 }
    expected = JSON.generate(value)
    GC.stress = true
    found = Kumihimo.generate(value)
    pretty = Kumihimo.pretty_generate(value)
    GC.stress = false
    assert_equal expected, found
    assert_equal JSON.pretty_generate(value), pretty
  ensure
    GC.stress = false
  end

  def test_errors_under_stress
    GC.stress = true
    [["\xff"], { "a" => ["\xe3"] }].each { |value| assert_raises(JSON::GeneratorError) { encode(value) } }
    assert_raises(JSON::GeneratorError) { Kumihimo.generate([Float::NAN]) }
    assert_raises(JSON::NestingError) { Kumihimo.generate([[[1]]], max_nesting: 2) }
  ensure
    GC.stress = false
  end

  def test_compaction_inside_callbacks
    skip "this Ruby cannot compact" unless GC.respond_to?(:compact)

    expected = stock(tree)
    compacting = Array.new(5) { Answering.new(-> { GC.compact; tree }) }
    assert_equal "[#{Array.new(5) { expected }.join(",")}]", encode(compacting)
    assert_equal stock({ "a" => compacting.first(1), b: 1 }), encode({ "a" => compacting.first(1), b: 1 })
  end

  def test_automatic_compaction
    skip "this Ruby cannot compact" unless GC.respond_to?(:auto_compact=)

    expected = stock(tree)
    GC.auto_compact = true
    200.times do
      assert_equal expected, encode(tree)
      GC.start if rand(20).zero?
    end
  ensure
    GC.auto_compact = false if GC.respond_to?(:auto_compact=)
  end

  def test_references_after_compaction
    skip "this Ruby cannot verify" unless GC.respond_to?(:verify_compaction_references)

    how, answer = Differential.forked do
      expected = stock(tree)
      encoder = Kumihimo::Rails::Encoder.define(Kumihimo::Rails.profile)
      coder = Kumihimo::Coder.new { |o, *| o.to_s }
      GC.verify_compaction_references(toward: :empty, **(RUBY_VERSION >= "3.2" ? { expand_heap: true } : { double_heap: true }))
      [encoder.new.encode(tree) == expected, encode(tree) == expected, coder.dump([:a, Object]) == '["a","Object"]', encoder.new(only: "date").encode(tree) == stock(tree, only: "date")]
    end
    assert_equal [:done, [true] * 4], [how, answer]
  end

  # ---- jumps

  # Live objects and resident memory stay where they were. Each round writes LONG at least once, so a lost buffer shows as more than
  # a hundred thousand bytes a round in every batch; what the allocator and the collector keep for later is far below that.
  def assert_no_leak(rounds, &round)
    levels = [level(rounds, &round)]
    growth = Array.new(4) do
      levels << level(rounds, &round)
      left = levels[-1].zip(levels[-2]).map { |now, before| now - before }
      return assert(true) if left[0] < rounds / 2 && left[1] < rounds * 25_000

      left
    end
    flunk "every batch of #{rounds} leaves objects and bytes behind: #{growth.inspect}"
  end

  # Live objects and resident bytes after so many rounds and whole collections.
  def level(rounds, &round)
    rounds.times(&round)
    3.times { GC.start }
    [live, resident]
  end

  def live = ObjectSpace.count_objects.then { |all| all[:TOTAL] - all[:FREE] }

  def resident
    return 0 unless File.readable?("/proc/self/statm")

    File.read("/proc/self/statm").split[1].to_i * 4096
  end

  LONG = ("x" * 100_000).freeze # beyond any buffer on the stack
  WAYS = { "encode" => ->(test, value) { test.encode(value) }, "generate" => ->(_, value) { Kumihimo.generate(value) }, "dump" => ->(_, value) { Kumihimo.dump(value) },
           "pretty_generate" => ->(_, value) { Kumihimo.pretty_generate(value) } }.freeze

  WAYS.each do |name, way|
    define_method(:"test_raise_inside_#{name}") do
      value = { "a" => [LONG, [LONG, Jumping.new { raise ArgumentError, "no" }]] }
      assert_no_leak(1000) do
        way.call(self, value)
        flunk
      rescue ArgumentError => e
        raise unless e.message == "no"
      end
    end

    define_method(:"test_throw_inside_#{name}") do
      value = [LONG, { "a" => LONG, "b" => Jumping.new { throw :out, 5 } }]
      assert_no_leak(1000) { raise "not thrown" unless catch(:out) { way.call(self, value) } == 5 }
    end

    define_method(:"test_break_and_return_out_of_#{name}") do
      assert_no_leak(600) { raise "not left" unless [1].each { |_| way.call(self, [LONG, Jumping.new { break 7 }]) rescue break 7 } == 7 } # rubocop:disable Style/RescueModifier
    end

    define_method(:"test_killed_inside_#{name}") do
      value = [LONG, [Jumping.new { Thread.current.kill }]]
      assert_no_leak(400) do
        thread = Thread.new { way.call(self, value) }
        thread.join
        raise "still there" if thread.alive? || thread.value
      end
    end

    define_method(:"test_timeout_inside_#{name}") do
      # Raised into the thread as Timeout does, at a place that does not depend on a clock.
      value = [LONG, Jumping.new { Thread.current.raise(Timeout::Error, "out of time") }]
      assert_no_leak(600) do
        way.call(self, value)
        flunk
      rescue Timeout::Error
        nil
      end
    end

    define_method(:"test_fiber_left_inside_#{name}") do
      value = [LONG, Jumping.new { Fiber.yield(1); "back" }]
      assert_no_leak(400) do
        left = Fiber.new { way.call(self, value) }
        raise "no yield" unless left.resume == 1
        # Never resumed: its frames go with it.
      end
    end

    define_method(:"test_fiber_resumed_inside_#{name}") do
      answer = name == "encode" ? "back" : "\"back\""
      fiber = Fiber.new { way.call(self, ["<", Jumping.new { Fiber.yield; answer }]) }
      fiber.resume
      100.times { way.call(self, [LONG]) }
      GC.start
      assert_match(/"back"/, fiber.resume)
    end
  end

  def test_errors_of_the_encoder_leak_nothing
    deep = 200.times.inject(1) { |inner, _| [inner] }
    assert_no_leak(600) { assert_raises(JSON::GeneratorError) { encode([LONG, "\xff"]) } }
    assert_no_leak(600) { assert_raises(JSON::GeneratorError) { Kumihimo.generate([LONG, Float::NAN]) } }
    assert_no_leak(600) { assert_raises(JSON::NestingError) { Kumihimo.generate([LONG, deep]) } }
  end

  def test_success_leaks_nothing
    value = tree.merge("long" => LONG)
    assert_no_leak(600) { encode(value) }
    assert_no_leak(600) { encode(value, only: %w[films long]) }
    assert_no_leak(600) { Kumihimo.generate([LONG, value["text"]]) }
    assert_no_leak(600) { Kumihimo::Rails.encoder.new(except: "sym").encode(value) }
    assert_no_leak(600) { Kumihimo::Coder.new(indent: " ") { |o| o.to_s }.dump([LONG, Object]) }
  end

  def test_retry_by_continuation
    require "continuation"
    again = nil
    times = 0
    result = encode([1, Jumping.new { callcc { |c| again = c }; times += 1; times }, 2])
    again.call if times < 3
    assert_equal "[1,3,2]", result
  end

  # ---- changes while walking

  def test_array_that_shrinks
    list = Array.new(1000) { |i| "text #{i}" }
    list[1] = Answering.new(-> { list.clear; GC.start; list.concat(["new"] * 3); "one" })
    text = encode([list, "after"])
    assert_equal JSON.parse(text).last, "after"
    list = Array.new(1000) { |i| "text #{i}" }
    list[1] = Jumping.new { list.replace([]); GC.start; "\"one\"" }
    assert_equal [["text 0", "one"], "after"], JSON.parse(Kumihimo.generate([list, "after"]))
  end

  def test_array_that_grows_without_end_is_bounded_by_the_callback
    list = []
    grow = Jumping.new { list.size < 10_000 ? (list << grow) && "\"x\"" : "\"x\"" }
    list << grow
    assert_equal 10_000, JSON.parse(Kumihimo.generate(list)).size
  end

  def test_hash_that_changes
    hash = (0..100).to_h { |i| ["k#{i}", i] }
    hash["k5"] = Jumping.new { hash.delete("k6"); hash["k7"] = "changed"; GC.start; "\"five\"" }
    found = JSON.parse(Kumihimo.generate(hash))
    assert_equal "changed", found["k7"]
    refute found.key?("k6")
    hash = (0..100).to_h { |i| ["k#{i}", i] }
    hash["k5"] = Jumping.new { hash["new"] = 1; "\"five\"" }
    assert_raises(RuntimeError) { Kumihimo.generate(hash) }
    # Usable afterwards: no iteration is left open.
    hash["another"] = 1
    assert_equal 1, hash["another"]
    hash = (0..100).to_h { |i| ["k#{i}", i] }
    hash["k5"] = Jumping.new { hash.clear; GC.start; "\"five\"" }
    assert_equal({ "k0" => 0, "k1" => 1, "k2" => 2, "k3" => 3, "k4" => 4, "k5" => "five" }, JSON.parse(Kumihimo.generate(hash)))
  end

  def test_hash_stays_usable_after_a_jump
    hash = { "a" => Jumping.new { raise "out" } }
    [-> { encode(hash) }, -> { Kumihimo.generate(hash) }].each do |way|
      assert_raises(RuntimeError, &way)
      hash["new#{hash.size}"] = 1
    end
    assert_equal 3, hash.size
  end

  def test_string_that_changes
    text = +"a" * 2000
    value = [text, Jumping.new { text.replace("b"); GC.start; "\"x\"" }, text]
    assert_equal ["a" * 2000, "x", "b"], JSON.parse(Kumihimo.generate(value))
  end

  def test_the_result_is_the_callers
    first = encode({ "a" => LONG })
    first << "more"
    first.force_encoding("BINARY")
    assert_equal "{\"a\":\"#{LONG}\"}", encode({ "a" => LONG })
  end

  # ---- depth

  def test_deep_arrays_and_hashes
    [1000, 4000].each do |depth|
      nested = depth.times.inject("x") { |inner, i| i.even? ? [inner] : { "a" => inner } }
      assert_equal JSON.generate(nested, max_nesting: 0), Kumihimo.generate(nested, max_nesting: 0)
    end
  end

  def test_no_depth_ends_the_process
    [10_000, 100_000, 1_000_000].each do |depth|
      nested = depth.times.inject(1) { |inner, _| [inner] }
      [-> { encode(nested) }, -> { Kumihimo.generate(nested, max_nesting: 0) }, -> { Kumihimo.generate(nested) }].each do |way|
        result = begin
          way.call.size
        rescue SystemStackError, JSON::NestingError
          :refused
        end
        assert_includes [:refused, depth * 2 + 1], result
      end
    end
  end

  def test_depth_inside_threads_and_fibers
    nested = 100_000.times.inject(1) { |inner, _| [inner] }
    refused = lambda do
      encode(nested) && :written
    rescue SystemStackError
      :refused
    end
    assert_includes %i[written refused], Thread.new(&refused).value
    assert_includes %i[written refused], Fiber.new(&refused).resume
  end

  def test_circles
    array = [].tap { |a| a << a }
    hash = {}.tap { |h| h["a"] = [h] }
    object = Film.new(1).tap { |f| f.instance_variable_set(:@me, f) }
    [array, hash, object].each { |value| 3.times { assert_raises(SystemStackError, JSON::NestingError) { encode(value) } } }
    assert_equal "[1]", encode([1])
  end

  # ---- threads, Ractors, processes

  def test_threads_share_one_encoder
    value = tree
    expected = stock(tree)
    encoder = Kumihimo::Rails.encoder.new
    results = Array.new(8) { Thread.new { Array.new(50) { encoder.encode(value) }.uniq } }.map(&:value)
    assert_equal [[expected]] * 8, results
  end

  def test_threads_that_switch_inside_callbacks
    results = Array.new(8) do |i|
      Thread.new { Array.new(50) { encode([i, Answering.new(-> { Thread.pass; "t#{i}" }), i]) }.uniq }
    end
    assert_equal(Array.new(8) { |i| ["[#{i},\"t#{i}\",#{i}]"] }, results.map(&:value))
  end

  def test_ractors
    skip "this Ruby has no Ractor" unless defined?(Ractor)

    how, answer = Differential.forked do
      $VERBOSE = nil
      Warning[:experimental] = false
      ractors = Array.new(4) do |i|
        Ractor.new(i) do |n|
          value = { "n" => n, "list" => ["<é>", 1.5, nil, :sym, 2**70] }
          Array.new(200) { Kumihimo.generate(value) }.uniq + [Kumihimo.pretty_generate([n]), Kumihimo::Coder.new { |o, *| o.to_s }.dump([Object])]
        end
      end
      ractors.map { |r| r.respond_to?(:value) ? r.value : r.take }
    end
    expected = Array.new(4) { |i| [JSON.generate({ "n" => i, "list" => ["<é>", 1.5, nil, :sym, 2**70] }), JSON.pretty_generate([i]), '["Object"]'] }
    assert_equal [:done, expected], [how, answer]
  end

  def test_encoder_is_shareable
    skip "this Ruby has no Ractor" unless defined?(Ractor)

    assert_predicate Kumihimo::Rails.encoder.new, :frozen?
    assert Ractor.shareable?(Kumihimo::Rails.encoder.new)
  end

  def test_encoders_that_nobody_initialized
    made = Kumihimo::Rails.encoder
    assert_raises(ArgumentError) { made.allocate.encode(1) }
    assert_raises(ArgumentError) { Class.new(made) { def initialize(*) = nil }.new(only: 1).encode(1) }
    assert_equal '{"a":1}', made.new(only: :a).dup.encode({ a: 1, b: 2 })
    assert_equal '{"a":1}', made.new(only: :a).clone.encode({ a: 1, b: 2 })
  end

  def test_slice_of_a_class_of_its_own
    encode = ->(answer) { Kumihimo::Rails.encoder.new(only: :a).encode(Class.new(Hash) { define_method(:slice) { |*| answer } }[:a, 1]) }
    assert_equal '{"1":null}', encode[[1]]
    [nil, 5, "x"].each { |answer| assert_raises(NoMethodError) { encode[answer] } }
  end

  def test_a_key_that_changes_the_list_it_is_in
    only = (1..100).map { |i| :"k#{i}" }
    only.unshift(Class.new { define_method(:hash) { only.replace([:zz] * 10_000) && GC.start && 1 || 1 }; def eql?(_other) = false }.new)
    assert_equal '{"k5":2}', Kumihimo::Rails.encoder.new(only: only).encode({ a: 1, k5: 2 })
  end

  def test_an_enumerable_without_end
    endless = Class.new { include Enumerable; def each; end; def to_a = self }.new
    assert_raises(SystemStackError) { Kumihimo::Rails.encoder.new.encode(endless) }
  end

  def test_fork_in_the_middle
    how, answer = Differential.forked { [encode(tree), Kumihimo.generate([1, "é"])] }
    assert_equal [:done, [stock(tree), '[1,"é"]']], [how, answer]
    inside = encode([1, Answering.new(-> { Differential.forked { encode(["child"]) }.last }), 2])
    assert_equal '[1,"[\"child\"]",2]', inside
  end
end
