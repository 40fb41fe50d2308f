package kumihimo.json;

/**
 * The form of up to 32 bytes with numbers in them: where digits stand, and which bytes stand beside them. Numbers of
 * one place mostly have the same form, and then a few words are compared where else each number would be walked
 * through. Immutable.
 *
 * <pre>
 *   107910.0, 0.1234], [        1##### .#,_ 0.####],_[         # is any digit, all else as it is
 *   "tid": 22360218,_           "tid": 2#######,_
 * </pre>
 *
 * <p>The first of several digits before a point is as it is, so that no zero comes to stand there.
 */
final class JsonShape {
    private static final int LONGEST = 32;
    private static final long HIGHS = 0x8080808080808080L;
    /** Added to what is left of a digit, or of another byte, it sets the high bit of one that does not fit. */
    private static final long DIGIT = 0x76;
    private static final long OTHER = 0x7f;

    /** How many bytes are passed; the one behind them may belong to the form. */
    final int size;
    /** Of a field: a key follows, else the object's end. */
    final boolean more;
    private final int compared;

    /** By word: which bytes belong to the form, what they are less the digits, and what is added. */
    private final long mask0;
    private final long mask1;
    private final long mask2;
    private final long mask3;
    private final long wanted0;
    private final long wanted1;
    private final long wanted2;
    private final long wanted3;
    private final long added0;
    private final long added1;
    private final long added2;
    private final long added3;

    /** @param free which byte is the first whose digits may be others */
    private JsonShape(byte[] data, int p, int free, int compared, int size, boolean more) {
        this.size = size;
        this.more = more;
        this.compared = compared;
        long[] mask = new long[4];
        long[] wanted = new long[4];
        long[] added = new long[4];
        for (int i = 0; i < compared; i++) {
            boolean digit = p + i >= free && isDigit(data[p + i]) && !leads(data, p + i, free);
            int shift = (i & 7) * 8;
            mask[i >> 3] |= 0xffL << shift;
            wanted[i >> 3] |= (digit ? '0' : data[p + i] & 0xffL) << shift;
            added[i >> 3] |= (digit ? DIGIT : OTHER) << shift;
        }
        mask0 = mask[0];
        mask1 = mask[1];
        mask2 = mask[2];
        mask3 = mask[3];
        wanted0 = wanted[0];
        wanted1 = wanted[1];
        wanted2 = wanted[2];
        wanted3 = wanted[3];
        added0 = added[0];
        added1 = added[1];
        added2 = added[2];
        added3 = added[3];
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    /** Whether the digit at p is the first of several that do not stand behind a point. */
    private static boolean leads(byte[] data, int p, int free) {
        if (p > free && (isDigit(data[p - 1]) || data[p - 1] == '.')) return false;
        return isDigit(data[p + 1]);
    }

    /**
     * The form of the key at p and its value at {@code value}, a number or a text that is as it is, up to the next key
     * or the object's end; null where that is too long, or another value.
     */
    static JsonShape ofField(byte[] data, int p, int value, int to) {
        int most = p + LONGEST;
        if (most > to || value > most - 4) return null;
        boolean text = data[value] == '"';
        int end = text ? JsonEnds.string(data, value + 1, most - 3) : JsonEnds.number(data, value, most - 3);
        if (end <= 0) return null;
        int free = text ? most : value;
        if (data[end] == '}') return new JsonShape(data, p, free, end + 1 - p, end - p, false);
        if (data[end] != ',') return null;
        int key = data[end + 1] == ' ' ? end + 2 : end + 1;
        return data[key] == '"' ? new JsonShape(data, p, free, key - p, key - p, true) : null;
    }

    /**
     * The form of an array's values from p up to q, which is the first one of the array that follows in the same
     * array; null where they are not numbers alone, or too many. They are known to be valid.
     */
    static JsonShape ofRow(byte[] data, int p, int q, int to) {
        if (q - p > LONGEST || q > to - 1 || q == p) return null;
        int end = p;
        while (data[end] != ']') {
            if ("0123456789+-.eE, ".indexOf(data[end]) < 0) return null;
            if (++end == q) return null;
        }
        for (int i = end + 1; i < q - 1; i++) if (data[i] != ',' && data[i] != ' ') return null;
        return data[q - 1] == '[' ? new JsonShape(data, p, p, q - p, q - p, false) : null;
    }

    /** Whether bytes of the form stand at p, where 32 bytes are there. */
    boolean stands(byte[] data, int p) {
        long odd = odd(JsonWords.at(data, p) & mask0 ^ wanted0, added0)
                | odd(JsonWords.at(data, p + 8) & mask1 ^ wanted1, added1);
        if (compared > 16) {
            odd |= odd(JsonWords.at(data, p + 16) & mask2 ^ wanted2, added2)
                    | odd(JsonWords.at(data, p + 24) & mask3 ^ wanted3, added3);
        }
        return (odd & HIGHS) == 0;
    }

    private static long odd(long left, long added) {
        return (left & ~HIGHS) + added | left;
    }
}
