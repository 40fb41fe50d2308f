# frozen_string_literal: true

require_relative "test_helper"
require_relative "differential/forked"
require "bigdecimal"
require "json"

class LazyTest < Minitest::Test
  include InThisProcess

  FRAME = {
    "asks" => [[107_925.0, 0.0007], [107_926.0, 1e-08]], "last_price" => { "action" => "ask", "price" => 107_910.0 },
    "a.b" => { "c" => nil }, "trades" => [{ "price" => 1 }, {}, { "price" => "é" }], "timestamp" => "2016-12-25"
  }.freeze
  DOCUMENT = JSON.generate(FRAME).freeze

  def setup
    @lazy = Kumihimo.lazy(DOCUMENT)
  end

  def test_finding
    assert_equal 107_910.0, @lazy["last_price"]["price"]
    assert_equal 107_910.0, @lazy[:last_price][:price]
    assert_equal 107_926.0, @lazy["asks"][-1][0]
    assert_equal "é", @lazy["trades"][2]["price"]
    assert_nil @lazy["nope"]
    assert_nil @lazy[0]
    assert_nil @lazy[nil]
    assert_nil @lazy["asks"][2]
    assert_nil @lazy["asks"][-3]
    assert_nil @lazy["a.b"]["c"]
    assert @lazy["a.b"].key?("c") && @lazy.has_key?(:asks) && @lazy.member?("asks") && @lazy.include?("asks")
    refute @lazy.key?("nope") || @lazy.key?(5)
    assert_equal "v", Kumihimo.lazy('{"é":"v"}')["é".encode("ISO-8859-1")]
    assert_equal "v", Kumihimo.lazy('{"\u00e9":"v"}')["é"]
    assert_equal 2, Kumihimo.lazy('{"a":1,"a":2}')["a"]
  end

  def test_arrays_as_arrays
    array = (0..20).to_a
    lazy = Kumihimo.lazy(JSON.generate(array))
    nested = Kumihimo.lazy(JSON.generate(array.map { |n| [n] }))
    (-23..23).each do |i|
      assert_equal [array[i]], [lazy[i]]
      assert_equal [array[i]], [nested[i]&.first]
      (-1..4).each { |n| assert_equal [array[i, n]], [lazy[i, n]] }
      [i..3, i...-1, (i..), (..i)].each do |range|
        assert_equal [array[range]], [lazy[range]]
        assert_equal [array[range]], [nested[range]&.map(&:first)]
      end
    end
    assert_raises(TypeError) { lazy["x"] }
    assert_raises(TypeError) { lazy[nil] }
    assert_raises(RangeError) { lazy[2**70] }
    assert_raises(ArgumentError) { lazy[1, 2, 3] }
    assert_raises(ArgumentError) { @lazy["a", 2] }
    assert_equal 1, lazy[1.9]
  end

  def test_fetch
    assert_equal "2016-12-25", @lazy.fetch("timestamp")
    assert_equal 5, @lazy.fetch("nope", 5)
    assert_equal "nope!", @lazy.fetch("nope") { |key| "#{key}!" }
    error = assert_raises(KeyError) { @lazy.fetch("nope") }
    assert_equal ["nope", @lazy], [error.key, error.receiver]
    assert_equal [107_926.0, 1e-08], @lazy["asks"].fetch(-1).value
    assert_nil @lazy["a.b"].fetch("c", 5)
    assert_raises(IndexError) { @lazy["asks"].fetch(2) }
    assert_equal 7, @lazy["asks"].fetch(-3, 7)
    assert_raises(TypeError) { @lazy["asks"].fetch("x") }
  end

  def test_dig
    [["asks", 1, 0], ["asks", 1], ["nope", 1], ["a.b", "c", "d", 5], ["trades", 0, "price"], ["trades", 9, "x"]].each do |keys|
      expected = FRAME.dig(*keys)
      found = @lazy.dig(*keys)
      assert_equal [expected], [found.is_a?(Kumihimo::Lazy) ? found.value : found]
    end
    error = assert_raises(TypeError) { @lazy.dig("timestamp", 1) }
    assert_equal "String does not have #dig method", error.message
    assert_raises(TypeError) { @lazy.dig("asks", "x") }
    assert_raises(ArgumentError) { @lazy.dig }
  end

  def test_all_of_it
    assert_equal FRAME, @lazy.value
    assert_equal FRAME, @lazy.to_h
    assert_equal FRAME.to_a, @lazy.to_a
    assert_equal FRAME["asks"], @lazy["asks"].to_a
    assert_equal FRAME.keys, @lazy.keys
    assert_equal FRAME.values, @lazy.values.map { |v| v.is_a?(Kumihimo::Lazy) ? v.value : v }
    assert_equal [5, 5, 2, 0, 3], [@lazy.size, @lazy.length, @lazy["asks"].count, @lazy["trades"][1].size, @lazy["trades"].size]
    assert @lazy["trades"][1].empty?
    refute @lazy.empty?
    assert_raises(TypeError) { @lazy["asks"].to_h }
    assert_equal %i[object array object], [@lazy, @lazy["asks"], @lazy["trades"][1]].map(&:type)
  end

  def test_each
    assert_equal FRAME["asks"], @lazy["asks"].map(&:value)
    assert_equal FRAME.keys, (@lazy.map { |key, _| key })
    assert_equal FRAME["last_price"], @lazy["last_price"].each.to_h
    assert_equal FRAME["last_price"].to_a, @lazy["last_price"].each_pair.to_a
    assert_equal 5, @lazy.each.size
    assert_equal [107_925.0, 0.0007], @lazy["asks"].first.value
    assert_equal 2, (@lazy.each { break 2 })
    assert_same @lazy, (@lazy.each {})
    assert_equal [[1], [nil], ["é"]], @lazy["trades"].each_slice(1).map { |slice| slice.map { |t| t["price"] } }
    enumerator = @lazy["asks"].each
    assert_equal [107_925.0, 107_926.0], [enumerator.next[0], enumerator.next[0]]
    assert_raises(StopIteration) { enumerator.next }
    assert @lazy["asks"].include?([107_926.0, 1e-08])
  end

  def test_scalars_at_the_root
    texts = { "1" => :number, "-1.5" => :number, "null" => :null, "true" => :boolean, ' "x" ' => :string, "1e400" => :number }
    texts.each do |text, as|
      lazy = Kumihimo.lazy(text)
      assert_equal [silently { JSON.parse(text) }, as, text.strip], [lazy.value, lazy.type, lazy.raw]
      [-> { lazy[0] }, -> { lazy.size }, -> { lazy.keys }, -> { lazy.each {} }, -> { lazy.fetch(0) }, -> { lazy.dig(0) },
       -> { lazy.to_a }, -> { lazy.to_h }, -> { lazy.key?("a") },
       -> { lazy.values }].each { |wrong| assert_raises(TypeError, &wrong) }
    end
  end

  def test_numbers
    %w[0 -0 -0.0 9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551615 18446744073709551616
       4611686018427387904 0.1 123456789012345678901234567890 5e-324 1e400].each do |number|
      expected = silently { JSON.parse(number) }
      assert_equal expected.inspect, Kumihimo.lazy("[#{number}]")[0].inspect
      assert_equal [expected].inspect, Kumihimo.lazy("[#{number}]").value.inspect
    end
  end

  def test_options
    assert_equal BigDecimal("0.10"), Kumihimo.lazy('{"a":0.10}', decimal_class: BigDecimal)["a"]
    symbols = Kumihimo.lazy(DOCUMENT, symbolize_names: true)
    assert_equal JSON.parse(DOCUMENT, symbolize_names: true), symbols.value
    assert_equal FRAME.keys.map(&:to_sym), symbols.keys
    assert_equal :asks, symbols.first[0]
    frozen = Kumihimo.lazy(DOCUMENT, freeze: true)
    assert frozen["timestamp"].frozen? && frozen.value.frozen? && frozen["asks"].value[0].frozen?
    refute @lazy["timestamp"].frozen? || @lazy.value.frozen?
    assert_raises(Kumihimo::NestingError) { Kumihimo.lazy("[[[]]]", max_nesting: 2) }
    assert_equal [[[]]], Kumihimo.lazy("[[[]]]", max_nesting: 3).value
    deep = "[" * 5000 + "]" * 5000
    assert_raises(Kumihimo::NestingError) { Kumihimo.lazy(deep) }
    assert_equal 1, Kumihimo.lazy(deep, max_nesting: 0).dig(*[0] * 4000).size
  end

  def test_raw
    assert_equal DOCUMENT, @lazy.raw
    assert_equal '{"price":"é"}', @lazy["trades"][2].raw
    assert_equal Encoding::UTF_8, @lazy.raw.encoding
    odd = Kumihimo.lazy(' {"a/b~c": [ [ ], {"": [7 ] } ], "1": [{"x": [8]}], "2":[], "2":[9]} ')
    assert_equal ["[7 ]", "[8]", "[ ]", "[9]"],
                 [odd["a/b~c"][1][""].raw, odd["1"][0]["x"].raw, odd["a/b~c"][0].raw, odd["2"].raw]
    assert_equal odd["1"].raw, odd["1"].to_json
    assert_equal "[#{odd["1"].raw}]", JSON.generate([odd["1"]])
    assert_equal [{ "x" => [8] }], odd["1"].as_json
  end

  def test_text_and_equality
    assert_equal '#<Kumihimo::Lazy {"price":1}>', @lazy["trades"][0].inspect
    assert_match(/\A#<Kumihimo::Lazy .{60}\.\.\.>\z/, @lazy.inspect)
    assert_equal @lazy["asks"], [[107_925.0, 0.0007], [107_926.0, 1e-08]]
    assert_equal @lazy["asks"], Kumihimo.lazy(DOCUMENT.sub("{", " { "))["asks"]
    refute_equal @lazy["asks"], @lazy["trades"]
    assert_equal 1, { @lazy["asks"] => 1 }[Kumihimo.lazy(DOCUMENT)["asks"]]
    assert_raises(TypeError) { @lazy.dup }
    assert_raises(NoMethodError) { Kumihimo::Lazy.new }
    assert_raises(NoMethodError) { Kumihimo::Lazy.open("1", {}) }
    assert_raises(TypeError) { Kumihimo::Lazy.allocate }
  end

  def test_errors
    error = assert_raises(Kumihimo::ParserError) { Kumihimo.lazy("{\"a\": [1,\n }") }
    assert_equal [11, 2, 2, "$.a"], [error.offset, error.line, error.column, error.path[0, 3]]
    ["", " ", "[1,", "{\"a\":1}}", "// c\n1", "[\"\xFF\"]", "nul", "[1 2]"].each do |text|
      assert_raises(Kumihimo::ParserError) { Kumihimo.lazy(text) }
    end
    [nil, 1, :a].each { |source| assert_raises(TypeError) { Kumihimo.lazy(source) } }
    DOCUMENT.bytesize.times { |n| assert_raises(Kumihimo::ParserError) { Kumihimo.lazy(DOCUMENT.byteslice(0, n)) } }
  end

  def test_garbled_documents
    random = Random.new(8)
    1000.times do
      garbled = DOCUMENT.b
      4.times { garbled.setbyte(random.rand(garbled.bytesize), random.rand(256)) }
      begin
        lazy = Kumihimo.lazy(garbled)
      rescue Kumihimo::ParserError
        next
      end
      assert_equal silently { JSON.parse(garbled) }, lazy.value
    end
  end

  # The document belongs to the caller again as soon as it was read.
  def test_the_source_may_change
    source = DOCUMENT.dup
    lazy = Kumihimo.lazy(source)
    source.replace("x" * 10)
    assert_equal FRAME, lazy.value
    inner = Kumihimo.lazy(DOCUMENT.b)["last_price"]
    GC.start
    assert_equal ["ask", FRAME["last_price"]], [inner["action"], inner.value]
  end

  def test_threads_and_large_documents
    large = "[#{([DOCUMENT] * 3000).join(",")}]"
    lazy = Kumihimo.lazy(large)
    threads = Array.new(4) do |t|
      Thread.new { Array.new(500) { |i| lazy[(i * 7 + t * 31) % 3000]["trades"][2]["price"] }.uniq }
    end
    assert_equal [["é"]], threads.map(&:value).uniq
    assert_raises(Kumihimo::ParserError) { Kumihimo.lazy(large.chop) }
  end

  def test_ractors
    skip "not proven: this Ruby has no Ractors" unless defined?(Ractor)
    lazy = Ractor.make_shareable(Kumihimo.lazy(DOCUMENT))
    ractors = silently do
      Array.new(3) { Ractor.new(lazy) { |l| Array.new(500) { |i| [l["asks"][i % 2][1], l.value.size] }.uniq.sort } }
    end
    ractors.each { |r| assert_equal [[1e-08, 5], [0.0007, 5]], r.respond_to?(:value) ? r.value : r.take }
  end

  # Whatever a value is asked, wherever it is asked.
  EVERYTHING = lambda do |lazy|
    [lazy["last_price"]["price"], lazy.dig("asks", -1, 0), lazy.fetch("timestamp"), lazy["asks"][0, 2].map(&:value), lazy["asks"].each.map(&:value), lazy.keys, lazy.values.size, lazy.size,
     lazy["trades"].map { |trade| trade["price"] }, lazy["trades"].raw, lazy.key?("nope"), lazy["a.b"].to_h, lazy.type, lazy.value, lazy == lazy.value, lazy.inspect, JSON.generate(lazy), lazy.as_json.size]
  end

  def lazies
    large = "[#{([DOCUMENT] * 3000).join(",")}]"
    [Kumihimo.lazy(DOCUMENT), Kumihimo.lazy(large)[2999], Kumihimo.lazy(large).to_a && Kumihimo.lazy(large).first]
  end

  def test_in_another_thread_and_fiber
    lazies.each do |lazy|
      expected = EVERYTHING.call(lazy)
      assert_equal expected, Thread.new { EVERYTHING.call(lazy) }.value
      assert_equal expected, Fiber.new { EVERYTHING.call(lazy) }.resume
      assert_equal expected, Thread.new { Thread.new { EVERYTHING.call(lazy) }.value }.value
    end
    made = Thread.new { lazies }.value
    GC.start
    made.each { |lazy| assert_equal FRAME, lazy.value }
    assert_equal FRAME["asks"], Thread.new { made[0]["asks"] }.value.map(&:value)
  end

  def test_after_a_fork
    lazies.each do |lazy|
      expected = EVERYTHING.call(lazy)
      half_read = lazy["asks"].each
      half_read.next
      how, found = Differential.forked do
        GC.start
        [EVERYTHING.call(lazy), half_read.next.value, Thread.new { lazy["timestamp"] }.value]
      end
      assert_equal [:done, [expected, FRAME["asks"][1], FRAME["timestamp"]]], [how, found]
      assert_equal expected, EVERYTHING.call(lazy)
    end
  end

  # Shared it works, and moved. Copied it cannot be, and Ruby says so.
  def test_sent_to_another_ractor
    skip "not proven: this Ruby has no Ractors" unless defined?(Ractor)
    how, found = Differential.forked do
      $VERBOSE = nil
      lazies.map do |lazy|
        expected = EVERYTHING.call(lazy)
        result = ->(ractor) { ractor.respond_to?(:value) ? ractor.value : ractor.take }
        shared = Ractor.make_shareable(lazy)
        inside = result.call(Ractor.new(shared, EVERYTHING.to_s) { |l, _| [l["last_price"]["price"], l.value, l["asks"].each.map(&:value), l.raw, Thread.new { l.keys }.value] })
        back = result.call(Ractor.new(shared) { |l| l["asks"] })
        moved = result.call(Ractor.new { Ractor.receive["timestamp"] }.tap { |ractor| ractor.send(lazy, move: true) })
        # Not made shareable it would have to be copied.
        unfit = begin
          result.call(Ractor.new(Kumihimo.lazy("[1.5]", decimal_class: Class.new { def self.try_convert(text) = text })) { |l| l[0] })
        rescue StandardError => error
          error.class.name
        end
        [inside == [expected[0], expected[13], expected[4], lazy.raw, lazy.keys], back.value == lazy["asks"].value, moved, unfit]
      end
    end
    assert_equal :done, how, found.inspect
    found.each do |inside, back, moved, unfit|
      assert inside && back
      assert_equal FRAME["timestamp"], moved
      assert_equal "TypeError", unfit
    end
  end

  def test_neither_copied_nor_stored
    assert_raises(TypeError) { @lazy.dup }
    assert_raises(TypeError) { @lazy.clone }
    assert_raises(TypeError) { Marshal.dump(@lazy) }
  end

  def test_collector
    GC.stress = true
    lazy = Kumihimo.lazy(DOCUMENT.dup)
    assert_equal FRAME, lazy.value
    assert_equal FRAME["asks"], lazy["asks"].map(&:value)
    assert_equal FRAME.keys, lazy.keys
    assert_equal 1e-08, lazy.dig("asks", 1, 1)
    assert_equal DOCUMENT, lazy.raw
    assert_raises(Kumihimo::ParserError) { Kumihimo.lazy("[") }
    GC.stress = false
    move_objects
    assert_equal FRAME, lazy.value
  ensure
    GC.stress = false
  end

  # Many, because one class may be lucky and stay where it is.
  def test_the_decimal_class_may_move
    all = Array.new(100) { Kumihimo.lazy('{"a": 1.5}', decimal_class: Class.new { def self.try_convert(digits) = [digits] }) }
    move_objects
    assert_equal [["1.5"]], all.map { |lazy| lazy["a"] }.uniq
  end

  def test_raw_of_equal_keys
    values = Kumihimo.lazy('{"a":[1],"a":[2], "b": {"a" : [3] }}').values
    assert_equal ["[1]", "[2]", '{"a" : [3] }'], values.map(&:raw)
    assert_equal [[1], [2], { "a" => [3] }], values.map(&:value)
  end
end
