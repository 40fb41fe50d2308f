package kumihimo.plain;

/**
 * The keys of maps that have the same ones in the same order: text, none twice, {@link #MOST} at most. What is found
 * by hash is bounded by that number, so that no choice of keys makes it slow. Immutable, for many threads.
 */
final class SharedKeys {
    /** A slot is a byte, and a search that finds nothing must end soon. */
    static final int MOST = 64;

    private final String[] keys;
    /** Two to four slots for each key, by its hash: 1 and its index, or 0; null until a key is looked for. */
    private volatile byte[] slots;

    /** Takes the array. */
    SharedKeys(String[] keys) {
        this.keys = keys;
    }

    int size() {
        return keys.length;
    }

    String get(int i) {
        return keys[i];
    }

    /** The index of the key, or -1. */
    int find(Object key) {
        if (!(key instanceof String)) return -1;
        byte[] slots = this.slots;
        if (slots == null) slots = index();
        int mask = slots.length - 1;
        for (int at = slot(key) & mask; ; at = at + 1 & mask) {
            int i = slots[at] - 1;
            if (i < 0 || keys[i].equals(key)) return i;
        }
    }

    private static int slot(Object key) {
        int hash = key.hashCode();
        return hash ^ hash >>> 16;
    }

    private byte[] index() {
        byte[] made = new byte[Integer.highestOneBit(Math.max(1, keys.length)) * 4];
        int mask = made.length - 1;
        for (int i = 0; i < keys.length; i++) {
            int at = slot(keys[i]) & mask;
            while (made[at] != 0) at = at + 1 & mask;
            made[at] = (byte) (i + 1);
        }
        return slots = made;
    }
}
