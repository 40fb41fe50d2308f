package kumihimo.format;

import java.util.Arrays;

/**
 * Counts that come too late. A format such as MessagePack writes a container's count before its content, in a header
 * whose width depends on the count; a source such as JSON knows the count at the end. The writer leaves a hole of one
 * byte, which holds what most containers need, and is filled when the container ends. Where a header is wider, what is
 * behind it moves once, when the document ends:
 *
 * <pre>
 *   written   a . b . c d e        a hole is the header of an empty container
 *   settled   a hdr b h c d e      from the end, every piece moves right once: linear, whatever the nesting
 * </pre>
 *
 * <p>{@code engine/core/backpatch.hpp} leaves holes of the widest header and moves all pieces to the left.
 */
public final class Holes {
    /** Writes the header that belongs into a hole. */
    public interface Header {
        /** Puts the header at {@code to[at]} and returns its end; there is room for the widest. */
        int put(byte[] to, int at, boolean map, int count);
    }

    private static final int WIDEST = 16;

    private final int small;
    private final Header header;
    private final byte[] whole = new byte[WIDEST];

    /** Of the holes that are open or too small, in the order of the bytes. */
    private int[] places = new int[16];
    /** count << 1 | map */
    private long[] counts = new long[16];
    private int size;
    /** Of the holes whose containers are open, the innermost last: their index. */
    private int[] open = new int[16];
    private int depth;
    /** Bytes of the headers beyond one each. */
    private int wider;

    /**
     * @param small containers of fewer values or pairs have a header of one byte: the empty one's, and the count added
     */
    public Holes(int small, Header header) {
        this.small = small;
        this.header = header;
    }

    public void clear() {
        size = 0;
        depth = 0;
        wider = 0;
    }

    /** A container begins whose count is not known: the header of an empty one stands at the place. */
    public void open(int place, boolean map) {
        if (size == places.length) {
            places = Arrays.copyOf(places, size * 2);
            counts = Arrays.copyOf(counts, size * 2);
        }
        if (depth == open.length) open = Arrays.copyOf(open, depth * 2);
        places[size] = place;
        counts[size] = map ? 1 : 0;
        open[depth++] = size++;
    }

    /** The innermost container that has a hole ends with this count; its hole is in data. */
    public void close(byte[] data, long count) {
        int index = open[--depth];
        if (count >= small) {
            counts[index] |= count << 1;
            wider += width(index) - 1;
            return;
        }
        data[places[index]] += (byte) count;
        // Holes behind it are too small; until these are settled its own place is kept, and the count there stays 0.
        if (index == size - 1) size--;
    }

    private int width(int index) {
        return header.put(whole, 0, (counts[index] & 1) != 0, (int) (counts[index] >> 1));
    }

    /** How many bytes all headers need beyond the holes. */
    public int wider() {
        return wider;
    }

    /** Makes room for the headers in data, which has {@link #wider} bytes behind its size. */
    public void settle(byte[] data, int bytes) {
        int until = bytes;
        int to = bytes + wider;
        for (int i = size - 1; to != until; i--) {
            if (counts[i] >> 1 == 0) continue;
            int from = places[i] + 1;
            to -= until - from;
            System.arraycopy(data, from, data, to, until - from);
            int width = width(i);
            to -= width;
            System.arraycopy(whole, 0, data, to, width);
            until = places[i];
        }
        clear();
    }
}
