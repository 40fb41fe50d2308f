# frozen_string_literal: true

module Differential
  module Probes
    with "object with state", -> { const_set(:Film, Class.new { def initialize = (@a, @b, @_c, @d = 1, "<", { a: 1, "b" => [:x] }, nil) }) } do
      [self::Film.new, { film: self::Film.new }]
    end
    with "object with state, alone", -> { const_set(:Film, Class.new { def initialize = (@a, @b = 1, 2) }) } do
      self::Film.new
    end
    with "object with many variables", -> { const_set(:Wide, Class.new { def initialize = 40.times { |i| instance_variable_set(:"@v#{i}", i) } }) } do
      self::Wide.new
    end
    with "object with a removed variable", -> { const_set(:Film, Class.new { def initialize = (@a, @b, @c = 1, 2, 3) }) } do
      self::Film.new.tap { |f| f.remove_instance_variable(:@b) }
    end
    with "object with variables in another order", -> { const_set(:Film, Class.new { attr_writer :a, :b }) } do
      [self::Film.new.tap { |f| f.a = 1; f.b = 2 }, self::Film.new.tap { |f| f.b = 1; f.a = 2 }]
    end
    with "object with variables of other names", -> { const_set(:Film, Class.new { def initialize = (@é, @A, @__x = 1, 2, 3) }) } do
      self::Film.new
    end
    with "object with to_hash", -> { const_set(:Film, Class.new { def to_hash = { a: 1, "b" => { a: 2 } } }) } do
      [self::Film.new]
    end
    with "object with to_hash that is no Hash", -> { const_set(:Film, Class.new { def to_hash = [1, self.class.name] }) } do
      [self::Film.new]
    end
    with "object with to_hash that is nil", -> { const_set(:Film, Class.new { def to_hash = nil }) } do
      [self::Film.new]
    end
    with "object with to_hash that raises", -> { const_set(:Film, Class.new { def to_hash = raise(IOError, "gone") }) } do
      [1, self::Film.new]
    end
    with "object with private to_hash", -> { const_set(:Film, Class.new { def initialize = (@a = 1); private def to_hash = { b: 2 } }) } do
      self::Film.new
    end
    with "object with protected to_hash", -> { const_set(:Film, Class.new { def initialize = (@a = 1); protected def to_hash = { b: 2 } }) } do
      self::Film.new
    end
    with "object with to_h only", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def to_h = { b: 2 } }) } do
      self::Film.new
    end
    with "object with to_json only", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def to_json(*) = "\"mine\"" }) } do
      [self::Film.new]
    end
    with "object with to_s only", -> { const_set(:Film, Class.new { def to_s = "mine" }) } do
      [self::Film.new]
    end
    with "object with to_str", -> { const_set(:Film, Class.new { def to_str = "mine" }) } do
      [self::Film.new]
    end
    with "object with to_ary", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def to_ary = [1] }) } do
      [self::Film.new]
    end
    with "object answering everything", -> { const_set(:Ghost, Class.new { def initialize = (@a = 1); def method_missing(name, *) = name == :to_hash ? { ghost: 1 } : super; def respond_to_missing?(name, all = false) = name == :to_hash || super }) } do
      [self::Ghost.new]
    end
    with "object whose respond_to? lies", -> { const_set(:Liar, Class.new { def initialize = (@a = 1); def respond_to?(name, *) = name == :to_hash || super }) } do
      [self::Liar.new]
    end
    with "object that hides to_hash", -> { const_set(:Liar, Class.new { def initialize = (@a = 1); def to_hash = { b: 1 }; def respond_to?(name, *) = name == :to_hash ? false : super }) } do
      [self::Liar.new]
    end
    with "object that notes respond_to?", -> { const_set(:Asked, Class.new { def initialize = (@a = 1); def respond_to?(name, all = false) = (Differential.note("respond_to? #{name} #{all}"); super) }) } do
      [self::Asked.new]
    end
    with "object with instance_values", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def instance_values = { "b" => :mine } }) } do
      [self::Film.new]
    end
    with "object with instance_variables", -> { const_set(:Film, Class.new { def initialize = (@a, @b = 1, 2); def instance_variables = [:@b] }) } do
      [self::Film.new]
    end
    with "object with instance_variable_get", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def instance_variable_get(_) = "mine" }) } do
      [self::Film.new]
    end
    with "object with class and is_a? of its own", -> { const_set(:Liar, Class.new { def initialize = (@a = 1); def class = String; def is_a?(c) = c == Hash; def kind_of?(c) = c == Array; def nil? = true; def ==(_) = true; def hash = 1; def equal?(_) = true }) } do
      [self::Liar.new]
    end
    with "object that includes Enumerable late", -> { const_set(:Film, Class.new { def initialize = (@a = 1); def each = yield(5) }) } do
      self::Film.new.extend(Enumerable)
    end
    with "object whose variables are broken strings", -> { const_set(:Film, Class.new { def initialize = (@a = "\xff") }) } do
      [self::Film.new]
    end
    add("plain object") { Object.new }
    add("object with singleton method") { Object.new.tap { |o| o.define_singleton_method(:x) { 1 } } }
    add("object with a variable from outside") { Object.new.tap { |o| o.instance_variable_set(:@a, { b: 1 }) } }
    with "BasicObject", -> { const_set(:Blank, Class.new(BasicObject) { def initialize = (@a = 1) }) } do
      self::Blank.new
    end
    with "BasicObject inside", -> { const_set(:Blank, Class.new(BasicObject)) } do
      { a: [1, self::Blank.new] }
    end
    with "BasicObject with as_json", -> { const_set(:Blank, Class.new(BasicObject) { def as_json(*) = { a: "<" } }) } do
      [self::Blank.new]
    end
    with "BasicObject that forwards", -> { const_set(:Proxy, Class.new(BasicObject) { def initialize(to) = (@to = to); def method_missing(name, *args, &block) = @to.__send__(name, *args, &block); def respond_to_missing?(*) = true }) } do
      [self::Proxy.new([1, "<"]), self::Proxy.new("text"), { a: self::Proxy.new({ a: 1, b: 2 }) }, self::Proxy.new(Time.at(0).utc)]
    end
    with "BasicObject as key", -> { const_set(:Blank, Class.new(BasicObject) { def hash = 1; def eql?(_) = true }) } do
      { self::Blank.new => 1 }
    end
    add("SimpleDelegator") { [SimpleDelegator.new({ a: 1, b: 2 }), SimpleDelegator.new([1]), SimpleDelegator.new("<"), SimpleDelegator.new(1), SimpleDelegator.new(nil), SimpleDelegator.new(Time.at(0).utc), SimpleDelegator.new(1.5)] }
    add("SimpleDelegator to an object") { SimpleDelegator.new(Object.new.tap { |o| o.instance_variable_set(:@a, 1) }) }
    with "DelegateClass", -> { const_set(:Words, Class.new(DelegateClass(Array)) { def initialize(a) = super(a) }) } do
      { a: self::Words.new(["<", 1]) }
    end
    with "delegator with as_json", -> { const_set(:Shown, Class.new(SimpleDelegator) { def as_json(*) = { shown: __getobj__ } }) } do
      [self::Shown.new("<")]
    end

    add("Exception") { [ArgumentError.new("<bad> & worse"), StandardError.new, RuntimeError.new(nil), Exception.new(5)] }
    with "Exception with message", -> { const_set(:Bad, Class.new(StandardError) { def initialize = (super("x"); @a = 1); def message = "from message" }) } do
      [self::Bad.new]
    end
    with "Exception with to_s", -> { const_set(:Bad, Class.new(StandardError) { def to_s = "from to_s <" }) } do
      [self::Bad.new]
    end
    with "Exception whose to_s is no String", -> { const_set(:Bad, Class.new(StandardError) { def to_s = :"<" }) } do
      [self::Bad.new]
    end
    add("Exception raised") { begin; Integer("x"); rescue ArgumentError => e; [e]; end }
    add("NameError") { begin; 5.nothing_there; rescue NoMethodError => e; [e]; end }
    add("KeyError and friends") { [KeyError.new("k", receiver: {}, key: 1), StopIteration.new, SystemExit.new, Interrupt.new, Errno::ENOENT.new("<x>")] }
    add("Module and Class", core_ext: "6.1 takes a module's variables, 7.1 its name") { [String, Kernel, Class.new, Module.new, Comparable] }
    add("anonymous class", core_ext: "6.1 takes a module's variables, 7.1 its name") { Class.new }
    with "class with variables", -> { const_set(:Film, Class.new { @a = 1 }) }, core_ext: "6.1 takes a module's variables, 7.1 its name" do
      [self::Film]
    end
    add("Regexp") { [/a<b/i, /é&/m, Regexp.new("\\/"), /\u2028/] }
    add("Regexp of latin1") { Regexp.new("\xe9".dup.force_encoding("ISO-8859-1")) }
    add("URI") { [URI("http://example.com/?a=1&b=<2>".gsub(/[<>]/, "")), URI("mailto:a@b.c"), URI("ftp://x/y")] }
    add("Pathname") { [Pathname.new("/tmp/<x>"), Pathname.new("é")] }
    add("Pathname in latin1") { Pathname.new("\xe9".dup.force_encoding("ISO-8859-1")) }
    add("IPAddr of a host") { [IPAddr.new("10.0.0.1"), IPAddr.new("::1")] }
    add("IPAddr of a net", core_ext: "8.1 adds the prefix") { [IPAddr.new("10.0.0.0/8"), IPAddr.new("fe80::/10")] }
    add("IO") { [$stdout, $stderr].map(&:class).map(&:to_s) + [$stdin] }
    add("File") { File.open(File::NULL) }
    add("StringIO") { StringIO.new("a<\nb\n") }
    add("StringIO in binary") { StringIO.new("\xff\n".b) }
    add("Dir") { Dir.new("/").tap(&:close) }
    add("Proc and Method") { [proc {}, 1.method(:+), Integer.instance_method(:+)] }
    add("Process::Status") { Process.wait(fork { exit!(3) }); $?.then { |s| [s.exitstatus, s.as_json.keys] } }
    add("Process::Status itself") { @status ||= (Process.wait(fork { exit!(0) }); $?); @status }
    add("Process::Status of a signal") { @killed ||= (pid = fork { sleep }; Process.kill(:KILL, pid); Process.wait(pid); $?); [@killed] }
    add("MatchData") { [/a(?<x>b)/.match("ab")] }
    add("Thread and Fiber") { [Thread.current.class.name, Fiber.new {}] }
    add("Random and Mutex") { [Random.new(1), Mutex.new, Queue.new] }
    add("Method object's owner", core_ext: "6.1 takes a module's variables, 7.1 its name") { [1.method(:+).owner] }
    add("WeakRef-like nothing") { [ObjectSpace::WeakMap.new] }
    add("Binding and TracePoint") { [TracePoint.new(:line) {}] }
    add("Digest") { require "digest"; [Digest::SHA256.new] }
    add("Encoding::Converter") { [Encoding::Converter.new("UTF-8", "UTF-16LE")] }
    add("JSON::State") { [JSON::State.new] } if defined?(::JSON::State)
    add("JSON::Fragment") { { a: [JSON::Fragment.new("{\"raw\":\"<\"}")] } } if defined?(::JSON::Fragment)
    add("JSON::Fragment of what is no JSON") { [JSON::Fragment.new("no json <\u2028")] } if defined?(::JSON::Fragment)
    add("JSON::Fragment alone") { JSON::Fragment.new("1") } if defined?(::JSON::Fragment)
    add("ActiveSupport::Duration inside") { { a: [1.hour, 2.5.days], b: 1.month } }
    add("ActiveSupport::TimeZone") { ActiveSupport::TimeZone["Tokyo"].tzinfo.name }
    add("ActiveSupport::Multibyte::Chars") { ActiveSupport::Multibyte::Chars.new("<é>") }
    add("ActiveSupport::Logger") { [ActiveSupport::Deprecation.name] }

    MODELS = lambda do
      const_set(:Kid, Class.new do
        include ActiveModel::Serializers::JSON
        attr_accessor :name

        def self.name = "Kid"
        def attributes = { "name" => nil }
        def initialize(name) = (@name = name)
      end)
      kid = const_get(:Kid)
      const_set(:Person, Class.new do
        include ActiveModel::Serializers::JSON
        attr_accessor :a, :b, :at

        def self.name = "Person"
        def attributes = { "a" => nil, "b" => nil, "at" => nil }
        def twice = b * 2
        define_method(:kids) { [kid.new("<Ann>"), kid.new("Bo")] }
        def initialize = (@a, @b, @at = 1, 21, Time.utc(2017, 1, 1, 0, 0, 0.123r))
      end)
    end
    with "model", MODELS do
      self::Person.new
    end
    with "models inside", MODELS do
      { people: [self::Person.new, self::Kid.new("é")], a: self::Person.new }
    end
    with "model with root", -> { class_exec(&MODELS); const_get(:Person).include_root_in_json = true } do
      [self::Person.new]
    end
    with "model with serializable_hash", -> { class_exec(&MODELS); const_get(:Person).class_eval { def serializable_hash(options = nil) = { options: options, a: super["a"] } } } do
      [self::Person.new]
    end
    with "model errors", -> { const_set(:Person, Class.new { include ActiveModel::Model; include ActiveModel::Validations; attr_accessor :age; def self.name = "Person"; def self.model_name = ActiveModel::Name.new(self, nil, "Person"); validates :age, presence: true }) } do
      person = self::Person.new
      person.valid?
      [person.errors, person.errors.to_hash]
    end
    with "model of attributes", -> { const_set(:Film, Class.new { include ActiveModel::Model; include ActiveModel::Attributes; include ActiveModel::Serializers::JSON; def self.name = "Film"; attribute :a, :integer; attribute :at, :datetime; attribute :price, :decimal }) } do
      self::Film.new(a: "5", at: "2017-01-01 00:00:00 UTC", price: "1.50")
    end
  end
end
