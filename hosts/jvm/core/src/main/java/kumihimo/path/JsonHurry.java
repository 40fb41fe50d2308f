package kumihimo.path;

import kumihimo.json.JsonEnds;
import kumihimo.json.JsonWords;

/**
 * Projection at the level trusted: the wanted members of the root are looked for from both ends, and nothing more is
 * read once all are found. Whoever vouches for the document also says that its last bracket closes the root, and that
 * a quote without a backslash before it begins or ends a string; so the way back needs no knowledge of what lies
 * before.
 */
final class JsonHurry {
    /** Bytes that one end moves before the other has its turn. */
    private static final int TURN = 512;

    private final JsonWalk walk;

    private Plan.State root;
    private byte[] data;
    private int to;
    private int room;
    /** Keys that were not found yet, by number; of more than 64 the search goes on to the end. */
    private long missing;

    /** Where the way forward stands, and how many containers are open there. */
    private int left;
    private int leftDepth;
    /** The same of the way back: what lies behind has been searched. */
    private int right;
    private int rightDepth;

    JsonHurry(JsonWalk walk) {
        this.walk = walk;
    }

    /** Looks in the object whose opening bracket is at p; false where a wanted value is broken. */
    boolean run(Plan.State root, byte[] data, int p, int to, int room) {
        if (room == 0) return false;
        this.root = root;
        this.data = data;
        this.to = to;
        this.room = room - 1;
        missing = root.keys.length >= 64 ? -1 : (1L << root.keys.length) - 1;
        left = p + 1;
        leftDepth = 1;
        right = to;
        while (right > left && data[right - 1] <= ' ') right--;
        boolean back = right > left && data[--right] == '}';
        if (!back) right = to;
        rightDepth = 1;
        boolean whole = true;
        while (whole && missing != 0 && left < right && leftDepth != 0) {
            whole = forward(Math.min(left, to - TURN) + TURN);
            if (back && whole && missing != 0 && left < right) {
                back = backward(Math.max(right - TURN, left));
                whole = right >= 0;
            }
        }
        this.data = null;
        return whole;
    }

    /** Goes on to {@code stop} or a little beyond it; false where a wanted value is broken. */
    private boolean forward(int stop) {
        int p = left;
        while (p < stop && missing != 0) {
            if (leftDepth > 1) {
                p = below(p, stop);
                continue;
            }
            if (p <= to - 8) {
                long marks = JsonWords.structure(JsonWords.at(data, p));
                if (marks == 0) {
                    p += 8;
                    continue;
                }
                p += Long.numberOfTrailingZeros(marks) >>> 3;
            }
            byte c = data[p++];
            if (c == '"') {
                int close = string(p);
                p = wanted(p, close);
                if (p == JsonEnds.NONE) return false;
            } else if (c == '{' || c == '[') {
                leftDepth++;
            } else if (c == '}' || c == ']') {
                if (--leftDepth == 0) break;
            }
        }
        left = p;
        return true;
    }

    /** Goes on below the root's level, to {@code stop} or to where that level begins again. */
    private int below(int p, int stop) {
        int depth = leftDepth;
        while (p < stop) {
            if (p <= to - 8) {
                long word = JsonWords.at(data, p);
                long opens = JsonWords.opening(word);
                long closes = JsonWords.closing(word);
                long quotes = JsonWords.equal(word, '"');
                long before = (quotes & -quotes) - 1;
                int closed = Long.bitCount(closes & before);
                if (depth > closed + 1) {
                    depth += Long.bitCount(opens & before) - closed;
                    p = quotes == 0 ? p + 8 : Math.abs(string(p + (Long.numberOfTrailingZeros(quotes) >>> 3) + 1));
                    continue;
                }
            }
            byte c = data[p++];
            if (c == '"') {
                p = Math.abs(string(p));
            } else if (c == '{' || c == '[') {
                depth++;
            } else if ((c == '}' || c == ']') && --depth == 1) {
                break;
            }
        }
        leftDepth = depth;
        return p;
    }

    /** As {@link JsonEnds#string}, without a look at what is in it; the document's end where it is not closed. */
    private int string(int p) {
        boolean escaped = false;
        while (p < to) {
            if (p <= to - 8) {
                long marks = JsonWords.quoteOrBackslash(JsonWords.at(data, p));
                if (marks == 0) {
                    p += 8;
                    continue;
                }
                p += Long.numberOfTrailingZeros(marks) >>> 3;
            }
            byte c = data[p++];
            if (c == '"') return escaped ? -p : p;
            if (c == '\\') {
                escaped = true;
                p++;
            }
        }
        return to;
    }

    /**
     * Behind the string whose text begins at p and which ends so, and behind its value where it is the name of a
     * wanted member; NONE where that value is broken.
     */
    private int wanted(int p, int close) {
        int behind = Math.abs(close);
        int colon = JsonEnds.space(data, behind, to);
        if (colon == to || data[colon] != ':') return behind;
        int k = key(p, close);
        if (k == Plan.NOWHERE) return colon + 1;
        if (k < 64 && root.keys.length < 64) missing &= ~(1L << k);
        return walk.member(root.members[k], data, colon + 1, to, room);
    }

    private int key(int p, int close) {
        if (close > 0) return root.find(data, p, close - 1);
        // What is unescaped must be well-formed, whoever vouches for it.
        return JsonEnds.string(data, p, to) == close ? JsonKey.find(root, data, p, close) : Plan.NOWHERE;
    }

    /**
     * Goes back to {@code stop} or a little beyond it. False where this way has come to its end; {@code right} is -1
     * then where a wanted value is broken.
     */
    private boolean backward(int stop) {
        int p = right;
        int depth = rightDepth;
        while (p > stop && missing != 0) {
            if (p - 8 > left) {
                long word = JsonWords.at(data, p - 8);
                long quotes = JsonWords.equal(word, '"');
                long opens = JsonWords.opening(word);
                long closes = JsonWords.closing(word);
                if ((quotes | opens | closes) == 0) {
                    p -= 8;
                    continue;
                }
                if (quotes == 0 && depth > Long.bitCount(opens) + 1) {
                    depth += Long.bitCount(closes) - Long.bitCount(opens);
                    p -= 8;
                    continue;
                }
            }
            byte c = data[--p];
            if (c == '"') {
                int open = opening(p);
                if (open < 0) return false;
                if (depth == 1) {
                    int close = JsonEnds.string(data, open + 1, to);
                    if (Math.abs(close) == p + 1 && wanted(open + 1, close) == JsonEnds.NONE) {
                        right = -1;
                        return false;
                    }
                }
                p = open;
            } else if (c == '}' || c == ']') {
                depth++;
            } else if ((c == '{' || c == '[') && --depth == 0) {
                return false;
            }
        }
        right = p;
        rightDepth = depth;
        return true;
    }

    /**
     * The opening quote of the string whose closing one is at {@code close}; -1 where a backslash leaves that open.
     */
    private int opening(int close) {
        if (data[close - 1] == '\\') return -1;
        for (int p = close - 1; p > left; p--) {
            if (data[p] == '"') return data[p - 1] == '\\' ? -1 : p;
        }
        return -1;
    }
}
