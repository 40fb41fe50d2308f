package kumihimo;

import java.util.Arrays;

/**
 * The fields of a record in the order in which they are written: what {@link Reader#field} looks a key up in.
 * Immutable.
 *
 * <p>{@link #find} is a table of 2 to 4 slots for each name, addressed by length, first, middle and last byte; names
 * are known when the program is written, so nobody can flood it.
 */
public final class Names {
    /** The map has ended. */
    public static final int END = -1;
    /** A key that is none of the names. */
    public static final int OTHER = -2;

    private final Name[] names;
    private final int[] table;

    private Names(Name[] names) {
        this.names = names;
        int size = Integer.highestOneBit(Math.max(1, names.length) * 2 - 1) * 2;
        table = new int[size];
        for (int i = 0; i < names.length; i++) {
            byte[] utf8 = names[i].utf8();
            int slot = slot(utf8, 0, utf8.length);
            while (table[slot] != 0) slot = (slot + 1) & (size - 1);
            table[slot] = i + 1;
        }
    }

    /** @throws IllegalArgumentException where a name stands twice */
    public static Names of(String... texts) {
        Name[] names = new Name[texts.length];
        java.util.Set<String> seen = new java.util.HashSet<>();
        for (int i = 0; i < texts.length; i++) {
            if (!seen.add(texts[i])) throw new IllegalArgumentException("the field " + texts[i] + " stands twice");
            names[i] = new Name(texts[i]);
        }
        return new Names(names);
    }

    public int size() {
        return names.length;
    }

    public Name get(int index) {
        return names[index];
    }

    /** The index of the name with these bytes (UTF-8), or {@link #OTHER}. */
    public int find(byte[] data, int from, int to) {
        int slot = slot(data, from, to);
        for (int entry; (entry = table[slot]) != 0; slot = (slot + 1) & (table.length - 1)) {
            byte[] utf8 = names[entry - 1].utf8();
            boolean same = utf8.length == to - from && Arrays.equals(utf8, 0, utf8.length, data, from, to);
            if (same) return entry - 1;
        }
        return OTHER;
    }

    private int slot(byte[] data, int from, int to) {
        int n = to - from;
        int h = n * 0x9e3779b1;
        if (n > 0) h ^= data[from] * 0x85ebca6b + data[from + (n >> 1)] * 0xc2b2ae35 + data[to - 1] * 0x27d4eb2f;
        return (h ^ h >>> 15) & (table.length - 1);
    }
}
