package kumihimo;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The different values of one set or map by their hashes, and what it costs to look for another one among those that
 * have its hash ({@link HashBudget}). Who guards a set or a map goes this way with each value, before the set or the
 * map sees it:
 *
 * <pre>
 *   int known = runs.find(hash);
 *   if (known != HashRuns.NONE) runs.look(weight);           // refuses a flood
 *   while (known != HashRuns.NONE &amp;&amp; value number known differs) known = runs.before(known);
 *   if (known == HashRuns.NONE) ... runs.add() is the number of the value, which is new ...
 * </pre>
 *
 * <p>For one thread. Its own table is by hashes that are mixed with a number drawn when the program starts.
 */
public final class HashRuns {
    /** No value. */
    public static final int NONE = -1;

    private static final long SEED = ThreadLocalRandom.current().nextLong() | 1;

    private final HashBudget budget;
    private final String what;
    /** Of each value its hash, the value before it that has the same, and how many there are up to it. */
    private int[] hashes = new int[16];
    private int[] before = new int[16];
    private int[] lengths = new int[16];
    private int size;
    /** By hash the number of the last value that has it, and 1. */
    private int[] table = new int[32];
    /** What {@link #find} was asked for. */
    private int hash;
    private int slot;

    /**
     * @param budget of the document
     * @param what the values are, for the error: "keys of a map"
     */
    public HashRuns(HashBudget budget, String what) {
        this.budget = budget;
        this.what = what;
    }

    /** The number of the value that came last with this hash, or {@link #NONE}; another value has come. */
    public int find(int hash) {
        budget.values(1);
        this.hash = hash;
        slot = slot(hash);
        return table[slot] - 1;
    }

    /**
     * The value is compared with all that have the hash which was found last.
     *
     * @param weight of one comparison; 1 for values of a few bytes
     * @throws DataException {@link Code#SIZE} where the document has made too many looks; it has no place
     */
    public void look(long weight) {
        budget.look(lengths[table[slot] - 1] * weight, what);
    }

    /** The number of the value before this one that has the same hash, or {@link #NONE}. */
    public int before(int value) {
        return before[value];
    }

    /** The value whose hash was looked for last is none of those before; its number: 0, 1, 2... */
    public int add() {
        if (size == hashes.length) {
            grow();
            slot = slot(hash);
        }
        int last = table[slot] - 1;
        hashes[size] = hash;
        before[size] = last;
        lengths[size] = last == NONE ? 1 : lengths[last] + 1;
        table[slot] = size + 1;
        return size++;
    }

    /** How many different values there are. */
    public int size() {
        return size;
    }

    /** The hash of a value by its number. */
    public int hash(int value) {
        return hashes[value];
    }

    /** Looks that are made besides those for equal hashes: errors as in {@link #look}. */
    public void lookBesides(long looks) {
        budget.look(looks, what);
    }

    private int slot(int hash) {
        int mask = table.length - 1;
        long mixed = hash * SEED;
        int at = (int) ((mixed ^ mixed >>> 32) * 0x9e3779b97f4a7c15L >>> 32) & mask;
        while (table[at] != 0 && hashes[table[at] - 1] != hash) at = at + 1 & mask;
        return at;
    }

    private void grow() {
        // Twice as many slots as values; both fit an array for as many values as a set of the JDK's has.
        if (size >= 1 << 28) throw new DataException(Code.SIZE, "more " + what + " than can be counted");
        hashes = Arrays.copyOf(hashes, size * 2);
        before = Arrays.copyOf(before, size * 2);
        lengths = Arrays.copyOf(lengths, size * 2);
        table = new int[size * 4];
        for (int i = 0; i < size; i++) table[slot(hashes[i])] = i + 1;
    }
}
