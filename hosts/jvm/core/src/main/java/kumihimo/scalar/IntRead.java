package kumihimo.scalar;

/**
 * Decimal digits to integers, eight at a time: a word holds eight characters, the first one in its lowest byte
 * ({@link kumihimo.format.LittleEndian#i64}).
 */
public final class IntRead {
    private static final long ZEROS = 0x3030303030303030L; // "00000000"
    private static final long PAIRS = 0x000000ff000000ffL;
    private static final long HUNDREDS = 100 + (1_000_000L << 32);
    private static final long ONES = 1 + (10_000L << 32);

    private static final int[] POWERS = {1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000};

    private IntRead() {}

    /** How many of a word's first characters are digits: 0 to 8. */
    public static int count(long word) {
        long x = word ^ ZEROS; // digits: 0 to 9; everything else: more
        // The high bit of a byte says: more. A carry can only spoil bytes behind the first of those.
        long other = (x + 0x7676767676767676L | x) & 0x8080808080808080L;
        return Long.numberOfTrailingZeros(other) >>> 3;
    }

    /** The number that eight digits are. */
    public static long eight(long word) {
        return value(word ^ ZEROS);
    }

    /** The number that the first n digits of a word are, n from 0 to 7; what stands behind them is not looked at. */
    public static long some(long word, int n) {
        return value((word ^ ZEROS) << 8 << 56 - 8 * n);
    }

    /** 10^n, n from 0 to 8. */
    public static int power(int n) {
        return POWERS[n];
    }

    /** Eight values of digits as a number: pairs first, then all four pairs at once by two multiplications. */
    private static long value(long x) {
        x = x * 10 + (x >>> 8);
        return (x & PAIRS) * HUNDREDS + (x >>> 16 & PAIRS) * ONES >>> 32;
    }
}
