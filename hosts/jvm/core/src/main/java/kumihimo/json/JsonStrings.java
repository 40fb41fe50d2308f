package kumihimo.json;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Utf8;
import kumihimo.Writer;
import kumihimo.scalar.Inside;

/**
 * The strings of {@link JsonWriter}: text behind what is written, in quotes, by way of {@link JsonEscaper}, and
 * checked.
 */
abstract class JsonStrings extends Writer {
    static final int NULL = 'n' | 'u' << 8 | 'l' << 16 | 'l' << 24;
    static final int TRUE = 't' | 'r' << 8 | 'u' << 16 | 'e' << 24;
    static final long FALSE = 'f' | 'a' << 8 | 'l' << 16 | 's' << 24 | (long) 'e' << 32;
    static final int EMPTY_COMMA = '[' | ']' << 8 | ',' << 16;
    static final long TRUE_COMMA = TRUE | (long) ',' << 32;
    static final long FALSE_COMMA = FALSE | (long) ',' << 40;

    /** Two quotes and a comma or colon, and the word that is stored over the end. */
    static final int MORE = 16;
    /**
     * Text is escaped in pieces of this many characters at most, so that the worst case that needs room stays small.
     */
    static final int PIECE = 4096;

    final JsonDialect as;
    final JsonEscapes escapes;
    final long sizeLimit;
    private final Limits limits;

    JsonStrings(JsonDialect dialect, Limits limits) {
        as = dialect;
        escapes = dialect.escapes();
        sizeLimit = limits.size();
        this.limits = limits;
    }

    @Override
    public final Limits limits() {
        return limits;
    }

    @Override
    protected long sizeLimit() {
        return sizeLimit;
    }

    /** Writes a string behind size, with its quotes, and returns its end, behind which there is room for a comma. */
    final int quoted(String text) {
        int n = text.length();
        if (n > PIECE) return quotedSlowly(text, 0, -1, open());
        byte[] to = roomUpTo(n + MORE);
        int at = size;
        to[at++] = '"';
        byte[] inside = Inside.of(text);
        int union = JsonEscaper.union(text, inside, n);
        int copied = escapes.more ? 0 : JsonEscaper.copy(text, inside, n, union, to, at);
        at += copied;
        if (copied != n) return quotedSlowly(text, copied, union, at);
        to[at] = '"';
        return at + 1;
    }

    private int open() {
        roomUpTo(MORE)[size] = '"';
        return size + 1;
    }

    /** The rest of a string, piece by piece; union is that of its characters, or -1. */
    final int quotedSlowly(String text, int i, int union, int at) {
        boolean replace = as.invalid() != JsonDialect.InvalidText.REFUSE;
        int n = text.length();
        while (i < n) {
            int until = Math.min(n, i + PIECE);
            if (until < n && Character.isHighSurrogate(text.charAt(until - 1))) until--;
            int all = union >= 0 ? union : Utf8.union(text, i, until);
            size = at;
            byte[] to = roomUpTo(JsonEscaper.bound(until - i) + MORE);
            at = JsonEscaper.put(text, i, until, all, to, at, escapes, replace);
            if (at == JsonEscaper.BROKEN) throw broken("text that holds half a surrogate pair");
            i = until;
        }
        return close(at);
    }

    private int close(int at) {
        size = at;
        roomUpTo(MORE)[at] = '"';
        return at + 1;
    }

    final int quoted(byte[] data, int from, int to, boolean ascii) {
        int n = to - from;
        boolean unchecked = ascii || (as.invalid() == JsonDialect.InvalidText.KEEP && !escapes.ascii);
        if (n > PIECE || !(unchecked || Utf8.validPrefix(data, from, to) == to)) {
            return quotedSlowly(data, from, to, unchecked, open());
        }
        byte[] out = roomUpTo(JsonEscaper.bound(n) + MORE);
        int at = size;
        out[at] = '"';
        at = JsonEscaper.putUtf8(data, from, to, out, at + 1, escapes);
        out[at] = '"';
        return at + 1;
    }

    /** Long text and text to repair, piece by piece through valid UTF-8. */
    private int quotedSlowly(byte[] data, int from, int to, boolean unchecked, int at) {
        checkLength(to - from);
        while (from < to) {
            int good = unchecked ? to : Utf8.validPrefix(data, from, to);
            while (from < good) {
                int until = Math.min(good, from + PIECE);
                while (until < good && until > from + PIECE - 4 && data[until] < -0x40) until--;
                size = at;
                byte[] out = roomUpTo(JsonEscaper.bound(until - from) + MORE);
                at = JsonEscaper.putUtf8(data, from, until, out, at, escapes);
                from = until;
            }
            if (from == to) break;
            if (as.invalid() == JsonDialect.InvalidText.REFUSE) throw broken("text that is not valid UTF-8");
            // One U+FFFD for the longest start of a sequence, as the Unicode standard recommends (chapter 3, U+FFFD
            // substitution).
            from += JsonEscaper.brokenSize(data, from, to);
            size = at;
            at = JsonEscaper.put("\ufffd", 0, 1, 0xfffd, roomUpTo(JsonEscaper.bound(1) + MORE), at, escapes, true);
        }
        return close(at);
    }

    /** Writes bytes behind size, as they are. */
    final void append(byte[] text) {
        byte[] to = roomUpTo(text.length + MORE);
        System.arraycopy(text, 0, to, size, text.length);
        size += text.length;
    }

    /** Begins a line of the layout. */
    final void newline(int level) {
        append(as.layout().newline);
        if (as.layout().indent.length == 0) return;
        for (; level > 0; level--) append(as.layout().indent);
    }

    /** Refuses what alone is longer than a document may be. */
    final void checkLength(long n) {
        if (n <= sizeLimit) return;
        throw new DataException(Code.SIZE, "the document would be larger than " + sizeLimit + " bytes");
    }

    /** Room for n bytes and what stands around them; what no array holds is refused. */
    static int bound(long n) {
        if (n + MORE <= Integer.MAX_VALUE) return (int) n + MORE;
        throw new DataException(Code.SIZE, "the document would be larger than an array can be");
    }

    private static DataException broken(String what) {
        return new DataException(Code.ENCODING, what);
    }

    static DataException noNumber() {
        return misuse("a big number is not in JSON's number grammar");
    }

    static DataException noKey() {
        return misuse("a key where no key is due");
    }

    static DataException misuse(String what) {
        return new DataException(Code.MISUSE, what);
    }

    static DataException unsupported(String what) {
        return new DataException(Code.UNSUPPORTED, what);
    }
}
