package kumihimo.scalar;

import java.math.BigInteger;

/**
 * Decimal digits to the nearest double (ties to even), exactly, whatever the number of digits; as
 * {@code engine/scalar/float_read.hpp}.
 *
 * <pre>
 *   digits     way
 *   up to 15   one exact multiplication or division by a power of ten up to 10^22 (W. Clinger)
 *   up to 19   a 128-bit product (M. Eisel, D. Lemire; that it never needs more: N. Mushtak, D. Lemire)
 *   more       the same for the first 19 digits and for those plus one; where they disagree, long
 *              multiplication decides
 * </pre>
 */
public final class FloatRead {
    private static final double[] SMALL_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };
    private static final long INFINITE = 0x7ffL << 52;

    /**
     * Digits beyond this many cannot move a number across a border (the midpoints of doubles have at most 767), except
     * by not being zero: they are folded into one last digit 1.
     */
    private static final int KEPT_DIGITS = 780;

    private FloatRead() {}

    /**
     * The double nearest to mantissa * 10^exponent. Too large gives infinity, too small gives zero.
     *
     * @param mantissa 64 bits without sign
     */
    public static double compose(long mantissa, int exponent) {
        // By the number of digits, not by mantissa < 2^53: numbers of 16 and 17 digits would flip between both ways at
        // random.
        if (Long.compareUnsigned(mantissa, 1_000_000_000_000_000L) < 0 && exponent >= -22 && exponent <= 22) {
            return exponent < 0 ? mantissa / SMALL_POWERS[-exponent] : mantissa * SMALL_POWERS[exponent];
        }
        return product(mantissa, exponent);
    }

    /**
     * The double of digits of any number: ASCII in {@code digits[from, to)}, leading zeros and one point allowed,
     * without sign and exponent.
     *
     * @param exponent of ten, by which the number is multiplied besides; far beyond every double is allowed
     */
    public static double many(byte[] digits, int from, int to, long exponent) {
        int first = from;
        while (first < to && (digits[first] == '0' || digits[first] == '.')) first++;
        long mantissa = 0;
        int taken = 0;
        int whole = point(digits, from, to); // the digits from here on are behind the point
        long scale = exponent;
        boolean more = false;
        for (int i = first; i < to; i++) {
            if (digits[i] == '.') continue;
            if (taken < 19) {
                mantissa = mantissa * 10 + digits[i] - '0';
                taken++;
                if (i > whole) scale--;
            } else {
                more |= digits[i] != '0';
                if (i < whole) scale++;
            }
        }
        // Leading zeros behind the point were passed over, but they do count.
        if (first > whole && first < to) scale -= first - whole - 1;
        int e = (int) Math.max(-100_000, Math.min(100_000, scale));
        if (!more) return mantissa == 0 ? 0 : compose(mantissa, e);
        double low = product(mantissa, e);
        double high = product(mantissa + 1, e);
        return low == high ? low : between(digits, first, to, e + 19, low, high);
    }

    private static int point(byte[] digits, int from, int to) {
        for (int i = from; i < to; i++) {
            if (digits[i] == '.') return i;
        }
        return to;
    }

    /** The nearer of two neighbours; the first digit of [from, to) has the worth 10^(exponent - 1). */
    private static double between(byte[] digits, int from, int to, int exponent, double low, double high) {
        byte[] kept = new byte[KEPT_DIGITS + 1];
        int n = 0;
        boolean rest = false;
        for (int i = from; i < to; i++) {
            if (digits[i] == '.') continue;
            if (n < KEPT_DIGITS) kept[n++] = digits[i];
            else rest |= digits[i] != '0';
        }
        if (rest) kept[n++] = '1';
        @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
        BigInteger left = new BigInteger(new String(kept, 0, 0, n));
        exponent -= n;
        // The border is half a unit above the lower one.
        long bits = Double.doubleToRawLongBits(low);
        int biased = (int) (bits >>> 52);
        long fraction = bits & (1L << 52) - 1;
        long c = biased != 0 ? fraction | 1L << 52 : fraction;
        int two = Math.max(biased, 1) - 1076; // the border is (2c + 1) * 2^two
        BigInteger right = BigInteger.valueOf(2 * c + 1);
        BigInteger five = BigInteger.valueOf(5).pow(Math.abs(exponent));
        if (exponent >= 0) left = left.multiply(five);
        else right = right.multiply(five);
        if (exponent > two) left = left.shiftLeft(exponent - two);
        else right = right.shiftLeft(two - exponent);
        int side = left.compareTo(right);
        return side > 0 || side == 0 && (c & 1) != 0 ? high : low;
    }

    private static double product(long mantissa, int exponent) {
        if (mantissa == 0 || exponent < Powers.LEAST) return 0;
        if (exponent > 308) return Double.POSITIVE_INFINITY;
        int zeros = Long.numberOfLeadingZeros(mantissa);
        long w = mantissa << zeros;
        long g = Powers.high(exponent);
        long high = Powers.multiplyHigh(w, g);
        long low = w * g;
        if ((high & 0x1ff) == 0x1ff) { // the bits below those kept might carry: take the rest of the power too
            long more = Powers.multiplyHigh(w, Powers.low(exponent));
            low += more;
            if (Long.compareUnsigned(low, more) < 0) high++;
        }
        int top = (int) (high >>> 63);
        long m = high >>> top + 9; // 54 bits, the last one for rounding
        int biased = Powers.binaryExponent(exponent) + 63 + top - zeros + 1023;
        if (biased <= 0) return subnormal(m, biased);
        // Half-way cases, possible where the power is exact; everything below the rounding bit is zero then.
        if ((m & 3) == 1 && low >>> 1 == 0 && exponent >= -4 && exponent <= 23 && m << top + 9 == high) m &= ~1L;
        m = m + (m & 1) >>> 1;
        // 2^53 after rounding is the next power of two: the carry goes where it belongs by itself.
        long bits = ((long) (biased - 1) << 52) + m;
        return Double.longBitsToDouble(Long.compareUnsigned(bits, INFINITE) < 0 ? bits : INFINITE);
    }

    private static double subnormal(long m, int biased) {
        if (biased <= -63) return 0;
        m >>>= 1 - biased;
        m = m + (m & 1) >>> 1;
        return Double.longBitsToDouble(m); // 2^52 is the smallest normal: the bits are right as they are
    }
}
