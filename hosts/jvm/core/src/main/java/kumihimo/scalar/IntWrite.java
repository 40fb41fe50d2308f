package kumihimo.scalar;

import kumihimo.LittleEndian;

/**
 * Integers to decimal text.
 *
 * <p>It goes by magnitude: up to 8 digits are made in one word, whose leading zeros are shifted out; up to 16 as such a number
 * and a word; the rest as one and two words. Whole words are stored, so all of {@link #ROOM} may be written to.
 */
public final class IntWrite {
    /** Bytes that must be free behind {@code at}. */
    public static final int ROOM = 24;

    private static final int TEN_TO_8 = 100_000_000;
    private static final long TEN_TO_16 = 10_000_000_000_000_000L;

    /** The least number of more digits than this; of none 0. */
    private static final int[] TENS = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

    private IntWrite() {}

    /** Writes n in decimal and returns the end. */
    public static int i32(byte[] to, int at, int n) {
        if (n < 0) {
            to[at++] = '-';
            n = -n;
            if (n < 0) return i64(to, at, 1L << 31);
        }
        if (n < 10) {
            to[at] = (byte) ('0' + n);
            return at + 1;
        }
        if (n < TEN_TO_8) return few(to, at, n);
        int head = n / TEN_TO_8;
        at = few(to, at, head);
        LittleEndian.put64(to, at, Digits.eightTexts(n - head * TEN_TO_8));
        return at + 8;
    }

    /** Writes n in decimal and returns the end. */
    public static int i64(byte[] to, int at, long n) {
        if (n < 0) {
            to[at++] = '-';
            n = -n;
            if (n < 0) return u64(to, at, n);
        }
        if (n < TEN_TO_8) {
            if (n >= 10) return few(to, at, (int) n);
            to[at] = (byte) ('0' + n);
            return at + 1;
        }
        return many(to, at, n);
    }

    /** Writes the unsigned number that these 64 bits are, and returns the end. */
    public static int u64(byte[] to, int at, long bits) {
        if (bits >= 0) return i64(to, at, bits);
        long head = Long.divideUnsigned(bits, TEN_TO_16);
        at = few(to, at, (int) head);
        return sixteen(to, at, bits - head * TEN_TO_16);
    }

    private static int many(byte[] to, int at, long n) {
        if (n >= TEN_TO_16) {
            long top = n / TEN_TO_16;
            at = few(to, at, (int) top);
            return sixteen(to, at, n - top * TEN_TO_16);
        }
        long head = n / TEN_TO_8;
        at = few(to, at, (int) head);
        LittleEndian.put64(to, at, Digits.eightTexts((int) (n - head * TEN_TO_8)));
        return at + 8;
    }

    private static int sixteen(byte[] to, int at, long n) {
        long head = n / TEN_TO_8;
        LittleEndian.put64(to, at, Digits.eightTexts((int) head));
        LittleEndian.put64(to, at + 8, Digits.eightTexts((int) (n - head * TEN_TO_8)));
        return at + 16;
    }

    /**
     * Up to 8 digits. The length comes from n itself and not from the digits, so that what is written behind this number needs
     * not wait for them.
     */
    private static int few(byte[] to, int at, int n) {
        int length = length(n);
        LittleEndian.put64(to, at, Digits.eightTexts(n) >>> (8 - length << 3));
        return at + length;
    }

    /** How many digits n has, 1 to 8; n is below 10^8. log10(2) is 1233 / 4096 closely enough. */
    private static int length(int n) {
        int least = (32 - Integer.numberOfLeadingZeros(n | 1)) * 1233 >>> 12;
        return least + (n >= TENS[least] ? 1 : 0);
    }
}
