package kumihimo.scalar;

/**
 * The layout of mruby, whose word boxing drops the two lowest bits of a double, so that 0.1 is kept as
 * 0.09999999999999998.
 *
 * <p>Such a value stands for all decimals that are read and cut back to it; no two of them have 15 digits, so what
 * was written with 15 or fewer is found again: 0.1. Where there is none, the text is that of the double which is
 * kept. (The shortest text that comes back would also change what is kept as it was written: 0.30000000000000004 to
 * 0.3000000000000001.)
 *
 * <p>A double that was cut to c * 2^q with c = 4n stands for what rounds to c, c + 1, c + 2 or c + 3:
 *
 * <pre>
 *   c - 1/2      c         c + 1       c + 3/2       c + 2       c + 3     c + 7/2      in units of 2^q
 *      [---------|-----------|------------|------------|-----------|---------)
 * </pre>
 *
 * <p>These four units are less than one unit of the 15th digit, so the only number of 15 digits that can be among
 * them is the one nearest to their middle. Whether it is, reading it back says.
 */
final class BoxedFloat {
    private static final long HIDDEN_BIT = 1L << 52;
    private static final long DROPPED = 3;

    private BoxedFloat() {}

    static int write(byte[] to, int at, double x, FloatLayout as) {
        long bits = Double.doubleToRawLongBits(x) & ~DROPPED;
        long magnitude = bits & Long.MAX_VALUE;
        if (magnitude == 0) return FloatWrite.shortest(to, at, Double.longBitsToDouble(bits), as);
        int behindSign = at;
        if (bits < 0) to[behindSign++] = '-';
        long fraction = bits & (HIDDEN_BIT - 1);
        int biased = (int) (magnitude >>> 52);
        if (biased != 0) {
            FloatWrite.Rounded r = new FloatWrite.Rounded((fraction | HIDDEN_BIT) * 2 + 3, biased - 1076, 15);
            if (comesBack(r.digits, r.exponent, magnitude)) {
                return FloatText.putShort(to, behindSign, r.digits, r.exponent, as);
            }
        } else {
            // Below the normal ones a unit is worth more digits than one: the fewest that come back.
            FloatWrite.Rounded r = new FloatWrite.Rounded(fraction * 2 + 3, -1075, 17);
            for (int n = 1; n <= 15; n++) {
                long unit = FloatText.TENS[17 - n];
                long digits = (r.digits / 10 * 10 + unit / 2) / unit;
                if (comesBack(digits, r.exponent + 17 - n, magnitude)) {
                    return FloatText.putShort(to, behindSign, digits, r.exponent + 17 - n, as);
                }
            }
        }
        return FloatWrite.shortest(to, at, Double.longBitsToDouble(bits), as);
    }

    private static boolean comesBack(long digits, int exponent, long magnitude) {
        double read = Double.parseDouble(digits + "e" + exponent);
        return (Double.doubleToRawLongBits(read) & ~DROPPED) == magnitude;
    }
}
