package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.LittleEndian;

/**
 * The names that a writer has given numbers to.
 *
 * <pre>
 *   entries   | - | offset size hash | ...       number + 1; the bytes stay where they were written
 *   slots     | . | hash, number + 1 | . | ...   a name is at its hash or beside it, 0 is empty
 * </pre>
 *
 * <p>A search looks at two slots and compares 16 bits of hash in each. A name that finds both taken puts the second out, which is
 * then written again when it comes again: the cost is bounded, whoever chose the names.
 *
 * <p>New names are paid from a credit that known ones earn: where names do not come again, the writer stops searching for a
 * while. All of this is {@code engine/tagged/names.hpp} to the bit, since the bytes of a document depend on it.
 */
final class TaggedNames {
    static final int NONE = -1;

    private static final int SMALL_BITS = 6;
    private static final int MOST_BITS = 14;
    private static final int FIRST_CREDIT = 256;
    private static final int MOST_CREDIT = 4096;
    private static final int LATER_CREDIT = 16;

    private int[] offsets = new int[32];
    private int[] sizes = new int[32];
    private int[] hashes = new int[32];
    private int entries;
    private int credit;
    private int bits;
    private int[] slots = new int[2];
    /** Of the name that was searched last. */
    private int hash;

    /** Forgets all names. */
    void clear() {
        entries = 1;
        sizes[0] = -1; // behind the empty slots: like no name
        credit = FIRST_CREDIT;
        bits = 0;
        if (slots.length == 2) Arrays.fill(slots, 0);
        else slots = new int[2];
    }

    /** Looks at 24 bytes at most. */
    static int hash(byte[] data, int from, int n) {
        long a = 0;
        long b = 0;
        if (n >= 8) {
            a = LittleEndian.i64(data, from);
            b = LittleEndian.i64(data, from + n - 8);
            if (n > 16) a ^= LittleEndian.i64(data, from + n / 2 - 4) * 0x9E3779B97F4A7C15L;
        } else if (n >= 4) {
            a = LittleEndian.u32(data, from);
            b = LittleEndian.u32(data, from + n - 4);
        } else if (n != 0) {
            a = data[from] & 0xff | (data[from + n - 1] & 0xff) << 8;
            b = data[from + n / 2] & 0xff;
        }
        return (int) ((a ^ Long.rotateLeft(b, 23) ^ n) * 0xD6E8FEB86659FD93L >>> 32);
    }

    /** The number of the name in data, whose hash this is; or NONE. */
    int find(byte[] written, int hash, byte[] data, int from, int n) {
        this.hash = hash;
        int slot = slot(hash);
        int wanted = hash << 16;
        int found = slots[slot] ^ wanted;
        if (found >>> 16 != 0) found = slots[slot ^ 1] ^ wanted;
        if (found >>> 16 != 0) return NONE;
        int offset = offsets[found];
        if (sizes[found] != n || !Arrays.equals(written, offset, offset + n, data, from, from + n)) return NONE;
        credit++;
        return found - 1;
    }

    private int slot(int hash) {
        return (int) ((hash & 0xffffffffL) >>> 32 - bits);
    }

    /** Right after {@link #find} found nothing: whether the name gets the next number, by {@link #add}. */
    boolean takes() {
        credit = Math.min(credit, MOST_CREDIT);
        if (credit == 0) return false;
        credit--;
        return entries <= TaggedHeader.MOST_NAMES;
    }

    /** The name that was searched last is written at the offset. */
    void add(int offset, int n) {
        if (entries == sizes.length) {
            offsets = Arrays.copyOf(offsets, 2 * entries);
            sizes = Arrays.copyOf(sizes, 2 * entries);
            hashes = Arrays.copyOf(hashes, 2 * entries);
        }
        offsets[entries] = offset;
        sizes[entries] = n;
        hashes[entries++] = hash;
        if (entries * 2 > 1 << bits) grow();
        else place(entries - 1);
    }

    /** Whether too many of the last names were new. Asked after {@link #takes}; the credit is then a little again. */
    boolean inVain() {
        if (credit != 0) return false;
        credit = LATER_CREDIT;
        return true;
    }

    private void place(int entry) {
        int slot = slot(hashes[entry]);
        if (slots[slot] != 0) slot ^= 1;
        slots[slot] = hashes[entry] << 16 | entry;
    }

    /** Makes a quarter of the slots taken. */
    private void grow() {
        while (bits < SMALL_BITS || bits < MOST_BITS && entries * 2 > 1 << bits) bits++;
        if (bits > SMALL_BITS && bits < MOST_BITS) bits++;
        slots = new int[1 << bits];
        for (int i = 1; i < entries; i++) place(i);
    }
}
