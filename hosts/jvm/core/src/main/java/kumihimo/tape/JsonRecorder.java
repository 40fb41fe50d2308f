package kumihimo.tape;

import java.util.Arrays;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.json.JsonEnds;
import kumihimo.json.JsonKeys;
import kumihimo.json.JsonWords;
import kumihimo.scalar.IntRead;

/**
 * Records JSON by RFC 8259 without a reader, on the same tape as {@link Recorder}: strings are pointed at, numbers
 * with a fraction and strings with escapes are checked and stay as they are written, so that only what is asked for is
 * ever made. A document that it does not take is refused by the reader, too, which says why.
 */
final class JsonRecorder {
    private final int depthLimit;
    private final JsonKeys keys = new JsonKeys();
    private Tape tape;
    /** Where the document begins. */
    private int begin;

    /** Of the open containers around the innermost one: node, and values or pairs so far; a map's as ~n. */
    private int[] outer = new int[32];

    /**
     * By number of a key: the map that it was last seen in, as a number that grows with every node of every document;
     * a map that is in another one has the larger number. So a key whose number is not below its map's was in that
     * map before, or in one that is in it.
     */
    private final long[] seen = new long[256];
    private long base = 1;
    /** Maps from here on know all their keys by number. */
    private long known;
    private int generation;

    JsonRecorder(Limits limits) {
        depthLimit = limits.depth();
    }

    /** Records the document; false where it is not valid, and then what is on the tape means nothing. */
    boolean record(Tape on, byte[] data, int from, int to) {
        tape = on;
        begin = from;
        int p = JsonEnds.space(data, from, to);
        if (p == to) return false;
        p = value(data, p, to);
        base += on.size;
        tape = null;
        return p != JsonEnds.NONE && JsonEnds.space(data, p, to) == to;
    }

    private int value(byte[] data, int p, int to) {
        Tape tape = this.tape;
        int depth = 0;
        int opener = 0;
        // Of the innermost container: values so far; of a map ~pairs.
        int count = 0;
        for (;;) {
            // A value begins at p.
            if (p >= to) return JsonEnds.NONE;
            byte c = data[p];
            if (c == '"') {
                int close = JsonEnds.string(data, p + 1, to);
                if (close > 0) {
                    tape.put(Tape.STR | Tape.ASCII | (long) (close - p - 2) << Tape.LENGTH, placed(p, p + 1));
                    p = close;
                } else {
                    if (close == JsonEnds.NONE) return JsonEnds.NONE;
                    p = oddText(Tape.STR, data, p, -close);
                }
            } else if (c == '{' || c == '[') {
                if (depth == depthLimit) return JsonEnds.NONE;
                push(depth++, opener, count);
                opener = tape.size;
                count = c == '{' ? ~0 : 0;
                tape.put(c == '{' ? Tape.MAP | Tape.UNIQUE : Tape.ARRAY, placed(p, 0));
                p = pass(data, p + 1, to);
                if (p >= to) return JsonEnds.NONE;
                if (data[p] != c + 2) {
                    if (c == '{') {
                        p = key(data, p, to, opener);
                        if (p == JsonEnds.NONE) return JsonEnds.NONE;
                        count = ~1;
                    } else {
                        count = 1;
                    }
                    continue;
                }
            } else if (c <= '9') {
                p = number(data, p, to);
                if (p == JsonEnds.NONE) return JsonEnds.NONE;
            } else {
                p = word(data, p, to);
                if (p == JsonEnds.NONE) return JsonEnds.NONE;
            }

            // Behind a value, or at the end of an empty container.
            for (;;) {
                if (depth == 0) return p;
                if (p >= to) return JsonEnds.NONE;
                c = data[p];
                if (c == ',') {
                    p = pass(data, p + 1, to);
                    if (count < 0) {
                        p = key(data, p, to, opener);
                        if (p == JsonEnds.NONE) return JsonEnds.NONE;
                        count--;
                    } else {
                        count++;
                    }
                    break;
                }
                if (c == (count < 0 ? '}' : ']')) {
                    tape.close(opener, count < 0 ? ~count : count, p - begin);
                    p++;
                    depth--;
                    opener = outer[depth * 2];
                    count = outer[depth * 2 + 1];
                } else {
                    int next = JsonEnds.space(data, p, to);
                    if (next == p) return JsonEnds.NONE;
                    p = next;
                }
            }
        }
    }

    /** The payload of a value that begins at p. */
    private long placed(int p, int ref) {
        return (long) (p - begin) << Tape.PLACE | ref;
    }

    /** A value that begins at p, and is its payload. */
    private void put(int kind, int p, long payload) {
        tape.put(kind | (long) (p - begin) << Tape.LENGTH, payload);
    }

    /** White space of which there is mostly one blank, or none. */
    private static int pass(byte[] data, int p, int to) {
        if (p < to && data[p] == ' ') p++;
        return p < to && data[p] <= ' ' ? JsonEnds.space(data, p, to) : p;
    }

