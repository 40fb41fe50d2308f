package kumihimo;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.Inside;

/** Text between UTF-8 and String, refusing what is neither. */
public final class Utf8 {
    private static final long HIGH_BITS = 0x8080808080808080L;
    /** Text below this length is looked at while it is copied. */
    private static final int SHORT = 12;

    private Utf8() {}

    /** Whether all bytes are below 0x80. */
    public static boolean isAscii(byte[] data, int from, int to) {
        long all = 0;
        int i = from;
        for (; i <= to - 8; i += 8) all |= LittleEndian.i64(data, i);
        if (i < to) all |= last(data, from, i, to);
        return (all & HIGH_BITS) == 0;
    }

    /** The less than eight bytes from i to the end, put together; where there are eight to look at, these. */
    private static long last(byte[] data, int from, int i, int to) {
        if (to - from >= 8) return LittleEndian.i64(data, to - 8);
        // What stands behind a short text is looked at as well, and left out.
        if (i <= data.length - 8) return LittleEndian.i64(data, i) << 64 - 8 * (to - i);
        long all = 0;
        for (; i < to; i++) all |= data[i];
        return all;
    }

    /** Where the first sequence begins that is no UTF-8; {@code to} where there is none. */
    public static int validPrefix(byte[] data, int from, int to) {
        int i = from;
        while (i < to) {
            int c = data[i];
            if (c >= 0) {
                i++;
                while (i <= to - 8 && (LittleEndian.i64(data, i) & HIGH_BITS) == 0) i += 8;
                continue;
            }
            int size = sequence(data, i, to, c & 0xff);
            if (size == 0) return i;
            i += size;
        }
        return to;
    }

    /** The size of the sequence at i that begins with c, 0x80 or more; 0 where it is none. */
    public static int sequence(byte[] data, int i, int to, int c) {
        if (c < 0xe0) return c >= 0xc2 && i + 1 < to && data[i + 1] < -0x40 ? 2 : 0;
        if (c < 0xf0) {
            if (i + 2 >= to || data[i + 1] >= -0x40 || data[i + 2] >= -0x40) return 0;
            int point = (c & 15) << 12 | (data[i + 1] & 63) << 6;
            return point >= 0x800 && (point < 0xd800 || point > 0xdfff) ? 3 : 0;
        }
        if (c > 0xf4 || i + 3 >= to || data[i + 1] >= -0x40 || data[i + 2] >= -0x40 || data[i + 3] >= -0x40) return 0;
        int point = (c & 7) << 18 | (data[i + 1] & 63) << 12;
        return point >= 0x10000 && point <= 0x10ffff ? 4 : 0;
    }

    /**
     * The text of these bytes.
     *
     * @param ascii all are known to be below 0x80
     * @throws DataException {@link Code#ENCODING}
     */
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    public static String string(byte[] data, int from, int to, boolean ascii) {
        if (ascii) return new String(data, 0, from, to - from);
        String text = new String(data, from, to - from, StandardCharsets.UTF_8);
        // What is no UTF-8 has become U+FFFD, which may also have stood there.
        if (text.indexOf('\ufffd') >= 0 && validPrefix(data, from, to) != to) {
            throw new DataException(Code.ENCODING, "a string is not valid UTF-8");
        }
        return text;
    }

    /**
     * The UTF-8 of a text.
     *
     * @throws DataException {@link Code#ENCODING} for half a surrogate pair
     */
    public static byte[] bytes(String text) {
        int size = size(text, 0);
        if (size < 0) throw new DataException(Code.ENCODING, "a string holds half a surrogate pair");
        byte[] bytes = new byte[size];
        put(text, 0, bytes, 0);
        return bytes;
    }

