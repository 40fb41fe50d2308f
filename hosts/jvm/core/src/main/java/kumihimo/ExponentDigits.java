package kumihimo;

/**
 * Counts the digits that a document's integers get by their exponents: six bytes, {@code 1e4900}, become two thousand
 * in memory, so that without a bound for all of them a small document would fill it. Sets of bits become large by
 * their elements in the same way, and share the count. For one thread.
 */
public final class ExponentDigits {
    /** Digits that a number may get for each character that it has, and for one that stands before it. */
    public static final int FOR_EACH_CHARACTER = 64;

    /** Digits that the numbers of a document may get besides. */
    public static final int FOR_NOTHING = 1 << 16;

    /** Two to the power of this: bits cost little, and are many. */
    private static final int BITS_FOR_A_DIGIT = 11;

    private long left = FOR_NOTHING;
    private SharedBudget shared;
    private int place;
    private long paid;

    public ExponentDigits() {}

    /** What places of one document share. */
    public static SharedBudget ofPlaces() {
        return new SharedBudget(FOR_NOTHING);
    }

    /** Another document begins. */
    public void begin() {
        left = FOR_NOTHING;
        shared = null;
    }

    /** One place of a document is read. */
    void begin(SharedBudget shared, int place) {
        this.shared = shared;
        this.place = place;
        paid = 0;
    }

    /**
     * A number gets digits.
     *
     * @param characters that it is written with
     * @throws DataException {@link Code#SIZE} where the document has no more digits to give
     */
    public void take(long digits, int characters) {
        long more = digits - FOR_EACH_CHARACTER * (characters + 1L);
        if (more > 0 && !pay(more)) {
            throw new DataException(Code.SIZE, "the exponents of integers would become too many digits");
        }
    }

    /**
     * A set of bits becomes as large as its largest element says; what a full one takes, 128 kilobytes, a document has
     * for more than a hundred of them.
     *
     * @param characters that its elements are written with
     * @throws DataException {@link Code#SIZE} where the document has no more to give; it has no place
     */
    public void takeBits(long bits, long characters) {
        long more = bits - FOR_EACH_CHARACTER * (characters + 1) >> BITS_FOR_A_DIGIT;
        if (more > 0 && !pay(more)) throw new DataException(Code.SIZE, "the sets of bits would become too large");
    }

    private boolean pay(long more) {
        boolean enough;
        if (shared == null) {
            left -= more;
            enough = left >= 0;
        } else {
            enough = shared.pay(place, paid, more);
            paid += more;
        }
        return enough;
    }
}
