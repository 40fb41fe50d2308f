package kumihimo.scalar;

/**
 * Grisu2 (F. Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with Integers", PLDI 2010): digits that
 * read back as the same double and are nearly always, but not always, the shortest and the nearest ones. {@link
 * FloatWrite} is always right about that; this exists for its imperfections: later versions of Ruby's json print
 * floats with it, and whoever promises their bytes must differ from the shortest exactly where they do.
 *
 * <p>All that reads back as x lies between the points halfway to its neighbours. The three are multiplied by a power
 * of ten that brings them to fixed point with 4 to 30 bits in front of the point, each rounded to 64 bits:
 *
 * <pre>
 *        low         x          high              high = whole . rest          in units of 2^-point
 *   ------|----------|-----------|------
 *         |&lt;------- room -------&gt;|
 *                    |&lt;- above -&gt;|
 * </pre>
 *
 * <p>Each product may be off by one unit, so the borders are moved in by one. Digits are then taken off `high` from
 * the front until what is left fits into the room: a number that ends there is inside. At last it is stepped down
 * towards x, a unit of the last digit at a time, as long as that comes nearer and stays inside.
 */
final class Grisu {
    private static final long HIDDEN_BIT = 1L << 52;

    // The powers in use are 10^(8n + 4): the least of them that leaves 60 bits or fewer behind the point.
    private static final int POWER_STEP = 8;
    private static final int POWER_PHASE = 4;
    private static final int BITS_BEHIND_POINT = 60;

    // digits * 10^exponent, `count` of them, at most 17
    private long digits;
    private int count;
    private int exponent;

    private Grisu() {}

    static int write(byte[] to, int at, double x, FloatLayout as) {
        long bits = Double.doubleToRawLongBits(x);
        boolean negative = bits < 0;
        if (negative) to[at++] = '-';
        if (bits << 1 == 0) return FloatWrite.zero(to, at, negative, as);
        long fraction = bits & (HIDDEN_BIT - 1);
        int biased = (int) (bits >>> 52) & 0x7ff;
        Grisu g = new Grisu();
        g.find(biased == 0 ? fraction : fraction | HIDDEN_BIT, biased == 0 ? -1074 : biased - 1075);
        long wide = g.digits * FloatText.TENS[17 - g.count];
        int last = '0' + (int) (wide % 10);
        wide /= 10;
        long first = Digits.eight((int) (wide / 100_000_000)) | Digits.ZEROS;
        long second = Digits.eight((int) (wide % 100_000_000)) | Digits.ZEROS;
        int point = g.exponent + g.count;
        if (isFixed(g.count, point, negative, as)) {
            return FloatText.laidOut(to, at, first, second, last, g.count, point, as);
        }
        return FloatText.withExponent(to, at, first, second, last, g.count, point, as);
    }

    /**
     * Whether Ruby's json writes n digits in the fixed form: for whole numbers by the number of zeros to append, or
     * the size; for others by the digits behind the point, or the size.
     */
    private static boolean isFixed(int n, int point, boolean negative, FloatLayout as) {
        if (n <= point) return as == FloatLayout.JSON_2_15 ? point <= 15 : point - n <= (negative ? 6 : 7);
        if (as == FloatLayout.JSON_2_11) return n - point < 7 || point > -3 && point < 5;
        return point >= -8;
    }

    /** The digits of c * 2^q, 0 < c < 2^53, in the range of doubles. */
    private void find(long c, int q) {
        // In units of 2^e, normalised so that the upper border fills 64 bits. The border below a power of two is half
        // as far; so it is taken for 2^-1022 too, whose neighbours are equally far.
        long border = c * 2 + 1;
        int shift = Long.numberOfLeadingZeros(border);
        int e = q - 1 - shift;
        int power = powerFor(e);
        long ten = Powers.high(power) + (Powers.low(power) >>> 63); // rounded to nearest
        long high = product(border << shift, ten) - 1;
        long low = product(c == HIDDEN_BIT ? (c * 4 - 1) << (shift - 1) : (c * 2 - 1) << shift, ten) + 1;
        long above = high - product(c << (shift + 1), ten);
        long room = high - low;
        int point = -(e + Powers.binaryExponent(power) + 1); // 34 to 60
        long one = 1L << point;
        int whole = (int) (high >>> point);
        long rest = high & (one - 1);
        if (Long.compareUnsigned(rest, room) <= 0) {
            findWhole(whole, rest, point, room, above, power);
            return;
        }
        long number = whole;
        long scale = 1;
        int behind = 0;
        do {
            rest *= 10;
            room *= 10;
            scale *= 10;
            number = number * 10 + (rest >>> point);
            rest &= one - 1;
            behind++;
        } while (Long.compareUnsigned(rest, room) >= 0);
        digits = steppedDown(number, rest, one, room, above * scale);
        count = FloatText.length(whole) + behind;
        exponent = -behind - power;
    }

    /** Where the point is not reached: the most digits that can be dropped in front of it. */
    private void findWhole(int whole, long rest, int point, long room, long above, int power) {
        for (int dropped = 9;; dropped--) {
            long unit = FloatText.TENS[dropped];
            long left = (whole % unit << point) + rest;
            if (Long.compareUnsigned(left, room) > 0) continue;
            long number = whole / unit;
            digits = steppedDown(number, left, unit << point, room, above);
            count = FloatText.length(number);
            exponent = dropped - power;
            return;
        }
    }

    private static int powerFor(int e) {
        int least = -Powers.log10OfPowerOf2(e + BITS_BEHIND_POINT + 1); // 10^least * 2^e * 2^63 is at least 2^(63 - 60)
        return least + ((POWER_PHASE - least) & (POWER_STEP - 1));
    }

    /** The high 64 bits of a product of unsigned numbers, rounded. */
    private static long product(long a, long b) {
        return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a) + (a * b >>> 63);
    }

    /** Towards x from above. `unit` is one of the last digit, `left` what the digits leave of `high`. */
    private static long steppedDown(long digits, long left, long unit, long room, long above) {
        while (isLess(left, above) && !isLess(room - left, unit)
                && (isLess(left + unit, above) || isLess(left + unit - above, above - left))) {
            digits--;
            left += unit;
        }
        return digits;
    }

    private static boolean isLess(long a, long b) {
        return Long.compareUnsigned(a, b) < 0;
    }
}
