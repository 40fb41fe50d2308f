package kumihimo.scalar;

/** Decimal digits a word at a time: the first digit in the lowest byte, as it is stored. */
final class Digits {
    /** The text of eight zeros. */
    static final long ZEROS = 0x3030303030303030L;

    /** The text of 0 to 99 as two digits, the first one in the low byte. */
    private static final char[] PAIRS = pairs();

    private Digits() {}

    /**
     * Eight digits as bytes of 0 to 9; n is below 10^8. Each step splits every lane in two by one multiplication with
     * a reciprocal.
     */
    static long eight(int n) {
        long q4 = n * 3518437209L >>> 45; // n / 10000
        long fours = q4 | (n - q4 * 10000) << 32;
        long q2 = (fours * 10486 >>> 20) & 0x0000007f0000007fL;
        long twos = q2 | (fours - q2 * 100) << 16;
        long q1 = (twos * 103 >>> 10) & 0x000f000f000f000fL;
        return q1 | (twos - q1 * 10) << 8;
    }

    /** Four digits as text; n is below 10^4. */
    static int fourTexts(int n) {
        int a = n / 100;
        return PAIRS[a] | PAIRS[n - a * 100] << 16;
    }

    /** Two digits as text; n is below 100. */
    static int twoTexts(int n) {
        return PAIRS[n];
    }

    private static char[] pairs() {
        char[] pairs = new char[100];
        for (int i = 0; i < 100; i++) pairs[i] = (char) (('0' + i / 10) | ('0' + i % 10) << 8);
        return pairs;
    }
}
