# frozen_string_literal: true

require_relative "test_helper"

# The collector may run, and move objects, at every allocation; the user's code may raise, re-enter, change the source, or never
# come back.
class ParseMemoryTest < Minitest::Test
  include AgainstStock

  DOCUMENT = JSON.generate(
    "people" => Array.new(12) { |i| { "name" => "person number #{i} with a long name", "age" => i, "tags" => ["a", "b#{i}", i * 1.5, 10**25] } },
    "deep" => (1..60).inject(1) { |inner, i| i.odd? ? [inner] : { "level #{i}" => inner } },
    "texts" => Array.new(20) { |i| "é\n" * i }
  )
  # More values at once than the builder holds itself.
  WIDE = "[#{(0...3000).map { |i| "\"text #{i}\"" }.join(",")},{#{(0...2000).map { |i| "\"k#{i}\":[#{i}]" }.join(",")}}]"

  def test_collecting_at_every_allocation
    expected = JSON.parse(DOCUMENT)
    [{}, { symbolize_names: true }, { freeze: true }, { on_load: ->(value) { value } }].each do |options|
      made = stressed { Kumihimo.parse(DOCUMENT, options) }
      assert_equal options[:symbolize_names] ? JSON.parse(DOCUMENT, symbolize_names: true) : expected, made
    end
    small = "[#{(0...600).map { |i| "[#{i}]" }.join(",")}]"
    assert_equal JSON.parse(small), stressed { Kumihimo.parse(small) }
    broken = stressed { Kumihimo.parse("{\"a\":[1,\"x\",tru]}") rescue $! }
    assert_equal "$.a[2]", broken.path
    assert_equal [1, { "a" => 2 }], stressed { Kumihimo.each_document("1{\"a\":2}").to_a }
  end

  def test_moving_objects
    skip "not proven: this Ruby cannot compact" unless GC.respond_to?(:compact)
    expected = [JSON.parse(DOCUMENT), JSON.parse(WIDE)]
    kept = Kumihimo.parse(DOCUMENT)
    3.times do
      begin
        before = GC.respond_to?(:auto_compact) && GC.auto_compact
        GC.auto_compact = true if GC.respond_to?(:auto_compact=)
        assert_equal expected, [Kumihimo.parse(DOCUMENT), Kumihimo.parse(WIDE)]
        calls = 0
        made = Kumihimo.parse(DOCUMENT, on_load: ->(value) { (calls += 1) % 200 == 0 and GC.compact; value })
        assert_equal expected[0], made
      ensure
        GC.auto_compact = before if GC.respond_to?(:auto_compact=)
      end
      GC.compact
      assert_equal expected[0], kept
    end
    return unless GC.respond_to?(:verify_compaction_references)

    GC.verify_compaction_references(toward: :empty, double_heap: true) rescue GC.verify_compaction_references(toward: :empty, expand_heap: true)
    assert_equal expected, [Kumihimo.parse(DOCUMENT), Kumihimo.parse(WIDE)]
  end

  def test_wide_documents
    assert_as_stock(WIDE)
    assert_as_stock(WIDE, freeze: true)
    flat = "[#{(["1"] * 100_000).join(",")}]"
    assert_equal 100_000, Kumihimo.parse(flat).size
    assert_equal 100_000, Kumihimo.parse(flat, on_load: ->(value) { value }).size
  end

  def test_user_code_that_leaves
    deep = "[" * 600 + WIDE + "]" * 600
    leave = { raise: -> { raise IOError, "no" }, throw: -> { throw :out, :thrown }, stop: -> { raise StopIteration } }
    leave.each do |way, jump|
      50.times do
        calls = 0
        options = { max_nesting: false, on_load: ->(value) { (calls += 1) == 2500 ? jump.call : value } }
        result = catch(:out) do
          Kumihimo.parse(deep, options)
          flunk "not reached"
        rescue IOError, StopIteration => e
          e.class
        end
        assert_equal({ raise: IOError, throw: :thrown, stop: StopIteration }[way], result)
      end
    end
    assert_as_stock(DOCUMENT)
  end

  def test_nothing_leaks_when_user_code_leaves
    skip "not proven: no /proc here" unless File.readable?("/proc/self/statm")
    skip "not proven: a sanitizer keeps freed memory" if ENV["ASAN_OPTIONS"]
    deep = "[" * 2000 + WIDE + "]" * 2000
    run = lambda do |times|
      times.times do
        calls = 0
        Kumihimo.parse(deep, max_nesting: false, on_load: ->(value) { (calls += 1) == 2500 ? raise(IOError) : value }) rescue nil
        Kumihimo.parse(deep[0..-2]) rescue nil
        Kumihimo.parse("#{deep[0..-2]}x", max_nesting: false) rescue nil
      end
      GC.start
      File.read("/proc/self/statm").split[1].to_i * 4096
    end
    run.call(30)
    before = run.call(30)
    after = run.call(150)
    assert_operator after - before, :<, 10 << 20 # 150 lost stacks of values alone would be 20 MB
  end

  def test_a_dropped_fiber_and_thread
    skip "not proven: AddressSanitizer takes a stack that a dropped Fiber left for one still in use" if ENV["ASAN_OPTIONS"]
    source = WIDE
    100.times do
      fiber = Fiber.new { Kumihimo.parse(source, on_load: ->(value) { value == "text 2000" ? Fiber.yield(:here) : value }) }
      assert_equal :here, fiber.resume
    end
    GC.start
    10.times do
      started = Queue.new
      thread = Thread.new { Kumihimo.parse(source, on_load: ->(value) { value == "text 2000" ? (started << 1; sleep) : value }) }
      started.pop
      thread.kill.join
    end
    GC.start
    assert_as_stock(source)
  end

  def test_parsing_inside_of_parsing
    inner = "[#{(["{\"a\":1,\"b\":[true]}"] * 100).join(",")}]"
    made = Kumihimo.parse('["x","y"]', on_load: ->(value) { value.is_a?(String) ? Kumihimo.parse(inner, symbolize_names: true) : value })
    assert_equal [[{ a: 1, b: [true] }] * 100] * 2, made
  end

  def test_a_source_that_changes_under_the_reader
    source = +"[#{(0...500).map { |i| "\"text #{i}\"" }.join(",")}]"
    expected = JSON.parse(source)
    made = Kumihimo.parse(source, on_load: lambda { |value|
      source.clear if value == "text 3"
      source << "z" * 100_000 if value == "text 5"
      value
    })
    assert_equal expected, made
  end

  def test_ractors
    skip "not proven: this Ruby has no Ractor" unless defined?(Ractor)
    warned = Warning[:experimental]
    Warning[:experimental] = false
    ractors = Array.new(4) do |i|
      Ractor.new(DOCUMENT.dup.freeze, i) do |source, n|
        50.times.map { Kumihimo.parse(source, symbolize_names: n.odd?) }.uniq.size == 1 &&
          Kumihimo.parse(source, symbolize_names: n.odd?) == JSON.parse(source, symbolize_names: n.odd?) &&
          (begin
            Kumihimo.parse("[1,")
          rescue Kumihimo::ParserError => e
            e.column == 4
          end) && Kumihimo.each_document("1 2").to_a == [1, 2]
      end
    end
    assert_equal [true] * 4, ractors.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
  ensure
    Warning[:experimental] = warned unless warned.nil?
  end

  private

  def stressed
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end
end
