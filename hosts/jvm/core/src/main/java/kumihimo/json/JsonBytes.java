package kumihimo.json;

import java.util.Objects;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Utf8;

/**
 * The bytes that {@link JsonReader} reads, up to the next token; and what becomes of a document that has none there.
 *
 * <p>No part of the reader says what is wrong with a document: it stops where it cannot go on, and {@link
 * JsonDiagnosis} reads the document again.
 */
abstract class JsonBytes extends Reader {
    final JsonReadDialect granted;
    final Limits limits;

    byte[] data = {};
    /** Of the document in data. */
    int begin;
    int end;
    /** The next byte that is to be read. */
    int at;

    /** Every byte above this one begins a token, or is none. Where comments are granted, a slash must be looked at. */
    private final byte blank;

    JsonBytes(JsonReadDialect granted, Limits limits) {
        this.granted = granted;
        this.limits = limits;
        blank = (byte) (granted.comments() ? '/' : ' ');
    }

    /** Sets the bytes; what is refused as a whole is told when the first value is asked for. */
    final void begin(byte[] data, int from, int to) {
        Objects.checkFromToIndex(from, to, data.length);
        this.data = data;
        begin = at = from;
        end = to;
        if (to - from > limits.size()) {
            at = to;
        } else if (granted.byteOrderMark() && hasMark(data, from, to)) {
            at += 3;
        }
    }

    /** Whether a byte order mark stands there. */
    static boolean hasMark(byte[] data, int at, int end) {
        return end - at >= 3 && data[at] == (byte) 0xef && data[at + 1] == (byte) 0xbb && data[at + 2] == (byte) 0xbf;
    }

    /**
     * The first byte behind white space and comments, where {@link #at} is then; -1 at the end, where a byte is none.
     */
    final int token() {
        int p = at;
        if (p < end) {
            byte b = data[p];
            if (b > blank) return b;
        }
        return behindSpace();
    }

    private int behindSpace() {
        byte[] data = this.data;
        int p = JsonEnds.space(data, at, end);
        while (p < end && data[p] == '/' && granted.comments()) p = JsonEnds.space(data, comment(p), end);
        at = p;
        return p < end ? data[p] : -1;
    }

    private int comment(int p) {
        int until = JsonScan.commentEnd(data, p, end, granted);
        if (until < 0 || !granted.anyBytes() && Utf8.validPrefix(data, p, until) != until) throw broken();
        return until;
    }

    @Override
    public final Limits limits() {
        return limits;
    }

    @Override
    public final int position() {
        token();
        return at - begin;
    }

    @Override
    public final int consumed() {
        return at - begin;
    }

    /** Passes a word over, whose first letter is known. */
    final void word(String word) {
        if (!JsonScan.isWord(data, at, end, word)) throw broken();
        at += word.length();
    }

    /**
     * The document is not what a reader takes, or its caller asked for a value where it has none: which of the two.
     */
    final DataException broken() {
        DataException why = JsonDiagnosis.of(data, begin, end, granted, limits);
        if (why != null) return why;
        return new DataException(Code.MISUSE, "a value was asked for where the document has none", at - begin);
    }

    /** The value at hand is none of what was wanted. */
    final DataException mismatch(String wanted) {
        return refuse(Code.TYPE, at, "expected " + wanted + ", found " + kind().text());
    }

    /** A failure at a place in {@link #data}. */
    final DataException refuse(Code code, int place, String what) {
        return new DataException(code, what, place - begin);
    }
}
