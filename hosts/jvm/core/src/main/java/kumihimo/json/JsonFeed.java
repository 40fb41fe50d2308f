package kumihimo.json;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Sink;
import kumihimo.format.LittleEndian;

/**
 * Feeds a value to a sink where the grammar is RFC 8259's: the walk of {@link JsonReader#feed} with its place in a
 * register and its keys guessed ({@link JsonNames}). What is seldom is left to the reader, which also says what is
 * wrong with a document.
 */
final class JsonFeed {
    private final JsonReader reader;
    private final JsonNames names = new JsonNames();
    /** Of each open container the key that it is the value of, and whether the one around it is a map. */
    private JsonNames.Key[] holders = new JsonNames.Key[32];
    private boolean[] inMap = new boolean[32];
    /** Of the value, key or closing bracket whose verb is called. */
    private int place;

    JsonFeed(JsonReader reader) {
        this.reader = reader;
    }

    /**
     * Feeds the value at p, behind which {@link JsonReader#at} is then.
     *
     * @param to where the document ends
     * @param most containers in one another
     */
    void value(byte[] data, int p, int to, int most, Sink sink) {
        if (names.begin()) Arrays.fill(holders, null);
        try {
            reader.at = walk(data, p, to, most, sink);
        } catch (DataException e) { // of the sink, which does not know where it is
            stopped();
            throw e.offset() >= 0 || e.code() == Code.HOST ? e : e.atByte(place - reader.begin);
        } catch (RuntimeException | Error e) {
            stopped();
            throw e;
        }
    }

    /** The reader stands behind the first byte of what was at hand. */
    private void stopped() {
        reader.at = Math.max(reader.at, place + 1);
    }

    private int walk(byte[] data, int p, int to, int most, Sink sink) {
        int depth = 0;
        boolean map = false;
        JsonNames.Key key = names.root;
        for (;;) {
            // A value begins at p.
            place = p;
            int c = p < to ? data[p] : -1;
            if (c == '"') {
                p = text(data, p, to, sink);
            } else if (c == '{' || c == '[') {
                if (depth == most) throw broken(p);
                if (depth == holders.length) grow();
                holders[depth] = key;
                inMap[depth++] = map;
                map = c == '{';
                if (map) sink.map(Sink.UNKNOWN);
                else sink.array(Sink.UNKNOWN);
                p = pass(data, p + 1, to);
                if (p >= to) throw broken(p);
                if (data[p] != c + 2) {
                    if (map) {
                        place = p;
                        JsonNames.Key found = names.find(data, p, to, key.inner);
                        key.inner = found;
                        key = found;
                        p = key(data, p, to, key, sink);
                    }
                    continue;
                }
            } else if (c == '-' || JsonScan.isDigit(c)) {
                reader.at = p;
                reader.feedNumber(sink, c);
                p = reader.at;
            } else {
                p = word(data, p, to, c, sink);
            }

            // Behind a value, or at the end of an empty container.
            for (;;) {
                if (depth == 0) return p;
                c = p < to ? data[p] : -1;
                if (c == ',') {
                    p = pass(data, p + 1, to);
                    if (map) {
                        place = p;
                        JsonNames.Key found = names.find(data, p, to, key.next);
                        key.next = found;
                        key = found;
                        p = key(data, p, to, key, sink);
                    }
                    break;
                }
                if (c == (map ? '}' : ']')) {
                    place = p++;
                    sink.end();
                    key = holders[--depth];
                    map = inMap[depth];
                } else {
                    int next = JsonEnds.space(data, p, to);
                    if (next == p) throw broken(p);
                    p = next;
                }
            }
        }
    }

    private static int pass(byte[] data, int p, int to) {
        return p < to && data[p] > ' ' ? p : JsonEnds.space(data, p, to);
    }

    private void grow() {
        holders = Arrays.copyOf(holders, holders.length * 2);
        inMap = Arrays.copyOf(inMap, inMap.length * 2);
    }

    private DataException broken(int p) {
        reader.at = p;
        return reader.broken();
    }

    /** Feeds the key at p, and passes it with its colon. */
    private int key(byte[] data, int p, int to, JsonNames.Key key, Sink sink) {
        if (key.name == null) return unnamed(data, p, to, key, sink);
        sink.key(key.name);
        p += key.size;
        // It was remembered with the white space that it had then.
        return p < to && data[p] <= ' ' ? JsonEnds.space(data, p, to) : p;
    }

    private int unnamed(byte[] data, int p, int to, JsonNames.Key key, Sink sink) {
        if (p >= to || data[p] != '"') throw broken(p);
        names.came(key, data, p);
        reader.at = p;
        reader.feedText(sink, true);
        return JsonEnds.space(data, reader.at, to);
    }

    private int text(byte[] data, int p, int to, Sink sink) {
        int from = p + 1;
        int q = from;
        for (int last = to - 8; q <= last; q += 8) {
            long stops = JsonWords.notPlain(JsonWords.at(data, q));
            if (stops == 0) continue;
            q += Long.numberOfTrailingZeros(stops) >>> 3;
            if (data[q] != '"') break;
            sink.str(data, from, q, true);
            return q + 1;
        }
        if (sink.wantsStrings()) return string(data, p, q, to, sink);
        reader.at = p;
        reader.feedText(sink, false);
        return reader.at;
    }

    /** The same as a String; up to q there is nothing but plain ASCII. */
    private int string(byte[] data, int p, int q, int to, Sink sink) {
        String found = reader.text.string(data, p + 1, q, to);
        if (found == null) throw broken(p);
        sink.str(found);
        return reader.text.end;
    }

    private int word(byte[] data, int p, int to, int c, Sink sink) {
        if (c == 'n' && p <= to - 4 && LittleEndian.i32(data, p) == JsonStrings.NULL) {
            sink.nil();
            return p + 4;
        }
        if (c != 't' && c != 'f') throw broken(p);
        reader.at = p;
        sink.bool(reader.bool());
        return reader.at;
    }
}
