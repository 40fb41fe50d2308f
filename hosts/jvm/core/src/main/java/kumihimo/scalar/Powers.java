package kumihimo.scalar;

/**
 * Powers of ten to 128 bits, made when the class is loaded: 5^e needs no more than long multiplication by 5, and the
 * floor of 2^n / 5^e no more than repeated division by 5, because floors of quotients nest.
 *
 * <pre>
 *   10^e = significand(e) * 2^(binaryExponent(e) - 127),  2^127 &lt;= significand &lt; 2^128
 *
 *   0 &lt;= e &lt;= 55    exact
 *   e &gt; 55          cut: below the true value by less than one unit
 *   e &lt; 0           above the true value by at most one unit, so that no exact quotient looks smaller than it is
 * </pre>
 */
final class Powers {
    /** Below it 2^64 * 10^e rounds to zero. */
    static final int LEAST = -342;
    /** The smallest subnormal to 17 digits. */
    static final int GREATEST = 340;
    static final int GREATEST_EXACT = 55;

    /** The high and the low 64 bits of each significand, one behind the other. */
    private static final long[] TABLE = table();

    private Powers() {}

    /** The high 64 bits of the significand of 10^e; the highest of them is set. */
    static long high(int e) {
        return TABLE[(e - LEAST) << 1];
    }

    /** The low 64 bits of the significand of 10^e. */
    static long low(int e) {
        return TABLE[((e - LEAST) << 1) + 1];
    }

    /** floor(log10(2^q)) for |q| up to 1650. */
    static int log10OfPowerOf2(int q) {
        return q * 315653 >> 20;
    }

    /** floor(log2(10^e)) for |e| up to 1233. */
    static int binaryExponent(int e) {
        return e * 1741647 >> 19;
    }

    /** The high 64 bits of the product of two numbers without sign. */
    static long multiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }

    private static long[] table() {
        long[] table = new long[(GREATEST - LEAST + 1) * 2];
        long[] product = new long[30]; // limbs of 32 bits, the lowest first; 5^340 has 790 bits
        product[4] = 1; // so that there are 128 bits below any highest one
        for (int e = 0; e <= GREATEST; e++) {
            putTop(product, table, e);
            long carry = 0;
            for (int i = 0; i < product.length; i++) {
                carry += product[i] * 5;
                product[i] = carry & 0xffffffffL;
                carry >>>= 32;
            }
        }
        long[] quotient = new long[30]; // 2^959 / 5^342 still has 164 bits
        quotient[quotient.length - 1] = 1L << 31;
        for (int e = -1; e >= LEAST; e--) {
            long rest = 0;
            for (int i = quotient.length - 1; i >= 0; i--) {
                long part = rest << 32 | quotient[i];
                quotient[i] = part / 5;
                rest = part % 5;
            }
            putTop(quotient, table, e);
            int at = (e - LEAST) << 1;
            if (++table[at + 1] == 0) table[at]++;
        }
        return table;
    }

    /** The 128 bits from the highest one that is set. */
    private static void putTop(long[] limbs, long[] table, int e) {
        int i = limbs.length - 1;
        while (limbs[i] == 0) i--;
        int shift = Long.numberOfLeadingZeros(limbs[i]) - 32;
        int at = (e - LEAST) << 1;
        table[at] = (limbs[i] << 32 | limbs[i - 1]) << shift | limbs[i - 2] >>> (32 - shift);
        table[at + 1] = (limbs[i - 2] << 32 | limbs[i - 3]) << shift | limbs[i - 4] >>> (32 - shift);
    }
}
