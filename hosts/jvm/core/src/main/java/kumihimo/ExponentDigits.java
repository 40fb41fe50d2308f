package kumihimo;

/**
 * Counts the digits that a document's integers get by their exponents: six bytes, {@code 1e4900}, become two thousand
 * in memory, so that without a bound for all of them a small document would fill it. For one thread.
 */
public final class ExponentDigits {
    /** Digits that all integers of a document may get by exponents, for each of its bytes. */
    public static final int FOR_EACH_BYTE = 64;

    /** Digits that a document may have besides, however small it is. */
    public static final int FOR_NOTHING = 1 << 16;

    private long left = FOR_NOTHING;

    /** Of a document that is not known to have any bytes. */
    public ExponentDigits() {}

    /** Another document begins, of so many bytes. */
    public void begin(long bytes) {
        left = FOR_NOTHING + FOR_EACH_BYTE * Math.min(bytes, Long.MAX_VALUE / (2 * FOR_EACH_BYTE));
    }

    /** @throws DataException {@link Code#SIZE} where the document has no more digits to give */
    public void take(long digits) {
        left -= digits;
        if (left < 0) throw new DataException(Code.SIZE, "the exponents of integers would become too many digits");
    }
}
