# frozen_string_literal: true

module Differential
  module Probes
    # Every kind of value that an encoder may write by itself, as something with a class of its own.
    BASES = {
      "String" => [String, -> (c) { c.new("text <") }],
      "Hash" => [Hash, -> (c) { c.new.merge!(a: 1, "b" => { a: 2 }) }],
      "Array" => [Array, -> (c) { c.new([1, { a: 1, b: 2 }, "<"]) }],
      "Time" => [Time, -> (c) { c.at(0).utc }],
      "Date" => [Date, -> (c) { c.new(2017, 1, 2) }],
      "DateTime" => [DateTime, -> (c) { c.new(2017, 1, 2) }],
      "Set" => [Set, -> (c) { c.new([1, "<"]) }],
      "Range" => [Range, -> (c) { c.new(1, 2) }],
      "Regexp" => [Regexp, -> (c) { c.new("<") }],
      "Exception" => [StandardError, -> (c) { c.new("<") }],
      "Object" => [Object, -> (c) { c.new.tap { |o| o.instance_variable_set(:@a, 1) } }],
      "Pathname" => [Pathname, -> (c) { c.new("/<") }],
      "OpenStruct" => [OpenStruct, -> (c) { c.new(a: 1) }],
      "StringIO" => [StringIO, -> (c) { c.new("x\ny") }],
      "Enumerator" => [Enumerator, -> (c) { c.new { |y| y << 1 } }],
      "TimeWithZone" => [ActiveSupport::TimeWithZone, -> (c) { c.new(Time.at(0).utc, ActiveSupport::TimeZone["Tokyo"]) }],
      "Duration" => [Object, -> (_) { 3.days }],
      "indifferent hash" => [ActiveSupport::HashWithIndifferentAccess, -> (c) { c.new(a: 1, b: { a: 2 }) }],
    }.freeze

    # What an as_json may do, as a module to put into a class, a singleton or an object.
    AS_JSON = {
      "a String" => Module.new { def as_json(*) = "from <as_json>" },
      "nil" => Module.new { def as_json(*) = nil },
      "a Hash" => Module.new { def as_json(*) = { a: 1, "b" => [:"<", Time.at(0).utc, { a: 3 }], 3 => nil } },
      "with its options" => Module.new { def as_json(options = nil) = (Differential.note("as_json #{options.inspect} #{options.frozen?}"); "asked") },
      "super" => Module.new { def as_json(options = nil) = (Differential.note("as_json #{options.inspect}"); super) },
      "super without arguments" => Module.new { def as_json(*) = super() },
      "a value in need of as_json" => Module.new { def as_json(*) = Struct.new(:a).new(Set[Time.at(0).utc]) },
      "no argument taken" => Module.new { def as_json = "no argument" },
      "one argument needed" => Module.new { def as_json(options) = "one #{options.class}" },
      "keywords" => Module.new { def as_json(only: nil, **rest) = "keywords #{only.inspect} #{rest.inspect}" },
      "a Float that is none" => Module.new { def as_json(*) = Float::NAN },
      "a broken String" => Module.new { def as_json(*) = "\xff" },
      "an exception raised" => Module.new { def as_json(*) = raise(ArgumentError, "not today <") },
      "an unusual exception" => Module.new { def as_json(*) = raise(Unusual, "out") },
      "a throw" => Module.new { def as_json(*) = throw(:differential, "thrown") },
      "itself" => Module.new { def as_json(*) = self },
    }.freeze

    # A Range is frozen, and takes no singleton methods.
    OPEN = BASES.reject { |base, _| base == "Range" }

    with_all = lambda do |base, (parent, make), what, mod|
      # A method of the class itself, a module in front of it, a singleton, and the object extended.
      with "#{base}: subclass, as_json gives #{what}", -> { const_set(:Own, Class.new(parent) { include mod }.tap { |c| c.define_method(:as_json, mod.instance_method(:as_json)) }) } do
        make.call(self::Own)
      end
      next unless OPEN.key?(base)

      with "#{base}: extended, as_json gives #{what}", -> {} do
        { inside: [make.call(parent).extend(mod)] }
      end
    end
    BASES.each { |base, how| AS_JSON.each { |what, mod| with_all.call(base, how, what, mod) } }

    BASES.each do |base, (parent, make)|
      with("#{base}: subclass", -> { const_set(:Own, Class.new(parent)) }) { [make.call(self::Own)] }
      with("#{base}: subclass with to_json", -> { const_set(:Own, Class.new(parent) { def to_json(*) = "\"own <\"" }) }) { { a: make.call(self::Own) } }
      with("#{base}: subclass with to_s", -> { const_set(:Own, Class.new(parent) { def to_s = "own <" }) }) { { a: make.call(self::Own) } }
      with("#{base}: subclass with inspect, class, is_a? of its own", -> { const_set(:Own, Class.new(parent) { def inspect = "x"; def class = Integer; def is_a?(_) = false; def kind_of?(_) = false; def instance_of?(_) = false }) }) { { a: make.call(self::Own) } }
      with("#{base}: subclass of a subclass", -> { const_set(:Own, Class.new(Class.new(parent) { def as_json(*) = ["deep", super] })) }) { { a: make.call(self::Own) } }
      with("#{base}: subclass with a module in front", -> { const_set(:Own, Class.new(parent) { prepend(Module.new { def as_json(*) = { front: super } }) }) }) { [make.call(self::Own)] }
      with("#{base}: refined", -> { const_set(:Own, Class.new(parent)); own = const_get(:Own); const_set(:R, Module.new { refine(own) { def as_json(*) = "refined" } }) }) { [make.call(self::Own)] }
    end

    OPEN.each do |base, (parent, make)|
      add("#{base}: with an unrelated singleton method") { { a: make.call(parent).tap { |o| o.define_singleton_method(:unrelated) { 1 } } } }
      add("#{base}: with private as_json") { [make.call(parent).tap { |o| o.define_singleton_method(:as_json) { |*| "private" }; o.singleton_class.send(:private, :as_json) }] }
      add("#{base}: with as_json undefined") { [make.call(parent).tap { |o| o.singleton_class.send(:undef_method, :as_json) }] }
      add("#{base}: with as_json by method_missing") do
        [make.call(parent).tap { |o| o.singleton_class.send(:undef_method, :as_json); o.define_singleton_method(:method_missing) { |name, *args| name == :as_json ? "missing" : super(name, *args) } }]
      end
      add("#{base}: with to_s, to_str, to_hash, to_h, to_a, to_ary of its own") do
        [make.call(parent).tap { |o| %i[to_s to_str].each { |m| o.define_singleton_method(m) { "own #{m}" } }; o.define_singleton_method(:to_h) { { own: :to_h } }; %i[to_a to_ary].each { |m| o.define_singleton_method(m) { [m] } } }]
      end
      add("#{base}: with to_hash of its own") { [make.call(parent).tap { |o| o.define_singleton_method(:to_hash) { { own: :to_hash } } }] }
      add("#{base}: with each and map of its own") { [make.call(parent).tap { |o| %i[each map].each { |m| o.define_singleton_method(m) { |&b| b ? [7].public_send(m, &b) : [7].each } } }] }
      add("#{base}: with to_json of its own") { [make.call(parent).tap { |o| o.define_singleton_method(:to_json) { |*| "\"own\"" } }, make.call(parent)] }
    end

    # How deep as_json may need to be asked again.
    (1..8).each do |n|
      with "as_json needs #{n} more", -> { const_set(:Layer, Class.new { def initialize(n) = (@n = n); def as_json(*) = @n.zero? ? "core" : self.class.new(@n - 1) }) } do
        [self::Layer.new(n)]
      end
    end
    with "as_json between two forever", -> { const_set(:Ping, Class.new { def as_json(*) = self.class.new }) } do
      self::Ping.new
    end
    with "as_json notes every question", -> { const_set(:Asked, Class.new { def initialize(n) = (@n = n); def as_json(options = nil) = (Differential.note("#{@n}: #{options.inspect}"); { n: @n, in: @n.zero? ? nil : self.class.new(@n - 1) }) }) } do
      [self::Asked.new(2), { "a" => self::Asked.new(1), c: self::Asked.new(0), "b" => self::Asked.new(0) }]
    end
    with "as_json changes its options", -> { const_set(:Greedy, Class.new { def as_json(options = nil) = (options[:only] = "b" if options && !options.frozen?; "greedy") }) } do
      [self::Greedy.new, { "a" => 1, "b" => 2 }]
    end
    with "as_json changes its options at the top", -> { const_set(:Greedy, Class.new { def as_json(options = nil) = (options.clear if options && !options.frozen?; { "a" => 1, "b" => 2 }.as_json(options)) }) } do
      self::Greedy.new
    end
    with "as_json passes options on", -> { const_set(:Passer, Class.new { def as_json(options = nil) = { "a" => [1], "b" => { "a" => 1, "c" => 2 } }.as_json(options) }) } do
      { "a" => self::Passer.new, "b" => self::Passer.new, a: self::Passer.new }
    end
    with "as_json picks by itself", -> { const_set(:Picker, Class.new { def as_json(_ = nil) = { "a" => { "a" => 1, "b" => 2 }, "b" => { a: 1 } }.as_json(only: "a") }) } do
      [self::Picker.new]
    end
    with "as_json grows the array it is in", -> { const_set(:Grower, Class.new { def initialize(a) = (@a = a); def as_json(*) = (@a << 1 if @a.size < 5; "grown") }) } do
      [].tap { |a| a << self::Grower.new(a) << 2 }
    end
    with "as_json shrinks the array it is in", -> { const_set(:Shrinker, Class.new { def initialize(a) = (@a = a); def as_json(*) = (@a.pop; "shrunk") }) } do
      [].tap { |a| 3.times { a << self::Shrinker.new(a) }; 20.times { |i| a << "x#{i}" } }
    end
    with "as_json empties the array it is in", -> { const_set(:Shrinker, Class.new { def initialize(a) = (@a = a); def as_json(*) = (@a.clear; "cleared") }) } do
      [].tap { |a| a << 0 << self::Shrinker.new(a); 40.times { |i| a << "x#{i}" } }
    end
    with "as_json replaces the array it is in", -> { const_set(:Swapper, Class.new { def initialize(a) = (@a = a); def as_json(*) = (@a.replace(["new"] * 100) if @a.size < 50; "swapped") }) } do
      [].tap { |a| a << self::Swapper.new(a); 10.times { |i| a << "x#{i}" } }
    end
    with "as_json adds to the hash it is in", -> { const_set(:Adder, Class.new { def initialize(h) = (@h = h); def as_json(*) = (@h["more#{@h.size}"] = 1; "added") }) } do
      {}.tap { |h| h["a"] = self::Adder.new(h); h["b"] = 2 }
    end
    with "as_json deletes from the hash it is in", -> { const_set(:Deleter, Class.new { def initialize(h) = (@h = h); def as_json(*) = (@h.delete("z"); "deleted") }) } do
      {}.tap { |h| h["a"] = self::Deleter.new(h); h["z"] = 2; h["c"] = 3 }
    end
    with "as_json changes a value of the hash it is in", -> { const_set(:Setter, Class.new { def initialize(h) = (@h = h); def as_json(*) = (@h["z"] = { "<" => :new }; "set") }) } do
      {}.tap { |h| h["a"] = self::Setter.new(h); h["z"] = 2; h["c"] = 3 }
    end
    with "as_json clears the hash it is in", -> { const_set(:Clearer, Class.new { def initialize(h) = (@h = h); def as_json(*) = (@h.clear; "cleared") }) } do
      {}.tap { |h| h["a"] = self::Clearer.new(h); 20.times { |i| h["k#{i}"] = i } }
    end
    with "as_json encodes something else meanwhile", -> { const_set(:Nested, Class.new { def as_json(*) = ActiveSupport::JSON.encode({ inner: ["<", Time.at(0).utc] }) }) } do
      [self::Nested.new, { a: self::Nested.new }]
    end
    with "as_json changes a global meanwhile", -> { const_set(:Switch, Class.new { def as_json(*) = (ActiveSupport::JSON::Encoding.time_precision = 6; "switched") }) } do
      [Time.at(0).utc, self::Switch.new, Time.at(0).utc]
    end
    with "as_json changes the html global meanwhile", -> { const_set(:Switch, Class.new { def as_json(*) = (ActiveSupport::JSON::Encoding.escape_html_entities_in_json = false; "switched") }) }, passes: "stock reads the global when all of as_json is done" do
      ["<", self::Switch.new, "<"]
    end
    with "as_json defines as_json meanwhile", -> { const_set(:Later, Class.new { def initialize = (@a = 1) }); later = const_get(:Later); const_set(:Definer, Class.new { define_method(:as_json) { |*| later.class_eval { def as_json(*) = "defined" }; "definer" } }) } do
      self::Later.class_eval { remove_method(:as_json) } if self::Later.method_defined?(:as_json, false)
      [self::Later.new, self::Definer.new, self::Later.new]
    end
    with "as_json defines a singleton meanwhile", -> { const_set(:Definer, Class.new { def initialize(o) = (@o = o); def as_json(*) = (@o.define_singleton_method(:as_json) { |*| "single" } unless @o.singleton_methods.include?(:as_json); "definer") }) }, passes: "stock has asked every value before it writes one" do
      text = "x".dup
      [text, self::Definer.new(text), text, [text]]
    end
    with "as_json returns a Fragment", -> { const_set(:Raw, Class.new { def as_json(*) = ::JSON::Fragment.new("[1,\"<\"]") }) } do
      { a: self::Raw.new }
    end if defined?(::JSON::Fragment)
    with "as_json calls to_json of its value", -> { const_set(:Old, Class.new { def as_json(*) = JSON.parse([1, "<"].to_json) }) } do
      [self::Old.new]
    end
    with "as_json yields a frame with ensure", -> { const_set(:Careful, Class.new { def as_json(*) = yield; def to_s = "c" }) } do
      [self::Careful.new]
    end

    # Containers that answer for themselves.
    with "Hash subclass with each", -> { const_set(:Own, Class.new(Hash) { def each = yield(:mine, 1); alias_method :each_pair, :each }) } do
      [self::Own.new.merge!("a" => 1)]
    end
    with "Hash subclass with slice and except", -> { const_set(:Own, Class.new(Hash) { def slice(*) = { sliced: 1 }; def except(*) = { excepted: 1 } }) } do
      [self::Own.new.merge!("a" => 1, "b" => 2)]
    end
    with "Hash subclass with keys, values, size, to_a, to_h", -> { const_set(:Own, Class.new(Hash) { def keys = [:k]; def values = [:v]; def size = 9; def length = 9; def to_a = [[1, 2]]; def to_h = { x: 1 }; def [](_) = 5; def empty? = true }) } do
      self::Own.new.merge!("a" => 1, "b" => 2)
    end
    with "Array subclass with map", -> { const_set(:Own, Class.new(Array) { def map = ["mapped"] }) } do
      [self::Own.new([1])]
    end
    with "Array subclass with each, size, to_a, index", -> { const_set(:Own, Class.new(Array) { def each = yield(:mine); def size = 9; def length = 9; def to_a = [8]; def [](_) = 5; def empty? = true }) } do
      self::Own.new([1, 2])
    end
    with "Array subclass whose map is no Array", -> { const_set(:Own, Class.new(Array) { def map = { mapped: 1 } }) } do
      self::Own.new([1])
    end
    with "String subclass with bytes, size, encoding, encode, to_s of its own", -> { const_set(:Own, Class.new(String) { def bytes = [1]; def size = 99; def length = 99; def bytesize = 99; def encoding = Encoding::UTF_16LE; def encode(*) = "encoded"; def to_s = "to_s"; def to_str = "to_str"; def valid_encoding? = false; def ascii_only? = false; def gsub!(*) = "gsub"; def dup = "dup"; def b = "b" }) } do
      [self::Own.new("plain <é"), { "k" => self::Own.new("v") }]
    end
    with "String subclass broken", -> { const_set(:Own, Class.new(String)) } do
      [self::Own.new("\xff")]
    end
    with "String subclass in latin1", -> { const_set(:Own, Class.new(String)) } do
      [self::Own.new("\xe9".dup.force_encoding("ISO-8859-1"))]
    end
    with "String subclass with initialize", -> { const_set(:Own, Class.new(String) { def initialize(a, b) = super(a + b) }) } do
      [self::Own.new("a", "<")]
    end
    with "Float-like with finite?", -> { const_set(:Own, Class.new(Numeric) { def finite? = false; def to_s = "own" }) } do
      [self::Own.new]
    end
  end
end
