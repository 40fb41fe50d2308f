# frozen_string_literal: true

module Differential
  module Probes
    KEYS = {
      "nil" => -> { nil }, "true" => -> { true }, "integer" => -> { 1 }, "bignum" => -> { 2**70 }, "float" => -> { 1.5 }, "float NaN" => -> { Float::NAN }, "float 1e20" => -> { 1e20 },
      "-0.0" => -> { -0.0 }, "symbol" => -> { :b }, "html string" => -> { "<a>" }, "html symbol" => -> { :"<a>" }, "separator" => -> { "\u2028" },
      "array" => -> { [1] }, "hash" => -> { { a: 1 } }, "time" => -> { Time.at(0).utc }, "date" => -> { Date.new(2020, 1, 2) }, "datetime" => -> { DateTime.new(2020, 1, 2) },
      "range" => -> { 1..2 }, "regexp" => -> { /a<b/ }, "rational" => -> { Rational(1, 3) }, "BigDecimal" => -> { BigDecimal("1.50") }, "class" => -> { String },
      "exception" => -> { ArgumentError.new("<bad>") }, "uri" => -> { URI("http://a/?b&c") }, "pathname" => -> { Pathname.new("/tmp/<a>") },
      "set" => -> { Set[1] }, "TimeWithZone" => -> { Time.at(0).utc.in_time_zone("Tokyo") }, "object" => -> { Object.new }, "duration" => -> { 3.days },
      "safe buffer" => -> { ActiveSupport::SafeBuffer.new("<b>") }, "empty string" => -> { "" }, "empty symbol" => -> { :"" }, "ipaddr" => -> { IPAddr.new("10.0.0.0/8") },
    }.freeze
    KEYS.each { |name, make| add("key, #{name}") { { make.call => 1, "z" => 2 } } }
    KEYS.each { |name, make| add("key below the top, #{name}") { [{ "a" => { make.call => { make.call => 1 } } }] } }
    add("all keys together") { KEYS.each_with_object({}) { |(name, make), h| h[make.call] = name } }

    with "key whose to_s is a subclass of String", -> { const_set(:Text, Class.new(String)); t = self::Text; const_set(:Key, Class.new { define_method(:to_s) { t.new("<k>") } }) } do
      { self::Key.new => 1, "<k>" => 2 }
    end
    with "key whose to_s is no String", -> { const_set(:Key, Class.new { def to_s = 5 }) } do
      { self::Key.new => 1 }
    end
    with "key whose to_s is nil", -> { const_set(:Key, Class.new { def to_s = nil }) } do
      { self::Key.new => 1 }
    end
    with "key whose to_s is in latin1", -> { const_set(:Key, Class.new { def to_s = "\xe9".dup.force_encoding("ISO-8859-1") }) } do
      { self::Key.new => 1 }
    end
    with "key whose to_s raises", -> { const_set(:Key, Class.new { def to_s = raise("no text") }) } do
      { "a" => 1, self::Key.new => 1 }
    end
    with "key with as_json", -> { const_set(:Key, Class.new { def as_json(*) = "from as_json"; def to_s = "from to_s" }) } do
      { self::Key.new => 1 }
    end
    with "key with as_json that is no String", -> { const_set(:Key, Class.new { def as_json(*) = 5; def to_s = "from to_s" }) } do
      { self::Key.new => 1 }
    end
    with "key of a String subclass", -> { const_set(:Key, Class.new(String)) } do
      { self::Key.new("<k>") => 1, "plain" => 2 }
    end
    with "key of a String subclass with to_s", -> { const_set(:Key, Class.new(String) { def to_s = "from to_s <" }) } do
      { self::Key.new("k") => 1 }
    end
    with "key of a String subclass with as_json", -> { const_set(:Key, Class.new(String) { def as_json(*) = "from as_json" }) } do
      { self::Key.new("k") => 1 }
    end
    with "key of a String subclass with to_json", -> { const_set(:Key, Class.new(String) { def to_json(*) = "\"from to_json\"" }) } do
      { self::Key.new("k") => self::Key.new("v") }
    end
    add("key with singleton to_s") { { "k".dup.tap { |k| k.define_singleton_method(:to_s) { "singleton" } }.freeze => 1 }.compare_by_identity }
    add("key object with singleton to_s") { { Object.new.tap { |k| k.define_singleton_method(:to_s) { "single<" } } => 1 } }

    add("colliding keys, string first") { { "a" => 1, :a => 2, "b" => 3 } }
    add("colliding keys, symbol first") { { a: 1, "b" => 3, "a" => 2 } }
    add("colliding keys, integers") { { 1 => :int, "1" => :string, :"1" => :symbol, 1.0 => :float } }
    add("colliding keys, nil and empty") { { nil => 1, "" => 2, :"" => 3 } }
    add("colliding keys, nested") { { x: { "a" => { a: 1 }, :a => { "a" => 2 } }, "x" => 5 } }
    add("colliding keys, same text in two encodings") { { "é" => 1, "\xe9".dup.force_encoding("ISO-8859-1") => 2 } }
    add("colliding keys, ascii text in two encodings") { { "a" => 1, "a".encode("UTF-16LE") => 2 } }
    add("colliding keys, binary and utf-8") { { "é" => 1, "é".b => 2 } }
    add("colliding keys by identity") { { "a".dup => 1, "a".dup => 2 }.compare_by_identity }
    add("colliding keys, the second a container") { { "a" => [1], :a => { b: 2 } } }
    add("many colliding keys") { (0..50).each_with_object({}) { |i, h| h[i] = i; h[i.to_s] = -i; h[i.to_s.to_sym] = [i] } }

    add("empty hash") { {} }
    add("empty array") { [] }
    add("empties inside") { { a: {}, b: [], c: [[], {}], d: [{}] } }
    add("hash of a, b, c") { { a: 1, "b" => 2, c: { "a" => 1, b: 2, "c" => { a: { a: 1, "b" => 1 }, b: 3 } } } }
    add("array of hashes") { [{ a: 1, b: 2 }, { "a" => 1, "b" => 2 }, [{ a: [{ b: 1, a: 2 }] }]] }
    add("hash with a default") { Hash.new { |h, k| h[k] = k }.merge(a: 1) }
    add("hash by identity") { { a: 1, "b" => 2 }.compare_by_identity }
    add("hash frozen") { { a: { b: [1].freeze }.freeze }.freeze }
    add("hash with many pairs") { (0..300).to_h { |i| ["key#{i}", i] } }
    add("hash with deleted pairs") { (0..30).to_h { |i| [i.to_s, i] }.tap { |h| 10.times { |i| h.delete(i.to_s) } } }
    add("array shared") { (0..100).to_a[20..50] }
    add("array of itself twice") { a = [1, "<"]; [a, a, { x: a, y: a }] }
    add("one hash at many places") { h = { "a" => :<, b: Time.at(0).utc }; { a: h, b: [h, h] } }
    add("indifferent access") { ActiveSupport::HashWithIndifferentAccess.new(a: 1, b: { a: 2, "c" => [{ d: 1 }] }) }
    add("ordered hash") { ActiveSupport::OrderedHash[:b, 1, :a, 2] }
    add("ordered options") { ActiveSupport::OrderedOptions.new.tap { |o| o.a = 1; o.b = { a: 2 } } }
    add("array inquirer") { ActiveSupport::ArrayInquirer.new(%i[phone tablet]) }

    [1, 2, 31, 32, 33, 98, 99, 100, 101, 150, 600].each do |depth|
      add("arrays #{depth} deep") { depth.times.inject(1) { |inner, _| [inner] } }
      add("hashes #{depth} deep") { depth.times.inject(1) { |inner, _| { "a" => inner } } }
      add("mixed #{depth} deep") { depth.times.inject("x") { |inner, i| i.odd? ? { a: inner } : [inner] } }
    end
    with "objects 60 deep", -> { const_set(:Node, Class.new { attr_writer :a }) } do
      60.times.inject(1) { |inner, _| self::Node.new.tap { |n| n.a = inner } }
    end
    with "objects 120 deep", -> { const_set(:Node, Class.new { attr_writer :a }) } do
      120.times.inject(1) { |inner, _| self::Node.new.tap { |n| n.a = inner } }
    end
    add("empty array at depth 100") { 99.times.inject([]) { |inner, _| [inner] } }
    add("empty array at depth 101") { 100.times.inject([]) { |inner, _| [inner] } }
    add("empty hash at depth 101") { 100.times.inject({}) { |inner, _| [inner] } }
    add("too deep beside what is wrong") { [Float::NAN, 101.times.inject(1) { |inner, _| [inner] }] }

    add("circular array") { [1].tap { |a| a << a } }
    add("circular hash") { { a: 1 }.tap { |h| h[:self] = h } }
    add("circular through both") { { a: [1] }.tap { |h| h[:a] << { b: h } } }
    with "circular object", -> { const_set(:Node, Class.new { attr_accessor :me }) } do
      self::Node.new.tap { |n| n.me = n }
    end
    with "circular through to_hash", -> { const_set(:Node, Class.new { def to_hash = { me: self } }) } do
      self::Node.new
    end
    with "circular through as_json", -> { const_set(:Node, Class.new { def as_json(*) = [self] }) } do
      self::Node.new
    end

    with "Struct", -> { const_set(:Point, Struct.new(:a, :b)) } do
      self::Point.new(1, [self::Point.new("<", nil)])
    end
    with "Struct with keywords", -> { const_set(:Point, Struct.new(:a, :b, keyword_init: true)) } do
      { p: self::Point.new(a: 1, b: 2) }
    end
    with "Struct with fewer values", -> { const_set(:Point, Struct.new(:a, :b, :c)) } do
      self::Point.new(1)
    end
    with "Struct with many members", -> { const_set(:Wide, Struct.new(*(0..40).map { |i| :"m#{i}" })) } do
      self::Wide.new(*0..40)
    end
    with "Struct with instance variables", -> { const_set(:Point, Struct.new(:a) { def more = (@more = 1) && self }) } do
      self::Point.new(1).more
    end
    with "Struct subclass", -> { const_set(:Point, Class.new(Struct.new(:a, :b)) { def initialize(a) = super(a, a) }) } do
      self::Point.new(:x)
    end
    with "Struct with to_h", -> { const_set(:Point, Struct.new(:a) { def to_h = { b: 2 } }) }, core_ext: "6.1 pairs members with values, 8.1 asks to_h" do
      self::Point.new(1)
    end
    with "Struct with to_hash", -> { const_set(:Point, Struct.new(:a) { def to_hash = { b: 2 } }) } do
      self::Point.new(1)
    end
    with "Struct with values and members of its own", -> { const_set(:Point, Struct.new(:a) { def values = [5]; def members = [:z] }) }, core_ext: "6.1 pairs members with values, 8.1 asks to_h" do
      self::Point.new(1)
    end
    with "Struct with a member named values", -> { const_set(:Point, Struct.new(:values, :members, :to_h)) }, core_ext: "6.1 pairs members with values, 8.1 asks to_h" do
      self::Point.new(1, 2, 3)
    end
    with "Struct with a member named as_json", -> { const_set(:Point, Struct.new(:as_json)) } do
      self::Point.new("<")
    end
    with "Struct with a member named html", -> { const_set(:Point, Struct.new(:"<a>", :é)) } do
      self::Point.new(1, 2)
    end
    with "Struct with each of its own", -> { const_set(:Point, Struct.new(:a) { def each = yield(9); def to_a = [8] }) } do
      self::Point.new(1)
    end
    with "Struct with as_json", -> { const_set(:Point, Struct.new(:a) { def as_json(*) = "me" }) } do
      [self::Point.new(1)]
    end
    with "Struct with to_json", -> { const_set(:Point, Struct.new(:a) { def to_json(*) = "\"me\"" }) } do
      [self::Point.new(1)]
    end
    with "Struct including Enumerable again", -> { const_set(:Point, Struct.new(:a) { include Enumerable }) } do
      self::Point.new(1)
    end
    with "circular Struct", -> { const_set(:Point, Struct.new(:a)) } do
      self::Point.new.tap { |p| p.a = p }
    end
    if defined?(::Data) && ::Data.respond_to?(:define)
      with "Data", -> { const_set(:Point, ::Data.define(:a, :b)) } do
        self::Point.new(1, [self::Point.new("<", nil)])
      end
    end

    add("Set") { Set[1, :<, [2], "é"] }
    add("Set empty") { Set.new }
    add("Set of hashes") { Set[{ a: 1, b: 2 }, { "a" => 1, "b" => 2 }] }
    with "Set subclass", -> { const_set(:Tags, Class.new(Set)) } do
      { a: self::Tags.new([1, 2]) }
    end
    with "Set with to_a", -> { const_set(:Tags, Class.new(Set) { def to_a = ["mine"] }) } do
      self::Tags.new([1, 2])
    end
    add("Enumerator") { [1, "<", { a: 1, b: 2 }].each }
    add("Enumerator with index") { %w[a b].each_with_index }
    add("Enumerator lazy") { (1..4).lazy.map { |i| { a: i } } }
    add("Enumerator of a block") { Enumerator.new { |y| y << 1 << :b } }
    add("Enumerator that raises") { Enumerator.new { |y| y << 1; raise "empty" } }
    add("arithmetic sequence") { 1.step(10, 3) }
    add("Enumerator chain") { [1].each + [2] }
    with "Enumerable", -> { const_set(:Bag, Class.new { include Enumerable; def initialize(*a) = (@a = a); def each(&b) = @a.each(&b) }) } do
      self::Bag.new(1, self::Bag.new("<", { a: 1, b: 2 }))
    end
    with "Enumerable of several values", -> { const_set(:Bag, Class.new { include Enumerable; def each = yield(1, 2) && yield }) } do
      self::Bag.new
    end
    with "Enumerable with to_a", -> { const_set(:Bag, Class.new { include Enumerable; def each = yield(1); def to_a = [2] }) } do
      self::Bag.new
    end
    with "Enumerable with to_a that is no Array", -> { const_set(:Bag, Class.new { include Enumerable; def each = yield(1); def to_a = { a: 2 } }) } do
      self::Bag.new
    end
    with "Enumerable with to_hash", -> { const_set(:Bag, Class.new { include Enumerable; def each = yield(1); def to_hash = { a: 2 } }) } do
      self::Bag.new
    end
    with "Enumerable that needs arguments", -> { const_set(:Bag, Class.new { include Enumerable; def each(n) = yield(n) }) } do
      self::Bag.new
    end
    with "Enumerable whose each is a hash's", -> { const_set(:Bag, Class.new { include Enumerable; def each(&b) = { a: 1, "b" => 2 }.each(&b) }) } do
      self::Bag.new
    end
    add("Range of integers") { 1..3 }
    add("Range without its end") { 1...3 }
    add("Range of texts with html") { "<".."&" }
    add("Range of floats") { 1.0..2.5 }
    add("Range endless") { (1..) }
    add("Range beginless") { (..1) }
    add("Range of nil") { (nil..nil) }
    add("Range of times") { Time.at(0).utc..Time.at(1).utc }
    add("Range of dates") { Date.new(2020, 1, 1)..Date.new(2020, 1, 3) }
    add("Range of broken text") { ("\xff".."\xff") }
    with "Range subclass", -> { const_set(:Span, Class.new(Range)) } do
      self::Span.new(1, 2)
    end
    add("ENV", core_ext: "every machine has its own environment") { ENV }
    add("OpenStruct") { OpenStruct.new(a: 1, "b" => { c: "<" }) }
    add("ObjectSpace::WeakMap") { ObjectSpace::WeakMap.new }
    add("Comparable and others without state") { [Object.new, Mutex.new, Random.new(1), Encoding::UTF_8] }
  end
end
