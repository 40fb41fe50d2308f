package kumihimo.json;

import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.Inside;

/**
 * Text into a JSON string, without the quotes: copied and tested eight bytes at a time, what needs it escaped one by
 * one.
 *
 * <p>Where the JVM does not show a String's bytes ({@link Inside}), it does not say whether its characters are bytes
 * (Latin-1) or pairs of them (UTF-16), and its fastest copy, {@code getBytes} of a range, cuts every character to a
 * byte. So a scan finds first whether that loses anything. What is left then are bytes, and only text beyond Latin-1
 * goes character by character.
 */
final class JsonEscaper {
    /** In place of an end: the text is broken. */
    static final int BROKEN = -1;

    /** Text below this length is scanned while it is copied: less than two words of it gain nothing. */
    static final int SHORT = 12;

    /** 1 for ASCII characters that simply stand in a string by RFC 8259. */
    private static final byte[] PLAIN = new byte[128];
    /** The two digits of each byte, the first in the low byte. */
    private static final char[] HEX = new char[256];

    static {
        for (int i = 0x20; i < 0x80; i++) PLAIN[i] = (byte) (i == '"' || i == '\\' ? 0 : 1);
        String digits = "0123456789abcdef";
        for (int i = 0; i < 256; i++) HEX[i] = (char) (digits.charAt(i >> 4) | digits.charAt(i & 15) << 8);
    }

    private JsonEscaper() {}

    /** Bytes that n characters or bytes may need, and the words that are stored over the end. */
    static int bound(int n) {
        return n * 6 + 16;
    }

    /**
     * Copies the first of a text's n characters as long as they are ASCII and simply stand in a string by RFC 8259,
     * and returns how many. There must be room for all n.
     */
    private static int copyShort(String text, int n, byte[] to, int at) {
        for (int i = 0; i < n; i++) {
            char c = text.charAt(i);
            if (c >= 0x80 || PLAIN[c] == 0) return i;
            to[at + i] = (byte) c;
        }
        return n;
    }

    /**
     * As {@link #copyShort}, but of what does not begin with ASCII perhaps nothing; up to seven more bytes are stored.
     *
     * @param inside of {@link Inside}
     * @param union of {@link #union}
     */
    static int copy(String text, byte[] inside, int n, int union, byte[] to, int at) {
        if (inside != null && union < 0x100) return copyInside(inside, n, to, at);
        if (n < SHORT) return copyShort(text, n, to, at);
        return union < 0x80 ? copyAscii(text, n, to, at) : 0;
    }

    /**
     * Bits that hold those of all characters, and so whether the text is ASCII (below 0x80) or Latin-1 (below 0x100);
     * -1 where nobody has looked.
     */
    static int union(String text, byte[] inside, int n) {
        if (inside != null) return inside.length == n ? 0xff : 0xffff;
        return n < SHORT ? -1 : Utf8.union(text, 0, n);
    }

    /** As {@link #copyShort}, of the n bytes of a text that is Latin-1. */
    private static int copyInside(byte[] text, int n, byte[] to, int at) {
        if (n < 8) {
            if (n == 0) return 0;
            long word = Inside.few(text, n);
            LittleEndian.put64(to, at, word);
            // The zeros behind the last character are stops, too.
            return Math.min(n, Long.numberOfTrailingZeros(JsonWords.notPlain(word)) >>> 3);
        }
        int i = 0;
        for (; i < n - 8; i += 8) {
            long word = LittleEndian.i64(text, i);
            LittleEndian.put64(to, at + i, word);
            long stops = JsonWords.notPlain(word);
            if (stops != 0) return i + (Long.numberOfTrailingZeros(stops) >>> 3);
        }
        // The last word, some of which may have been looked at.
        long word = LittleEndian.i64(text, n - 8);
        LittleEndian.put64(to, at + n - 8, word);
        return n - 8 + (Long.numberOfTrailingZeros(JsonWords.notPlain(word)) >>> 3);
    }

    /** As {@link #copyShort}, for ASCII of eight characters or more. */
    @SuppressWarnings("deprecation") // the copy that cuts characters to bytes
    private static int copyAscii(String text, int n, byte[] to, int at) {
        text.getBytes(0, n, to, at);
        int end = at + n;
        for (int i = at; i < end - 8; i += 8) {
            long stops = JsonWords.notPlain(LittleEndian.i64(to, i));
            if (stops != 0) return i - at + (Long.numberOfTrailingZeros(stops) >>> 3);
        }
        // The last word, some of which may have been looked at.
        long stops = JsonWords.notPlain(LittleEndian.i64(to, end - 8));
        return stops == 0 ? n : n - 8 + (Long.numberOfTrailingZeros(stops) >>> 3);
    }

