package kumihimo;

/**
 * The work that equal hashes may make in one set or map: those keep what has one hash in a list, and look through it
 * for whatever else has that hash. {@code run} values of one hash cost {@code run * run / 2} looks. Honest data has
 * long runs too (pairs of numbers packed into a long, sets of numbers), so what is bounded is the work of all runs
 * together: some tenths of a second, and more where there are more values.
 */
public final class HashBudget {
    /** So many values cost too little to be looked at, whatever their hashes are. */
    public static final int FEW = 7000;

    private static final long LOOKS = 20_000_000;
    private static final long LOOKS_EACH = 1000;

    private final String what;
    private long values;
    private long looks;

    /** @param what the values are, for the error: "keys of a map" */
    public HashBudget(String what) {
        this.what = what;
    }

    /** Whether so many looks are no more than so many values may cost. */
    public static boolean allows(long looks, long values) {
        return looks <= LOOKS + LOOKS_EACH * values;
    }

    /** So many more values are there. */
    public void values(long more) {
        values += more;
    }

    /** @throws DataException {@link Code#SIZE} where these looks are too many */
    public void look(long more) {
        looks += more;
        if (!allows(looks, values)) throw new DataException(Code.SIZE, "too many " + what + " have equal hashes");
    }
}
