package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.PathText;
import kumihimo.Utf8;
import kumihimo.tagged.TaggedHeader.Kind;

/**
 * Which value of a document of the layout safe a byte belongs to, for errors: found by reading the headers before it
 * again.
 */
final class TaggedLocate {
    private static final int NONE = -1;

    private final byte[] data;
    private final int end;
    private final TaggedHeader header = new TaggedHeader();
    /** From and to of the name of number n at 2n. */
    private int[] names = new int[32];
    private int known;
    private Frame[] frames = new Frame[16];
    private int depth;

    private TaggedLocate(byte[] data, int end) {
        this.data = data;
        this.end = end;
    }

    /** What a map waits for. */
    private enum Now {
        KEY_DUE,
        /** The value that is a key. */
        KEY,
        VALUE
    }

    /** An open container. */
    private static final class Frame {
        /** Of the current value or pair. */
        long index = NONE;
        /** The current pair's key, if it is text; else null. */
        String key;
        boolean map;
        Now now = Now.VALUE;
    }

    /**
     * The path of the value that a byte belongs to, {@code $.a[2]}.
     *
     * @param offset from the document's first byte
     */
    static String path(byte[] data, int from, int to, long offset) {
        TaggedLocate locate = new TaggedLocate(data, to);
        locate.walk(from, from + offset);
        return locate.path();
    }

    /** Opens and closes containers up to the piece that holds the place. */
    private void walk(int at, long place) {
        for (int i = 0; i < 3; i++, at++) {
            if (at == end || data[at] != TaggedHeader.mark(i)) return;
        }
        for (;;) {
            header.read(data, at, end);
            Frame f = depth == 0 ? null : frames[depth - 1];
            if (header.kind == Kind.RESERVED || header.kind == Kind.CUT || header.payload > end - at - header.size) {
                if (f != null) broken(f);
                return;
            }
            int from = at + header.size;
            at = from + (int) header.payload;
            boolean here = at > place;
            if (f != null && f.map && f.now == Now.KEY_DUE && header.kind != Kind.END) {
                f.index++;
                f.key = null;
                f.now = Now.KEY;
                if (here) return;
                if (header.kind != Kind.KEY) name(f, from, at);
            } else if (!value(f, here)) {
                return;
            }
        }
    }

    /** A piece that is not whole; a key of that kind is no place of its own. */
    private static void broken(Frame f) {
        if (!f.map || f.now == Now.KEY_DUE) f.index++;
        if (f.now == Now.KEY_DUE) f.now = Now.KEY;
    }

    private void name(Frame f, int from, int to) {
        if (header.kind == Kind.NEW_NAME) {
            if (2 * known == names.length) names = Arrays.copyOf(names, 4 * known);
            names[2 * known] = from;
            names[2 * known++ + 1] = to;
        }
        if (header.kind == Kind.NAME) {
            boolean isKnown = header.number < known;
            from = isKnown ? names[2 * header.number] : 0;
            to = isKnown ? names[2 * header.number + 1] : NONE;
        }
        if (to != NONE && Utf8.validPrefix(data, from, to) == to) f.key = Utf8.string(data, from, to, false);
        f.now = Now.VALUE;
    }

    /** A piece where a value is due, or a container ends; false where it holds the place or is the last. */
    private boolean value(Frame f, boolean here) {
        if (header.kind == Kind.END) {
            if (here || f == null) return false;
            depth--;
        } else {
            if (f != null && !f.map) f.index++;
            if (here) return false;
            if (header.kind == Kind.ARRAY || header.kind == Kind.MAP) {
                open(header.kind == Kind.MAP);
                return true;
            }
        }
        if (depth == 0) return false;
        Frame outer = frames[depth - 1];
        if (outer.map) outer.now = outer.now == Now.KEY ? Now.VALUE : Now.KEY_DUE;
        return true;
    }

    private void open(boolean map) {
        if (depth == frames.length) frames = Arrays.copyOf(frames, depth * 2);
        Frame f = new Frame();
        f.map = map;
        f.now = map ? Now.KEY_DUE : Now.VALUE;
        frames[depth++] = f;
    }

    private String path() {
        PathText path = new PathText();
        for (int i = 0; i < depth; i++) {
            Frame f = frames[i];
            // Where the failure is in a key, its map is the place.
            if (f.index == NONE || f.now == Now.KEY) break;
            if (!f.map) path.index(f.index);
            else if (f.key != null) path.key(f.key);
            else path.pair(f.index);
        }
        return path.toString();
    }
}
