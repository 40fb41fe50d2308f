package kumihimo.scalar;

import kumihimo.format.LittleEndian;

/**
 * Base64 (RFC 4648), in the standard alphabet, padded with =, and in that for URLs, written without padding. Out of
 * the middle of an array and into one, which the JDK's does not do without copies.
 */
public final class Base64 {
    public static final Base64 STANDARD =
            new Base64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true);
    public static final Base64 URL =
            new Base64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false);

    private final boolean padded;
    /**
     * Two characters for every 12 bits, the first in the low byte: half the lookups of a table of single characters.
     */
    private final char[] pairs = new char[4096];
    /** Of each byte the six bits, or -1. */
    private final byte[] values = new byte[256];

    private Base64(String letters, boolean padded) {
        this.padded = padded;
        for (int i = 0; i < 4096; i++) pairs[i] = (char) (letters.charAt(i >> 6) | letters.charAt(i & 63) << 8);
        java.util.Arrays.fill(values, (byte) -1);
        for (int i = 0; i < 64; i++) values[letters.charAt(i)] = (byte) i;
    }

    /** Characters that n bytes become. */
    public long size(long n) {
        return padded ? (n + 2) / 3 * 4 : n / 3 * 4 + (n % 3 != 0 ? n % 3 + 1 : 0);
    }

    /** Writes the characters of the bytes in data from {@code from} to {@code until}, and returns their end. */
    public int encode(byte[] data, int from, int until, byte[] to, int at) {
        int i = from;
        for (; i <= until - 3; i += 3) {
            int w = (data[i] & 0xff) << 16 | (data[i + 1] & 0xff) << 8 | data[i + 2] & 0xff;
            LittleEndian.put32(to, at, pairs[w >>> 12] | pairs[w & 0xfff] << 16);
            at += 4;
        }
        if (i == until) return at;
        boolean one = i == until - 1;
        int w = (data[i] & 0xff) << 16 | (one ? 0 : (data[i + 1] & 0xff) << 8);
        LittleEndian.put16(to, at, pairs[w >>> 12]);
        at += 2;
        if (!one) to[at++] = (byte) pairs[w & 0xfff];
        if (padded) {
            to[at++] = '=';
            if (one) to[at++] = '=';
        }
        return at;
    }

    /**
     * The bytes that these characters stand for. Padding: all of it, or none of it, in either alphabet.
     *
     * @return null for a character outside the alphabet (white space too), padding in the wrong place or of the wrong
     *     length, a length that no bytes have, or left-over bits that are not zero
     */
    public byte[] decode(byte[] data, int from, int until) {
        int n = until - from;
        if (n % 4 == 0 && n != 0 && data[until - 1] == '=') n -= data[until - 2] == '=' ? 2 : 1;
        if (n % 4 == 1) return null;
        byte[] out = new byte[(int) (n * 3L / 4)];
        int bad = 0;
        int at = 0;
        int i = from;
        for (; n >= 4; n -= 4) {
            int w = values[data[i] & 0xff] << 18 | values[data[i + 1] & 0xff] << 12 | values[data[i + 2] & 0xff] << 6
                    | values[data[i + 3] & 0xff];
            bad |= w;
            out[at] = (byte) (w >> 16);
            out[at + 1] = (byte) (w >> 8);
            out[at + 2] = (byte) w;
            at += 3;
            i += 4;
        }
        if (n != 0) {
            int w = values[data[i] & 0xff] << 18 | values[data[i + 1] & 0xff] << 12
                    | (n == 3 ? values[data[i + 2] & 0xff] << 6 : 0);
            bad |= w;
            if ((w & (n == 3 ? 0xff : 0xffff)) != 0) return null;
            out[at] = (byte) (w >> 16);
            if (n == 3) out[at + 1] = (byte) (w >> 8);
        }
        return bad < 0 ? null : out;
    }
}
