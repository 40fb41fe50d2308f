package kumihimo.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kumihimo.Utf8;

/**
 * Keys that come twice in one object. JSON allows them and readers differ; this pass finds them before anything is
 * handed on. By sorting, not hashing: no choice of keys makes it slow. As {@code engine/json/duplicates.hpp}.
 *
 * <p>Meant for documents that a reader accepts; with a broken one it stops where it is lost, and the reader reports
 * what broke. Keys are equal when they are equal after unescaping.
 */
final class JsonDuplicates {
    private static final int[] NONE = {};

    /** Offsets of the opening quotes of keys that come again later, ascending. */
    final int[] overridden;
    /** Offset of the first key that was there already; -1: none. */
    final int firstAgain;

    private JsonDuplicates(int[] overridden, int firstAgain) {
        this.overridden = overridden;
        this.firstAgain = firstAgain;
    }

    /** A key: the object it is in, by the offset of its bracket; its own offset; and its name. */
    private static final class Key implements Comparable<Key> {
        final int object;
        final int at;
        final byte[] bytes;
        final int from;
        final int to;

        Key(int object, int at, byte[] bytes, int from, int to) {
            this.object = object;
            this.at = at;
            this.bytes = bytes;
            this.from = from;
            this.to = to;
        }

        int compareName(Key other) {
            return Arrays.compareUnsigned(bytes, from, to, other.bytes, other.from, other.to);
        }

        @Override
        public int compareTo(Key other) {
            if (object != other.object) return Integer.compare(object, other.object);
            int order = compareName(other);
            return order != 0 ? order : Integer.compare(at, other.at);
        }
    }

    /** Those of the document in data[from, to). */
    static JsonDuplicates find(byte[] data, int from, int to, JsonReadDialect granted) {
        List<Key> gathered = gather(data, from, to, granted);
        Key[] keys = gathered.toArray(new Key[0]);
        Arrays.sort(keys);
        int[] overridden = NONE;
        int n = 0;
        int first = -1;
        for (int i = 1; i < keys.length; i++) {
            if (keys[i - 1].object != keys[i].object || keys[i - 1].compareName(keys[i]) != 0) continue;
            if (n == overridden.length) overridden = Arrays.copyOf(overridden, Math.max(8, n * 2));
            overridden[n++] = keys[i - 1].at;
            if (first < 0 || keys[i].at < first) first = keys[i].at;
        }
        overridden = Arrays.copyOf(overridden, n);
        Arrays.sort(overridden);
        return new JsonDuplicates(overridden, first);
    }

    boolean overrides(int key) {
        return Arrays.binarySearch(overridden, key) >= 0;
    }

    private static List<Key> gather(byte[] data, int from, int to, JsonReadDialect granted) {
        List<Key> keys = new ArrayList<>();
        int[] open = new int[32]; // offsets of the open brackets
        int depth = 0;
        for (int at = from;;) {
            at = space(data, at, to, granted);
            if (at >= to) return keys;
            int c = data[at];
            if (c == '"') {
                long s = JsonUnescape.string(data, at + 1, to, granted);
                if (s == JsonScan.BROKEN) return keys;
                int quote = at;
                int close = (int) s;
                at = space(data, close + 1, to, granted);
                if (at < to && data[at] == ':' && depth != 0) {
                    boolean escaped = (s & JsonScan.ESCAPED) != 0;
                    byte[] name = escaped ? spell(data, quote + 1, close) : data;
                    if (escaped) keys.add(new Key(open[depth - 1], quote, name, 0, name.length));
                    else keys.add(new Key(open[depth - 1], quote, data, quote + 1, close));
                    at++;
                }
            } else {
                if (c == '{' || c == '[') {
                    if (depth == open.length) open = Arrays.copyOf(open, depth * 2);
                    open[depth++] = at;
                }
                if ((c == '}' || c == ']') && depth != 0) depth--;
                if (depth == 0 && (c == '}' || c == ']')) return keys;
                at++;
            }
        }
    }

    /** Behind white space and comments; a broken comment is the reader's to refuse, so here it is the end. */
    private static int space(byte[] data, int at, int to, JsonReadDialect granted) {
        for (;;) {
            at = JsonEnds.space(data, at, to);
            if (!granted.comments() || at == to || data[at] != '/') return at;
            at = JsonScan.commentEnd(data, at, to, granted);
            if (at < 0) return to;
        }
    }

    /** The name without its escapes. Half pairs are keys of their own: spelled as UTF-16 they stay distinct. */
    private static byte[] spell(byte[] data, int from, int to) {
        byte[] out = new byte[to - from];
        long n = JsonUnescape.bytes(data, from, to, out, JsonReadDialect.Surrogates.KEEP, JsonUnescape.Unknown.REFUSE);
        if (n == JsonScan.BROKEN) return Arrays.copyOfRange(data, from, to);
        if ((n & JsonUnescape.HALF) == 0) return Arrays.copyOf(out, (int) n);
        if (Utf8.validPrefix(data, from, to) != to) return Arrays.copyOfRange(data, from, to);
        String wide = JsonUnescape.utf16(data, from, to);
        byte[] spelled = new byte[1 + wide.length() * 2];
        spelled[0] = (byte) 0xff; // as no UTF-8 begins
        for (int i = 0; i < wide.length(); i++) {
            spelled[1 + 2 * i] = (byte) wide.charAt(i);
            spelled[2 + 2 * i] = (byte) (wide.charAt(i) >> 8);
        }
        return spelled;
    }
}
