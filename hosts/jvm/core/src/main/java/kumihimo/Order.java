package kumihimo;

import java.util.Arrays;

/**
 * The grammar of the verbs, kept: which verb may come now; {@code engine/core/order.hpp}. For sinks whose output would be
 * silently wrong after a value without its key, an end too many, or a count that was a lie. The document itself is the outermost
 * container: an array of exactly one value. No limit of depth: that is the sink's own.
 */
public final class Order {
    // Of every open container, the document first: how many values there are so far (in a map keys count too, so an odd number
    // means that a value is due), and how many there must be at the end, or -1.
    private long[] seen = new long[16];
    private long[] expected = new long[16];
    private boolean[] map = new boolean[16];
    private int depth;
    private boolean keyIsValue;

    public Order() {
        expected[0] = 1;
    }

    /** Another document begins. */
    public void clear() {
        depth = 0;
        seen[0] = 0;
        keyIsValue = false;
    }

    /** Any value, and first thing where a container opens. */
    public void value() {
        if (seen[depth] == expected[depth]) throw overfull();
        if (map[depth] && (seen[depth] & 1) == 0 && !keyIsValue) throw misuse("a value came in a map before its key");
        keyIsValue = false;
        seen[depth]++;
    }

    /** A key that is text. */
    public void key() {
        if (!map[depth] || (seen[depth] & 1) != 0 || keyIsValue) throw misuse("a key came where a value is due");
        if (seen[depth] == expected[depth]) throw overfull();
        seen[depth]++;
    }

    /** A key that is the next value. */
    public void keyIsNext() {
        key();
        seen[depth]--;
        keyIsValue = true;
    }

    /** After {@link #value}: opens a container of count values or pairs. */
    public void open(boolean isMap, long count) {
        if (++depth == seen.length) {
            seen = Arrays.copyOf(seen, depth * 2);
            expected = Arrays.copyOf(expected, depth * 2);
            map = Arrays.copyOf(map, depth * 2);
        }
        seen[depth] = 0;
        expected[depth] = count < 0 ? -1 : isMap ? count * 2 : count;
        map[depth] = isMap;
    }

    /** Closes the innermost container. */
    public void end() {
        if (depth == 0) throw misuse("an end without its start");
        if (keyIsValue || map[depth] && (seen[depth] & 1) != 0) throw misuse("a map ends after a key without a value");
        if (expected[depth] >= 0 && seen[depth] != expected[depth]) {
            throw misuse("a container ends with fewer values than it announced");
        }
        depth--;
    }

    /** Containers open now. */
    public int depth() {
        return depth;
    }

    /** One whole value has arrived. */
    public boolean isWhole() {
        return depth == 0 && seen[0] == 1;
    }

    /** The document must be whole. */
    public void finish() {
        if (!isWhole()) throw misuse("the document is not whole: a value or an end is missing");
    }

    private DataException overfull() {
        return misuse(depth == 0 ? "a value came after the document was whole"
                : "a container holds more values than it announced");
    }

    private static DataException misuse(String what) {
        return new DataException(Code.MISUSE, what);
    }
}
