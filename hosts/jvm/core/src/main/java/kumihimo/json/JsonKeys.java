package kumihimo.json;

import java.util.Arrays;

/**
 * The keys that documents have had so far, each with the colon and white space behind it, and which followed which. Objects of
 * one kind have the same keys in the same order, so that the next key can be guessed, and then a few words are compared where
 * else a string would be scanned. A wrong guess costs the comparison and changes nothing.
 *
 * <pre>
 *   {"price": 107910.0, "amount": 0.25}      remembered:  "price":_   "amount":_     and that one follows the other
 * </pre>
 *
 * <p>255 keys of up to 32 bytes are kept, white space included; before one more they are all forgotten.
 */
public final class JsonKeys {
    private static final int SLOTS = 256;
    private static final int LONGEST = 32;
    /** Of the table: four times the slots, so that a chain is short. */
    private static final int TABLE_BITS = 10;

    /** By slot four words, behind each the mask of the bytes that belong to the key. Slot 0 is no key. */
    private final long[] words = new long[SLOTS * 8];
    /** By slot: the bytes up to the value, and of the text as {@link #textSize} tells it. */
    private final int[] sizes = new int[SLOTS];
    private final int[] textSizes = new int[SLOTS];
    /** By slot: the first slot of the same text, which may differ in white space; 0 where there may be another spelling. */
    private final int[] numbers = new int[SLOTS];
    /** By slot: which slot came next when it was last seen. */
    private final int[] followers = new int[SLOTS];
    /** By hash: a slot, or 0. */
    private final int[] table = new int[1 << TABLE_BITS];
    private int used = 1;
    private int last;
    private int textSize;
    private int generation;

    public JsonKeys() {
        // A word that no masked bytes can equal: what was never filled is nobody's guess.
        for (int i = 0; i < words.length; i += 2) words[i] = 1;
    }

    /**
     * The first byte of the value whose key should begin at p, or {@link JsonEnds#NONE} where no well-formed key with a colon
     * stands. That byte may be {@code to}.
     */
    public int value(byte[] data, int p, int to) {
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
        if (value == JsonEnds.NONE) return value;
        if (value - p <= LONGEST && p <= to - LONGEST) remember(data, p, value - p);
        else last = 0;
        return value;
    }

    private int read(byte[] data, int p, int to) {
        if (p >= to || data[p] != '"') return JsonEnds.NONE;
        int close = JsonEnds.string(data, p + 1, to);
        if (close == JsonEnds.NONE) return JsonEnds.NONE;
        int size = Math.abs(close) - p - 2;
        textSize = close < 0 ? ~size : size;
        p = Math.abs(close);
        if (p < to && data[p] != ':') p = JsonEnds.space(data, p, to);
        return p < to && data[p] == ':' ? JsonEnds.space(data, p + 1, to) : JsonEnds.NONE;
    }

    /**
     * The number of the last key's text, 1 to 255: two keys have the same one if and only if they have the same text, as long as
     * {@link #generation} stays what it is. 0 where the key was not kept, has an escape, or is not all ASCII.
     */
    public int number() {
        return numbers[last];
    }

    /** The bytes of the last key's text, without its quotes; ~bytes where it has an escape, or is not all ASCII. */
    public int textSize() {
        return last == 0 ? textSize : textSizes[last];
    }

    /** How often all keys were forgotten. */
    public int generation() {
        return generation;
    }

    private void remember(byte[] data, int p, int size) {
        long hash = size * 0x9e3779b97f4a7c15L;
        for (int k = 0; k < 4; k++) hash = (hash ^ masked(data, p, size, k)) * 0xff51afd7ed558ccdL;
        int at = (int) (hash >>> 64 - TABLE_BITS);
        int slot;
        while ((slot = table[at]) != 0 && !is(slot, data, p, size)) at = at + 1 & table.length - 1;
        if (slot == 0) {
            if (used == SLOTS) {
                forget();
                at = (int) (hash >>> 64 - TABLE_BITS);
            }
            slot = used++;
            table[at] = slot;
            fill(slot, data, p, size);
        }
        followers[last] = slot;
        last = slot;
    }

    private boolean is(int slot, byte[] data, int p, int size) {
        int i = slot << 3;
        return sizes[slot] == size && differ(data, p, i) == 0 && differ(data, p + 16, i + 4) == 0;
    }

    private void fill(int slot, byte[] data, int p, int size) {
        for (int k = 0, i = slot << 3; k < 4; k++, i += 2) {
            words[i] = masked(data, p, size, k);
            words[i + 1] = mask(size - 8 * k);
        }
        sizes[slot] = size;
        textSizes[slot] = textSize;
        followers[slot] = 0;
        numbers[slot] = textSize < 0 ? 0 : slot;
        for (int other = 1; other < slot && numbers[slot] == slot; other++)
            if (textSizes[other] == textSize && sameText(other, slot)) numbers[slot] = numbers[other];
    }

    private boolean sameText(int a, int b) {
        for (int k = 0, n = textSizes[a] + 2; k < 4; k++)
            if (((words[a * 8 + 2 * k] ^ words[b * 8 + 2 * k]) & mask(n - 8 * k)) != 0) return false;
        return true;
    }

    private void forget() {
        Arrays.fill(table, 0);
        used = 1;
        last = 0;
        followers[0] = 0;
        generation++;
    }

    private static long masked(byte[] data, int p, int size, int k) {
        return JsonWords.at(data, p + 8 * k) & mask(size - 8 * k);
    }

    /** Of the lowest bytes. */
    private static long mask(int bytes) {
        return bytes <= 0 ? 0 : bytes >= 8 ? -1 : (1L << 8 * bytes) - 1;
    }
}
