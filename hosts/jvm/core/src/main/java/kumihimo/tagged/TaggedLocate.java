package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.format.BinaryLocate;
import kumihimo.tagged.TaggedHeader.Kind;

/**
 * Which value of a document of the layout safe a byte belongs to, for errors: found by reading the headers before it
 * again.
 */
final class TaggedLocate extends BinaryLocate<TaggedLocate.Level> {
    private final TaggedHeader header = new TaggedHeader();
    /** From and to of the name of number n at 2n. */
    private int[] names = new int[32];
    private int known;

    private TaggedLocate(byte[] data, int end) {
        super(data, end);
    }

    /** What a map waits for. */
    private enum Now {
        KEY_DUE,
        /** The value that is a key. */
        KEY,
        VALUE
    }

    /** An open container. */
    static final class Level extends BinaryLocate.Frame {
        /** The current pair's key, if it is text; else null. */
        String key;
        Now now;

        Level(boolean map) {
            super(map);
            now = map ? Now.KEY_DUE : Now.VALUE;
        }

        @Override
        protected boolean inKey() {
            return now == Now.KEY;
        }
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
            Level f = innermost();
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
    private static void broken(Level f) {
        if (!f.map || f.now == Now.KEY_DUE) f.index++;
        if (f.now == Now.KEY_DUE) f.now = Now.KEY;
    }

    private void name(Level f, int from, int to) {
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
        if (to != NONE) f.key = text(data, from, to);
        f.now = Now.VALUE;
    }

    /** A piece where a value is due, or a container ends; false where it holds the place or is the last. */
    private boolean value(Level f, boolean here) {
        if (header.kind == Kind.END) {
            if (here || f == null) return false;
            close();
        } else {
            if (f != null && !f.map) f.index++;
            if (here) return false;
            if (header.kind == Kind.ARRAY || header.kind == Kind.MAP) {
                open(new Level(header.kind == Kind.MAP));
                return true;
            }
        }
        Level outer = innermost();
        if (outer == null) return false;
        if (outer.map) outer.now = outer.now == Now.KEY ? Now.VALUE : Now.KEY_DUE;
        return true;
    }

    @Override
    protected String keyOf(Level frame) {
        return frame.key;
    }
}
