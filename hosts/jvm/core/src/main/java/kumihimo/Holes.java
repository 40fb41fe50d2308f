package kumihimo;

import java.util.Arrays;

/**
 * Counts that come too late, as {@code engine/core/backpatch.hpp}. A format such as MessagePack writes a container's count
 * before its content, in a header whose width depends on the count; a source such as JSON knows the count at the end. The
 * writer leaves a hole as wide as the widest header, notes where, and moves the pieces together once, when the document ends:
 *
 * <pre>
 *   written   a hole... b hole... c d e            the order of holes is that of opening, nested or not
 *   settled   a hd b hdr c d e                     every piece moves left once: linear, whatever the nesting
 * </pre>
 */
public final class Holes {
    /** Writes the header that belongs into a hole. */
    public interface Header {
        /** Puts the header at {@code to[at]} and returns its end. */
        int put(byte[] to, int at, boolean map, int count);
    }

    private int[] places = new int[16];
    /** count << 1 | map */
    private long[] headers = new long[16];
    private int size;
    /** Of the holes whose containers are open, the innermost last: their index. */
    private int[] open = new int[16];
    private int depth;

    public boolean isEmpty() {
        return size == 0;
    }

    public void clear() {
        size = 0;
        depth = 0;
    }

    /** A container begins whose count is not known: its hole is at the place. */
    public void open(int place, boolean map) {
        if (size == places.length) {
            places = Arrays.copyOf(places, size * 2);
            headers = Arrays.copyOf(headers, size * 2);
        }
        if (depth == open.length) open = Arrays.copyOf(open, depth * 2);
        places[size] = place;
        headers[size] = map ? 1 : 0;
        open[depth++] = size++;
    }

    /** The innermost container that has a hole ends with this count. */
    public void close(long count) {
        headers[open[--depth]] |= count << 1;
    }

    /** Moves the pieces of data together, and returns the new size. Each hole is {@code widest} bytes wide. */
    public int settle(byte[] data, int bytes, int widest, Header header) {
        if (size == 0) return bytes;
        int to = places[0];
        for (int i = 0; i < size; i++) {
            int from = places[i] + widest;
            int until = i + 1 < size ? places[i + 1] : bytes;
            to = header.put(data, to, (headers[i] & 1) != 0, (int) (headers[i] >> 1));
            System.arraycopy(data, from, data, to, until - from);
            to += until - from;
        }
        clear();
        return to;
    }
}
