package kumihimo.json;

import java.util.Arrays;
import kumihimo.format.LittleEndian;

/**
 * Passes a JSON value over, and says whether it is one that a reader takes: RFC 8259, UTF-8, depth. Nothing is built,
 * and nothing said about a mistake but that there is one. Used again for the next value it knows the keys to expect
 * ({@link JsonKeys}); for one thread.
 */
public final class JsonSkip {
    /** Wrong guesses of an array's form, after which it is asked whether more were right: a power of two. */
    private static final int PATIENCE = 16;

    private final JsonKeys keys = new JsonKeys();
    /** The kinds of 64 open containers each, outermost first, while more than 64 are open. */
    private long[] outer = new long[4];
    private boolean mayOverflow;

    /** The form of arrays of numbers in an array, or null; right and wrong guesses since it was last judged. */
    private JsonShape row;
    private int rowHits;
    private int rowMisses;

    /**
     * The byte behind the value that begins at {@code at}, or {@link JsonEnds#NONE} where there is none.
     *
     * @param at no white space stands there
     * @param to the document's end; nothing behind it is looked at
     * @param room containers that the value may have open at once
     */
    public int value(byte[] data, int at, int to, int room) {
        if (at >= to) return JsonEnds.NONE;
        byte c = data[at];
        return c == '{' || c == '[' ? container(data, at, to, room) : scalar(data, at, to);
    }

    /**
     * Some number so far was long, or had three digits in its exponent: surely so where one is beyond the largest
     * double.
     */
    public boolean mayOverflow() {
        return mayOverflow;
    }

    /** Forgets what {@link #mayOverflow} says. */
    public void clearOverflow() {
        mayOverflow = false;
    }

    private int scalar(byte[] data, int p, int to) {
        int q = JsonEnds.scalar(data, p, to);
        if (q >= 0) return q;
        mayOverflow = true;
        return -q;
    }

    private int container(byte[] data, int p, int to, int room) {
        JsonKeys.Key last = keys.last();
        long kinds = 0; // of the open containers, the innermost in the lowest bit: 1 is an object
        int depth = 0;
        int row = p; // where the values of the innermost array begin
        for (;;) {
            // A value begins at p.
            if (p >= to) return JsonEnds.NONE;
            byte c = data[p];
            boolean key = false;
            if (c == '"') {
                p = Math.abs(JsonEnds.string(data, p + 1, to));
                if (p == JsonEnds.NONE) return JsonEnds.NONE;
            } else if (c == '{' || c == '[') {
                if (depth == room) return JsonEnds.NONE;
                if ((depth & 63) == 0) push(depth, kinds);
                depth++;
                kinds = kinds << 1 | c >> 5 & 1;
                p = pass(data, p + 1, to);
                if (p >= to) return JsonEnds.NONE;
                if (data[p] != c + 2) {
                    row = p;
                    if (c == '[') continue;
                    key = true;
                }
            } else if (c <= '9') {
                p = JsonEnds.number(data, p, to);
                if (p <= 0) {
                    if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    mayOverflow = true;
                    p = -p;
                }
            } else {
                p = JsonEnds.word(data, p, to);
                if (p == JsonEnds.NONE) return JsonEnds.NONE;
            }

            boolean passed; // what stands behind a key was passed with it
            do {
                // Behind a value, or at the end of an empty container.
                while (!key) {
                    if (p >= to) return JsonEnds.NONE;
                    c = data[p];
                    if (c == ',') {
                        p = pass(data, p + 1, to);
                        if ((kinds & 1) == 0) break;
                        key = true;
                    } else if (c == ']' + ((int) kinds << 5 & 32)) {
                        int sibling = (kinds & 2) == 0 && depth > 1 && p <= to - 8 ? sibling(data, p, c - 2) : 0;
                        if (sibling != 0) {
                            p += sibling;
                            if ((kinds & 1) == 0) {
                                row = p = rows(data, row, p, to);
                                break;
                            }
                            key = true;
                            continue;
                        }
                        p++;
                        depth--;
                        kinds >>>= 1;
                        if ((depth & 63) == 0) {
                            if (depth == 0) {
                                keys.setLast(last);
                                return p;
                            }
                            kinds = outer[(depth >>> 6) - 1];
                        }
                    } else {
                        if (!JsonEnds.isSpace(c)) return JsonEnds.NONE;
                        p = JsonEnds.space(data, p, to);
                    }
                }

                // A key should begin at p. What is expected behind keys is passed with them.
                passed = false;
                while (key) {
                    JsonKeys.Key next = last.next;
                    // So many bytes the form of a field looks at, or a key, and as many may follow.
                    if (p <= to - 2 * JsonKeys.LONGEST) {
                        JsonShape field = next.field;
                        if (field != null && field.stands(data, p)) {
                            last = next;
                            next.hits++;
                            p += field.size;
                            passed = !field.more;
                            key = field.more;
                            continue;
                        }
                        if (next.stands(data, p)) {
                            if (field != null) JsonKeys.missed(next, data, p, to);
                            last = next;
                            // It was remembered with the white space that it had then.
                            p = JsonKeys.pass(data, p + next.size, to);
                            break;
                        }
                    }
                    p = keys.unexpected(last, data, p, to);
                    if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    last = keys.last();
                    break;
                }
            } while (passed);
        }
    }

    /**
     * Passes arrays of numbers over that have the form of one before: from p, where the first value of one stands, to
     * that of the first that has another form. The one before p begins at {@code before}.
     */
    private int rows(byte[] data, int before, int p, int to) {
        JsonShape form = row;
        if (form != null) {
            int first = p;
            while (p <= to - 2 * JsonKeys.LONGEST && form.stands(data, p) && isFirst(data[p + form.size], '[')) {
                p += form.size;
            }
            if (p != first) {
                rowHits++;
                return p;
            }
        }
        if ((rowMisses++ & PATIENCE - 1) == 0) {
            if (rowHits <= PATIENCE) row = JsonShape.ofRow(data, before, p, to);
            rowHits = 0;
        }
        return p;
    }

    /**
     * Where a container of an array ends at p, and one of the same kind with something in it follows as most do: the
     * bytes up to what is in that; else 0.
     */
    private static int sibling(byte[] data, int p, int opening) {
        int next = LittleEndian.i32(data, p + 1);
        int size = 0;
        if ((next & 0xffffff) == (',' | ' ' << 8 | opening << 16)) size = 4;
        else if ((next & 0xffff) == (',' | opening << 8)) size = 3;
        return isFirst(data[p + size], opening) ? size : 0;
    }

    /** Whether a value begins so: neither white space nor the bracket that closes what was opened. */
    private static boolean isFirst(byte c, int opening) {
        return c > ' ' && c != opening + 2;
    }

    /** White space of which there is mostly one blank, or none. */
    private static int pass(byte[] data, int p, int to) {
        if (p < to && data[p] == ' ') p++;
        return p < to && data[p] <= ' ' ? JsonEnds.space(data, p, to) : p;
    }

    private void push(int depth, long kinds) {
        if (depth == 0) return;
        int i = (depth >>> 6) - 1;
        if (i == outer.length) outer = Arrays.copyOf(outer, i * 2);
        outer[i] = kinds;
    }
}
