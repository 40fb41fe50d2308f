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

    /** The text of these bytes, which are UTF-8. */
    String text(byte[] data, int from, int to, boolean ascii) {
        int n = to - from;
        if (n > LONGEST || n == 0) return Utf8.string(data, from, to, ascii);
        long head;
        long tail;
        if (n >= 8) {
            head = LittleEndian.i64(data, from);
            tail = LittleEndian.i64(data, to - 8);
        } else if (from >= 8) {
            head = LittleEndian.i64(data, to - 8) >>> 64 - 8 * n;
            tail = head;
        } else {
            head = 0;
            for (int i = to - 1; i >= from; i--) head = head << 8 | data[i] & 0xff;
            tail = head;
        }
        long hash = (head + n) * 0x9e3779b97f4a7c15L ^ tail * 0xc2b2ae3d27d4eb4fL;
        int place = (int) ((hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L >>> 64 - BITS);
        byte[] name = names[place];
        if (name != null && Arrays.equals(name, 0, name.length, data, from, to)) return texts[place];
        String text = Utf8.string(data, from, to, ascii);
        names[place] = Arrays.copyOfRange(data, from, to);
        texts[place] = text;
        return text;
    }
}
