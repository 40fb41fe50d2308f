package kumihimo.plain;

import java.util.Arrays;
import kumihimo.LittleEndian;
import kumihimo.Utf8;

/**
 * Keys as strings that were made before: documents say the same few names again and again. Each name has one place,
 * by its length, beginning and end, and a new one takes the place of the old, so that no choice of names makes it
 * slow.
 */
final class KeyCache {
    private static final int BITS = 9;
    /** Bytes of the longest name that is kept. */
    private static final int LONGEST = 32;

    private final String[] texts = new String[1 << BITS];
    private final byte[][] names = new byte[1 << BITS][];
    /** Of each name its first and last eight bytes, which are all of it where there are no more than 16. */
    private final long[] heads = new long[1 << BITS];
    private final long[] tails = new long[1 << BITS];

    /** The text of these bytes, which are UTF-8. */
    String text(byte[] data, int from, int to, boolean ascii) {
        int n = to - from;
        if (n > LONGEST || n == 0) return Utf8.string(data, from, to, ascii);
        long head;
        long tail;
        if (n >= 8) {
            head = LittleEndian.i64(data, from);
            tail = LittleEndian.i64(data, to - 8);
        } else {
            head = few(data, from, to);
            tail = n;
        }
        long hash = (head + n) * 0x9e3779b97f4a7c15L ^ tail * 0xc2b2ae3d27d4eb4fL;
        int place = (int) ((hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L >>> 64 - BITS);
        byte[] name = names[place];
        if (name != null && heads[place] == head && tails[place] == tail && name.length == n
                && (n <= 16 || Arrays.equals(name, 8, n - 8, data, from + 8, to - 8))) {
            return texts[place];
        }
        String text = Utf8.string(data, from, to, ascii);
        heads[place] = head;
        tails[place] = tail;
        names[place] = Arrays.copyOfRange(data, from, to);
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
