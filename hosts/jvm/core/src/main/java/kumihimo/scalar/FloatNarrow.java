package kumihimo.scalar;

/**
 * The nearest float (ties to even) to a number whose nearest double is known. Rounding twice, to a double and then to
 * a float, goes wrong only where the double is half-way between two floats: the number may lie on either side of it.
 */
public final class FloatNarrow {
    /** What a double has behind the bits of a float, and what stands there half-way between two floats. */
    private static final long BEHIND_FLOAT = (1L << 29) - 1;
    private static final long HALF_WAY = 1L << 28;

    private FloatNarrow() {}

    /**
     * Whether the float nearest to a number is that of its nearest double. Where not, its digits decide ({@link
     * Float#parseFloat}).
     */
    public static boolean decides(double near) {
        // Below the smallest normal float the half-way places stand elsewhere: the digits decide those few numbers.
        boolean halfWay = (Double.doubleToRawLongBits(near) & BEHIND_FLOAT) == HALF_WAY;
        return !(halfWay || Math.abs(near) < Float.MIN_NORMAL) || near == 0 || near != near;
    }

    /** Whether a number with this nearest double is finite, but no float is so large. */
    public static boolean overflows(double near, float nearest) {
        return Float.isInfinite(nearest) && !Double.isInfinite(near);
    }
}
