package kumihimo.scalar;

import kumihimo.format.LittleEndian;

/**
 * Integers to decimal text.
 *
 * <p>It goes by magnitude: up to 8 digits are made in one word, whose leading zeros are shifted out; up to 16 as such
 * a number and a word; the rest as one and two words. Whole words are stored, so all of {@link #ROOM} may be written
 * to. The fewer branches the better: sizes of numbers are hard to foretell. Only the single digit, the most frequent
 * number, has its own.
 */
public final class IntWrite {
    /** Bytes that must be free behind {@code at}. */
    public static final int ROOM = 24;

    private static final int TEN_TO_8 = 100_000_000;
    private static final long TEN_TO_16 = 10_000_000_000_000_000L;

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
        at = two(to, at, head);
        LittleEndian.put64(to, at, Digits.eight(n - head * TEN_TO_8) | Digits.ZEROS);
        return at + 8;
    }

    /** Writes n in decimal and returns the end. */
    public static int i64(byte[] to, int at, long n) {
        if (n < 0) {
            to[at++] = '-';
            n = -n;
            if (n < 0) return u64(to, at, n);
        }
        if (n < 10) {
            to[at] = (byte) ('0' + n);
            return at + 1;
        }
        return n < TEN_TO_8 ? few(to, at, (int) n) : many(to, at, n);
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
            at = top < 100 ? two(to, at, (int) top) : few(to, at, (int) top);
            return sixteen(to, at, n - top * TEN_TO_16);
        }
        long head = n / TEN_TO_8;
        at = head < 100 ? two(to, at, (int) head) : few(to, at, (int) head);
        LittleEndian.put64(to, at, Digits.eight((int) (n - head * TEN_TO_8)) | Digits.ZEROS);
        return at + 8;
    }

    private static int sixteen(byte[] to, int at, long n) {
        long head = n / TEN_TO_8;
        LittleEndian.put64(to, at, Digits.eight((int) head) | Digits.ZEROS);
        LittleEndian.put64(to, at + 8, Digits.eight((int) (n - head * TEN_TO_8)) | Digits.ZEROS);
        return at + 16;
    }

    /** One or two digits. */
    private static int two(byte[] to, int at, int n) {
        int zeros = n < 10 ? 8 : 0;
        LittleEndian.put32(to, at, Digits.twoTexts(n) >>> zeros);
        return at + 2 - (zeros >> 3);
    }

    /** Up to 8 digits. */
    private static int few(byte[] to, int at, int n) {
        long digits = Digits.eight(n);
        int zeros = Long.numberOfTrailingZeros(digits | 1L << 56) & 56;
        LittleEndian.put64(to, at, (digits | Digits.ZEROS) >>> zeros);
        return at + 8 - (zeros >> 3);
    }
}
