package kumihimo.path;

import kumihimo.json.JsonEnds;
import kumihimo.json.JsonWords;

/**
 * Projection at the level structural: the whole document runs by in words of eight bytes, of which only quotes,
 * brackets, control characters and bytes beyond ASCII are looked at. Strings are checked, brackets counted, and the
 * members of the root that a path leads into are given to the exact walk.
 */
final class JsonStructure {
    private final JsonWalk walk;

    JsonStructure(JsonWalk walk) {
        this.walk = walk;
    }

    /**
     * Whether the container whose opening bracket is at p is all that stands before {@code to}, and what the level
     * promises holds.
     *
     * @param root of an object what it belongs to; of an array a state that wants nothing
     */
    boolean run(Plan.State root, byte[] data, int p, int to, int room) {
        int depth = 1;
        p++;
        if (room == 0) return false;
        while (p < to) {
            if (p <= to - 8) {
                long stop = JsonWords.structure(JsonWords.at(data, p));
                if (stop == 0) {
                    p += 8;
                    continue;
                }
                p += Long.numberOfTrailingZeros(stop) >>> 3;
            }
            byte c = data[p];
            if (c == '"') {
                int close = JsonEnds.string(data, p + 1, to);
                if (close == JsonEnds.NONE) p = Math.abs(JsonEnds.looseString(data, p + 1, to));
                else if (depth == 1) p = member(root, data, p + 1, close, to, room);
                else p = Math.abs(close);
                if (p == JsonEnds.NONE) return false;
            } else if (c == '{' || c == '[') {
                if (depth++ == room) return false;
                p++;
            } else if (c == '}' || c == ']') {
                p++;
                if (--depth == 0) return JsonEnds.space(data, p, to) == to;
            } else if (c < ' ' || c == '\\') {
                p = odd(data, p, to);
                if (p == JsonEnds.NONE) return false;
            } else {
                p++;
            }
        }
        return false;
    }

    /** Behind a string at the root's level, and behind its value where it is the name of a wanted member. */
    private int member(Plan.State root, byte[] data, int key, int close, int to, int room) {
        int p = Math.abs(close);
        int k = JsonKey.find(root, data, key, close);
        if (k == Plan.NOWHERE) return p;
        int colon = JsonEnds.space(data, p, to);
        if (colon == to || data[colon] != ':') return p;
        return walk.member(root.members[k], data, colon + 1, to, room - 1);
    }

    /**
     * What may stand outside of strings although it is no printable ASCII: white space and characters, as long as
     * they are whole.
     */
    private static int odd(byte[] data, int p, int to) {
        byte c = data[p];
        if (c == '\n' || c == '\r' || c == '\t') return p + 1;
        return c < 0 ? JsonEnds.character(data, p, to) : JsonEnds.NONE;
    }
}
