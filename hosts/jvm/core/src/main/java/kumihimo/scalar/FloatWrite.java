package kumihimo.scalar;

import java.math.BigInteger;
import kumihimo.Utf8;

/**
 * Doubles and floats to decimal text: the shortest digits that read back the same, or as {@link FloatLayout} says.
 *
 * <p>By the scaling of Schubfach (R. Giulietti, "The Schubfach way to render doubles") with the fast path that Y.
 * Guo's and Xiang J.'s writers made known: scale once, so that the integer part holds all digits but the last, and
 * read from the fraction whether that last digit is needed.
 *
 * <pre>
 *   x = c * 2^q          one unit of c scales to 0.1 .. 1; half of it is `half`
 *
 *   m             m + f                    m + 1          in units of 10^(k+1), k = floor(log10(2^q))
 *   |---------------x----------------------|
 *            [---half---|---half---]                      what reads back as x
 * </pre>
 *
 * <p>If m or m + 1 lies inside, it is the answer without its last digit (trailing zeros are taken off later); at most
 * one can. Otherwise the last digit is 10 f, rounded. Where a comparison is closer than the product is exact, and for
 * zero, subnormals and powers of two (whose lower neighbour is nearer), the plain Schubfach below decides.
 */
public final class FloatWrite {
    /** Bytes that must be free behind {@code at}; all of them may be written to. */
    public static final int ROOM = 32;

    private static final long HIDDEN_BIT = 1L << 52;
    private static final long MAGNITUDE = Long.MAX_VALUE;

    /** The power of the first pair in SCALES: the scale of the largest double. */
    private static final int LEAST_SCALE = -293;
    private static final int GREATEST_SCALE = 324;

    /**
     * The significands of powers of ten in two halves of 63 bits: their products need no correction of signs, and the
     * carry between two of them is a sign bit.
     */
    private static final long[] SCALES = scales();

    /** What the cut product may be wrong by, in units of the fraction, and a little more. */
    private static final long DOUBT = 4;
    /** The same where only one of the two products is made. */
    private static final long FLOAT_DOUBT = 1L << 26;

    private FloatWrite() {}

    /** Writes a finite double and returns the end. NaN and the infinities are the caller's. */
    public static int f64(byte[] to, int at, double finite, FloatLayout as) {
        return as.way == FloatLayout.Way.SHORTEST ? shortest(to, at, finite, as) : imitated(to, at, finite, as);
    }

    /** The shortest digits of a finite double, as {@link FloatLayout#PYTHON} lays them out. */
    public static String text(double finite) {
        byte[] text = new byte[ROOM];
        return Utf8.string(text, 0, f64(text, 0, finite, FloatLayout.PYTHON), true);
    }

    /** As libraries do that do not write the shortest digits. */
    private static int imitated(byte[] to, int at, double finite, FloatLayout as) {
        switch (as.way) {
            case ROUNDED:
                return rounded(to, at, finite, as);
            case GRISU:
                return Grisu.write(to, at, finite, as);
            default:
                return BoxedFloat.write(to, at, finite, as);
        }
    }

    /**
     * Writes a finite float and returns the end: of the layouts with shortest digits those that read back as the same
     * float, of the others those of the double that it is.
     */
    public static int f32(byte[] to, int at, float finite, FloatLayout as) {
        if (as.way != FloatLayout.Way.SHORTEST) return f64(to, at, finite, as);
        int bits = Float.floatToRawIntBits(finite);
        to[at] = '-';
        at -= bits >> 31;
        int fraction = bits & ((1 << 23) - 1);
        int biased = bits >>> 23 & 0xff;
        if (fraction == 0 || biased == 0) return otherFloat(to, at, bits, as);
        // As of a double below; one of the two products is enough for so few digits.
        int q = biased - 150;
        int k = Powers.log10OfPowerOf2(q) + 1;
        long high = SCALES[(-k - LEAST_SCALE) << 1];
        int t = -(q + Powers.binaryExponent(-k));
        long c = (long) (fraction | 1 << 23) << (39 - t);
        long top = Math.multiplyHigh(c, high);
        long m = top >>> 37;
        long f = top << 27 | (c * high) >>> 37;
        long half = high >>> (t - 1);
        if (isDoubtful(f, half, FLOAT_DOUBT)) return otherFloat(to, at, bits, as);
        long outside = outside(f, half);
        long digits = m + ((f >>> 63) & ~outside);
        long last = tenfold(f) & outside;
        return FloatText.putNine(to, at, (int) (digits * 10 + last), k - 1, as);
    }

    private static int otherFloat(byte[] to, int at, int bits, FloatLayout as) {
        int fraction = bits & ((1 << 23) - 1);
        int biased = bits >>> 23 & 0xff;
        if (biased != 0) return schubfach(to, at, fraction | 1 << 23, biased - 150, fraction == 0 && biased > 1, as);
        return fraction == 0 ? zero(to, at, bits < 0, as) : schubfach(to, at, fraction, -149, false, as);
    }

