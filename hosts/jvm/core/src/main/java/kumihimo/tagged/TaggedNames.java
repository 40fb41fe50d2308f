package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.Name;
import kumihimo.format.KeyHash;

/**
 * The names that a writer has given numbers to.
 *
 * <pre>
 *   entries   | - | offset size hash | ...       number + 1; the bytes stay where they were written
 *   slots     | . | hash, number + 1 | . | ...   a name is at its hash or beside it, 0 is empty
 * </pre>
 *
 * <p>A search looks at two slots and compares 16 bits of hash in each. A name that finds both taken puts the second
 * out, which is then written again when it comes again: the cost is bounded, whoever chose the names.
 *
 * <p>New names are paid from a credit that known ones earn: where names do not come again, the writer stops searching
 * for a while. All of this is {@code engine/tagged/names.hpp} to the bit, since the bytes of a document depend on it.
 */
final class TaggedNames {
    static final int NONE = -1;

    private static final int RECENT = 128;
    private static final int SMALL_BITS = 6;
    private static final int MOST_BITS = 14;
    private static final int FIRST_CREDIT = 256;
    private static final int MOST_CREDIT = 4096;
    private static final int LATER_CREDIT = 16;

    private int[] offsets = new int[32];
    private int[] sizes = new int[32];
    private int[] hashes = new int[32];
    /** Prepared names that were found since the last name was added, at their hashes; and what is written for each. */
    private final Name[] recent = new Name[RECENT];
    private final byte[] codes = new byte[RECENT];
    private boolean remembers;
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
        forgetRecent();
        if (slots.length == 2) Arrays.fill(slots, 0);
        else slots = new int[2];
    }

    /** The number of the name in data, or NONE. */
    int find(byte[] written, byte[] data, int from, int n) {
        int entry = entry(KeyHash.of(data, from, n));
        if (sizes[entry] != n) return NONE;
        int offset = offsets[entry];
        return Arrays.equals(written, offset, offset + n, data, from, from + n) ? known(entry) : NONE;
    }

    /** The one byte that stands for a prepared name, as far as it is remembered; else 0. */
    int recent(Name name) {
        int i = name.hash() & recent.length - 1;
        if (recent[i] != name) return 0;
        credit++;
        return codes[i];
    }

    /** Name, by that number, was found. */
    void remember(Name name, int number) {
        if (number >= 64) return;
        int i = name.hash() & recent.length - 1;
        recent[i] = name;
        remembers = true;
        codes[i] = (byte) (TaggedHeader.NAME | number);
    }

    /** Until a name is found again. */
    void forgetRecent() {
        if (remembers) Arrays.fill(recent, null);
        remembers = false;
    }

    private int known(int entry) {
        credit++;
        return entry - 1;
    }

    /** The entry that may be the name with this hash, or 0. */
    private int entry(int hash) {
        this.hash = hash;
        int slot = slot(hash);
        int wanted = hash << 16;
        int found = slots[slot] ^ wanted;
        if (found >>> 16 == 0) return found;
        found = slots[slot ^ 1] ^ wanted;
        return found >>> 16 == 0 ? found : 0;
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
        forgetRecent();
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
