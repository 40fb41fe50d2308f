package kumihimo.cbor;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.format.LittleEndian;

/**
 * Which items are equal as values, found bottom up: every item gets a number, the same for those whose deterministic
 * encodings are the same. A container's number is that of the list of its items' numbers, in a map of the pairs in
 * their order; so an item is looked at once, however deep it lies.
 *
 * <p>What has no value here (a date that is none, a map with a key twice, and all that such a thing is in) is equal to
 * its own bytes only. So each item has a second number, for its bytes.
 */
final class CborIdentities {
    /** Instead of the number of a value: there is none. */
    private static final int NO_VALUE = -1;

    // What a list begins with.
    private static final byte SCALAR = 0;
    private static final byte ARRAY = 1;
    private static final byte MAP = 2;
    private static final byte BYTES = 3;

    private final CborReader reader;
    private final CborWriter writer;
    private final Map<byte[], Integer> numbers = new TreeMap<>(Arrays::compareUnsigned);
    private byte[] data;

    /** Of the items of all open containers that are numbered: the number of the value, and that of the bytes. */
    private int[] values = new int[32];
    private int[] bytes = new int[32];
    private int count;
    /** Where each container's begin. */
    private int[] firsts = new int[16];
    private int depth;

    CborIdentities() {
        // What is compared is a part of a document whose depth and size were looked at.
        Limits limits = Limits.DEFAULT.withDepth(Integer.MAX_VALUE);
        reader = new CborReader(CborReadDialect.ALL, limits);
        writer = new CborWriter(CborDialect.COMPARED, limits);
    }

    /** What is known of the last document is no longer needed. */
    void forget() {
        reset(null);
        reader.release();
    }

    /** Another document. */
    void reset(byte[] data) {
        this.data = data;
        numbers.clear();
        count = depth = 0;
    }

    /** The deterministic encoding of an item, or null where it has no value. */
    byte[] encoded(int from, int to) {
        try {
            writer.reset();
            reader.reset(data, from, to).feed(writer);
            reader.finish();
            writer.finish();
            return writer.toByteArray();
        } catch (DataException e) {
            return null;
        }
    }

    /**
     * Another item of the innermost container, which is none itself.
     *
     * @param start where it begins, with tags that say nothing
     * @param plain its bytes from {@code at} on are its deterministic encoding
     * @param encoded that encoding, where it is another one; null where it has no value
     */
    void scalar(int start, int at, int behind, boolean plain, byte[] encoded) {
        int own = number(list(BYTES, start, behind, 0));
        int value = NO_VALUE;
        if (plain) {
            value = number(list(SCALAR, at, behind, 0));
        } else if (encoded != null) {
            byte[] list = new byte[1 + encoded.length];
            list[0] = SCALAR;
            System.arraycopy(encoded, 0, list, 1, encoded.length);
            value = number(list);
        }
        add(value, own);
    }

    /** A container begins. */
    void open() {
        if (depth == firsts.length) firsts = Arrays.copyOf(firsts, depth * 2);
        firsts[depth++] = count;
    }

    /**
     * The innermost container ends.
     *
     * @param start where it begins, with tags that say nothing
     * @param content where its header ends
     * @param twice a key comes twice in it
     * @param inside it is an item of a container that is numbered
     * @return the same for all that are equal to it
     */
    long close(int start, int content, boolean map, boolean twice, boolean inside) {
        int first = firsts[--depth];
        int n = count - first;
        byte[] list = list(BYTES, start, content, n);
        for (int i = 0; i < n; i++) LittleEndian.put32(list, list.length - 4 * (n - i), bytes[first + i]);
        int own = number(list);
        boolean valued = !twice;
        for (int i = first; i < count; i++) valued &= values[i] != NO_VALUE;
        int value = valued ? number(map ? pairs(first, n) : items(first, n)) : NO_VALUE;
        count = first;
        if (inside) add(value, own);
        return valued ? value : 1L << 32 | own;
    }

    private byte[] items(int first, int n) {
        byte[] list = list(ARRAY, 0, 0, n);
        for (int i = 0; i < n; i++) LittleEndian.put32(list, 1 + 4 * i, values[first + i]);
        return list;
    }

    private byte[] pairs(int first, int n) {
        long[] pairs = new long[n / 2];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = (long) values[first + 2 * i] << 32 | values[first + 2 * i + 1];
        }
        Arrays.sort(pairs);
        byte[] list = list(MAP, 0, 0, n);
        for (int i = 0; i < pairs.length; i++) LittleEndian.put64(list, 1 + 8 * i, pairs[i]);
        return list;
    }

    /** A list that begins with bytes of the document, and has room for n numbers. */
    private byte[] list(byte what, int from, int to, int n) {
        byte[] list = new byte[1 + to - from + 4 * n];
        list[0] = what;
        System.arraycopy(data, from, list, 1, to - from);
        return list;
    }

    private int number(byte[] list) {
        Integer next = numbers.size();
        Integer known = numbers.putIfAbsent(list, next);
        return known == null ? next : known;
    }

    private void add(int value, int own) {
        if (count == values.length) {
            values = Arrays.copyOf(values, count * 2);
            bytes = Arrays.copyOf(bytes, count * 2);
        }
        values[count] = value;
        bytes[count++] = own;
    }
}
