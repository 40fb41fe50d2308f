package kumihimo.tagged;

import kumihimo.format.BinaryLocate;
import kumihimo.format.LittleEndian;

/**
 * Which value of a document of the layout study a byte belongs to, for errors: found by reading the headers before it
 * again.
 */
final class StudyLocate extends BinaryLocate<StudyLocate.Level> {
    private final StudyHeader header = new StudyHeader();
    private final Varint varint = new Varint();
    /** Where the values end, and where the names stand, if the bytes get so far. */
    private int bodyEnd;
    private int table;
    private int tableEnd;

    private StudyLocate(byte[] data, int end) {
        super(data, end);
        bodyEnd = table = tableEnd = end;
    }

    /** An open container. */
    static final class Level extends BinaryLocate.Frame {
        final int end;
        /** Of the current field. */
        int tag;

        Level(boolean map, int end) {
            super(map);
            this.end = end;
        }

        @Override
        protected boolean inKey() {
            return false;
        }
    }

    /**
     * The path of the value that a byte belongs to, {@code $.a[2]}.
     *
     * @param offset from the document's first byte
     */
    static String path(byte[] data, int from, int to, long offset) {
        StudyLocate locate = new StudyLocate(data, to);
        locate.findNames(from);
        boolean inNames = from + offset >= locate.bodyEnd && locate.table != to;
        if (!inNames) locate.walk(from, from + offset);
        return locate.path();
    }

    private boolean isWhole(int at, int limit) {
        return header.kind == StudyHeader.Kind.VALUE && header.payload <= limit - at - header.size;
    }

    private void findNames(int at) {
        while (at != end) {
            header.read(data, at, end);
            if (!isWhole(at, end)) return;
            if (header.tag == StudyHeader.TABLE) {
                bodyEnd = at;
                table = at + header.size;
                tableEnd = table + (int) header.payload;
                return;
            }
            at += header.size + (int) header.payload;
        }
    }

    /** Opens and closes containers up to the value that holds the place. */
    private void walk(int at, long place) {
        if (end - at >= 4 && LittleEndian.i32(data, at) >>> 8 != 0) open(new Level(true, bodyEnd));
        while (at < bodyEnd) {
            Level f = innermost();
            for (; f != null && at == f.end; f = innermost()) close();
            int limit = f == null ? bodyEnd : f.end;
            header.read(data, at, limit);
            if (f != null) {
                f.index++;
                f.tag = header.tag;
            }
            if (!isWhole(at, limit)) return;
            boolean map = header.type() == StudyHeader.MESSAGE;
            boolean container = map || header.type() == StudyHeader.ARRAY;
            int inside = at + header.size;
            int next = inside + (int) header.payload;
            at = container ? inside : next;
            if (at > place) return;
            if (container) open(new Level(map, next));
        }
    }

    /** The name that the table has for a tag. */
    @Override
    protected String keyOf(Level frame) {
        for (int at = table; tableEnd - at >= 4;) {
            if (!varint.load(data, at + 4, tableEnd) || varint.length() > tableEnd - varint.end) return null;
            int from = varint.end;
            int to = from + (int) varint.length();
            if (LittleEndian.i32(data, at) == frame.tag) return text(data, from, to);
            at = to;
        }
        return null;
    }
}
