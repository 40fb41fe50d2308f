package kumihimo;

import java.util.Arrays;

/**
 * The name of a field, prepared once: what each format needs of it, so that writing a key copies bytes and reading one compares
 * them. Immutable.
 */
public final class Name {
    private final String text;
    private final byte[] utf8;
    private final boolean plain;
    /** The first eight bytes as a word, and which of its bits count. */
    private final long head;
    private final long mask;

    /** @throws DataException {@link Code#ENCODING} for half a surrogate pair */
    public Name(String text) {
        this.text = text;
        this.utf8 = Utf8.bytes(text);
        boolean plain = utf8.length == text.length();
        for (byte b : utf8) plain &= b >= 0x20 && b < 0x7f && b != '"' && b != '\\' && b != '/' && b != '<' && b != '>' && b != '&';
        this.plain = plain;
        head = LittleEndian.i64(Arrays.copyOf(utf8, Math.max(8, utf8.length)), 0);
        mask = utf8.length == 0 ? 0 : -1L >>> 64 - 8 * Math.min(8, utf8.length);
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
     * Where the name's bytes end in data, if they stand there from {@code at} on; else -1. Whatever stands behind them, up to
     * {@code data.length}, is looked at as well, and does not matter.
     */
    public int match(byte[] data, int at, int last) {
        int end = at + utf8.length;
        if (end > last) return -1;
        if (utf8.length <= 8 && at <= data.length - 8) {
            return ((LittleEndian.i64(data, at) ^ head) & mask) == 0 ? end : -1;
        }
        return Arrays.equals(utf8, 0, utf8.length, data, at, end) ? end : -1;
    }

    @Override
    public String toString() {
        return text;
    }
}
