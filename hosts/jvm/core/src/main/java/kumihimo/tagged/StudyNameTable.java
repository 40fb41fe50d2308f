package kumihimo.tagged;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import kumihimo.format.LittleEndian;

/**
 * The names that a document of the layout study has so far, found by their hashes, and the types that each stands
 * before.
 */
final class StudyNameTable {
    /** Another name has the same hash. */
    static final int CLASH = -2;

    /** From and to of name n at 2n, among the recorded bytes. */
    private int[] places = new int[32];
    /** 24 bits. */
    private int[] hashes = new int[16];
    /** A bit for each type that the name stands before. */
    private int[] types = new int[16];
    private int size;
    /** Open addressing: name + 1. */
    private int[] slots = new int[64];
    /** Spreads hashes by chance, so that nobody can choose names that all want one slot. */
    private final int spread = ThreadLocalRandom.current().nextInt() | 1;
    private boolean old;

    void clear() {
        size = 0;
        if (slots.length == 64) Arrays.fill(slots, 0);
        else slots = new int[64];
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The name that these bytes are, a new one where there is none yet; or CLASH. */
    int find(byte[] data, int from, int to, int hash) {
        if (size * 2 >= slots.length) grow();
        int last = slots.length - 1;
        int slot = slot(hash);
        for (; slots[slot] != 0; slot = slot + 1 & last) {
            int known = slots[slot] - 1;
            if (hashes[known] != hash) continue;
            old = Arrays.equals(data, places[2 * known], places[2 * known + 1], data, from, to);
            return old ? known : CLASH;
        }
        old = false;
        if (size == hashes.length) {
            places = Arrays.copyOf(places, 4 * size);
            hashes = Arrays.copyOf(hashes, 2 * size);
            types = Arrays.copyOf(types, 2 * size);
        }
        places[2 * size] = from;
        places[2 * size + 1] = to;
        hashes[size] = hash;
        types[size] = 0;
        slots[slot] = ++size;
        return size - 1;
    }

    /** {@link #find} found a name that had come before. */
    boolean isOld() {
        return old;
    }

    private int slot(int hash) {
        return hash * spread >>> 1 + Integer.numberOfLeadingZeros(slots.length);
    }

    private void grow() {
        slots = new int[2 * slots.length];
        int last = slots.length - 1;
        for (int i = 0; i < size; i++) {
            int slot = slot(hashes[i]);
            while (slots[slot] != 0) slot = slot + 1 & last;
            slots[slot] = i + 1;
        }
    }

    /** The name stands before a value of this type: the tag of both. */
    int take(int name, int type) {
        types[name] |= 1 << type;
        return hashes[name] << 8 | type;
    }

    /** Bytes of the table, without its tag and length. */
    long tableSize() {
        long bytes = 0;
        for (int i = 0; i < size; i++) {
            int n = places[2 * i + 1] - places[2 * i];
            bytes += (long) Integer.bitCount(types[i]) * (4 + Varint.size(n) + n);
        }
        return bytes;
    }

    /** Writes the table, and returns its end. */
    int write(byte[] recorded, byte[] to, int at, long bytes) {
        LittleEndian.put32(to, at, StudyHeader.TABLE);
        at = Varint.put(to, at + 4, bytes);
        for (long entry : entries()) {
            int name = (int) entry;
            int from = places[2 * name];
            int n = places[2 * name + 1] - from;
            LittleEndian.put32(to, at, (int) (entry >> 32));
            at = Varint.put(to, at + 4, n);
            System.arraycopy(recorded, from, to, at, n);
            at += n;
        }
        return at;
    }

    /** Every tag that a name has, in the order of tags, as tag << 32 | name. */
    private long[] entries() {
        int count = 0;
        for (int i = 0; i < size; i++) count += Integer.bitCount(types[i]);
        long[] entries = new long[count];
        int n = 0;
        for (int i = 0; i < size; i++) {
            for (int left = types[i]; left != 0; left &= left - 1) {
                int tag = hashes[i] << 8 | Integer.numberOfTrailingZeros(left);
                entries[n++] = (long) tag << 32 | i;
            }
        }
        Arrays.sort(entries);
        return entries;
    }
}
