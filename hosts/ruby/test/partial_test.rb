# frozen_string_literal: true

require_relative "test_helper"
require "bigdecimal"
require "json"

class PartialTest < Minitest::Test
  include InThisProcess

  FRAME = {
    "asks" => [[107_925.0, 0.0007], [107_926.0, 1e-08]], "last_price" => { "action" => "ask", "price" => 107_910.0 },
    "a.b" => { "c" => nil }, "trades" => [{ "price" => 1 }, {}, { "price" => "é" }], "timestamp" => "2016-12-25"
  }.freeze
  DOCUMENT = JSON.generate(FRAME).freeze
  LEVELS = %i[strict structural trusted].freeze

  def test_paths
    paths = ["last_price.price", "/asks/1/0", "asks[0]", '"a.b".c', "trades[*].price", "nope", "last_price"]
    expected = [107_910.0, 107_926.0, [107_925.0, 0.0007], nil, [1, nil, "é"], nil, FRAME["last_price"]]
    LEVELS.each do |level|
      wanted = Kumihimo.partial(paths, level: level)
      [DOCUMENT, DOCUMENT.dup, DOCUMENT.b, DOCUMENT.encode("UTF-16LE"), DOCUMENT.encode("ISO-8859-1")].each do |document|
        assert_equal expected, wanted.call(document)
      end
      assert_equal [expected] * 300, wanted.many([DOCUMENT] * 300)
      assert_equal 7, wanted.size
      assert_equal paths, wanted.paths
    end
  end

  def test_ways_to_ask
    assert_equal [107_910.0], Kumihimo.partial("last_price.price")[DOCUMENT]
    assert_equal({ "p" => 107_910.0, :t => "2016-12-25" },
                 Kumihimo.partial({ "p" => "last_price.price", :t => "timestamp" }).call(DOCUMENT))
    assert_equal({ p: 107_910.0 }, Kumihimo.partial(p: "last_price.price").call(DOCUMENT))
    assert_equal({ "p" => 107_910.0 }, Kumihimo.partial(["last_price.price"], names: ["p"]).call(DOCUMENT))
    assert_equal [["2016-12-25"]] * 2, [DOCUMENT, DOCUMENT].map(&Kumihimo.partial("timestamp"))
    assert_equal [FRAME], Kumihimo.partial("$").call(DOCUMENT)
    assert_equal [FRAME], Kumihimo.partial("").call(DOCUMENT)
    assert_equal [5], Kumihimo.partial("").call("5")
  end

  def test_options
    absent = Object.new
    assert_same absent, Kumihimo.partial("nope", missing: absent).call(DOCUMENT)[0]
    assert_equal ["1", absent, '"é"'], Kumihimo.partial("trades[*].price", raw: true, missing: absent).call(DOCUMENT)[0]
    assert_equal Encoding::UTF_8, Kumihimo.partial("timestamp", raw: true).call(DOCUMENT)[0].encoding
    assert_equal BigDecimal("0.10"), Kumihimo.partial("a", decimal_class: BigDecimal).call('{"a":0.10}')[0]
    assert_equal [{ action: "ask", price: 107_910.0 }], Kumihimo.partial("last_price", symbolize_names: true).call(DOCUMENT)
    frozen = Kumihimo.partial("last_price", freeze: true).call(DOCUMENT)[0]
    assert frozen.frozen? && frozen["action"].frozen?
    deep = "#{"[" * 101}#{"]" * 101}"
    assert_raises(Kumihimo::NestingError) { Kumihimo.partial("a").call(deep) }
    assert_raises(Kumihimo::NestingError) { Kumihimo.partial("", max_nesting: 100).call(deep) }
    assert_equal [nil], Kumihimo.partial("a", max_nesting: 101).call(deep)
    assert_equal [JSON.parse(deep, max_nesting: false)], Kumihimo.partial("", max_nesting: false).call(deep)
  end

  def test_wrong_requests
    ["a..b[", "a[x]", '"a', "/a~2"].each do |path|
      error = assert_raises(ArgumentError) { Kumihimo.partial(path) }
      assert_includes error.message, "the path #{path.inspect} is not valid"
    end
    assert_raises(ArgumentError) { Kumihimo.partial([]) }
    assert_raises(ArgumentError) { Kumihimo.partial }
    assert_raises(ArgumentError) { Kumihimo.partial("a", level: :sloppy) }
    assert_raises(ArgumentError) { Kumihimo.partial(%w[a b], names: ["x"]) }
    assert_raises(ArgumentError) { Kumihimo.partial("a", b: "c") }
    assert_raises(TypeError) { Kumihimo.partial([1]) }
    assert_raises(TypeError) { Kumihimo.partial("a", max_nesting: "5") }
    assert_raises(NoMethodError) { Kumihimo::Partial.new }
    assert_raises(ArgumentError) { Kumihimo::Partial.allocate.call("1") }
    assert_raises(TypeError) { Kumihimo.partial("a").dup }
    assert_raises(FrozenError) { Kumihimo.partial("a").send(:initialize, ["b"], nil, 0, nil, false, nil) }
    [nil, 1, [], :a].each { |document| assert_raises(TypeError) { Kumihimo.partial("a").call(document) } }
  end

  def test_errors
    wanted = Kumihimo.partial("a")
    broken = %({"a": 1,\n "b": [1, }, "a": 1})
    ours = assert_raises(Kumihimo::ParserError) { wanted.call(broken) }
    assert_equal [19, 2, 11, "$.b[1]"], [ours.offset, ours.line, ours.column, ours.path]
    assert_nil ours.index
    assert_kind_of JSON::ParserError, ours
    many = assert_raises(Kumihimo::ParserError) { wanted.many(['{"a":1}'] * 300 + ["[", "1"]) }
    assert_equal 300, many.index
    assert_raises(TypeError) { wanted.many(["1", 5]) }
    assert_raises(NoMethodError) { wanted.many(5) }
    LEVELS.each do |level|
      # What is wanted is checked at every level.
      ['{"a": tru}', '{"a": "\\x"}', '{"a": 01}', "{\"a\": \"\xFF\"}"].each do |text|
        assert_raises(Kumihimo::ParserError, text) { Kumihimo.partial("a", level: level).call(text) }
      end
      # And has its place in the document.
      [{}, { format: "json" }].each do |by|
        deep = Kumihimo.partial("a", level: level, max_nesting: 1, **by)
        ours = assert_raises(Kumihimo::NestingError) { deep.call(%({"b":1,\n "a":[[1]]})) }
        assert_equal [13, 2, 6, "$.a"], [ours.offset, ours.line, ours.column, ours.path]
      end
    end
  end

  def test_many_yields_when_it_can
    seen = []
    wanted = Kumihimo.partial("a")
    assert_same wanted, wanted.many(%w[{"a":1} {"a":2}].each) { |result| seen << result }
    assert_equal [[1], [2]], seen
    assert_equal 3, wanted.many(["{}"] * 3) { break 3 }
    assert_equal [[1]], wanted.many(['{"a":1}'].lazy)
  end

  def test_against_a_full_parse
    random = Random.new(5)
    500.times do
      value = { "x" => any(random), "y" => [any(random), { "z" => any(random) }], "k" => { text(random) => any(random) } }
      document = random.rand(2).zero? ? JSON.generate(value) : JSON.pretty_generate(value)
      expected = [value["x"], value["y"][1]["z"], value["y"], [value["y"][1]["z"]]]
      paths = ["x", "y[1].z", "/y", "y[*].z"]
      LEVELS.each do |level|
        found = Kumihimo.partial(paths, level: level).call(document)
        found[3] = found[3].last(1)
        assert_equal expected, found
      end
    end
  end

  # 64 bits and beyond, minus zero, infinities: as parse has them.
  def test_numbers
    %w[0 -0 -0.0 1e400 -1e400 1e-400 9223372036854775807 9223372036854775808 18446744073709551616 0.1
       123456789012345678901234567890 5e-324 1.7976931348623157e308].each do |number|
      expected = silently { JSON.parse(number) }
      assert_equal [expected, [expected]].inspect, Kumihimo.partial(%w[a b[*]]).call(%({"a":#{number},"b":[#{number}]})).inspect
    end
  end

  def test_hostile_documents
    wanted = Kumihimo.partial(["a", "b[*].c", "/d/0"])
    DOCUMENT.bytesize.times { |n| assert_raises(Kumihimo::ParserError) { wanted.call(DOCUMENT.byteslice(0, n)) } }
    random = Random.new(6)
    2000.times do
      garbled = DOCUMENT.b
      random.rand(1..4).times { garbled.setbyte(random.rand(garbled.bytesize), random.rand(256)) }
      begin
        wanted.call(garbled)
      rescue Kumihimo::ParserError
        next
      end
      JSON.parse(garbled)
    end
  end

  # The decimal class runs in the midst of a call: it asks the same decoder, changes the document, leaves by throw and raise.
  def test_callbacks
    wanted = nil
    document = '{"a":[0.5,1.5],"b":"x"}'.dup
    again = Class.new do
      define_singleton_method(:try_convert) do |digits|
        document.replace("!" * 4000)
        [digits, digits == "0.25" ? 0 : wanted.call('{"a":0.25,"b":"inner"}')[1]]
      end
    end
    wanted = Kumihimo.partial(%w[a b], decimal_class: again)
    assert_equal [[["0.5", "inner"], ["1.5", "inner"]], "x"], wanted.call(document)
    leaving = Class.new { def self.try_convert(_) = throw(:out, 7) }
    throwing = Kumihimo.partial("a", decimal_class: leaving)
    50.times { assert_equal 7, catch(:out) { throwing.call('{"a":[[0.5]]}') } }
    raising = Kumihimo.partial("a", decimal_class: Class.new { def self.try_convert(_) = raise(IOError, "no") })
    assert_raises(IOError) { raising.call('{"a":[[0.5]]}') }
    assert_equal [1], raising.call('{"a":1}')
  end

  def test_threads_and_large_documents
    large = "[#{([DOCUMENT] * 3000).join(",")}]"
    wanted = Kumihimo.partial(["[2999].last_price.price", "[*].timestamp"])
    threads = Array.new(4) { Thread.new { Array.new(10) { wanted.call(large) } } }
    large_again = large.dup
    assert_equal [[107_910.0, ["2016-12-25"] * 3000]], threads.flat_map(&:value).uniq
    assert_raises(Kumihimo::ParserError) { wanted.call(large_again.chop!) }
  end

  def test_ractors
    skip "not proven: this Ruby has no Ractors" unless defined?(Ractor)
    wanted = Ractor.make_shareable(Kumihimo.partial({ "p" => "last_price.price", "t" => "trades[*].price" }))
    assert Ractor.shareable?(wanted)
    ractors = silently { Array.new(3) { Ractor.new(wanted, DOCUMENT) { |w, d| Array.new(2000) { w.call(d) }.uniq } } }
    ractors.each { |r| assert_equal [{ "p" => 107_910.0, "t" => [1, nil, "é"] }], r.respond_to?(:value) ? r.value : r.take }
  end

  class Keeping
    attr_reader :kept

    def each(&block)
      @kept = block
      yield '{"a":1}'
    end
  end

  # An each may keep the block, and call it when many has returned, or from threads.
  def test_a_block_that_outlives_many
    documents = Keeping.new
    results = Kumihimo.partial("a").many(documents)
    assert_equal [[1]], results
    deeper = ->(n) { n.zero? ? documents.kept.call('{"a":2}') : deeper.call(n - 1) }
    deeper.call(100)
    4.times.map { Thread.new { documents.kept.call("{\"a\":3,\"b\":\"#{"x" * 300_000}\"}") } }.each(&:join)
    assert_equal [[1], [2], [3], [3], [3], [3]], results
    error = assert_raises(Kumihimo::ParserError) { documents.kept.call("{") }
    assert_equal 6, error.index
  end

  def test_names_that_do_not_fit
    [5, [], [:a, :b]].each do |names|
      raw = Kumihimo::Partial.allocate
      assert_raises(TypeError, ArgumentError) { raw.send(:initialize, ["a"], names, 0, nil, false, {}) }
    end
  end

  def test_collector
    wanted = Kumihimo.partial({ "p" => "last_price.price", "t" => "trades", "n" => "nope" }, missing: Object.new.to_s)
    expected = wanted.call(DOCUMENT)
    GC.stress = true
    made = Kumihimo.partial({ "p" => "last_price.price", "t" => "trades" }, missing: +"none")
    3.times { assert_equal expected, wanted.call(DOCUMENT.dup) }
    assert_equal 107_910.0, made.call(DOCUMENT)["p"]
    assert_raises(Kumihimo::ParserError) { wanted.call("{") }
    GC.stress = false
    move_objects
    assert_equal expected, wanted.call(DOCUMENT)
  ensure
    GC.stress = false
  end

  # Many, because one class may be lucky and stay where it is.
  def test_the_decimal_class_may_move
    all = Array.new(100) { Kumihimo.partial("a", decimal_class: Class.new { def self.try_convert(digits) = [digits] }) }
    move_objects
    assert_equal [[["1.5"]]], all.map { |wanted| wanted.call('{"a": 1.5}') }.uniq
  end

  private

  def any(random, depth = 0)
    case random.rand(depth > 3 ? 6 : 8)
    when 0 then nil
    when 1 then random.rand(2).zero?
    when 2 then random.rand(-2**70..2**70)
    when 3 then random.rand(-1000..1000)
    when 4 then random.rand * 10**random.rand(-30..30)
    when 5 then text(random)
    when 6 then Array.new(random.rand(4)) { any(random, depth + 1) }
    else Array.new(random.rand(4)) { [text(random), any(random, depth + 1)] }.to_h
    end
  end

  def text(random)
    Array.new(random.rand(12)) { ["a", "é", "\"", "\\", "\n", "日", "😀", "}", "]", ","].sample(random: random) }.join
  end
end