    /**
     * Writes the characters from {@code from} to {@code until}, escaped, and returns the end, or {@link #BROKEN} for
     * half a surrogate pair. A pair must not be parted by the range.
     *
     * @param union the bits of these characters together, or of more of them
     * @param replace half a surrogate pair becomes U+FFFD
     */
    @SuppressWarnings("deprecation") // the copy that cuts characters to bytes
    static int put(String text, int from, int until, int union, byte[] to, int at, JsonEscapes escapes,
            boolean replace) {
        if (union >= 0x100) {
            return escapes.ascii || escapes.separators ? putWider(text, from, until, to, at, escapes, replace)
                    : putWide(text, from, until, to, at, escapes, replace);
        }
        // The bytes to where the room ends, and from there to the front: what is written never catches up with what
        // is read.
        int bytes = at + (until - from) * 5 + 8;
        text.getBytes(from, until, to, bytes);
        return putLatin1(to, bytes, bytes + (until - from), to, at, escapes);
    }

    private static int putLatin1(byte[] data, int i, int end, byte[] to, int at, JsonEscapes escapes) {
        for (; i <= end - 8; i += 8) {
            long word = LittleEndian.i64(data, i);
            LittleEndian.put64(to, at, word);
            if (escapes.stops(word) == 0) at += 8;
            else at = putWord(word, to, at, escapes);
        }
        while (i < end) at = putOne(data[i++] & 0xff, to, at, escapes);
        return at;
    }

    /** Eight characters of Latin-1, some of which do not simply stand in a string. */
    private static int putWord(long word, byte[] to, int at, JsonEscapes escapes) {
        int left = 8;
        do {
            LittleEndian.put64(to, at, word);
            // The zeros that come in behind the last character are stops, too.
            int n = Long.numberOfTrailingZeros(escapes.stops(word)) >>> 3;
            if (n >= left) return at + left;
            word >>>= n << 3;
            at = putOne((int) word & 0xff, to, at + n, escapes);
            word >>>= 8;
            left -= n + 1;
        } while (left > 0);
        return at;
    }

    /** For escapes with nothing above U+007F. */
    private static int putWide(String text, int i, int until, byte[] to, int at, JsonEscapes escapes, boolean replace) {
        byte[] action = escapes.action;
        while (i < until) {
            int c = text.charAt(i);
            if (c >= 0x800) {
                if (c >= 0xd800 && c <= 0xdfff) {
                    int low = c < 0xdc00 && i + 1 < until ? text.charAt(i + 1) : 0;
                    if ((low & 0xfc00) == 0xdc00) {
                        at = putPair(c, low, to, at);
                        i += 2;
                        continue;
                    }
                    if (!replace) return BROKEN;
                    c = 0xfffd;
                }
                LittleEndian.put32(to, at, 0x8080e0 | c >> 12 | (c >> 6 & 63) << 8 | (c & 63) << 16);
                at += 3;
            } else if (c >= 0x80) {
                LittleEndian.put16(to, at, 0x80c0 | c >> 6 | (c & 63) << 8);
                at += 2;
            } else if (action[c] == JsonEscapes.COPY) {
                to[at++] = (byte) c;
            } else {
                at = putAscii(c, to, at, escapes);
            }
            i++;
        }
        return at;
    }

    private static int putWider(String text, int i, int until, byte[] to, int at, JsonEscapes escapes,
            boolean replace) {
        while (i < until) {
            int c = text.charAt(i++);
            if (c < 0xd800 || c > 0xdfff) {
                at = putOne(c, to, at, escapes);
                continue;
            }
            int low = c < 0xdc00 && i < until ? text.charAt(i) : 0;
            if ((low & 0xfc00) == 0xdc00) {
                i++;
                at = escapes.ascii ? putUnit(low, to, putUnit(c, to, at)) : putPair(c, low, to, at);
            } else {
                if (!replace) return BROKEN;
                at = putOne(0xfffd, to, at, escapes);
            }
        }
        return at;
    }

    /** A character that is no surrogate. */
    private static int putOne(int c, byte[] to, int at, JsonEscapes escapes) {
        if (c < 0x80) return putAscii(c, to, at, escapes);
        if (escapes.ascii) return putUnit(c, to, at);
        if (c < 0x800) {
            LittleEndian.put16(to, at, 0x80c0 | c >> 6 | (c & 63) << 8);
            return at + 2;
        }
        if (escapes.separators && (c == 0x2028 || c == 0x2029)) return putUnit(c, to, at);
        LittleEndian.put32(to, at, 0x8080e0 | c >> 12 | (c >> 6 & 63) << 8 | (c & 63) << 16);
        return at + 3;
    }

