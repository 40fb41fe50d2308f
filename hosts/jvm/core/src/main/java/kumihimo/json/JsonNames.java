package kumihimo.json;

import java.util.Arrays;
import kumihimo.Name;

/**
 * Keys that documents have had so far, and which followed which: objects of one kind have the same keys in the same
 * order, so that the next one is guessed, and a few words are compared where else a string would be scanned. Only
 * short keys are known, of ASCII without escapes. Each has one place, by its bytes, and a new one takes the place of
 * the old, so that no choice of keys makes it slow.
 */
final class JsonNames {
    private static final int BITS = 10;
    /** Of a document no more keys are remembered than this: those of a dictionary do not come again. */
    private static final int MOST = 1 << BITS;
    /** A key is prepared when it has come so often: that costs as much as reading a few. */
    private static final int OFTEN = 16;

    /** A key with its quotes, its colon and the white space behind it. */
    static final class Key extends JsonPiece {
        /** Bytes of its text; -1 where it is none. */
        private final int length;
        private int came;
        /** Or null. */
        Name name;
        /** The key that came behind it, and the first one of the object that was its value, when it was last seen. */
        Key next = NONE;
        Key inner = NONE;

        private Key(byte[] data, int p, int size, int length) {
            super(data, p, size);
            this.length = length;
        }

        private Key() {
            length = -1;
        }
    }

    /** Stands nowhere. */
    private static final Key NONE = new Key();

    /** Whose value the outermost one is. */
    final Key root = new Key();
    /** Any key that is not remembered. */
    private final Key other = new Key();
    private final Key[] places = new Key[1 << BITS];
    private int left;
    /** Keys made since all were forgotten. One that lost its place is held by those that it followed. */
    private int made;

    /** Another document begins. True if all keys were forgotten, so that what is kept has a bound. */
    boolean begin() {
        left = MOST;
        if (made < 4 * MOST) return false;
        made = 0;
        Arrays.fill(places, null);
        root.next = root.inner = other.next = other.inner = NONE;
        return true;
    }

    /** The key at p, if there is one: the guess, or one that is known, or new. */
    Key find(byte[] data, int p, int to, Key guess) {
        return p <= to - guess.reach && guess.stands(data, p) ? guess : lookUp(data, p, to);
    }

    private Key lookUp(byte[] data, int p, int to) {
        if (p > to - 8 || data[p] != '"') return other;
        int close = JsonEnds.string(data, p + 1, Math.min(to - 1, p + JsonPiece.LONGEST));
        if (close <= 0 || data[close] != ':') return other;
        int size = JsonEnds.space(data, close + 1, to) - p;
        if (size > JsonPiece.LONGEST) return other;
        int place = place(data, p, close);
        Key known = places[place];
        if (known != null && known.size == size && known.stands(data, p)) return known;
        if (left == 0) return other;
        left--;
        made++;
        return places[place] = new Key(data, p, size, close - p - 2);
    }

    private static int place(byte[] data, int p, int close) {
        int size = close - p;
        long head = JsonWords.at(data, p);
        long tail = 0;
        if (size < 8) head <<= 64 - 8 * size;
        else tail = JsonWords.at(data, close - 8);
        long hash = head * 0x9e3779b97f4a7c15L + tail * 0xc2b2ae3d27d4eb4fL + size * 0x165667b19e3779f9L;
        return (int) (hash >>> 64 - BITS);
    }

    /** The key, which has no name yet, has come at p. */
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    void came(Key key, byte[] data, int p) {
        if (key.length >= 0 && ++key.came == OFTEN) key.name = new Name(new String(data, 0, p + 1, key.length));
    }
}
