package kumihimo.format;

import java.util.ArrayList;
import java.util.List;
import kumihimo.PathText;
import kumihimo.Utf8;

/**
 * Which value of a document a byte belongs to, for errors: found by reading the headers before it again. Subclasses
 * open and close containers up to that value.
 */
public abstract class BinaryLocate<F extends BinaryLocate.Frame> {
    protected static final int NONE = -1;

    protected final byte[] data;
    protected final int end;
    private final List<F> frames = new ArrayList<>();

    protected BinaryLocate(byte[] data, int end) {
        this.data = data;
        this.end = end;
    }

    /** An open container. */
    public abstract static class Frame {
        public final boolean map;
        /** Of the current value or pair. */
        public long index = NONE;

        protected Frame(boolean map) {
            this.map = map;
        }

        /** The current value is a key. */
        protected abstract boolean inKey();
    }

    /** The key of a map's current pair, if it is text; else null. */
    protected abstract String keyOf(F frame);

    protected final void open(F frame) {
        frames.add(frame);
    }

    /** Closes the innermost container; false where that was the document. */
    protected final boolean close() {
        frames.remove(frames.size() - 1);
        return !frames.isEmpty();
    }

    /** The innermost open container, or null. */
    protected final F innermost() {
        return frames.isEmpty() ? null : frames.get(frames.size() - 1);
    }

    /** These bytes as text, or null where they are none. */
    protected static String text(byte[] data, int from, int to) {
        return Utf8.validPrefix(data, from, to) == to ? Utf8.string(data, from, to, false) : null;
    }

    /** The path of the value that was found, {@code $.a[2]}. */
    protected final String path() {
        PathText path = new PathText();
        for (F f : frames) {
            // Where the failure is in a key, its map is the place.
            if (f.index == NONE || f.inKey()) break;
            String key = f.map ? keyOf(f) : null;
            if (!f.map) path.index(f.index);
            else if (key != null) path.key(key);
            else path.pair(f.index);
        }
        return path.toString();
    }
}
