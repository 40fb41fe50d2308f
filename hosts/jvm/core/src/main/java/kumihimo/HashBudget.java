package kumihimo;

import java.util.Arrays;

/**
 * The work that equal hashes may make in the sets and maps of one document: those keep what has one hash in a list,
 * and look through it for whatever else has that hash. {@code run} values of one hash cost {@code run * run / 2}
 * looks. Honest data has long runs too (pairs of numbers packed into a long, sets of numbers), so what is bounded is
 * the work of all runs of the document together: some tenths of a second, and more where there are more values.
 *
 * <p>{@link HashRuns} counts them. Decimal numbers cost more than looks do: two of unlike scales are compared by a
 * product with as many digits as the longer one has ({@link #decimal}). For one thread.
 */
public final class HashBudget {
    /** Looks that a document has besides those of its values. */
    private static final long LOOKS = 20_000_000;
    private static final int LOOKS_EACH = 1000;

    /** So many values of one set or map make no more looks than they may, whatever their hashes are. */
    public static final int FEW = 2 * LOOKS_EACH;

    /** Up to as many digits as a double may have a number costs nothing besides. */
    private static final int FEW_DIGITS = 308;

    /** With so many others a sorted set of a million compares a value, and Scala's smallest sets. */
    private static final int COMPARED = 16;
    private static final int COMPARED_ALL = 4;

    private long left = LOOKS;
    /** What all places of a document share, which of them is read, and what it has cost; or null. */
    private SharedBudget shared;
    private int place;
    private long paid;

    private int sets;
    /** The decimal numbers of the sets and maps that are being read, one within the other. */
    private Decimals[] open = {new Decimals()};
    private int depth;

    /** The decimal numbers of one set or map. */
    public static final class Decimals {
        private boolean ordered;
        private int count;
        private long longest;

        /** @param ordered whether more than equal hashes make numbers be compared: by an order, in a tree */
        public Decimals(boolean ordered) {
            this.ordered = ordered;
        }

        private Decimals() {
            this(true);
        }

        private void begin(boolean ordered) {
            this.ordered = ordered;
            count = 0;
            longest = 0;
        }

        /** Another one; with how many it is compared. */
        private int compared(int digits) {
            longest = Math.max(longest, digits);
            int before = count;
            if (count < Integer.MAX_VALUE) count++;
            return ordered ? Math.min(COMPARED, before) : before <= COMPARED_ALL ? before : 0;
        }

        /** What it costs at most to compare two of these numbers, in looks. */
        public long comparison() {
            return work(longest);
        }
    }

    /** Of one document. */
    public HashBudget() {}

    /** What places of one document share. */
    public static SharedBudget ofPlaces() {
        return new SharedBudget(LOOKS);
    }

    /** Another document begins. */
    public void begin() {
        begin(LOOKS, null, 0);
    }

    /** One place of a document is read. */
    void begin(SharedBudget shared, int place) {
        begin(0, shared, place);
    }

    private void begin(long left, SharedBudget shared, int place) {
        this.left = left;
        this.shared = shared;
        this.place = place;
        paid = 0;
        sets = 0;
        depth = 0;
        open[0].begin(true);
    }

    /** Whether the values of one set or map, which make no more looks than these, need no count. */
    public static boolean isLittle(long looks, long values) {
        return looks <= LOOKS_EACH * values;
    }

    /** So many more values are in a set or a map. */
    public void values(long more) {
        left += LOOKS_EACH * more;
    }

    /**
     * So many more looks are made.
     *
     * @param what the values are, for the error: "keys of a map"
     * @throws DataException {@link Code#SIZE} where these are too many; it has no place
     */
    public void look(long more, String what) {
        if (!pay(more)) throw new DataException(Code.SIZE, "too many " + what + " have equal hashes");
    }

    /**
     * What is read up to {@link #endSet} belongs to an element of a set. Sets and maps may be within each other.
     *
     * @param ordered as in {@link Decimals}
     */
    public void beginSet(boolean ordered) {
        beginMap(ordered);
        sets++;
    }

    public void endSet() {
        sets--;
        endMap();
    }

    /** The keys that are read up to {@link #endMap} are those of one map. */
    public void beginMap(boolean ordered) {
        Decimals outer = open[depth];
        if (++depth == open.length) open = Arrays.copyOf(open, depth * 2);
        if (open[depth] == null) open[depth] = new Decimals();
        open[depth].begin(ordered);
        // An element is compared as a whole, with all numbers that the sets and maps in it have.
        if (sets > 0) merge(open[depth], outer);
    }

    public void endMap() {
        Decimals inner = open[depth];
        if (depth > 0) depth--; // 0 where the reader was reset in between
        if (sets > 0) merge(open[depth], inner);
    }

    private static void merge(Decimals to, Decimals from) {
        to.ordered |= from.ordered;
        to.count = Math.max(to.count, from.count);
        to.longest = Math.max(to.longest, from.longest);
    }

    /** Whether what is read now belongs to an element of a set, so that its numbers count: {@link #decimal}. */
    public boolean isInElement() {
        return sets > 0;
    }

    /**
     * A decimal number belongs to an element of the innermost set, or to a key of the innermost map, where it is
     * compared with others.
     *
     * @param digits that it is written with
     * @param besides looks that its hash costs
     * @throws DataException {@link Code#SIZE} where the numbers of the document would cost too much; it has no place
     */
    public void decimal(int digits, long besides) {
        decimal(open[depth], digits, besides);
    }

    /** The same in a set or a map that the caller knows. */
    public void decimal(Decimals of, int digits, long besides) {
        if (!pay(of.compared(digits) * of.comparison() + besides)) {
            throw new DataException(Code.SIZE, "the numbers in sets and keys of maps are too long to be compared");
        }
    }

    /** What it costs at most to compare two numbers of the innermost set or map, in looks. */
    public long comparison() {
        return open[depth].comparison();
    }

    /** Looks that arithmetic with so many digits costs. */
    public static long work(long digits) {
        return digits <= FEW_DIGITS ? 0 : digits * digits >> 12;
    }

    private boolean pay(long more) {
        left -= more;
        if (left >= 0) return true;
        if (shared == null) return false;
        long due = -left;
        left = 0;
        boolean enough = shared.pay(place, paid, due);
        paid += due;
        return enough;
    }
}
