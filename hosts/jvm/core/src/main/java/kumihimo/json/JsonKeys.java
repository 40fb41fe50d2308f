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
 * <p>255 keys of up to 32 bytes are kept, white space included; for one more they are all forgotten.
 */
public final class JsonKeys {
    /** Slots at most; there are few until a document has more keys. */
    private static final int MOST = 256;
    private static final int LONGEST = 32;
    /** Of the table places for each slot, so that a chain is short. */
    private static final int SPARSE = 4;

    /** Keys that are not kept after all were forgotten: they may never come again, as in a dictionary. */
    private static final int PAUSE = 1024;

    private int slots = 16;
    /** By slot four words, behind each the mask of the bytes that belong to the key. Slot 0 is no key. */
    private long[] words = new long[slots * 8];
    /** By slot: the bytes up to the value, and of the text as {@link #textSize} tells it. */
    private int[] sizes = new int[slots];
    private int[] textSizes = new int[slots];
    /** By slot: the first slot of the same text, which may differ in white space; 0 where there may be another spelling. */
    private int[] numbers = new int[slots];
    /** By slot: which slot came next when it was last seen. */
    private int[] followers = new int[slots];
    /** By hash: a slot, or 0. */
    private int[] table = new int[slots * SPARSE];
    private int used = 1;
    private int last;
    private int textSize;
    private int generation;
    /** Keys that are not kept from here on. */
    private int pause;

    public JsonKeys() {
        // A word that no masked bytes can equal: slot 0 is nobody's guess.
        words[0] = 1;
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
                    p += size;
                    // The key was remembered with the white space that it had then.
                    return p < to && data[p] <= ' ' ? JsonEnds.space(data, p, to) : p;
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
        int quoted = (textSize < 0 ? ~textSize : textSize) + 2;
        int same = 0;
        int at = place(JsonWords.at(data, p), masked(data, p, quoted, 1), masked(data, p, quoted, 2), masked(data, p, quoted, 3),
                quoted);
        int slot;
        for (; (slot = table[at]) != 0; at = at + 1 & table.length - 1) {
            if (!begins(slot, data, p, quoted)) continue;
            if (sizes[slot] == size && differ(data, p, slot << 3) == 0 && differ(data, p + 16, (slot << 3) + 4) == 0) break;
            same = numbers[slot];
        }
        if (slot == 0) {
            if (pause > 0) {
                pause--;
                last = 0;
                return;
            }
            if (used == slots) {
                last = 0;
                if (slots == MOST) forget();
                else grow();
                return;
            }
            slot = used++;
            table[at] = slot;
            fill(slot, data, p, size);
            numbers[slot] = textSize < 0 ? 0 : same != 0 ? same : slot;
        }
        followers[last] = slot;
        last = slot;
    }

    /** Whether a slot's key is this text, its quotes among the bytes. */
    private boolean begins(int slot, byte[] data, int p, int quoted) {
        if (textSizes[slot] != textSize) return false;
        long differ = 0;
        for (int k = 0, i = slot << 3; k < 4; k++, i += 2)
            differ |= (words[i] ^ JsonWords.at(data, p + 8 * k)) & mask(quoted - 8 * k);
        return differ == 0;
    }

    private int place(long a, long b, long c, long d, int quoted) {
        long hash = quoted * 0x9e3779b97f4a7c15L;
        hash = (hash ^ a & mask(quoted)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 32 ^ b) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 32 ^ c) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 32 ^ d) * 0xff51afd7ed558ccdL;
        return (int) (hash >>> 48) & table.length - 1;
    }

    private void grow() {
        slots *= 2;
        words = Arrays.copyOf(words, slots * 8);
        sizes = Arrays.copyOf(sizes, slots);
        textSizes = Arrays.copyOf(textSizes, slots);
        numbers = Arrays.copyOf(numbers, slots);
        followers = Arrays.copyOf(followers, slots);
        table = new int[slots * SPARSE];
        for (int slot = 1; slot < used; slot++) {
            int quoted = (textSizes[slot] < 0 ? ~textSizes[slot] : textSizes[slot]) + 2;
            int i = slot * 8;
            int at = place(words[i], words[i + 2] & mask(quoted - 8), words[i + 4] & mask(quoted - 16),
                    words[i + 6] & mask(quoted - 24), quoted);
            while (table[at] != 0) at = at + 1 & table.length - 1;
            table[at] = slot;
        }
    }

    private void fill(int slot, byte[] data, int p, int size) {
        for (int k = 0, i = slot << 3; k < 4; k++, i += 2) {
            words[i] = masked(data, p, size, k);
            words[i + 1] = mask(size - 8 * k);
        }
        sizes[slot] = size;
        textSizes[slot] = textSize;
        followers[slot] = 0;
    }

    private void forget() {
        Arrays.fill(table, 0);
        used = 1;
        last = 0;
        followers[0] = 0;
        generation++;
        pause = PAUSE;
    }

    private static long masked(byte[] data, int p, int size, int k) {
        return JsonWords.at(data, p + 8 * k) & mask(size - 8 * k);
    }

    /** Of the lowest bytes. */
    private static long mask(int bytes) {
        return bytes <= 0 ? 0 : bytes >= 8 ? -1 : (1L << 8 * bytes) - 1;
    }
}
