package kumihimo.plain;

import java.util.Arrays;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;

/**
 * Keys as strings that were made before: documents say the same few names again and again. Each name has four places,
 * by its length, beginning and end, and a new one takes the place of that which came first, so that no choice of names
 * makes it slow.
 */
final class KeyCache {
    private static final int BITS = 8;
    /** Places for one hash. */
    private static final int WAYS = 4;
    /** Bytes of the longest name that is kept. */
    private static final int LONGEST = 64;
    /**
     * Numbers for each place: the name's first and last eight bytes, which are all of it up to 16, and how many it
     * has.
     */
    private static final int STRIDE = 4;

    private final long[] places = new long[WAYS * STRIDE << BITS];
    private final String[] texts = new String[WAYS << BITS];
    /** Of names of more than 16 bytes. */
    private final byte[][] names = new byte[WAYS << BITS][];
    /** Which of a hash's places is to be taken next. */
    private final byte[] turns = new byte[1 << BITS];
    private boolean known;

    /** Whether the text that was asked for last was made before. */
    boolean isKnown() {
        return known;
    }

    /** The text of these bytes, which are UTF-8. */
    String text(byte[] data, int from, int to, boolean ascii) {
        int n = to - from;
        if (n > LONGEST || n == 0) {
            known = false;
            return Utf8.string(data, from, to, ascii);
        }
        long head;
        long tail;
        if (n >= 8) {
            head = LittleEndian.i64(data, from);
            tail = LittleEndian.i64(data, to - 8);
        } else {
            head = few(data, from, to);
            tail = 0;
        }
        long hash = head * 0x9e3779b97f4a7c15L + tail * 0xc2b2ae3d27d4eb4fL + n * 0x165667b19e3779f9L;
        int set = (int) (hash >>> 64 - BITS);
        long[] places = this.places;
        for (int place = set * WAYS; place < (set + 1) * WAYS; place++) {
            int at = place * STRIDE;
            boolean same = places[at] == head && places[at + 1] == tail && places[at + 2] == n;
            if (same && (n <= 16 || Arrays.equals(names[place], 0, n, data, from, to))) {
                known = true;
                return texts[place];
            }
        }
        known = false;
        int turn = turns[set]++ & WAYS - 1;
        return keep(set * WAYS + turn, head, tail, data, from, to, ascii);
    }

    private String keep(int place, long head, long tail, byte[] data, int from, int to, boolean ascii) {
        String text = Utf8.string(data, from, to, ascii);
        places[place * STRIDE] = head;
        places[place * STRIDE + 1] = tail;
        places[place * STRIDE + 2] = to - from;
        names[place] = to - from <= 16 ? null : Arrays.copyOfRange(data, from, to);
        texts[place] = text;
        return text;
    }

    /** Less than eight bytes as a number. */
    private static long few(byte[] data, int from, int to) {
        if (to >= 8) return LittleEndian.i64(data, to - 8) >>> 64 - 8 * (to - from);
        long all = 0;
        for (int i = to - 1; i >= from; i--) all = all << 8 | data[i] & 0xff;
        return all;
    }
}
