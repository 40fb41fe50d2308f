package kumihimo.sjson;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Name;
import kumihimo.Utf8;

/**
 * The names of fields in documents, numbered in the order in which they first came. Records of one kind have the
 * same names again and again: the name that came behind this one the last time is tried first, which costs a
 * comparison of bytes and no hash.
 *
 * <p>The hash is seeded, so that nobody can prepare names that meet in one slot.
 */
final class KeyTable {
    /** No such name has come. */
    static final int NONE = -1;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int MOST = KeyedTape.MOST_KEYS;
    /** Fields of programs are fewer. */
    private static final int NAMES = 512;
    /** Beyond this the names of the last document were data, and are forgotten. */
    private static final int KEPT = 4096;
    /** The same, for the bytes of all names. */
    private static final int KEPT_BYTES = 1 << 18;

    /** In the place of the text of a name that has none. */
    private static final String TEXTLESS = new String("");

    private final long seed = ThreadLocalRandom.current().nextLong() | 1;

    private byte[] bytes = new byte[1024];
    private int filled;
    private int[] from = new int[64];
    private int[] hashes = new int[64];
    private int[] after = new int[64];
    private String[] texts = new String[64];
    /** Of the first names those that came where they were expected, prepared; some dialects take bytes that are none. */
    private final Name[] names = new Name[NAMES];
    private int[] table = new int[128];
    private int size;
    private int last;
    private int epoch;

    /** Begins a document; whether the names were forgotten. */
    boolean reset() {
        last = 0;
        if (size <= KEPT && filled <= KEPT_BYTES) return false;
        size = 0;
        filled = 0;
        table = new int[128];
        from = new int[64];
        hashes = new int[64];
        after = new int[64];
        texts = new String[64];
        bytes = new byte[1024];
        Arrays.fill(names, null);
        epoch++;
        return true;
    }

    /** Another number for each time that the names were forgotten. */
    int epoch() {
        return epoch;
    }

    /** How many names there are. */
    int size() {
        return size;
    }

    /** The number of a name in UTF-8. */
    int number(byte[] data, int at, int end) {
        int guess = after[last];
        if (guess < size && is(guess, data, at, end)) {
            if (guess < NAMES && names[guess] == null && Utf8.isAscii(data, at, end)) names[guess] = new Name(text(guess));
            last = guess;
            return guess;
        }
        return unexpected(data, at, end);
    }

    /** The name that probably comes next, or null. */
    Name expected() {
        int guess = after[last];
        return guess < NAMES ? names[guess] : null;
    }

    /** The number of a name. */
    int number(Name name) {
        int guess = after[last];
        if (guess >= NAMES || names[guess] != name) return number(name.utf8(), 0, name.utf8().length);
        last = guess;
        return guess;
    }

    /** The number of a name that a document has as a String. */
    int number(String text) {
        byte[] utf8 = Utf8.bytes(text);
        return number(utf8, 0, utf8.length);
    }

    private int unexpected(byte[] data, int at, int end) {
        int hash = hash(data, at, end);
        int found = find(hash, data, at, end);
        if (found == NONE) found = add(hash, data, at, end);
        after[last] = found;
        last = found;
        return found;
    }

    /** The number of the name, or {@link #NONE}; nothing changes. */
    int find(String text) {
        byte[] utf8 = Utf8.bytes(text);
        return find(hash(utf8, 0, utf8.length), utf8, 0, utf8.length);
    }

    /**
     * Whether this is the text of the name. The codec's own String is kept, so that the next time it is the same
     * object.
     */
    boolean is(int number, String text) {
        String known = texts[number];
        if (known == text) return true;
        if (known == null) known = spell(number);
        if (known == TEXTLESS || !known.equals(text)) return false;
        texts[number] = text;
        return true;
    }

    /**
     * The name with this number.
     *
     * @throws DataException {@link Code#ENCODING} where it is one of bytes that are no text, as some dialects allow
     */
    String text(int number) {
        String known = texts[number];
        if (known == null) known = spell(number);
        if (known == TEXTLESS) throw new DataException(Code.ENCODING, "a string is not valid UTF-8");
        return known;
    }

    private String spell(int number) {
        boolean isText = Utf8.validPrefix(bytes, from[number], end(number)) == end(number);
        return texts[number] = isText ? Utf8.string(bytes, from[number], end(number), false) : TEXTLESS;
    }

    private int end(int number) {
        return number + 1 == size ? filled : from[number + 1];
    }

    private boolean is(int number, byte[] data, int at, int end) {
        return Arrays.equals(bytes, from[number], end(number), data, at, end);
    }

    private int find(int hash, byte[] data, int at, int end) {
        int mask = table.length - 1;
        for (int slot = hash & mask, entry; (entry = table[slot]) != 0; slot = slot + 1 & mask) {
            if (hashes[entry - 1] == hash && is(entry - 1, data, at, end)) return entry - 1;
        }
        return NONE;
    }

    private int add(int hash, byte[] data, int at, int end) {
        if (size == MOST) throw new DataException(Code.SIZE, "more than " + MOST + " names in one document");
        if (size == from.length) grow();
        if (filled + (end - at) > bytes.length) {
            long wanted = Math.max(bytes.length * 2L, (long) filled + end - at);
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
        }
        System.arraycopy(data, at, bytes, filled, end - at);
        from[size] = filled;
        hashes[size] = hash;
        after[size] = size + 1;
        filled += end - at;
        put(hash, size);
        return size++;
    }

    private void put(int hash, int number) {
        int mask = table.length - 1;
        int slot = hash & mask;
        while (table[slot] != 0) slot = slot + 1 & mask;
        table[slot] = number + 1;
    }

    private void grow() {
        from = Arrays.copyOf(from, size * 2);
        hashes = Arrays.copyOf(hashes, size * 2);
        after = Arrays.copyOf(after, size * 2);
        texts = Arrays.copyOf(texts, size * 2);
        table = new int[size * 4];
        for (int i = 0; i < size; i++) put(hashes[i], i);
    }

    private int hash(byte[] data, int at, int end) {
        long h = seed ^ (end - at);
        int i = at;
        for (; end - i >= 8; i += 8) h = mix(h ^ (long) LONGS.get(data, i));
        long rest = 0;
        for (; i < end; i++) rest = rest << 8 | data[i] & 0xff;
        h = mix(h ^ rest);
        return (int) (h ^ h >>> 32);
    }

    private long mix(long h) {
        long low = h * 0x9e3779b97f4a7c15L;
        return low ^ Math.multiplyHigh(h, seed) ^ low >>> 29;
    }
}
