package kumihimo.tape;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;

/**
 * The keys of one map of a tape by hash: made when somebody asks for keys of a large one. Of a key that comes twice
 * it knows the last. The hash depends on numbers that are drawn when the program starts, so that nobody can prepare
 * keys that fall together.
 */
final class MapIndex {
    private static final long SEED = ThreadLocalRandom.current().nextLong();
    private static final long FACTOR = ThreadLocalRandom.current().nextLong() | 1;

    private final Tape tape;
    /** By hash: the node of a key, or 0, which no key is. */
    private final int[] table;

    MapIndex(Tape tape, int map) {
        this.tape = tape;
        int size = 4;
        while (size < tape.length(map) * 2L && size < 1 << 30) size *= 2;
        table = new int[size];
        int end = tape.ref(map);
        for (int key = map + 1; key < end; key = tape.behind(tape.behind(key))) {
            if (!tape.is(key, Tape.STR)) continue;
            byte[] text = bytes(tape, key);
            int from = from(tape, key);
            table[slot(text, from, from + size(tape, key, text))] = key;
        }
    }

    /** The node of the value whose key has these bytes, or -1. */
    int find(byte[] data, int from, int to) {
        int key = table[slot(data, from, to)];
        return key == 0 ? -1 : key + 1;
    }

    /** Where the key is, or belongs. */
    private int slot(byte[] data, int from, int to) {
        int mask = table.length - 1;
        int slot = (int) (hash(data, from, to) >>> 32) & mask;
        for (int key; (key = table[slot]) != 0; slot = slot + 1 & mask)
            if (equal(tape, key, data, from, to)) break;
        return slot;
    }

    private static long hash(byte[] data, int from, int to) {
        long h = SEED ^ to - from;
        int p = from;
        for (; p <= to - 8; p += 8) h = mix(h ^ LittleEndian.i64(data, p));
        long rest = 0;
        for (int shift = 0; p < to; p++, shift += 8) rest |= (data[p] & 0xffL) << shift;
        return mix(mix(h ^ rest));
    }

    private static long mix(long h) {
        h *= FACTOR;
        return (h ^ h >>> 32 ^ h >>> 47) * 0x9e3779b97f4a7c15L;
    }

    /** Whether a key that is text has these bytes. */
    static boolean equal(Tape tape, int key, byte[] data, int from, int to) {
        if (!tape.has(key, Tape.AS_WRITTEN)) {
            int at = tape.ref(key);
            int size = tape.length(key);
            return Arrays.equals(tape.bytesOf(key), at, at + size, data, from, to);
        }
        byte[] text = bytes(tape, key);
        return Arrays.equals(text, 0, text.length, data, from, to);
    }

    private static byte[] bytes(Tape tape, int key) {
        return tape.has(key, Tape.AS_WRITTEN) ? Utf8.looseBytes(tape.str(key)) : tape.bytesOf(key);
    }

    private static int from(Tape tape, int key) {
        return tape.has(key, Tape.AS_WRITTEN) ? 0 : tape.ref(key);
    }

    private static int size(Tape tape, int key, byte[] text) {
        return tape.has(key, Tape.AS_WRITTEN) ? text.length : tape.length(key);
    }
}