    private void push(int depth, int opener, int count) {
        if (depth * 2 == outer.length) outer = Arrays.copyOf(outer, depth * 4);
        outer[depth * 2] = opener;
        outer[depth * 2 + 1] = count;
    }

    private int key(byte[] data, int p, int to, int opener) {
        int value = keys.value(data, p, to);
        if (value == JsonEnds.NONE) return JsonEnds.NONE;
        int size = keys.textSize();
        if (size >= 0) tape.put(Tape.STR | Tape.KEY | Tape.ASCII | (long) size << Tape.LENGTH, placed(p, p + 1));
        else oddText(Tape.STR | Tape.KEY, data, p, p + ~size + 2);
        int number = keys.number();
        long map = base + opener;
        if (number == 0 || seen[number] >= map || map < known || keys.generation() != generation) doubt(opener);
        seen[number] = map;
        return value;
    }

    /** The map may have this key twice. */
    private void doubt(int opener) {
        if (keys.generation() != generation) {
            // Keys of the maps that are open had numbers that now are others'.
            generation = keys.generation();
            known = base + tape.size;
        }
        tape.nodes[opener * 2] &= ~Tape.UNIQUE;
    }

    /** Text that has escapes or is not all ASCII, between the quotes at p and before close. */
    private int oddText(int head, byte[] data, int p, int close) {
        boolean escaped = false;
        for (int i = p + 1; i < close && !escaped; i++) escaped = data[i] == '\\';
        if (escaped) tape.put(head | Tape.AS_WRITTEN | (long) (close - p) << Tape.LENGTH, placed(p, p));
        else tape.put(head | (long) (close - p - 2) << Tape.LENGTH, placed(p, p + 1));
        return close;
    }

    private int word(byte[] data, int p, int to) {
        int end = JsonEnds.word(data, p, to);
        if (end == JsonEnds.NONE) return end;
        if (data[p] == 'n') put(Tape.NIL, p, 0);
        else put(Tape.BOOL, p, data[p] == 't' ? 1 : 0);
        return end;
    }

    /** Integers of up to 16 digits, with the bytes behind them that this looks at. */
    private int number(byte[] data, int p, int to) {
        if (p > to - 24) return anyNumber(data, p, to);
        boolean negative = data[p] == '-';
        int q = negative ? p + 1 : p;
        long word = JsonWords.at(data, q);
        int n = IntRead.count(word);
        // A zero before others, and minus zero, which is a double.
        if (n == 0 || (byte) word == '0' && (n > 1 || negative)) return anyNumber(data, p, to);
        long value;
        int next;
        if (n < 8) {
            value = IntRead.some(word, n);
            next = (int) (word >>> n * 8) & 0xff;
        } else {
            value = IntRead.eight(word);
            word = JsonWords.at(data, q + 8);
            int more = IntRead.count(word);
            if (more == 8) return anyNumber(data, p, to);
            value = value * IntRead.power(more) + IntRead.some(word, more);
            n += more;
            next = (int) (word >>> more * 8) & 0xff;
        }
        if (next == '.' || (next | 0x20) == 'e') return decimal(data, p, to);
        put(Tape.I64, p, negative ? -value : value);
        return q + n;
    }

    private int anyNumber(byte[] data, int p, int to) {
        int end = Math.abs(JsonEnds.number(data, p, to));
        if (end == JsonEnds.NONE) return end;
        if (isDecimal(data, p, end)) return decimal(data, p, to);
        putNumber(data, p, end);
        return end;
    }

    /** A number with a fraction or an exponent. */
    private int decimal(byte[] data, int p, int to) {
        int end = JsonEnds.number(data, p, to);
        if (end > 0) {
            tape.put(Tape.F64 | Tape.AS_WRITTEN | (long) (end - p) << Tape.LENGTH, placed(p, p));
        } else if (end != JsonEnds.NONE) {
            end = -end;
            putNumber(data, p, end);
        }
        return end;
    }

    private static boolean isDecimal(byte[] data, int p, int end) {
        for (int i = p; i < end; i++) if (data[i] == '.' || (data[i] | 0x20) == 'e') return true;
        return false;
    }

    /** A number of which only the reader knows what it is. */
    private void putNumber(byte[] data, int p, int end) {
        tape.put(Tape.BIG | Tape.ASCII | (long) (end - p) << Tape.LENGTH, placed(p, p));
        int node = tape.size - 1;
        Reader reader = tape.written(node);
        Kind kind = reader.kind();
        if (kind == Kind.BIG) return;
        tape.size = node;
        if (kind == Kind.I64) put(Tape.I64, p, reader.i64());
        else if (kind == Kind.U64) put(Tape.U64, p, reader.u64());
        else tape.put(Tape.F64 | Tape.AS_WRITTEN | (long) (end - p) << Tape.LENGTH, placed(p, p));
    }
}
