package kumihimo.scalar;

/** The nearest floating point numbers (ties to even) to integers of 64 bits without sign. */
public final class Unsigned {
    private Unsigned() {}

    public static double toDouble(long bits) {
        // The lowest bit stands for both that are shifted together: it keeps a half from becoming a tie.
        return bits >= 0 ? (double) bits : (double) (bits >>> 1 | bits & 1) * 2;
    }

    public static float toFloat(long bits) {
        return bits >= 0 ? (float) bits : (float) (bits >>> 1 | bits & 1) * 2;
    }
}
