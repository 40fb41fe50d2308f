# frozen_string_literal: true

# Programs that change the classes everybody uses. Each runs in a child process of its own.
module Differential
  module Probes
    # A value with everything in it.
    EVERYTHING = lambda do
      { "s" => "text <é>", :sym => :sym, "i" => 1, "big" => 2**70, "f" => 1.5, "t" => true, "n" => nil, "no" => false, "h" => { a: 1, "b" => { "a" => 2 } }, "arr" => [1, [2]],
        "time" => Time.at(0).utc, "local" => Time.at(0, in: "+09:00"), "twz" => Time.at(0).utc.in_time_zone("Tokyo"), "date" => Date.new(2017, 1, 2), "dt" => DateTime.new(2017, 1, 2),
        "dec" => BigDecimal("1.5"), "rat" => Rational(1, 3), "set" => Set[1], "range" => 1..2, "re" => /a/, "struct" => EverythingPoint.new(1, "x"), "obj" => EverythingFilm.new,
        "exc" => ArgumentError.new("x"), "path" => Pathname.new("/x"), "uri" => URI("http://x/"), "enum" => [1].each, "dur" => 3.days, "ind" => ActiveSupport::HashWithIndifferentAccess.new(a: 1),
        1 => :key, nil => :key, 1.5 => :key, Time.at(0).utc => :key, [1] => :key, sym2: 5 }
    end
    EverythingPoint = ::Struct.new(:a, :b)
    EverythingFilm = Class.new { def initialize = (@a, @b = 1, "x") }

    add("everything", kind: :times, &EVERYTHING)

    CORE = [String, Symbol, Integer, Float, NilClass, TrueClass, FalseClass, Hash, Array, Numeric, Object, Kernel, Enumerable, Comparable, Time, Date, DateTime, BigDecimal, Rational, ::Struct,
            Set, Range, Regexp, Exception, Pathname, URI::Generic, URI::HTTP, Enumerator, ActiveSupport::TimeWithZone, ActiveSupport::Duration, ActiveSupport::HashWithIndifferentAccess,
            Module, StandardError, EverythingPoint, EverythingFilm].freeze

    CORE.each do |klass|
      name = klass.inspect
      core = "which classes define as_json themselves differs by version" if [Kernel, Comparable, Enumerable, Object, Module, Numeric, StandardError].include?(klass)
      reopened("#{name}#as_json", -> { klass.class_eval { def as_json(*) = "reopened <" } }, core_ext: core, &EVERYTHING)
      reopened("#{name}#as_json by a module in front", -> { klass.prepend(Module.new { def as_json(options = nil) = ["front", self.class.name] }) }, core_ext: core, &EVERYTHING)
      reopened("#{name}#as_json that only notes", -> { klass.prepend(Module.new { def as_json(options = nil) = (Differential.note("#{self.class} #{options.inspect}"); super) }) }, core_ext: core) do
        [Probes::EVERYTHING.call]
      end
      reopened("#{name}#to_s", -> { klass.class_eval { def to_s(*) = "to_s <" } }, core_ext: core, &EVERYTHING)
      # Hash[] and calls with keywords ask these themselves: stock breaks in Ruby or in tzinfo, before it is its turn.
      unless klass <= Hash || [String, Array, NilClass].include?(klass)
        reopened("#{name}#to_hash", -> { klass.class_eval { def to_hash = ::Hash["to_hash", 1] } }, core_ext: core, &EVERYTHING)
      end
      reopened("#{name}#to_json", -> { klass.class_eval { def to_json(*) = +"\"to_json\"" } }, core_ext: core) { Probes::EVERYTHING.call }
    end

    {
      "String#to_json by a module in front" => -> { String.prepend(Module.new { def to_json(*) = +'"front <"' }) },
      "String#to_json by a module in front that passes on" => -> { String.prepend(Module.new { def to_json(*) = super.sub("e", "E") }) },
      "Symbol#name" => -> { Symbol.class_eval { def name = "name <" } },
      "Time#xmlschema" => -> { Time.class_eval { def xmlschema(n = 0) = "xmlschema #{n}" } },
      "Time#xmlschema by a module in front" => -> { Time.prepend(Module.new { def xmlschema(n = 0) = "front #{super}" }) },
      "Time#strftime" => -> { Time.class_eval { def strftime(f) = "strftime #{f}" } },
      "Time#formatted_offset" => -> { Time.class_eval { def formatted_offset(*) = "offset" } },
      "Time#iso8601" => -> { Time.class_eval { def iso8601(n = 0) = "iso8601 #{n}" } },
      "Time#utc?" => -> { Time.class_eval { def utc? = false } },
      "Time#year" => -> { Time.class_eval { def year = 5 } },
      "Time#to_a" => -> { Time.class_eval { def to_a = [5] } },
      "Date#strftime" => -> { Date.class_eval { def strftime(f = "") = "strftime #{f}" } },
      "DateTime#xmlschema" => -> { DateTime.class_eval { def xmlschema(n = 0) = "xmlschema #{n}" } },
      "DateTime#strftime" => -> { DateTime.class_eval { def strftime(f = "") = "strftime #{f}" } },
      "TimeWithZone#xmlschema" => -> { ActiveSupport::TimeWithZone.class_eval { def xmlschema(n = 0) = "xmlschema #{n}" } },
      "TimeWithZone#time" => -> { ActiveSupport::TimeWithZone.class_eval { def time = Time.utc(2000) } },
      "TimeWithZone#utc?" => -> { ActiveSupport::TimeWithZone.class_eval { def utc? = true } },
      "TimeWithZone#formatted_offset" => -> { ActiveSupport::TimeWithZone.class_eval { def formatted_offset(*) = "offset" } },
      "TimeWithZone#utc_offset" => -> { ActiveSupport::TimeWithZone.class_eval { def utc_offset = 3600 } },
      "TimeWithZone#zone" => -> { ActiveSupport::TimeWithZone.class_eval { def zone = "UTC" } },
      "TimeWithZone#period" => -> { ActiveSupport::TimeWithZone.class_eval { def period = ActiveSupport::TimeZone["UTC"].period_for_utc(Time.utc(2000)) } },
      "TimeWithZone#strftime" => -> { ActiveSupport::TimeWithZone.class_eval { def strftime(f) = "strftime #{f}" } },
      "TimeWithZone#formatted_offset and period" => -> { ActiveSupport::TimeWithZone.class_eval { def period = ActiveSupport::TimeZone["UTC"].period_for_utc(Time.utc(2000)) } },
      "BigDecimal#finite?" => -> { BigDecimal.class_eval { def finite? = false } },
      "Float#finite?" => -> { Float.class_eval { def finite? = false } },
      "Float#nan?" => -> { Float.class_eval { def nan? = true } },
      "Struct#values" => -> { ::Struct.class_eval { def values = [7, 8] } },
      "Struct#members" => -> { ::Struct.class_eval { def members = %i[x y] } },
      "Struct#to_h" => -> { ::Struct.class_eval { def to_h = { reopened: 1 } } },
      "Struct#each" => -> { ::Struct.class_eval { def each = yield(1) } },
      "Set#to_a" => -> { Set.class_eval { def to_a = ["reopened"] } },
      "Set#each" => -> { Set.class_eval { def each = yield("reopened") } },
      "Enumerable#to_a" => -> { Enumerable.class_eval { def to_a(*) = ["reopened"] } },
      "Range#to_a" => -> { Range.class_eval { def to_a = ["reopened"] } },
      "Array#map" => -> { Array.prepend(Module.new { def map(&b) = Differential.inside? ? ["mapped"] : super }) },
      "Array#each" => -> { Array.prepend(Module.new { def each(&b) = Differential.inside? && b ? b.call(7) : super }) },
      "Array#to_a" => -> { Array.class_eval { def to_a = ["reopened"] } },
      "Hash#each" => -> { Hash.prepend(Module.new { def each(&b) = Differential.inside? ? { "reopened" => 1 }.each_pair(&b) : super }) },
      "Hash#slice" => -> { Hash.class_eval { def slice(*) = { "sliced" => 1 } } },
      "Hash#except" => -> { Hash.class_eval { def except(*) = { "excepted" => 1 } } },
      "Hash#to_a and keys" => -> { Hash.class_eval { def to_a = []; def keys = [] } },
      "Object#instance_values" => -> { Object.class_eval { def instance_values = { "reopened" => 1 } } },
      "Object#instance_variables" => -> { Object.class_eval { def instance_variables = [] } },
      "Object#respond_to?" => -> { Object.class_eval { def respond_to?(name, all = false) = name == :to_hash && !is_a?(Hash) ? false : super } },
      "Object#to_hash private" => -> { Object.class_eval { private def to_hash = { "hidden" => 1 } } },
      "Object#method_missing" => -> { Object.class_eval { def method_missing(name, *) = name == :to_hash ? { "missing" => 1 } : super; def respond_to_missing?(name, all = false) = name == :to_hash || super } },
      "Exception#message" => -> { Exception.class_eval { def message = "reopened" } },
      "Range#inspect" => -> { Range.class_eval { def inspect = "reopened" } },
      "Regexp#inspect" => -> { Regexp.class_eval { def inspect = "reopened" } },
      "String#as_json removed" => -> { String.class_eval { remove_method(:as_json) } },
      "String#as_json undefined" => -> { String.class_eval { undef_method(:as_json) } },
      "Integer#as_json undefined" => -> { Integer.class_eval { undef_method(:as_json) } },
      "Hash#as_json undefined" => -> { Hash.class_eval { undef_method(:as_json) } },
      "Time#as_json undefined" => -> { Time.class_eval { undef_method(:as_json) } },
      "Time#as_json removed" => -> { Time.class_eval { remove_method(:as_json) } },
      "Time#as_json private" => -> { Time.class_eval { private :as_json } },
      "Time#as_json protected" => -> { Time.class_eval { protected :as_json } },
      "Struct#as_json protected" => -> { ::Struct.class_eval { protected :as_json } },
      "Object#as_json protected" => -> { Object.class_eval { protected :as_json } },
      "TimeWithZone#as_json protected" => -> { ActiveSupport::TimeWithZone.class_eval { protected :as_json } },
      "to_s private" => -> { [Range, Regexp, Pathname, URI::Generic, Exception, BigDecimal].each { |c| c.class_eval { private :to_s } } },
      "Hash#as_json private" => -> { Hash.class_eval { private :as_json } },
      "String#as_json private" => -> { String.class_eval { private :as_json } },
      "Time#as_json as an alias" => -> { Time.class_eval { alias_method :as_json, :inspect } },
      "Time#as_json aliased and wrapped" => -> { Time.class_eval { alias_method :old_as_json, :as_json; def as_json(options = nil) = "wrapped #{old_as_json(options)}" } },
      "Time#as_json the same again" => -> { m = Time.instance_method(:as_json); Time.class_eval { define_method(:as_json, m) } },
      "Hash#as_json aliased and wrapped" => -> { Hash.class_eval { alias_method :old_as_json, :as_json; def as_json(options = nil) = old_as_json(options).merge("wrapped" => 1) } },
      "Hash#as_json that drops nils" => -> { Hash.prepend(Module.new { def as_json(options = nil) = super.compact }) },
      "Array#as_json that compacts" => -> { Array.prepend(Module.new { def as_json(options = nil) = super.compact }) },
      "Integer#as_json as a String" => -> { Integer.class_eval { def as_json(*) = to_s } },
      "Float#as_json rounded" => -> { Float.class_eval { def as_json(*) = round(0).to_i } },
      "Float#as_json that keeps NaN" => -> { Float.class_eval { def as_json(*) = Float::NAN } },
      "String#as_json to a Hash" => -> { String.class_eval { def as_json(*) = { 1 => 2 } } },
      "String#as_json to a subclass" => -> { own = Class.new(String) { def to_s = "own" }; String.class_eval { define_method(:as_json) { |*| own.new(self) } } },
      "NilClass#as_json to a String" => -> { NilClass.class_eval { def as_json(*) = "nothing" } },
      "String#to_s and to_sym" => -> { String.class_eval { def to_s = "text"; def to_sym = :text } },
      "String#gsub!" => -> { String.class_eval { alias_method :gsub, :sub } },
      "String#encode" => -> { String.prepend(Module.new { def encode(*) = "encoded" }) },
      "Symbol#to_proc and inspect" => -> { Symbol.class_eval { def inspect = "x" } },
      "a module put into Object late" => -> { Object.include(Module.new { def as_json(*) = "late"; def to_hash = { late: 1 } }) },
      "a singleton method of true" => -> { def (true).as_json(*) = "yes" },
      "a singleton method of nil" => -> { def (nil).to_s = "none" },
    }.each do |name, change|
      of_version = "which methods as_json is made of differs by version" if name.match?(/Symbol|Struct|TimeWithZone#(zone|period)|Time#(strftime|iso8601)|as_json removed|Hash|Array|Object/)
      reopened(name, change, core_ext: of_version, &EVERYTHING)
    end

    # What an as_json answers is asked again, keys included, by some versions.
    ANSWERS = lambda do
      answer = Class.new { def initialize(value) = @value = value; def as_json(*) = @value }
      [{ 1 => 2, 3 => 4 }, { a: 1, b: nil }, { nil => 1 }, { 1 => 2, "k" => 3 }, { :a => 1, "k" => 2 }, { nil => Float::NAN, "k" => [Float::INFINITY] }, Float::NAN, [nil], 5, :sym]
        .map { |value| answer.new(value) }
    end
    {
      "Integer#as_json an Array" => -> { Integer.class_eval { def as_json(*) = [self.class, ["x"], Time.at(0).utc] } },
      "Symbol#as_json another text" => -> { Symbol.class_eval { def as_json(*) = "symbol #{to_proc.arity}" } },
      "NilClass#as_json a text" => -> { NilClass.class_eval { def as_json(*) = "nothing" } },
      "NilClass#as_json an Array" => -> { NilClass.class_eval { def as_json(*) = [1, Time.at(0).utc] } },
    }.each { |name, change| reopened("#{name}, in answers", change, core_ext: "which values of an answer are asked is of the version", &ANSWERS) }

    # Who collects pairs by each is asked for it by the as_json of a Struct and an object too.
    reopened("Hash#each, below objects", -> { Hash.prepend(Module.new { def each(&b) = Differential.inside? ? { "reopened" => 1 }.each_pair(&b) : super }) },
             core_ext: "which methods as_json is made of differs by version") { [EverythingPoint.new(1, "x"), EverythingFilm.new] }

    # Keys of two kinds, whose texts differ: each value is asked once.
    add("an answer with keys of two kinds, whose values count") do
      count = 0
      counting = Class.new { define_method(:as_json) { |*| count += 1 } }
      Class.new { define_method(:as_json) { |*| { "a" => counting.new, 1 => counting.new, c: [counting.new] } } }.new
    end

    # What a program of the day does, in one.
    reopened("as an application does", lambda {
      Time.class_eval { def as_json(*) = to_i }
      BigDecimal.class_eval { def as_json(*) = to_f }
      ActiveSupport::TimeWithZone.class_eval { def as_json(*) = utc.iso8601 }
      Symbol.class_eval { def as_json(*) = ":#{self}" }
    }, &EVERYTHING)
  end
end
