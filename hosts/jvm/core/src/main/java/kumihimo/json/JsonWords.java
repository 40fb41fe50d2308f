package kumihimo.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight bytes of JSON as one long, the first byte lowest. Where a method answers with the high bits of some bytes
 * <i>from the lowest on</i>, only the lowest bit that is set means something; otherwise all do.
 */
public final class JsonWords {
    /** Eight blanks. */
    static final long BLANKS = 0x2020202020202020L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private JsonWords() {}

    /** The word at p; eight bytes must be there. */
    public static long at(byte[] data, int p) {
        return (long) LONGS.get(data, p);
    }

    /** Bytes that are no digits: all high bits mean something. */
    public static long notDigits(long word) {
        long x = word ^ '0' * ONES;
        return ((x & ~HIGHS) + 0x76 * ONES | x) & HIGHS;
    }

    /**
     * Bytes that do not simply stand in a string: quotes, backslashes, control characters, and those beyond ASCII,
     * from the lowest on.
     */
    public static long notPlain(long word) {
        long quote = (word ^ '"' * ONES) - ONES;
        long backslash = (word ^ '\\' * ONES) - ONES;
        return (word - ' ' * ONES | quote | backslash | word) & HIGHS;
    }

    /**
     * Bytes that matter between strings: quotes, brackets, backslashes, control characters, and those beyond ASCII,
     * from the lowest on. A bar, which has no business there, is among them.
     */
    public static long structure(long word) {
        long quote = (word ^ '"' * ONES) - ONES;
        long folded = word & 0x5f * ONES;
        long bracket = folded + 0x25 * ONES & ~(folded + 0x22 * ONES);
        return (word - ' ' * ONES | quote | bracket | word) & HIGHS;
    }

    /** Quotes and backslashes, from the lowest on. */
    public static long quoteOrBackslash(long word) {
        long quote = word ^ '"' * ONES;
        long backslash = word ^ '\\' * ONES;
        return (quote - ONES & ~quote | backslash - ONES & ~backslash) & HIGHS;
    }

    /** Whether the six lowest bytes have the form of two characters of three bytes each, as East Asia's are. */
    static boolean isTwoOfThreeBytes(long word) {
        return (word & 0xc0c0f0c0c0f0L) == 0x8080e08080e0L;
    }

    /** Bytes that are this one: all high bits mean something. */
    public static long equal(long word, int c) {
        long x = word ^ c * ONES;
        return ~((x & ~HIGHS) + ~HIGHS | x | ~HIGHS);
    }

    /** Opening brackets of either kind: all high bits mean something. */
    public static long opening(long word) {
        return equal(word & 0xdf * ONES, '[');
    }

    /** Closing brackets of either kind: all high bits mean something. */
    public static long closing(long word) {
        return equal(word & 0xdf * ONES, ']');
    }
}
