package kumihimo.scalar;

/**
 * How a language lays the digits of a double out.
 *
 * <pre>
 *   layout         digits                                   point and exponent
 *   ECMASCRIPT     shortest that reads back the same        Number::toString: 1  100  1e+21  0.000001  1e-7; -0 is 0
 *   PYTHON         shortest                                 repr: 1.0  1e+16  0.0001  1e-05  -0.0
 *   RUBY           shortest                                 Float#to_s: 1.0  1.0e+15  0.0001  1.0e-05  -0.0
 *   PERL15         15, correctly rounded, zeros stripped    printf %.15g: 1  1e+15  0.0001  1e-05  -0
 *   G17            17, correctly rounded, zeros stripped    printf %.17g
 *   CPANEL15       as PERL15                                whole numbers show it: 1.0  1e+15  0.0001  1e-05  -0.0
 *   PERL_SHORTEST  shortest                                 where printf %.17g puts them: 1  1e+17  0.0001  1e-05  -0
 *   JSON_2_11      Grisu2: nearly shortest (Grisu)          Ruby's json 2.11: 1.0  1e+8  0.0001  1.23456e-4  -0.0
 *   JSON_2_12      Grisu2                                   json 2.12 to 2.14: 1.0  1e+8  0.000123456  1e-10
 *   JSON_2_15      Grisu2                                   json 2.15 and later: 1.0  100000000.0  1e+15  1e-10
 *   MRUBY          up to 15 where they read back, else      as RUBY
 *                  shortest (BoxedFloat)
 *   ORJSON         shortest                                 Python's orjson 3.13: 1.0  1e+16  0.00001  1e-6  -0.0
 * </pre>
 *
 * <p>Among equally short texts the one nearest to the value is written.
 */
public enum FloatLayout {
    ECMASCRIPT(Way.SHORTEST, -5, 21, 0, false, false, false),
    PYTHON(Way.SHORTEST, -3, 16, 2, false, true, true),
    RUBY(Way.SHORTEST, -3, 16, 2, true, true, true),
    PERL15(Way.ROUNDED, -3, 15, 0, false, true, true),
    G17(Way.ROUNDED, -3, 17, 0, false, true, true),
    CPANEL15(Way.ROUNDED, -3, 15, 2, false, true, true),
    PERL_SHORTEST(Way.SHORTEST, -3, 17, 0, false, true, true),
    /** Within these, Grisu says which numbers have the fixed form; of the next two, too. */
    JSON_2_11(Way.GRISU, -8, 24, 2, false, false, true),
    JSON_2_12(Way.GRISU, -8, 24, 2, false, false, true),
    JSON_2_15(Way.GRISU, -8, 16, 2, false, false, true),
    MRUBY(Way.BOXED, -3, 16, 2, true, true, true),
    ORJSON(Way.SHORTEST, -4, 16, 2, false, false, true);

    /** What finds the digits. */
    enum Way {
        SHORTEST,
        ROUNDED,
        GRISU,
        BOXED
    }

    final Way way;
    /** The fixed form from this place of the point on, counted from the first digit: 0.1 has 0. */
    final int leastPoint;
    /** To here. */
    final int greatestPoint;
    /** 2 for 1.0, 0 for 1. */
    final int wholeTail;
    /** 1.0e+16, not 1e+16. */
    final boolean mantissaZero;
    /** e-05, not e-5. */
    final boolean exponentOfTwo;
    /** -0.0, not 0. */
    final boolean minusZero;
    /** Up to here the digits and a point fit the words that are stored first. */
    final int quickPoint;

    FloatLayout(Way way, int leastPoint, int greatestPoint, int wholeTail, boolean mantissaZero, boolean exponentOfTwo,
            boolean minusZero) {
        this.way = way;
        this.leastPoint = leastPoint;
        this.greatestPoint = greatestPoint;
        this.wholeTail = wholeTail;
        this.mantissaZero = mantissaZero;
        this.exponentOfTwo = exponentOfTwo;
        this.minusZero = minusZero;
        this.quickPoint = Math.min(greatestPoint, 15);
    }

    boolean isRuby() {
        return this == RUBY || this == MRUBY;
    }

    boolean isJson() {
        return this == JSON_2_11 || this == JSON_2_12 || this == JSON_2_15;
    }
}
