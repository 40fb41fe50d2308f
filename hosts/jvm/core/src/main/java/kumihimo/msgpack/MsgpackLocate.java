package kumihimo.msgpack;

import java.util.Arrays;
import kumihimo.PathText;
import kumihimo.Utf8;
import kumihimo.msgpack.MsgpackHeader.Kind;

/** Which value of a document a byte belongs to, for errors: found by reading the headers before it again. */
final class MsgpackLocate {
    private static final int NONE = -1;

    private final byte[] data;
    private final int end;
    private final MsgpackHeader header = new MsgpackHeader();
    private Frame[] frames = new Frame[16];
    private int depth;

    private MsgpackLocate(byte[] data, int end) {
        this.data = data;
        this.end = end;
    }

    /** An open container. */
    private static final class Frame {
        /** Values still to come, keys too. */
        long left;
        /** Of the current value or pair. */
        long index = NONE;
        /** The current pair's key, if it is text; else null. */
        String key;
        boolean map;
        /** The current value is a key. */
        boolean inKey;
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
            Frame f = depth == 0 ? null : frames[depth - 1];
            if (f != null) {
                if (f.left == 0) {
                    if (--depth == 0) return;
                    continue;
                }
                f.inKey = f.map && (f.left & 1) == 0;
                if (f.inKey || !f.map) f.index++;
                f.left--;
            }
            header.read(data, at, end);
            boolean whole = header.kind != Kind.CUT && header.payload <= end - at - header.size;
            if (f != null && f.inKey) f.key = whole && header.kind == Kind.STR ? text(at + header.size) : null;
            if (!whole || header.kind == Kind.RESERVED) return;
            at += header.size + (int) header.payload;
            if (at > place) return; // the failure is in this value, or at its header
            if (header.kind == Kind.ARRAY || header.kind == Kind.MAP) open();
            else if (depth == 0) return;
        }
    }

    private String text(int from) {
        int to = from + (int) header.payload;
        return Utf8.validPrefix(data, from, to) == to ? Utf8.string(data, from, to, false) : null;
    }

    private void open() {
        if (depth == frames.length) frames = Arrays.copyOf(frames, depth * 2);
        Frame f = new Frame();
        f.map = header.kind == Kind.MAP;
        f.left = header.values;
        frames[depth++] = f;
    }

    private String path() {
        PathText path = new PathText();
        for (int i = 0; i < depth; i++) {
            Frame f = frames[i];
            // Where the failure is in a key, its map is the place.
            if (f.index == NONE || f.inKey) break;
            if (!f.map) path.index(f.index);
            else if (f.key != null) path.key(f.key);
            else path.pair(f.index);
        }
        return path.toString();
    }
}
