# frozen_string_literal: true

module Differential
  # Values from a seed: the same seed makes the same value again, as objects of its own.
  class Values
    KINDS = %i[string encoded_string broken_string symbol key_hash integer float decimal rational time time_with_zone datetime date struct object enumerable set range regexp
               exception overridden extended raising hash array nested].freeze

    def self.make(kind, seed)
      new(seed).public_send(kind)
    end

    def initialize(seed)
      @random = Random.new(seed)
    end

    def one_of(list)
      list[@random.rand(list.size)]
    end

    def chance(in_a_hundred)
      @random.rand(100) < in_a_hundred
    end

    # ---- texts

    SCRIPTS = [0x20..0x7e, 0x20..0x7e, 0xa0..0xff, 0x100..0x24f, 0x370..0x3ff, 0x400..0x4ff, 0x590..0x5ff, 0x600..0x6ff, 0x900..0x97f, 0xe00..0xe7f, 0x2000..0x206f, 0x3040..0x30ff,
               0x4e00..0x9fff, 0xac00..0xd7a3, 0xe000..0xf8ff, 0xfff0..0xffff, 0x1f300..0x1f6ff, 0x20000..0x2a6df, 0x10fff0..0x10ffff, 0x00..0x1f, 0x7f..0x9f].freeze
    SPECIAL = ["<", ">", "&", "\"", "\\", "/", "\n", "\t", "\b", "\f", "\r", "\0", "\x1b", "\u2028", "\u2029", "\u2027", "\u202a", "\x7f", "'", "\\u2028", "é", "紐", "🧶", " "].freeze

    def string
      pieces = Array.new(@random.rand(6)) do
        case @random.rand(4)
        when 0 then one_of(SPECIAL) * (1 + @random.rand(3))
        when 1 then "x" * @random.rand(40)
        when 2
          script = one_of(SCRIPTS)
          Array.new(@random.rand(20)) { script.begin + @random.rand(script.size) }.pack("U*")
        else one_of(["plain", "The quick brown fox", "2017-01-01", "<b>bold</b>", "a&b", ""])
        end
      end
      pieces.join
    end

    # Without UTF-16 and UTF-32 that need a mark: json 2.6 ends the process over one that has none.
    ENCODINGS = %w[UTF-8 US-ASCII BINARY ISO-8859-1 ISO-8859-15 Windows-1252 Windows-1251 KOI8-R Shift_JIS Windows-31J EUC-JP ISO-2022-JP Big5 GB18030 EUC-KR UTF-16LE UTF-16BE
                   UTF-32LE UTF-32BE UTF8-MAC CESU-8 IBM437 TIS-620].freeze

    def encoded_string
      text = string
      encoding = one_of(ENCODINGS)
      case @random.rand(3)
      when 0 then text.encode(encoding, invalid: :replace, undef: :replace)
      when 1 then text.b.force_encoding(encoding)
      else (text.encode(encoding, invalid: :replace, undef: :replace).b + one_of(["", "\xff".b, "\x80".b, "\0".b])).force_encoding(encoding)
      end
    rescue EncodingError
      text.b
    end

    def broken_string
      bytes = string.b
      (1 + @random.rand(3)).times do
        at = @random.rand(bytes.bytesize + 1)
        bytes[at, @random.rand(2)] = one_of(["\x80", "\xc0", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf0\x9f", "\xff", "\xf5", "\xe3\x81", "\xbf"]).b
      end
      bytes.force_encoding(one_of(%w[UTF-8 UTF-8 UTF-8 BINARY US-ASCII]))
    end

    def any_string
      return string if @whole

      case @random.rand(20)
      when 0 then encoded_string
      when 1 then chance(20) ? broken_string : string
      else string
      end
    end

    # json 2.21 reads memory that is not its own for a Symbol outside UTF-8 and ASCII, when ActiveSupport 8.1 drives it.
    def symbol
      @whole || chance(90) || Stock.family == :coder ? string.to_sym : encoded_string.to_sym
    rescue EncodingError
      :symbol
    end

    # ---- numbers

    def integer
      case @random.rand(5)
      when 0 then @random.rand(-100..100)
      when 1 then 10**@random.rand(30) + @random.rand(-1..1)
      when 2 then (2**@random.rand(80) + @random.rand(-1..1)) * one_of([1, -1])
      when 3 then @random.rand(-2**63..2**64)
      else @random.rand(-10**60..10**60)
      end
    end

    def float
      case @random.rand(6)
      when 0 then [@random.bytes(8)].join.unpack1("d")
      when 1 then @random.rand * 10**@random.rand(-20..20)
      when 2 then @random.rand(-10**6..10**6) / 10.0**@random.rand(0..6)
      when 3 then @random.rand(-2**60..2**60).to_f
      when 4 then one_of([0.0, -0.0, 1e15, 1e16, 1e17, 0.0001, 0.00001, Float::NAN, Float::INFINITY, -Float::INFINITY, Float::MAX, Float::MIN, Float::EPSILON, 1e-7, 1e20, 1e21])
      else (@random.rand(1..99) * 10**@random.rand(0..22)).to_f
      end
    end

    def decimal
      return BigDecimal(one_of(%w[NaN Infinity -Infinity 0 -0 1e400 -1e-400])) if chance(10)

      BigDecimal("#{one_of(["", "-"])}#{@random.rand(10**@random.rand(1..40))}.#{@random.rand(10**@random.rand(1..40))}e#{@random.rand(-30..30)}")
    end

    def rational
      chance(50) ? Rational(@random.rand(-1000..1000), 1 + @random.rand(1000)) : Complex(@random.rand(-9..9), chance(50) ? @random.rand(9) : float.then { |x| x.finite? ? x : 1.0 })
    end

    # ---- moments

    ZONES = ["UTC", "Tokyo", "Etc/UTC", "London", "Kathmandu", "Newfoundland", "America/New_York", "Samoa", "Pacific/Chatham", "Africa/Monrovia", "Asia/Tehran", "International Date Line West"].freeze

    def moment
      seconds =
        case @random.rand(5)
        when 0 then @random.rand(0..2_000_000_000)
        when 1 then @random.rand(-62_167_219_200..253_402_300_799)
        when 2 then @random.rand(-4_000_000_000..0)
        when 3 then @random.rand(-10**12..10**12)
        else one_of([0, -1, 253_402_300_799, 253_402_300_800, -62_167_219_200, -62_167_219_201, 951_782_399, 951_782_400, 2**31, -2**31 - 1])
        end
      fraction =
        case @random.rand(5)
        when 0 then 0
        when 1 then Rational(@random.rand(1000), 1000)
        when 2 then Rational(@random.rand(10**9), 10**9)
        when 3 then Rational(@random.rand(10**12), 10**12)
        else Rational(@random.rand(1..6), 7)
        end
      seconds + fraction
    end

    def time
      t = Time.at(moment)
      case @random.rand(4)
      when 0 then t.utc
      when 1 then t
      when 2 then t.localtime(@random.rand(-23..23) * 3600 + one_of([0, 0, 1800, 2700, -1800, 60, 61, 1, -1, 59]))
      else t.localtime(one_of(["+00:00", "-00:00", "+09:00", "-12:00", "+14:00", "+05:45"]))
      end
    rescue ArgumentError
      Time.at(0)
    end

    def time_with_zone
      Time.at(moment).in_time_zone(one_of(ZONES))
    end

    def datetime
      d = DateTime.new(one_of([@random.rand(1900..2100), @random.rand(-100..12_000), 2017]), 1 + @random.rand(12), 1 + @random.rand(28), @random.rand(24), @random.rand(60),
                       @random.rand(60) + Rational(@random.rand(10**one_of([1, 3, 9, 12])), 10**12))
      chance(50) ? d : d.new_offset(Rational(@random.rand(-23 * 3600..23 * 3600), 86_400))
    end

    def date
      chance(80) ? Date.jd(@random.rand(1_000_000..3_500_000)) : Date.jd(@random.rand(-1_000_000..9_000_000), one_of([Date::ITALY, Date::ENGLAND, Date::GREGORIAN, Date::JULIAN]))
    end

    # ---- what has a class of its own

    Point = ::Struct.new(:a, :b)
    Pair = ::Struct.new(:a, :"<b>", keyword_init: true)
    Own = Class.new(::Struct.new(:a)) { def total = 5 }

    def struct(depth = 2)
      case @random.rand(3)
      when 0 then Point.new(value(depth), value(depth))
      when 1 then Pair.new(a: value(depth), "<b>": value(depth))
      else Own.new(value(depth))
      end
    end

    class Film
      attr_writer :a, :b, :_c
    end

    class Hashed
      def initialize(hash) = @hash = hash
      def to_hash = @hash
    end

    class Answering
      def initialize(value) = @value = value
      def as_json(_options = nil) = @value
    end

    class Passing
      def initialize(value) = @value = value
      def as_json(options = nil) = { "a" => @value, "x" => @value }.as_json(options)
    end

    def object(depth = 2)
      case @random.rand(4)
      when 0
        Film.new.tap do |film|
          film.a = value(depth) if chance(70)
          film.b = value(depth) if chance(70)
          film._c = value(depth) if chance(30)
        end
      when 1 then Hashed.new(hash(depth))
      when 2 then Answering.new(value(depth))
      else Passing.new(value(depth))
      end
    end

    class Bag
      include Enumerable
      def initialize(all) = @all = all
      def each(&block) = @all.each(&block)
    end

    def enumerable(depth = 2)
      list = array(depth)
      case @random.rand(3)
      when 0 then Bag.new(list)
      when 1 then list.each
      else list.lazy
      end
    end

    def set(depth = 1)
      Set.new(array(depth))
    end

    def range
      case @random.rand(3)
      when 0 then Range.new(*[@random.rand(-9..9), @random.rand(-9..9)], chance(50))
      when 1 then Range.new(*[string, string].map { |s| s }, chance(50))
      else Range.new(nil, one_of([nil, 5]))
      end
    end

    def regexp
      Regexp.new(Regexp.escape(string), @random.rand(8))
    end

    def exception
      one_of([StandardError, ArgumentError, IOError]).new(any_string)
    end

    class OwnString < String; end
    class OwnHash < Hash; end
    class OwnArray < Array; end
    class OwnTime < Time; end
    class LoudString < String; def as_json(*) = upcase; end
    class LoudHash < Hash; def as_json(options = nil) = super.merge("loud" => true); end
    class LoudArray < Array; def as_json(options = nil) = super + ["loud"]; end
    class LoudTime < Time; def as_json(*) = to_i; end
    class KeyString < String; def to_s = "key #{super}"; end
    class JsonString < String; def to_json(*) = "\"json\""; end

    def overridden(depth = 2)
      case @random.rand(10)
      when 0 then OwnString.new(string)
      when 1 then OwnHash.new.merge!(hash(depth))
      when 2 then OwnArray.new(array(depth))
      when 3 then OwnTime.at(@random.rand(2**31)).utc
      when 4 then LoudString.new(string)
      when 5 then LoudHash.new.merge!(hash(depth))
      when 6 then LoudArray.new(array(depth))
      when 7 then LoudTime.at(@random.rand(2**31)).utc
      when 8 then JsonString.new(string)
      else { KeyString.new(string) => KeyString.new(string), OwnString.new(string) => 1 }
      end
    end

    module Shown
      def as_json(options = nil) = ["shown", super]
    end

    module Idle
      def idle = nil
    end

    def extended(depth = 2)
      made = one_of([-> { string }, -> { hash(depth) }, -> { array(depth) }, -> { time }, -> { struct(depth) }, -> { object(depth) }, -> { set }]).call
      made = made.dup if made.frozen?
      case @random.rand(3)
      when 0 then made.extend(Shown)
      when 1 then made.extend(Idle)
      else made.tap { |o| o.define_singleton_method(:as_json) { |_ = nil| "single" } }
      end
    end

    class Raising
      def initialize(how) = @how = how

      def as_json(_options = nil)
        case @how
        when 0 then raise ArgumentError, "raised"
        when 1 then throw :differential, "thrown"
        when 2 then raise Unusual, "unusual"
        when 3 then missing_here
        else Integer("x")
        end
      end
    end

    # Without broken strings: of two errors stock, in its passes, meets as_json's first, and one pass the one that stands first.
    def raising(depth = 2)
      @whole = true
      list = array(depth)
      list.insert(@random.rand(list.size + 1), Raising.new(@random.rand(5)))
      chance(50) ? list : { "a" => list, b: 1 }
    end

    # ---- containers

    def key
      case @random.rand(12)
      when 0..3 then one_of(%w[a b c id name <html> é])
      when 4..6 then one_of(%i[a b c id name <html> é])
      when 7 then any_string
      when 8 then integer
      when 9 then one_of([nil, true, false, 1.5, float, [1, "<"], Time.at(0).utc, Date.new(2017, 1, 2), 1..2, { a: 1 }, String])
      when 10 then symbol
      else string
      end
    end

    def key_hash
      Array.new(@random.rand(12)) { [key, @random.rand(10)] }.to_h
    end

    def hash(depth = 3)
      Array.new(@random.rand(6)) { [key, value(depth - 1)] }.to_h
    end

    def array(depth = 3)
      Array.new(@random.rand(6)) { value(depth - 1) }
    end

    PLAIN = %i[any_string any_string integer float symbol key_hash string].freeze
    RICH = %i[decimal rational time time_with_zone datetime date struct object enumerable set range regexp exception overridden extended].freeze

    def value(depth = 3)
      return one_of([nil, true, false, 1, "text", :sym]) if chance(15)
      return public_send(one_of(%i[integer float symbol string])) if depth <= 0

      case @random.rand(10)
      when 0..2 then hash(depth)
      when 3..4 then array(depth)
      when 5..7 then public_send(one_of(PLAIN))
      else
        kind = one_of(RICH)
        method(kind).arity.zero? ? public_send(kind) : public_send(kind, depth - 1)
      end
    end

    def nested
      value(5)
    end
  end
end
