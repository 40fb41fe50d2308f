# frozen_string_literal: true

module Differential
  module Probes
    INTEGERS = [0, 1, -1, 7, 42, 99, 100, 12_345, 2**31 - 1, 2**31, -2**31, 2**53, 2**53 + 1, 2**61, 2**62 - 1, 2**62, -2**62, -2**62 - 1, 2**63 - 1, 2**63,
                -2**63, -2**63 - 1, 2**64 - 1, 2**64, -2**64, 10**18, 10**19, 10**20, 10**100, -10**100, 3**1000].freeze
    INTEGERS.each { |n| add("integer #{n.to_s.length > 30 ? "#{n.to_s[0, 20]}... (#{n.to_s.length} digits)" : n}") { n } }
    add("every power of ten") { (0..40).flat_map { |n| [10**n, 10**n - 1, -10**n] } }

    FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.30000000000000004, 1.5, 100.0, 1e2, 123456.789, 1e14, 1e15, 1e16, 1e17, 123456789012345.0, 999999999999999.9,
              1234567890123456.0, 9007199254740993.0, 1e20, 1e21, 1e22, 1e23, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1.5e-7, 1e-10, 1e-11, 1.234e-5, 9.999e-5, 0.0001, 0.00012345,
              5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308, -1.7976931348623157e308, 3.141592653589793, 2.718281828459045, 1.0 / 3,
              4.35, 0.07, 1e100, 1.2e-100, 123e-20, 5.0e-15, 1e15 + 0.5, 4503599627370496.5, 1e16 + 2, 1.0e+15, 9.5e14, 4.9406564584124654e-324].freeze
    FLOATS.each_with_index { |x, i| add("float #{i}: #{x}") { x } }
    add("float NaN") { Float::NAN }
    add("float Infinity") { Float::INFINITY }
    add("float -Infinity") { -Float::INFINITY }
    add("non-finite floats inside") { { "a" => Float::NAN, "b" => [Float::INFINITY, -Float::INFINITY, 1.0] } }
    add("floats in an array") { FLOATS }
    add("every power of ten as float") { (-330..308).map { |n| "1e#{n}".to_f } }
    add("every power of two as float") { (-1074..1023).map { |n| 2.0**n } }

    BIG_DECIMALS = %w[0 -0 1 -1 123.45 -0.5 0.1 1e10 1e-10 1e400 1e-400 123456789012345678901234567890.123456789 NaN Infinity -Infinity 1000 0.00001 99999999999999999999].freeze
    BIG_DECIMALS.each { |text| add("BigDecimal #{text}") { BigDecimal(text) } }
    add("BigDecimals inside") { { a: BIG_DECIMALS.map { |t| BigDecimal(t) } } }
    add("Rational") { Rational(1, 3) }
    add("Rational whole") { Rational(4, 2) }
    add("Complex") { Complex(1, 2) }
    add("Complex of floats") { Complex(1.5, -0.0) }
    add("Complex of NaN") { Complex(Float::NAN, 1) }
    add("Rational and Complex inside") { { "a" => [Rational(1, 3), Complex(1, 2)] } }
    add("true false nil") { [true, false, nil] }
    add("nil") { nil }
    add("true") { true }
    add("false") { false }

    with "own Numeric", -> { const_set(:Money, Class.new(Numeric) { def initialize(n) = (@n = n); def to_s = "#{@n} yen" }) } do
      { "a" => self::Money.new(5) }
    end
    with "own Numeric that coerces", -> { const_set(:Money, Class.new(Numeric) { def to_i = 5; def to_int = 5; def to_f = 5.0; def coerce(o) = [o, 5] }) } do
      [self::Money.new]
    end
    with "own Numeric with to_json", -> { const_set(:Money, Class.new(Numeric) { def to_json(*) = "5" }) } do
      [self::Money.new]
    end
    with "own Numeric whose as_json is a String", -> { const_set(:Money, Class.new(Numeric) { def as_json(*) = "<5>" }) } do
      [self::Money.new, { a: self::Money.new }]
    end
    with "own Numeric whose as_json is a hash of objects", -> { const_set(:Money, Class.new(Numeric) { def as_json(*) = { at: Time.at(0).utc, of: :<, "<" => Float::NAN } }) } do
      [self::Money.new]
    end
    with "own Numeric whose as_json is NaN", -> { const_set(:Money, Class.new(Numeric) { def as_json(*) = Float::NAN }) } do
      [self::Money.new]
    end
  end
end
