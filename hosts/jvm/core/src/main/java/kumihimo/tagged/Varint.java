package kumihimo.tagged;

/**
 * Unsigned numbers of up to 64 bits in groups of 7, the lowest first, with 0x80 on all bytes but the last; signed ones
 * are zigzag (0, -1, 1, -2 as 0, 1, 2, 3).
 */
final class Varint {
    /** Bytes that no varint is longer than. */
    static final int LONGEST = 10;

    /** The number that {@link #load} found. */
    long value;
    /** Where it ends; -1 where the bytes end inside it or it is {@link #broken}. */
    int end;
    /** It has more than 64 bits. */
    boolean broken;

    /** Loads the varint at data[at]; false where there is none. */
    boolean load(byte[] data, int at, int last) {
        value = 0;
        broken = false;
        end = -1;
        for (int shift = 0; at < last; shift += 7) {
            int c = data[at++];
            if (shift == 63 && (c & 0xff) > 1) {
                broken = true;
                return false;
            }
            value |= (long) (c & 0x7f) << shift;
            if (c >= 0) {
                end = at;
                return true;
            }
        }
        return false;
    }

    /** The value as a length: what is beyond a long's sign is longer than any input. */
    long length() {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    long signed() {
        return unzigzag(value);
    }

    /** Stores n and returns the end. */
    static int put(byte[] to, int at, long n) {
        for (; n >>> 7 != 0; n >>>= 7) to[at++] = (byte) (n | 0x80);
        to[at++] = (byte) n;
        return at;
    }

    static int size(long n) {
        return (70 - Long.numberOfLeadingZeros(n | 1)) / 7;
    }

    static long zigzag(long n) {
        return n << 1 ^ n >> 63;
    }

    static long unzigzag(long n) {
        return n >>> 1 ^ -(n & 1);
    }
}
