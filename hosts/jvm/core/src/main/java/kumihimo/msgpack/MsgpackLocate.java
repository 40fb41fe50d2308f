package kumihimo.msgpack;

import kumihimo.format.BinaryLocate;
import kumihimo.msgpack.MsgpackHeader.Kind;

/** Which value of a document a byte belongs to, for errors: found by reading the headers before it again. */
final class MsgpackLocate extends BinaryLocate<MsgpackLocate.Level> {
    private final MsgpackHeader header = new MsgpackHeader();

    private MsgpackLocate(byte[] data, int end) {
        super(data, end);
    }

    /** An open container. */
    static final class Level extends BinaryLocate.Frame {
        /** Values still to come, keys too. */
        long left;
        /** The current pair's key, if it is text; else null. */
        String key;
        boolean inKey;

        Level(boolean map, long values) {
            super(map);
            left = values;
        }

        @Override
        protected boolean inKey() {
            return inKey;
        }
    }

    /**
     * The path of the value that a byte belongs to, {@code $.a[2]}.
     *
     * @param offset from the document's first byte
     */
    static String path(byte[] data, int from, int to, long offset) {
        MsgpackLocate locate = new MsgpackLocate(data, to);
        locate.walk(from, from + offset);
        return locate.path();
    }

    /** Opens and closes containers up to the value that holds the place. */
    private void walk(int at, long place) {
        for (;;) {
            Level f = innermost();
            if (f != null) {
                if (f.left == 0) {
                    if (!close()) return;
                    continue;
                }
                f.inKey = f.map && (f.left & 1) == 0;
                if (f.inKey || !f.map) f.index++;
                f.left--;
            }
            header.read(data, at, end);
            boolean whole = header.kind != Kind.CUT && header.payload <= end - at - header.size;
            if (f != null && f.inKey) f.key = whole && header.kind == Kind.STR ? textAt(at + header.size) : null;
            if (!whole || header.kind == Kind.RESERVED) return;
            at += header.size + (int) header.payload;
            if (at > place) return; // the failure is in this value, or at its header
            boolean map = header.kind == Kind.MAP;
            if (map || header.kind == Kind.ARRAY) open(new Level(map, header.values));
            else if (f == null) return;
        }
    }

    private String textAt(int from) {
        return text(data, from, from + (int) header.payload);
    }

    @Override
    protected String keyOf(Level frame) {
        return frame.key;
    }
}
