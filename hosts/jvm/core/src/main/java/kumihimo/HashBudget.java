package kumihimo;

/**
 * The work that equal hashes may make in the sets and maps of one document: those keep what has one hash in a list, and
 * look through it for whatever else has that hash. {@code run} values of one hash cost {@code run * run / 2} looks.
 * Honest data has long runs too (pairs of numbers packed into a long, sets of numbers), so what is bounded is the work
 * of all runs of the document together: some tenths of a second, and more where there are more values.
 *
 * <p>{@link HashRuns} counts them. For one thread.
 */
public final class HashBudget {
    /** Looks that a document has besides those of its values. */
    private static final long LOOKS = 20_000_000;
    private static final int LOOKS_EACH = 1000;

    /** So many values of one set or map make no more looks than they may, whatever their hashes are. */
    public static final int FEW = 2 * LOOKS_EACH;

    private long left = LOOKS;

    /** Of one document. */
    public HashBudget() {}

    /** Another document begins. */
    public void begin() {
        left = LOOKS;
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
        left -= more;
        if (left < 0) throw new DataException(Code.SIZE, "too many " + what + " have equal hashes");
    }
}
