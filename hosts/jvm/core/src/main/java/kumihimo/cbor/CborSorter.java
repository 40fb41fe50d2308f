package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.cbor.CborReadDialect.Insist;

/**
 * Maps whose keys are sorted, and containers that get their count when they end, both where they lie: for the writer's
 * dialects with an order of keys. Inner containers are done before outer ones, so that keys are compared as they will
 * be, whatever they are.
 *
 * <p>A byte moves at most twice for each container around it that is out of order (or has more than 23 values and came
 * without their number); the limit of depth bounds that. A document in order costs a look at its keys.
 */
final class CborSorter {
    private final CborHeader header = new CborHeader();
    private final CborCheck check = new CborCheck();

    /** Of the open containers: where the header is, and which of the keys is the first of its own. */
    private int[] headers = new int[16];
    private int[] firsts = new int[16];
    private int depth;
    /** Where pairs begin: those of all open maps. */
    private int[] keys = new int[64];
    /** Bytes of those keys that are containers, so that they are not measured again; of others 0. */
    private int[] sizes = new int[64];
    private int keyCount;

    void clear() {
        depth = 0;
        keyCount = 0;
    }

    /** A container opens, its header being at a place. */
    void open(int at) {
        if (depth == headers.length) {
            headers = Arrays.copyOf(headers, depth * 2);
            firsts = Arrays.copyOf(firsts, depth * 2);
        }
        headers[depth] = at;
        firsts[depth++] = keyCount;
    }

    /** A pair begins at a place. */
    void key(int at) {
        if (keyCount == keys.length) {
            keys = Arrays.copyOf(keys, keyCount * 2);
            sizes = Arrays.copyOf(sizes, keyCount * 2);
        }
        sizes[keyCount] = 0;
        keys[keyCount++] = at;
    }

    /**
     * Gives the innermost container, whose header is one byte so far, a header with its count; data has {@code wider}
     * bytes of room behind its size, which are what the header has beyond one.
     */
    void widen(byte[] data, int size, long n, int wider) {
        int at = headers[depth - 1];
        if (wider != 0) {
            System.arraycopy(data, at + 1, data, at + 1 + wider, size - at - 1);
            for (int i = firsts[depth - 1]; i < keyCount; i++) keys[i] += wider;
        }
        byte[] whole = new byte[CborHeader.LONGEST];
        CborHeader.put(whole, 0, data[at] & 0xe0, n);
        System.arraycopy(whole, 0, data, at, 1 + wider);
    }

    /**
     * Closes the innermost container, which ends where the data end, and sorts its pairs.
     *
     * @throws DataException {@link Code#DUPLICATE}
     */
    void close(byte[] data, int size, boolean lengthFirst) {
        int first = firsts[--depth];
        int n = keyCount - first;
        keyCount = first;
        if (n > 1 && !isSorted(data, size, first, n, lengthFirst)) sort(data, size, first, n, lengthFirst);
        int at = headers[depth];
        if (first != 0 && keys[first - 1] == at) sizes[first - 1] = size - at;
    }

    private boolean isSorted(byte[] data, int size, int first, int n, boolean lengthFirst) {
        int last = keys[first];
        int lastKey = length(first, data, keys[first + 1]);
        for (int i = 1; i < n; i++) {
            int next = keys[first + i];
            int nextKey = length(first + i, data, i + 1 < n ? keys[first + i + 1] : size);
            int order = compare(data, last, lastKey, next, nextKey, lengthFirst);
            if (order == 0) throw duplicate();
            if (order > 0) return false;
            last = next;
            lastKey = nextKey;
        }
        return true;
    }

    private void sort(byte[] data, int size, int first, int n, boolean lengthFirst) {
        Pair[] pairs = new Pair[n];
        for (int i = 0; i < n; i++) {
            int at = keys[first + i];
            int end = i + 1 < n ? keys[first + i + 1] : size;
            pairs[i] = new Pair(at, length(first + i, data, end), end - at);
        }
        Arrays.sort(pairs, (a, b) -> compare(data, a.at, a.key, b.at, b.key, lengthFirst));
        byte[] whole = new byte[size - keys[first]];
        int to = 0;
        for (int i = 0; i < n; i++) {
            Pair p = pairs[i];
            Pair before = pairs[Math.max(0, i - 1)];
            if (i != 0 && compare(data, before.at, before.key, p.at, p.key, lengthFirst) == 0) throw duplicate();
            System.arraycopy(data, p.at, whole, to, p.size);
            to += p.size;
        }
        System.arraycopy(whole, 0, data, keys[first], to);
    }

    /** How long a key is; it was written by us. */
    private int length(int key, byte[] data, int end) {
        if (sizes[key] != 0) return sizes[key];
        int at = keys[key];
        header.read(data, at, end);
        if (header.kind == CborHeader.Kind.INTEGER) return header.size;
        if (header.isString() && !header.indefinite) return header.size + (int) header.argument;
        check.item(data, at, end, Insist.ANYTHING, false, CborCheck.ANY_DEPTH);
        return check.behind - at;
    }

    private static int compare(byte[] data, int a, int sizeA, int b, int sizeB, boolean lengthFirst) {
        if (lengthFirst && sizeA != sizeB) return sizeA - sizeB;
        return Arrays.compareUnsigned(data, a, a + sizeA, data, b, b + sizeB);
    }

    private static DataException duplicate() {
        return new DataException(Code.DUPLICATE, "a key comes twice in a map, which the dialect refuses");
    }

    private static final class Pair {
        final int at;
        /** Bytes of the key. */
        final int key;
        /** Bytes of key and value. */
        final int size;

        Pair(int at, int key, int size) {
            this.at = at;
            this.key = key;
            this.size = size;
        }
    }
}
