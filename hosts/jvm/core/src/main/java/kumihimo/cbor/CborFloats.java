package kumihimo.cbor;

import kumihimo.format.BigEndian;

/** Doubles in 16, 32 and 64 bits: the shortest that keeps the value, and back. */
final class CborFloats {
    private static final int NO_HALF = -1;
    private static final int HALF_NAN = 0x7e00;
    private static final int HALF_INFINITY = 0x7c00;
    private static final int SINGLE_INFINITY = 0x7f800000;
    private static final long INFINITY = 2047L << 52;
    /** A double that has one of these bits set is no single. */
    private static final long BEYOND_SINGLE = (1L << 29) - 1;

    private CborFloats() {}

    /** The value of a half. */
    static double half(int bits) {
        long magnitude = bits & 0x7fff;
        // The exponent's bias is put right by a product that is exact, denormals included.
        double x = Double.longBitsToDouble(magnitude << 42) * 0x1p1008;
        if (magnitude >= HALF_INFINITY) x = Double.longBitsToDouble(INFINITY | magnitude << 42);
        return (bits & 0x8000) == 0 ? x : Double.longBitsToDouble(Double.doubleToRawLongBits(x) | Long.MIN_VALUE);
    }

    /** The value of a single; a NaN keeps its bits, which a conversion by the machine may change. */
    static double single(int bits) {
        if ((bits & 0x7fffffff) <= SINGLE_INFINITY) return Float.intBitsToFloat(bits);
        return Double.longBitsToDouble((bits & 0x80000000L) << 32 | INFINITY | (bits & 0x7fffffL) << 29);
    }

    /** The value of a float's bits, as {@link CborHeader} gives them. */
    static double value(long bits, int width) {
        return width == 2 ? half((int) bits) : width == 4 ? single((int) bits) : Double.longBitsToDouble(bits);
    }

    /** Writes a float with its head, {@link CborHeader#LONGEST} bytes at most, and returns the end. */
    static int put(byte[] to, int at, double x, boolean shortest) {
        long bits = Double.doubleToRawLongBits(x);
        if ((bits & BEYOND_SINGLE) != 0 && x == x || !shortest) {
            to[at] = (byte) 0xfb;
            BigEndian.put64(to, at + 1, bits);
            return at + 9;
        }
        return putShortest(to, at, x);
    }

    private static int putShortest(byte[] to, int at, double x) {
        int width = width(x);
        to[at] = (byte) (0xf9 + (width >> 2)); // 2, 4, 8: f9, fa, fb
        BigEndian.put64(to, at + 1, bits(x, width) << 64 - 8 * width);
        return at + 1 + width;
    }

    /** How many bytes the shortest float of this value has: 2, 4 or 8. */
    static int width(double x) {
        float single = (float) x;
        if (single != x && x == x) return 8;
        return halfOf(single) == NO_HALF ? 4 : 2;
    }

    /** The bits of the float of this width that has the value. */
    static long bits(double x, int width) {
        if (width == 8) return Double.doubleToRawLongBits(x);
        return width == 4 ? Float.floatToRawIntBits((float) x) & 0xffffffffL : halfOf((float) x);
    }

    /** The bits of the half with this value, every NaN being 7e00; or {@link #NO_HALF}. */
    private static int halfOf(float x) {
        int bits = Float.floatToRawIntBits(x);
        int sign = bits >>> 16 & 0x8000;
        int magnitude = bits & 0x7fffffff;
        if (magnitude > SINGLE_INFINITY) return HALF_NAN;
        if (magnitude == SINGLE_INFINITY) return sign | HALF_INFINITY;
        if (magnitude == 0) return sign;
        int exponent = (magnitude >>> 23) - 127;
        if (exponent > 15 || exponent < -24) return NO_HALF;
        if (exponent >= -14) {
            return (magnitude & 0x1fff) != 0 ? NO_HALF : sign | (magnitude >>> 13) - (112 << 10);
        }
        // A half's denormals are multiples of 2^-24.
        int whole = magnitude & 0x7fffff | 0x800000;
        int shift = -1 - exponent;
        return (whole & (1 << shift) - 1) != 0 ? NO_HALF : sign | whole >>> shift;
    }
}
