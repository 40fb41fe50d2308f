package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.format.LittleEndian;

/**
 * The values of a document of the layout study, in the order in which they came: what each is, and what it is inside
 * of. No tape ({@code kumihimo.tape}), from which values are read: this says how many bytes are in each container, and
 * in which order its fields are written, when all of them are known.
 */
final class StudyNodes {
    private int[] parents = new int[16];
    /** A field's; of an element its type. */
    private int[] tags = new int[16];
    private byte[] types = new byte[16];
    /** Where the payload is among the recorded bytes; of a container, once settled, where in {@link #kids}. */
    private int[] payloads = new int[16];
    /** Bytes of the payload; of a container without its length, and 0 until it is settled. */
    private long[] sizes = new long[16];
    /** Nodes directly inside. */
    private int[] counts = new int[16];
    private int size;
    /** Of each container what is in it, as tag << 32 | node; in arrays as node. */
    private long[] kids = {};

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    int parent(int node) {
        return parents[node];
    }

    /** Counts another value inside of a container; false where tags cannot number it. */
    boolean takesOneMore(int container) {
        if (types[container] == StudyHeader.ARRAY && counts[container] == StudyHeader.MOST_ELEMENTS) return false;
        counts[container]++;
        return true;
    }

    void add(int parent, int tag, int type, int payload, int bytes) {
        if (size == parents.length) grow();
        parents[size] = parent;
        tags[size] = tag;
        types[size] = (byte) type;
        payloads[size] = payload;
        sizes[size] = bytes;
        counts[size++] = 0;
    }

    private void grow() {
        int n = (int) Math.min(size * 2L, Integer.MAX_VALUE - 8);
        parents = Arrays.copyOf(parents, n);
        tags = Arrays.copyOf(tags, n);
        types = Arrays.copyOf(types, n);
        payloads = Arrays.copyOf(payloads, n);
        sizes = Arrays.copyOf(sizes, n);
        counts = Arrays.copyOf(counts, n);
    }

    private boolean isContainer(int node) {
        return types[node] == StudyHeader.MESSAGE || types[node] == StudyHeader.ARRAY;
    }

    private long wholeSize(int node) {
        return 4 + (isContainer(node) ? Varint.size(sizes[node]) : 0) + sizes[node];
    }

    /** Sizes, and for every container the list of what is in it, maps sorted. */
    void settle() {
        kids = new long[size - 1];
        int place = 0;
        for (int i = 0; i < size; i++) {
            if (!isContainer(i)) continue;
            payloads[i] = place;
            place += counts[i];
            counts[i] = 0;
            sizes[i] = 0;
        }
        for (int i = 1; i < size; i++) {
            int outer = parents[i];
            boolean field = types[outer] == StudyHeader.MESSAGE;
            kids[payloads[outer] + counts[outer]++] = field ? (long) tags[i] << 32 | i : i;
        }
        for (int i = size; i-- > 1;) sizes[parents[i]] += wholeSize(i);
        for (int i = 0; i < size; i++) {
            if (types[i] == StudyHeader.MESSAGE) sort(payloads[i], payloads[i] + counts[i]);
        }
    }

    private void sort(int from, int to) {
        Arrays.sort(kids, from, to);
        for (int i = from + 1; i < to; i++) {
            if (kids[i - 1] >>> 40 == kids[i] >>> 40) {
                throw new DataException(Code.DUPLICATE, "a map of the layout study has one field of a name");
            }
        }
    }

    /** Bytes of the document without its names. */
    long documentSize() {
        return types[0] == StudyHeader.MESSAGE ? sizes[0] : wholeSize(0);
    }

    /**
     * Writes what {@link #settle} has settled, and returns the end. A document that is a map has neither tag nor
     * length.
     */
    int write(byte[] recorded, byte[] to, int at) {
        if (types[0] != StudyHeader.MESSAGE) at = put(recorded, to, at, 0, types[0]);
        if (!isContainer(0)) return at;
        // Of every open container its node, and what comes next in it.
        int[] open = new int[16];
        int[] next = new int[16];
        int depth = 1;
        while (depth != 0) {
            int outer = open[depth - 1];
            int index = next[depth - 1]++;
            if (index == counts[outer]) {
                depth--;
                continue;
            }
            int node = (int) kids[payloads[outer] + index];
            boolean field = types[outer] == StudyHeader.MESSAGE;
            at = put(recorded, to, at, node, field ? tags[node] : StudyHeader.elementTag(index, types[node]));
            if (!isContainer(node)) continue;
            if (depth == open.length) {
                open = Arrays.copyOf(open, 2 * depth);
                next = Arrays.copyOf(next, 2 * depth);
            }
            open[depth] = node;
            next[depth++] = 0;
        }
        return at;
    }

    /** The tag, and the length or payload. */
    private int put(byte[] recorded, byte[] to, int at, int node, int tag) {
        LittleEndian.put32(to, at, tag);
        if (isContainer(node)) return Varint.put(to, at + 4, sizes[node]);
        int n = (int) sizes[node];
        System.arraycopy(recorded, payloads[node], to, at + 4, n);
        return at + 4 + n;
    }
}