    /** The same of any text: half a surrogate pair becomes the three bytes that UTF-8 would give it if it could. */
    public static byte[] looseBytes(String text) {
        if (size(text, 0) >= 0) return bytes(text);
        if (text.length() > Integer.MAX_VALUE / 3) throw tooLong();
        byte[] bytes = new byte[3 * text.length()];
        int at = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            int next = i + Character.charCount(point);
            if (point >= 0x800 && next == i + 1) at = put3(point, bytes, at);
            else at = put(text.substring(i, next), 0, bytes, at);
            i = next;
        }
        return Arrays.copyOf(bytes, at);
    }

    /**
     * Copies a text's characters to {@code to[at]} if all of them are ASCII; how many: all, or 0, where what stands
     * there is worth nothing. There must be room for them; of a text of less than eight characters up to eight bytes
     * are stored where the array has them.
     */
    public static int putAscii(String text, byte[] to, int at) {
        int n = text.length();
        byte[] inside = Inside.of(text);
        if (inside != null) return inside.length == n ? putInside(inside, n, to, at) : 0;
        return n < SHORT ? putShort(text, n, to, at) : putWhole(text, n, to, at);
    }

    private static int putInside(byte[] text, int n, byte[] to, int at) {
        if (n < 8) {
            if (n == 0) return 0;
            long word = Inside.few(text, n);
            if (at <= to.length - 8) LittleEndian.put64(to, at, word);
            else System.arraycopy(text, 0, to, at, n);
            return (word & HIGH_BITS) == 0 ? n : 0;
        }
        long all = 0;
        for (int i = 0; i < n - 8; i += 8) {
            long word = LittleEndian.i64(text, i);
            LittleEndian.put64(to, at + i, word);
            all |= word;
        }
        long last = LittleEndian.i64(text, n - 8);
        LittleEndian.put64(to, at + n - 8, last);
        return ((all | last) & HIGH_BITS) == 0 ? n : 0;
    }

    private static int putShort(String text, int n, byte[] to, int at) {
        for (int i = 0; i < n; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) return 0;
            to[at + i] = (byte) c;
        }
        return n;
    }

    /**
     * A String does not say whether its characters are bytes inside; a scan finds whether their fastest copy loses
     * anything.
     */
    @SuppressWarnings("deprecation") // the copy that cuts characters to bytes
    private static int putWhole(String text, int n, byte[] to, int at) {
        if (union(text, 0, n) >= 0x80) return 0;
        text.getBytes(0, n, to, at);
        return n;
    }

    /** The bits of all characters together, and so whether the text is ASCII (below 0x80) or Latin-1 (below 0x100). */
    public static int union(String text, int from, int until) {
        int all = 0;
        if (until - from < 8) {
            for (int i = from; i < until; i++) all |= text.charAt(i);
            return all;
        }
        // The last eight may overlap with those before: a rest of changing length would be foretold badly.
        for (int i = from; i < until - 8; i += 8) all |= eight(text, i);
        return all | eight(text, until - 8);
    }

    private static int eight(String text, int i) {
        return text.charAt(i) | text.charAt(i + 1) | text.charAt(i + 2) | text.charAt(i + 3)
                | text.charAt(i + 4) | text.charAt(i + 5) | text.charAt(i + 6) | text.charAt(i + 7);
    }

    /** Bytes of UTF-8 that the text has from one of its characters on; -1 where it holds half a surrogate pair. */
    public static int size(String text, int from) {
        int n = text.length();
        long size = 0;
        for (int i = from; i < n; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                size++;
            } else if (c < 0x800) {
                size += 2;
            } else if (!Character.isSurrogate(c)) {
                size += 3;
            } else {
                i++;
                if (Character.isLowSurrogate(c) || i == n || !Character.isLowSurrogate(text.charAt(i))) return -1;
                size += 4;
            }
        }
        if (size > Integer.MAX_VALUE) throw tooLong();
        return (int) size;
    }

    /**
     * Writes the text's characters from one of them on as UTF-8, and returns the end; {@link #size} has judged them.
     */
    public static int put(String text, int from, byte[] to, int at) {
        int n = text.length();
        for (int i = from; i < n; i++) {
            int c = text.charAt(i);
            if (c < 0x80) {
                to[at++] = (byte) c;
            } else if (c < 0x800) {
                to[at++] = (byte) (0xc0 | c >> 6);
                to[at++] = (byte) (0x80 | c & 63);
            } else if (!Character.isHighSurrogate((char) c)) {
                at = put3(c, to, at);
            } else {
                int point = Character.toCodePoint((char) c, text.charAt(++i));
                to[at++] = (byte) (0xf0 | point >> 18);
                to[at++] = (byte) (0x80 | point >> 12 & 63);
                to[at++] = (byte) (0x80 | point >> 6 & 63);
                to[at++] = (byte) (0x80 | point & 63);
            }
        }
        return at;
    }

    private static DataException tooLong() {
        return new DataException(Code.SIZE, "a string is longer than an array can be");
    }

    private static int put3(int c, byte[] to, int at) {
        to[at] = (byte) (0xe0 | c >> 12);
        to[at + 1] = (byte) (0x80 | c >> 6 & 63);
        to[at + 2] = (byte) (0x80 | c & 63);
        return at + 3;
    }
}
