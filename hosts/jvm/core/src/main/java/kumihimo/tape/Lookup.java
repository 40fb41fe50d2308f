package kumihimo.tape;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a tape remembers so that asking for each value of a large container costs no walk over the others: the keys of
 * maps by hash, and of arrays a mark at every 16th value that was passed. For many threads: what is remembered does
 * not change, but for a longer list of marks that takes the place of a shorter one.
 */
final class Lookup {
    /** Values and pairs up to which a walk is cheaper than looking for what is remembered. */
    private static final int FEW = 16;
    /** Values of an array from one mark to the next. */
    private static final int EVERY = 16;

    private final Tape tape;
    private final Map<Integer, MapIndex> maps = new ConcurrentHashMap<>();
    private final Map<Integer, int[]> marks = new ConcurrentHashMap<>();

    Lookup(Tape tape) {
        this.tape = tape;
    }

    /** The node of the value of a key in UTF-8, or -1. */
    int member(int map, byte[] data, int from, int to) {
        if (tape.length(map) > FEW) return maps.computeIfAbsent(map, m -> new MapIndex(tape, m)).find(data, from, to);
        int value = -1;
        int end = tape.ref(map);
        for (int key = map + 1; key != end; key = tape.behind(tape.behind(key)))
            if (tape.is(key, Tape.STR) && MapIndex.equal(tape, key, data, from, to)) value = key + 1;
        return value;
    }

    /** The node of a value that the array has. */
    int element(int array, int i) {
        int n = tape.length(array);
        // Without containers in it every value is one node.
        if (tape.ref(array) - array - 1 == n) return array + 1 + i;
        if (i < FEW || n <= 4 * EVERY) return behind(array + 1, i);
        int[] known = marks.get(array);
        if (known == null) known = new int[] {array + 1};
        int mark = i / EVERY;
        if (mark >= known.length) {
            int had = known.length;
            known = Arrays.copyOf(known, mark + 1);
            for (int k = had; k <= mark; k++) known[k] = behind(known[k - 1], EVERY);
            marks.put(array, known);
        }
        return behind(known[mark], i % EVERY);
    }

    private int behind(int node, int values) {
        for (; values > 0; values--) node = tape.behind(node);
        return node;
    }
}
