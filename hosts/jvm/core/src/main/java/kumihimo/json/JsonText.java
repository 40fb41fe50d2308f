package kumihimo.json;

import java.util.Arrays;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;

/**
 * Strings with escapes, or with characters beyond ASCII, to text; used again for every string of a reader.
 *
 * <p>ASCII goes into {@link #bytes}, eight at a time. From the first character beyond it on, UTF-16 goes into {@link
 * #chars}.
 */
final class JsonText {
    private static final int WIDTH = 8;
    /** Room for text that is kept from one document to the next. */
    private static final int KEPT = 1 << 16;
    private static final int LEAST = 256;

    private final JsonReadDialect granted;
    private final boolean plain;

    private byte[] bytes = {};
    private char[] chars = {};

    /** Behind the closing quote of the string that was read last. */
    int end;

    JsonText(JsonReadDialect granted) {
        this.granted = granted;
        plain = granted.hasPlainStrings();
    }

    /** Gives up the room that a large text of the document before has needed. */
    void forget() {
        if (bytes.length > KEPT) bytes = new byte[LEAST];
        if (chars.length > KEPT) chars = new char[LEAST];
    }

    private static int larger(int length, int needed) {
        return Math.max(Math.max(LEAST, needed), (int) Math.min(length * 2L, Integer.MAX_VALUE - 8));
    }

    /**
     * The closing quote of the string whose opening quote is before p, with flags; {@link JsonScan#BROKEN} for none.
     */
    long scan(byte[] data, int p, int stop) {
        return plain ? JsonScan.string(data, p, stop) : scanLax(data, p, stop);
    }

    private long scanLax(byte[] data, int p, int stop) {
        long found = JsonUnescape.string(data, p, stop, granted);
        boolean refused = found != JsonScan.BROKEN && (found & JsonScan.ESCAPED) != 0
                && unescape(data, p, (int) found) == JsonScan.BROKEN;
        return refused ? JsonScan.BROKEN : found;
    }

    /**
     * Takes the escapes out of [from, close) into {@link #unescaped}.
     *
     * @return as {@link JsonUnescape#bytes}
     */
    long unescape(byte[] data, int from, int close) {
        if (bytes.length < close - from) bytes = new byte[larger(bytes.length, close - from)];
        return JsonUnescape.bytes(data, from, close, bytes, granted.surrogates(), JsonUnescape.Unknown.of(granted));
    }

    /** What {@link #unescape} made. */
    byte[] unescaped() {
        return bytes;
    }

    /**
     * The string that begins at {@code from}, or null where it is broken or ends with the document. What stands before
     * p is known to be printable ASCII without quote and backslash.
     *
     * @throws kumihimo.DataException {@link kumihimo.Code#ENCODING} where a dialect lets in what no String can hold
     */
    String string(byte[] data, int from, int p, int stop) {
        return plain ? ascii(data, from, p, stop) : lax(data, from, stop);
    }

    private String lax(byte[] data, int from, int stop) {
        long found = JsonUnescape.string(data, from, stop, granted);
        if (found == JsonScan.BROKEN) return null;
        int close = (int) found;
        end = close + 1;
        if ((found & JsonScan.ESCAPED) == 0) return Utf8.string(data, from, close, (found & JsonScan.WIDE) == 0);
        long n = unescape(data, from, close);
        if (n == JsonScan.BROKEN) return null;
        if ((n & JsonUnescape.HALF) != 0) return JsonUnescape.utf16(data, from, close);
        return Utf8.string(bytes, 0, (int) n, ((found | n) & JsonScan.WIDE) == 0);
    }

    /** As long as all is ASCII. */
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    private String ascii(byte[] data, int from, int p, int stop) {
        int n = p - from;
        if (bytes.length < n + WIDTH) bytes = new byte[larger(bytes.length, n + 64)];
        byte[] to = bytes;
        System.arraycopy(data, from, to, 0, n);
        while (p < stop) {
            if (n + WIDTH > to.length) to = bytes = Arrays.copyOf(to, larger(to.length, n + WIDTH));
            if (p <= stop - 8) { // store first, look after
                long word = JsonWords.at(data, p);
                LittleEndian.put64(to, n, word);
                int clean = Long.numberOfTrailingZeros(JsonWords.notPlain(word)) >>> 3;
                p += clean;
                n += clean;
                if (clean == 8) continue;
            }
            int c = data[p];
            if (c == '"') {
                end = p + 1;
                return new String(to, 0, 0, n);
            }
            if (c == '\\') {
                int meant = p + 1 < stop ? JsonScan.escape(data[p + 1]) : 0;
                if (meant == 0) {
                    int unit = p + 6 <= stop && data[p + 1] == 'u' ? JsonScan.fourHex(data, p + 2) : -1;
                    if (unit < 0) return null;
                    if (unit >= 0x80) return wide(data, p, n, stop);
                    meant = unit;
                    p += 4;
                }
                to[n++] = (byte) meant;
                p += 2;
            } else if (c < 0) {
                return wide(data, p, n, stop);
            } else if (c < 0x20) {
                return null;
            } else { // near the document's end
                to[n++] = (byte) c;
                p++;
            }
        }
        return null;
    }