    static int shortest(byte[] to, int at, double x, FloatLayout as) {
        long bits = Double.doubleToRawLongBits(x);
        to[at] = '-';
        at -= (int) (bits >> 63);
        long fraction = bits & (HIDDEN_BIT - 1);
        int biased = (int) (bits >>> 52) & 0x7ff;
        if (fraction == 0 || biased == 0) return other(to, at, bits, as);
        int q = biased - 1075;
        int k = Powers.log10OfPowerOf2(q) + 1;
        int scale = (-k - LEAST_SCALE) << 1;
        long high = SCALES[scale];
        int t = -(q + Powers.binaryExponent(-k)); // 1 to 4
        long c = (fraction | HIDDEN_BIT) << (10 - t);
        // The product, of 188 bits: `top` has those from 127 on, `low` those from 64 to 126.
        long low = (c * high >>> 1) + Math.multiplyHigh(c, SCALES[scale + 1]);
        long top = Math.multiplyHigh(c, high) + (low >>> 63);
        long m = top >>> 8;
        long f = top << 56 | (low << 1) >>> 8;
        long half = high >>> (t - 1);
        if (isDoubtful(f, half, DOUBT)) return other(to, at, bits, as);
        // Masks, not conditions: on most data these are coin tosses.
        long outside = outside(f, half);
        long digits = m + ((f >>> 63) & ~outside);
        long last = tenfold(f) & outside;
        long narrow = (digits - FloatText.TEN_TO_15) >> 63;
        digits += (digits * 9 + last) & narrow;
        return FloatText.put(to, at, digits, (int) (last & ~narrow), k + 16 + (int) narrow, as);
    }

    /** Whether the answer is not known: f is that close to a border, or 10 f to a tie of the last digit. */
    private static boolean isDoubtful(long f, long half, long doubt) {
        return Long.compareUnsigned(toNearest(f) - half + doubt, 2 * doubt) <= 0
                || Long.compareUnsigned(f * 10 + Long.MIN_VALUE + 10 * doubt, 20 * doubt) <= 0;
    }

    /** How far the fraction f is from 0 or 1. */
    private static long toNearest(long f) {
        return f ^ (f >> 63);
    }

    /** All bits where neither m nor m + 1 reads back, else none. */
    private static long outside(long f, long half) {
        return ~((toNearest(f) - half) >> 63);
    }

    /** 10 f, rounded. */
    private static long tenfold(long f) {
        return Math.multiplyHigh(f, 10) + ((f >> 63) & 10) + (f * 10 >>> 63);
    }

    /** What the fast path leaves; the minus is written. */
    private static int other(byte[] to, int at, long bits, FloatLayout as) {
        if ((bits & MAGNITUDE) == 0) return zero(to, at, bits < 0, as);
        long fraction = bits & (HIDDEN_BIT - 1);
        int biased = (int) (bits >>> 52) & 0x7ff;
        if (biased == 0) return schubfach(to, at, fraction, -1074, false, as);
        int q = biased - 1075;
        // Powers of two that are integers, 1 and 2 among them, are all digits.
        if (fraction == 0 && q <= 0 && q >= -52) return FloatText.putShort(to, at, HIDDEN_BIT >>> -q, 0, as);
        return schubfach(to, at, fraction | HIDDEN_BIT, q, fraction == 0 && biased > 1, as);
    }

    static int zero(byte[] to, int at, boolean negative, FloatLayout as) {
        if (negative && !as.minusZero) at--;
        to[at] = '0';
        to[at + 1] = '.';
        to[at + 2] = '0';
        return at + 1 + as.wholeTail;
    }

    /**
     * Schubfach as published, for any c * 2^q; `uneven` where c is a power of two and its lower neighbour half as
     * far.
     */
    private static int schubfach(byte[] to, int at, long c, int q, boolean uneven, FloatLayout as) {
        // floor(log10(3/4 * 2^q)) where uneven
        int k = uneven ? (q * 315653 - 131072) >> 20 : Powers.log10OfPowerOf2(q);
        int shift = q + Powers.binaryExponent(-k) + 1;
        long high = Powers.high(-k);
        long low = Powers.low(-k);
        if (-k > Powers.GREATEST_EXACT && ++low == 0) high++;
        long odd = c & 1;
        long x = scaled(high, low, (c * 4) << shift);
        long lower = scaled(high, low, (c * 4 - (uneven ? 1 : 2)) << shift) + odd;
        long upper = scaled(high, low, (c * 4 + 2) << shift) - odd;
        long s = x >>> 2;
        if (s >= 10) {
            long tens = s / 10 * 10;
            boolean below = lower <= tens * 4;
            boolean above = (tens + 10) * 4 <= upper;
            if (below != above) return FloatText.putShort(to, at, above ? tens + 10 : tens, k, as);
        }
        boolean below = lower <= s * 4;
        boolean above = (s + 1) * 4 <= upper;
        if (below == above) {
            long middle = s * 4 + 2;
            above = x > middle || (x == middle && (s & 1) != 0);
        }
        return FloatText.putShort(to, at, above ? s + 1 : s, k, as);
    }

