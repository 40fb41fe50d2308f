package kumihimo.json;

/**
 * The keys that documents have had so far, each with the colon and white space behind it, and which followed which. Objects of
 * one kind have the same keys in the same order, so that the next key can be guessed, and then a few words are compared where
 * else a string would be scanned. A wrong guess costs the comparison and changes nothing.
 *
 * <pre>
 *   {"price": 107910.0, "amount": 0.25}      remembered:  "price":_   "amount":_     and that one follows the other
 * </pre>
 *
 * <p>128 keys of up to 32 bytes are kept; one that falls on another's place takes it.
 */
final class JsonKeys {
    private static final int SLOTS = 128;
    private static final int LONGEST = 32;

    /** Of each slot four words, behind each the mask of the bytes that belong to the key. */
    private final long[] words = new long[SLOTS * 8];
    private final int[] sizes = new int[SLOTS];
    /** By slot: which slot came next when it was last seen. */
    private final int[] followers = new int[SLOTS];
    private int last;

    JsonKeys() {
        // A word that no masked bytes can equal: a slot that was never filled is nobody's guess.
        for (int i = 0; i < words.length; i += 2) words[i] = 1;
    }

    /**
     * The first byte of the value whose key should begin at p, or {@link JsonEnds#NONE} where no well-formed key with a colon
     * stands. That byte may be {@code to}.
     */
    int value(byte[] data, int p, int to) {
        if (p <= to - LONGEST) {
            int slot = followers[last];
            if (differ(data, p, slot << 3) == 0) {
                int size = sizes[slot];
                if (size <= 16 || differ(data, p + 16, (slot << 3) + 4) == 0) {
                    last = slot;
                    return p + size;
                }
            }
        }
        return unexpected(data, p, to);
    }

    private long differ(byte[] data, int p, int i) {
        return JsonWords.at(data, p) & words[i + 1] ^ words[i] | JsonWords.at(data, p + 8) & words[i + 3] ^ words[i + 2];
    }

    private int unexpected(byte[] data, int p, int to) {
        int value = read(data, p, to);
        if (value != JsonEnds.NONE && value - p <= LONGEST && p <= to - LONGEST) remember(data, p, value - p);
        return value;
    }

    /** {@link #value} without a guess. */
    static int read(byte[] data, int p, int to) {
        if (p >= to || data[p] != '"') return JsonEnds.NONE;
        p = Math.abs(JsonEnds.string(data, p + 1, to));
        if (p == JsonEnds.NONE) return JsonEnds.NONE;
        if (p < to && data[p] != ':') p = JsonEnds.space(data, p, to);
        return p < to && data[p] == ':' ? JsonEnds.space(data, p + 1, to) : JsonEnds.NONE;
    }

    private void remember(byte[] data, int p, int size) {
        long hash = size * 0x9e3779b97f4a7c15L;
        for (int k = 0; k < 4; k++) hash = (hash ^ masked(data, p, size, k)) * 0xff51afd7ed558ccdL;
        int slot = (int) (hash >>> 57);
        for (int k = 0, i = slot << 3; k < 4; k++, i += 2) {
            words[i] = masked(data, p, size, k);
            words[i + 1] = mask(size - 8 * k);
        }
        sizes[slot] = size;
        followers[last] = slot;
        last = slot;
    }

    private static long masked(byte[] data, int p, int size, int k) {
        return JsonWords.at(data, p + 8 * k) & mask(size - 8 * k);
    }

    /** Of the lowest bytes. */
    private static long mask(int bytes) {
        return bytes <= 0 ? 0 : bytes >= 8 ? -1 : (1L << 8 * bytes) - 1;
    }
}
