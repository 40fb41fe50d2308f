package kumihimo.format;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * The verbs' grammar, kept: which verb may come now. For sinks whose output would be silently wrong after a value
 * without its key, an end too many, or a count that was a lie; as {@code engine/core/order.hpp}.
 *
 * <p>The document itself is the outermost container: an array of exactly one value.
 */
public final class Order {
    /** What is left of a container whose count is not known; of no other container is so much left. */
    private static final long ENDLESS = 1L << 60;
    /** No container holds so many values, so that a larger count is as good as this one. */
    private static final long MOST = 1L << 58;

    private static final long MAP = 1;
    private static final long KEY_NEXT = Long.MIN_VALUE;

    private final int limit;
    /** Values that may still come; in a map keys count too, so that an even number says: a key is due. */
    private long left = 1;
    /**
     * What bits of {@link #left} are set where a value is due: in a map MAP; KEY_NEXT, which never is, where a key is
     * that value.
     */
    private long due;
    /** The containers around the innermost one: left << 1 | due. */
    private long[] outer = new long[16];
    private int depth;

    public Order(Limits limits) {
        limit = limits.depth();
    }

    /** Any value verb, and first thing in array and map. */
    public void value() {
        long left = this.left;
        if (left == 0 || (left & due) != due) valueIsKey();
        this.left = left - 1;
    }

    public void key() {
        long left = this.left;
        if (left == 0 || (~left & due) != MAP) throw noKey();
        this.left = left - 1;
    }

    /** {@link #key}, and {@link #value} behind it, in one step. */
    public void pair() {
        long left = this.left;
        if (left != 0 && due == MAP && (left & MAP) == 0) {
            this.left = left - 2;
        } else {
            key();
            value();
        }
    }

    public void keyIsNext() {
        if (left == 0 || (~left & due) != MAP) throw noKey();
        due = KEY_NEXT;
    }

    /** After {@link #value}: opens a container of count values or pairs. */
    public void open(boolean isMap, long count) {
        if (depth >= limit) throw new DataException(Code.DEPTH, "containers are nested deeper than the limit");
        if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2);
        outer[depth++] = left << 1 | due;
        due = isMap ? MAP : 0;
        left = count < 0 ? ENDLESS : Math.min(count, MOST) << due;
    }

    /** Closes the innermost container: how many values or pairs it has, where that was not known, else -1. */
    public long end() {
        long left = this.left;
        if (depth == 0 || left != 0) return openEnd(left);
        close();
        return -1;
    }

    private long openEnd(long left) {
        if (depth == 0) throw misuse("an end without its start");
        if (due == KEY_NEXT || (left & due) != 0) throw misuse("a map ends after a key without a value");
        if (left <= MOST * 2) throw misuse("a container ends with fewer values than it announced");
        long seen = ENDLESS - left >> due;
        close();
        return seen;
    }

    private void close() {
        long was = outer[--depth];
        due = was & MAP;
        left = was >> 1;
    }

    /** Containers that are open. */
    public int depth() {
        return depth;
    }

    /** What finish() of a sink asks: one whole value has arrived. */
    public void finish() {
        if (depth != 0 || left != 0) throw misuse("the document is not whole: a value or an end is missing");
    }

    /** Another document begins. */
    public void clear() {
        left = 1;
        due = 0;
        depth = 0;
    }

    private void valueIsKey() {
        if (left == 0) throw overfull();
        if (due != KEY_NEXT) throw misuse("a value came in a map before its key");
        due = MAP;
    }

    private DataException noKey() {
        if ((~left & due) != MAP) return misuse("a key came where a value is due");
        return overfull();
    }

    private DataException overfull() {
        return misuse(depth == 0 ? "a value came after the document was whole"
                : "a container holds more values than it announced");
    }

    private static DataException misuse(String what) {
        return new DataException(Code.MISUSE, what);
    }
}
