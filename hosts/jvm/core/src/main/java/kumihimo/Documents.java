package kumihimo;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The documents of a stream, cut out one after the other: they stand one behind the other, in JSON with white space
 * between them or none ({@code tests/vectors/README.md}, "Streams"). No more is kept than the document at hand and
 * what came with it.
 *
 * <pre>
 *   Documents documents = new Documents(in, format, Limits.DEFAULT);
 *   while (documents.next()) reader.reset(documents.data(), documents.from(), documents.to()) ...
 * </pre>
 *
 * <p>A document that is cut out need not be valid; the reader says so. Where the stream throws an exception (a read that
 * took too long), {@link #next} can be called again. For one thread.
 */
public final class Documents {
    private static final int PIECE = 1 << 16;

    private final InputStream in;
    private final Format format;
    private final Limits limits;
    private Boundary boundary;
    private byte[] buffer = new byte[PIECE];
    private int filled;
    private long before; // bytes of the stream that stood before the buffer's first
    private int from;
    private int to;
    private int seen; // by the boundary: to here; behind {@link #to} where a document is under way

    /** @param limits of size and depth, for each document */
    public Documents(InputStream in, Format format, Limits limits) {
        this.in = in;
        this.format = format;
        this.limits = limits;
        boundary = format.boundary(limits);
    }

    /**
     * Goes on to the next document; false where the stream has ended.
     *
     * @throws DataException {@link Code#SIZE} for a document beyond the limit
     */
    public boolean next() throws IOException {
        if (seen == to) from = to;
        for (;;) {
            while (seen == filled) {
                if (!fill()) return last();
            }
            int taken = boundary.next(buffer, seen, filled);
            from += boundary.passed();
            seen += taken;
            if (boundary.complete()) {
                to = seen;
                return true;
            }
            if (seen - from > limits.size()) throw tooLarge();
        }
    }

    /** The stream has ended: what is at hand is a document, whole or cut. */
    private boolean last() {
        to = filled;
        if (!boundary.started()) {
            from = to;
            return false;
        }
        boundary = format.boundary(limits);
        return true;
    }

    /** Reads more behind what is there, at the buffer's front where that gives room; false at the stream's end. */
    private boolean fill() throws IOException {
        if (filled == buffer.length) {
            int kept = filled - from;
            boolean large = kept > buffer.length / 2;
            if (large && (kept > limits.size() || kept >= Integer.MAX_VALUE - 8)) throw tooLarge();
            if (from > 0) System.arraycopy(buffer, from, buffer, 0, kept);
            if (large) buffer = Arrays.copyOf(buffer, (int) Math.min(kept * 2L, Integer.MAX_VALUE - 8));
            before += from;
            from = to = 0;
            filled = seen = kept;
        }
        int n = in.read(buffer, filled, buffer.length - filled);
        if (n < 0) return false;
        filled += n;
        return true;
    }

    private DataException tooLarge() {
        return new DataException(Code.SIZE, "a document of the stream is larger than " + limits.size() + " bytes");
    }

    /**
     * The bytes of the document from {@link #from} to {@link #to}; they hold until the next call of {@link #next}.
     */
    public byte[] data() {
        return buffer;
    }

    /** Where the document begins in {@link #data}. */
    public int from() {
        return from;
    }

    /** Where it ends. */
    public int to() {
        return to;
    }

    /** The offset of the document's first byte in the stream. */
    public long start() {
        return before + from;
    }

    /** The offset in the stream behind its last byte. */
    public long end() {
        return before + to;
    }
}