    /** The rest from p on, where the n characters before it are in {@link #bytes}. */
    private String wide(byte[] data, int p, int n, int stop) {
        room(n + 64);
        char[] to = chars;
        byte[] ascii = bytes;
        for (int i = 0; i < n; i++) to[i] = (char) ascii[i];
        while (p < stop) {
            if (n + WIDTH > to.length) {
                room(n + 64);
                to = chars;
            }
            for (int last = p + Math.min(stop - p, to.length - n) - 8; p <= last; p += 6) {
                long word = JsonWords.at(data, p);
                if (!JsonWords.isTwoOfThreeBytes(word)) break; // most of what is beyond ASCII
                int unit = unitOfThree((int) word);
                int next = unitOfThree((int) (word >>> 24));
                if (!(isUnit(unit) & isUnit(next))) return null;
                to[n] = (char) unit;
                to[n + 1] = (char) next;
                n += 2;
            }
            if (n + WIDTH > to.length) continue;
            int c = data[p];
            if (c < (byte) 0xf0 && c >= (byte) 0xe0 && p < stop - 2) {
                int second = data[p + 1];
                int third = data[p + 2];
                int unit = (c & 0xf) << 12 | (second & 0x3f) << 6 | third & 0x3f;
                if (!(second < -0x40 & third < -0x40 & isUnit(unit))) return null;
                to[n++] = (char) unit;
                p += 3;
            } else if (c < 0) {
                int size = Utf8.sequence(data, p, stop, c & 0xff);
                if (size == 0) return null;
                n = put(data, p, size, to, n);
                p += size;
            } else if (c == '"') {
                end = p + 1;
                return new String(to, 0, n);
            } else if (c == '\\') {
                int next = JsonEnds.escape(data, p, stop);
                if (next == JsonEnds.NONE) return null;
                to[n++] = unit(data, p);
                if (next - p == 12) to[n++] = unit(data, p + 6);
                p = next;
            } else if (c < 0x20) {
                return null;
            } else {
                to[n++] = (char) c;
                p++;
            }
        }
        return null;
    }

    /** Of a character of three bytes, the first of which is the lowest of the word. */
    private static int unitOfThree(int word) {
        return (word & 0xf) << 12 | (word >>> 8 & 0x3f) << 6 | word >>> 16 & 0x3f;
    }

    /** Whether three bytes may mean it. */
    private static boolean isUnit(int unit) {
        return unit >= 0x800 & (unit & 0xf800) != 0xd800;
    }

    private void room(int n) {
        if (chars.length < n) chars = Arrays.copyOf(chars, larger(chars.length, n));
    }

    /** The UTF-16 of a valid sequence. */
    private static int put(byte[] data, int p, int size, char[] to, int n) {
        int a = data[p];
        int b = data[p + 1] & 0x3f;
        if (size == 2) {
            to[n] = (char) ((a & 0x1f) << 6 | b);
            return n + 1;
        }
        int c = data[p + 2] & 0x3f;
        if (size == 3) {
            to[n] = (char) ((a & 0xf) << 12 | b << 6 | c);
            return n + 1;
        }
        int point = (a & 7) << 18 | b << 12 | c << 6 | data[p + 3] & 0x3f;
        to[n] = (char) (0xd7c0 + (point >> 10));
        to[n + 1] = (char) (0xdc00 | point & 0x3ff);
        return n + 2;
    }

    /** The unit of UTF-16 that a valid escape means. */
    private static char unit(byte[] data, int p) {
        int letter = data[p + 1];
        return (char) (letter == 'u' ? JsonScan.fourHex(data, p + 2) : JsonScan.escape(letter));
    }
}