    private static int putPair(int high, int low, byte[] to, int at) {
        int c = Character.toCodePoint((char) high, (char) low);
        LittleEndian.put32(to, at, 0x808080f0 | c >> 18 | (c >> 12 & 63) << 8 | (c >> 6 & 63) << 16 | (c & 63) << 24);
        return at + 4;
    }

    private static int putAscii(int c, byte[] to, int at, JsonEscapes escapes) {
        byte action = escapes.action[c];
        if (action == JsonEscapes.COPY) {
            to[at] = (byte) c;
            return at + 1;
        }
        if (action == JsonEscapes.UNICODE) return putUnit(c, to, at);
        to[at] = '\\';
        to[at + 1] = action;
        return at + 2;
    }

    /** A backslash, the letter u, and four digits. */
    private static int putUnit(int unit, byte[] to, int at) {
        to[at] = '\\';
        to[at + 1] = 'u';
        LittleEndian.put32(to, at + 2, HEX[unit >>> 8] | HEX[unit & 0xff] << 16);
        return at + 6;
    }

    /** Writes bytes that are UTF-8, or that go out as they are where the escapes are not ASCII, and returns the end. */
    static int putUtf8(byte[] data, int i, int end, byte[] to, int at, JsonEscapes escapes) {
        while (i < end) {
            if (i <= end - 8) {
                long word = LittleEndian.i64(data, i);
                LittleEndian.put64(to, at, word);
                long stops = escapes.ascii ? escapes.stops(word) : escapes.stopsOfUtf8(word);
                int n = stops == 0 ? 8 : Long.numberOfTrailingZeros(stops) >>> 3;
                i += n;
                at += n;
                if (n == 8) continue;
            }
            int c = data[i];
            if (c >= 0) {
                at = putAscii(c, to, at, escapes);
                i++;
            } else if (escapes.ascii) {
                int size = c >= (byte) 0xf0 ? 4 : c >= (byte) 0xe0 ? 3 : 2;
                at = putDecoded(data, i, size, to, at);
                i += size;
            } else if (escapes.action[c & 0xff] == JsonEscapes.SEPARATORS && isSeparator(data, i, end)) {
                at = putUnit(0x2000 | (data[i + 2] & 0x3f), to, at);
                i += 3;
            } else {
                to[at++] = (byte) c;
                i++;
            }
        }
        return at;
    }

    private static boolean isSeparator(byte[] data, int i, int end) {
        return end - i >= 3 && data[i + 1] == (byte) 0x80 && (data[i + 2] & 0xfe) == 0xa8;
    }

    /** The escapes of the character of so many bytes. */
    private static int putDecoded(byte[] data, int i, int size, byte[] to, int at) {
        int c = data[i] & (0x7f >> size);
        for (int n = 1; n < size; n++) c = c << 6 | (data[i + n] & 63);
        if (c < 0x10000) return putUnit(c, to, at);
        return putUnit(Character.lowSurrogate(c), to, putUnit(Character.highSurrogate(c), to, at));
    }

    /** A backslash before each slash, in place, from the end on; returns the new end. */
    static int escapeSlashes(byte[] data, int from, int end) {
        int slashes = 0;
        for (int i = from; i < end; i++) {
            if (data[i] == '/') slashes++;
        }
        int to = end + slashes;
        int newEnd = to;
        while (to != end) {
            data[--to] = data[--end];
            if (data[to] == '/') data[--to] = '\\';
        }
        return newEnd;
    }

    /** Bytes at {@code from}, where no sequence of UTF-8 stands, that are the longest start of one; 1 where none is. */
    static int brokenSize(byte[] data, int from, int to) {
        int size = 1;
        while (size < 3 && from + size < to && startsSequence(data, from, size + 1)) size++;
        return size;
    }

    /** Whether the n bytes, 2 or 3, are the start of a longer sequence that is valid. */
    private static boolean startsSequence(byte[] data, int from, int n) {
        int c = data[from] & 0xff;
        int length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
        if (length <= n) return false;
        byte[] whole = {data[from], data[from + 1], n > 2 ? data[from + 2] : -0x80, -0x80};
        return Utf8.validPrefix(whole, 0, length) == length;
    }
}
