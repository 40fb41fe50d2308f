package kumihimo;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import kumihimo.format.KeyHash;
import kumihimo.format.LittleEndian;

/**
 * The name of a field, prepared once: what each format needs of it, so that writing a key copies bytes and reading
 * one compares them. Immutable.
 */
public final class Name {
    private static final int SPELLINGS = 8;
    /** What some dialect of JSON escapes. */
    private static final String ESCAPED = "\"\\/<>&";

    private final String text;
    private final byte[] utf8;
    private final boolean plain;
    private final int hash;
    /** The first eight bytes as a word, and which of its bits count. */
    private final long head;
    private final long mask;
    /** Of more than eight bytes the last eight, of more than sixteen the second eight, too. */
    private final long tail;
    private final long middle;
    private final long[] quoted;
    private final int quotedSize;
    private final int quotedRoom;
    private final long first;
    private final long second;
    private final long third;
    private final AtomicReferenceArray<byte[]> spelled;

    /** @throws DataException {@link Code#ENCODING} for half a surrogate pair */
    public Name(String text) {
        this.text = text;
        this.utf8 = Utf8.bytes(text);
        boolean plain = utf8.length == text.length();
        for (byte b : utf8) plain &= b >= 0x20 && b < 0x7f && ESCAPED.indexOf(b) < 0;
        this.plain = plain;
        int n = utf8.length;
        hash = KeyHash.of(utf8, 0, n);
        head = LittleEndian.i64(Arrays.copyOf(utf8, Math.max(8, n)), 0);
        mask = n == 0 ? 0 : -1L >>> 64 - 8 * Math.min(8, n);
        tail = n < 8 ? 0 : LittleEndian.i64(utf8, n - 8);
        middle = n < 16 ? 0 : LittleEndian.i64(utf8, 8);
        quoted = plain ? quoted(utf8) : null;
        quotedSize = plain ? n + 3 : 0;
        quotedRoom = plain ? quoted.length * 8 : 0;
        first = plain ? quoted[0] : 0;
        second = plain ? quoted[1] : 0;
        third = plain ? quoted[2] : 0;
        spelled = plain ? null : new AtomicReferenceArray<>(SPELLINGS);
    }

    private static long[] quoted(byte[] utf8) {
        byte[] bytes = new byte[Math.max(24, (utf8.length + 10) / 8 * 8)];
        bytes[0] = '"';
        System.arraycopy(utf8, 0, bytes, 1, utf8.length);
        bytes[utf8.length + 1] = '"';
        bytes[utf8.length + 2] = ':';
        return words(bytes);
    }

    private static long[] words(byte[] bytes) {
        long[] words = new long[bytes.length / 8];
        for (int i = 0; i < words.length; i++) words[i] = LittleEndian.i64(bytes, i * 8);
        return words;
    }

    public String text() {
        return text;
    }

    /** The bytes of the name in UTF-8; not to be changed. */
    public byte[] utf8() {
        return utf8;
    }

    /** All of it is printable ASCII that no dialect of JSON escapes. */
    public boolean isPlain() {
        return plain;
    }

    /**
     * Where the name's bytes end in data, if they stand there from {@code at} on; else -1. Whatever stands behind
     * them, up to {@code data.length}, is looked at as well, and does not matter.
     */
    public int match(byte[] data, int at, int last) {
        int end = at + utf8.length;
        if (end > last) return -1;
        if (at > data.length - 8 || utf8.length > 24) {
            return Arrays.equals(utf8, 0, utf8.length, data, at, end) ? end : -1;
        }
        long other = (LittleEndian.i64(data, at) ^ head) & mask;
        if (utf8.length > 8) other |= LittleEndian.i64(data, end - 8) ^ tail;
        if (utf8.length > 16) other |= LittleEndian.i64(data, at + 8) ^ middle;
        return other == 0 ? end : -1;
    }

    /** {@link KeyHash} of the name. */
    public int hash() {
        return hash;
    }

    /** Writes the name's bytes, and returns their end. Up to 24 are stored in any case. */
    public int put(byte[] to, int at) {
        int n = utf8.length;
        if (n > 24) {
            System.arraycopy(utf8, 0, to, at, n);
        } else {
            LittleEndian.put64(to, at, head);
            if (n > 8) {
                if (n > 16) LittleEndian.put64(to, at + 8, middle);
                LittleEndian.put64(to, at + n - 8, tail);
            }
        }
        return at + n;
    }

    /** Bytes that {@link #putQuoted} may store; 0 where the name is not plain. */
    public int quotedRoom() {
        return quotedRoom;
    }

    /**
     * Writes a plain name as all dialects of JSON write a key, in quotes and with its colon, and returns the end. More
     * is stored behind it.
     */
    public int putQuoted(byte[] to, int at) {
        LittleEndian.put64(to, at, first);
        LittleEndian.put64(to, at + 8, second);
        LittleEndian.put64(to, at + 16, third);
        for (int i = 24; i < quotedSize; i += 8) LittleEndian.put64(to, at + i, quoted[i >> 3]);
        return at + quotedSize;
    }

    /** Of a name that is not plain: what {@link #spell} was given under this number, or null. Not to be changed. */
    public byte[] spelled(int dialect) {
        return spelled.get(dialect);
    }

    /** Keeps how a dialect, by a number from 0 to 7, writes a name that is not plain. */
    public void spell(int dialect, byte[] bytes) {
        spelled.set(dialect, bytes);
    }

    @Override
    public String toString() {
        return text;
    }
}
