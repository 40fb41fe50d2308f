package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.LittleEndian;
import kumihimo.PathText;
import kumihimo.Utf8;

/**
 * Which value of a document of the layout study a byte belongs to, for errors: found by reading the headers before it
 * again.
 */
final class StudyLocate {
    private static final int NONE = -1;

    private final byte[] data;
    private final int end;
    private final StudyHeader header = new StudyHeader();
    private final Varint varint = new Varint();
    /** Where the values end, and where the names stand, if the bytes get so far. */
    private int bodyEnd;
    private int table;
    private int tableEnd;
    private Frame[] frames = new Frame[16];
    private int depth;

    private StudyLocate(byte[] data, int end) {
        this.data = data;
        this.end = end;
        bodyEnd = table = tableEnd = end;
    }

    /** An open container. */
    private static final class Frame {
        /** Of the current value. */
        long index = NONE;
        int end;
        /** Of the current field. */
        int tag;
        boolean map;
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
        if (end - at >= 4 && LittleEndian.i32(data, at) >>> 8 != 0) open(true, bodyEnd);
        while (at < bodyEnd) {
            while (depth != 0 && at == frames[depth - 1].end) depth--;
            int limit = depth == 0 ? bodyEnd : frames[depth - 1].end;
            header.read(data, at, limit);
            if (depth != 0) {
                frames[depth - 1].index++;
                frames[depth - 1].tag = header.tag;
            }
            if (!isWhole(at, limit)) return;
            boolean map = header.type() == StudyHeader.MESSAGE;
            boolean container = map || header.type() == StudyHeader.ARRAY;
            int inside = at + header.size;
            int next = inside + (int) header.payload;
            at = container ? inside : next;
            if (at > place) return;
            if (container) open(map, next);
        }
    }

    private void open(boolean map, int end) {
        if (depth == frames.length) frames = Arrays.copyOf(frames, depth * 2);
        Frame f = new Frame();
        f.map = map;
        f.end = end;
        frames[depth++] = f;
    }

    /** The name that the table has for a tag, or null. */
    private String nameOf(int tag) {
        for (int at = table; tableEnd - at >= 4;) {
            if (!varint.load(data, at + 4, tableEnd) || varint.length() > tableEnd - varint.end) return null;
            int from = varint.end;
            int to = from + (int) varint.length();
            if (LittleEndian.i32(data, at) == tag) {
                return Utf8.validPrefix(data, from, to) == to ? Utf8.string(data, from, to, false) : null;
            }
            at = to;
        }
        return null;
    }

    private String path() {
        PathText path = new PathText();
        for (int i = 0; i < depth; i++) {
            Frame f = frames[i];
            if (f.index == NONE) break;
            String name = f.map ? nameOf(f.tag) : null;
            if (!f.map) path.index(f.index);
            else if (name != null) path.key(name);
            else path.pair(f.index);
        }
        return path.toString();
    }
}
