package kumihimo.json;

import java.util.Arrays;

/**
 * Passes a JSON value over, and says whether it is one that a reader takes: RFC 8259, UTF-8, depth. Nothing is built, and nothing
 * said about a mistake but that there is one. Used again for the next value it knows the keys to expect ({@link JsonKeys}); for
 * one thread.
 */
public final class JsonSkip {
    private final JsonKeys keys = new JsonKeys();
    /** The kinds of 64 open containers each, outermost first, while more than 64 are open. */
    private long[] outer = new long[4];
    private boolean mayOverflow;

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

    /** Some number so far was long, or had three digits in its exponent: surely so where one is beyond the largest double. */
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
        long kinds = 0; // of the open containers, the innermost in the lowest bit: 1 is an object
        int depth = 0;
        for (;;) {
            // A value begins at p.
            if (p >= to) return JsonEnds.NONE;
            byte c = data[p];
            if (c == '"') {
                p = JsonEnds.string(data, p + 1, to);
                if (p <= 0) {
                    if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    p = -p;
                }
            } else if (c == '{' || c == '[') {
                if (depth == room) return JsonEnds.NONE;
                if ((depth & 63) == 0) push(depth, kinds);
                depth++;
                int object = c >> 5 & 1;
                kinds = kinds << 1 | object;
                p = pass(data, p + 1, to);
                if (p >= to) return JsonEnds.NONE;
                if (data[p] != c + 2) {
                    if (object != 0) {
                        p = keys.value(data, p, to);
                        if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    }
                    continue;
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

            // Behind a value, or at the end of an empty container.
            for (;;) {
                if (p >= to) return JsonEnds.NONE;
                c = data[p];
                if (c == ',') {
                    p = pass(data, p + 1, to);
                    if ((kinds & 1) != 0) {
                        p = keys.value(data, p, to);
                        if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    }
                    break;
                }
                if (c == ']' + ((int) kinds << 5 & 32)) {
                    p++;
                    depth--;
                    kinds >>>= 1;
                    if ((depth & 63) == 0) {
                        if (depth == 0) return p;
                        kinds = outer[(depth >>> 6) - 1];
                    }
                } else if (JsonEnds.isSpace(c)) {
                    p = JsonEnds.space(data, p, to);
                } else {
                    return JsonEnds.NONE;
                }
            }
        }
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