    /** floor(c * g / 2^127) with its last bit set where something was cut ("round to odd"). The power is rounded up. */
    private static long scaled(long high, long low, long c) {
        long lowHigh = Math.multiplyHigh(c, low) + ((low >> 63) & c);
        long middle = c * high + lowHigh;
        long top = Math.multiplyHigh(c, high) + c + (Long.compareUnsigned(middle, lowHigh) < 0 ? 1 : 0);
        return top | (middle >>> 1 != 0 ? 1 : 0);
    }

    // ------------------------------------------------------------------------------------------- a number of digits

    private static int rounded(byte[] to, int at, double x, FloatLayout as) {
        long bits = Double.doubleToRawLongBits(x);
        if (bits < 0) to[at++] = '-';
        if ((bits & MAGNITUDE) == 0) return zero(to, at, bits < 0, as);
        long fraction = bits & (HIDDEN_BIT - 1);
        int biased = (int) (bits >>> 52) & 0x7ff;
        long c = biased == 0 ? fraction : fraction | HIDDEN_BIT;
        int q = biased == 0 ? -1074 : biased - 1075;
        Rounded r = new Rounded(c, q, as == FloatLayout.G17 ? 17 : 15);
        int end = FloatText.putShort(to, at, r.digits, r.exponent, as);
        // Text that is whole only because it was rounded.
        if (as == FloatLayout.CPANEL15 && to[end - 2] == '.' && to[end - 1] == '0' && x != Math.rint(x)) return end - 2;
        return end;
    }

    /** The first 15 or 17 digits of c * 2^q, correctly rounded: digits * 10^exponent. */
    static final class Rounded {
        final long digits;
        final int exponent;

        Rounded(long c, int q, int count) {
            int shift = Long.numberOfLeadingZeros(c);
            long all = c << shift; // x = all * 2^(q - shift)
            int power = Powers.log10OfPowerOf2(q - shift + 63); // floor(log10(x)), or one less
            long found = tryPower(c, q, all, q - shift, power, count);
            if (found < 0) found = tryPower(c, q, all, q - shift, ++power, count);
            digits = found;
            exponent = power - count + 1;
        }

        /** The digits, or -1 where 10^power is too small: there would be one more. */
        private static long tryPower(long c, int q, long all, int scale, int power, int count) {
            int e = count - 1 - power; // x * 10^e has `count` digits
            long high = Powers.high(e);
            long middle = Powers.multiplyHigh(all, Powers.low(e));
            long low = all * high + middle;
            long top = Powers.multiplyHigh(all, high) + (Long.compareUnsigned(low, middle) < 0 ? 1 : 0);
            // The integer part of x * 10^e is above this many bits of `top`.
            int bits = -1 - scale - Powers.binaryExponent(e);
            long digits = top >>> bits;
            if (digits >= FloatText.TENS[count]) return -1;
            long above = (top & ((1L << bits) - 1)) - (1L << (bits - 1)); // the fraction's distance from a half
            // Within a few of its last units the product does not know.
            boolean near = (above == 0 && low >= 0 && low <= 4) || (above == -1 && low < 0 && low >= -4);
            if (!near) return above >= 0 ? digits + 1 : digits;
            int side = compare(2 * digits + 1, -e, c, q + 1);
            return side < 0 || (side == 0 && (digits & 1) != 0) ? digits + 1 : digits;
        }
    }

    /** How digits * 10^exponent compares with c * 2^q, exactly. */
    private static int compare(long digits, int exponent, long c, int q) {
        BigInteger left = BigInteger.valueOf(digits);
        BigInteger right = BigInteger.valueOf(c);
        BigInteger power = BigInteger.TEN.pow(Math.abs(exponent));
        if (exponent >= 0) left = left.multiply(power);
        else right = right.multiply(power);
        return q >= 0 ? left.compareTo(right.shiftLeft(q)) : left.shiftLeft(-q).compareTo(right);
    }

    private static long[] scales() {
        long[] scales = new long[(GREATEST_SCALE - LEAST_SCALE + 1) * 2];
        for (int e = LEAST_SCALE; e <= GREATEST_SCALE; e++) {
            int at = (e - LEAST_SCALE) << 1;
            scales[at] = Powers.high(e) >>> 1;
            scales[at + 1] = (Powers.high(e) << 62 | Powers.low(e) >>> 2) & MAGNITUDE;
        }
        return scales;
    }
}
