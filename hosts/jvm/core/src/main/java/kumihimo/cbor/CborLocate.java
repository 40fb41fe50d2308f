package kumihimo.cbor;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import kumihimo.PathText;
import kumihimo.Utf8;
import kumihimo.cbor.CborHeader.Kind;

/** Which value of a document a byte belongs to, for errors: found by reading the headers before it again. */
final class CborLocate {
    private static final int NONE = -1;

    private final byte[] data;
    private final int end;
    private final CborHeader header = new CborHeader();
    private final CborPieces pieces = new CborPieces();
    private Frame[] frames = new Frame[16];
    private int depth;

    private CborLocate(byte[] data, int end) {
        this.data = data;
        this.end = end;
    }

    /** An open container. */
    private static final class Frame {
        /** Items still to come, keys too; of indefinite length never 0. */
        long left;
        /** Of the current item or pair. */
        long index = NONE;
        /** Where the current pair's key begins and ends, if it is text. */
        int key = NONE;
        int keyEnd;
        boolean map;
        boolean open;
        boolean inKey;
    }

    /**
     * The path of the value that a byte belongs to, {@code $.a[2]}.
     *
     * @param offset from the document's first byte
     */
    static String path(byte[] data, int from, int to, long offset) {
        CborLocate locate = new CborLocate(data, to);
        locate.walk(from, from + offset);
        return locate.path();
    }

    /** Opens and closes containers up to the item that holds the place. */
    private void walk(int at, long place) {
        int tagged = NONE; // where the content of a tag must begin
        for (;;) {
            if (depth != 0 && tagged != at) {
                Frame f = frames[depth - 1];
                if (f.open ? at != end && data[at] == (byte) 0xff && at < place : f.left == 0) {
                    if (f.open) at++;
                    if (--depth == 0) return;
                    continue;
                }
                f.inKey = f.map && (f.left & 1) == 0;
                if (f.inKey || !f.map) f.index++;
                f.left--;
                if (f.inKey) f.key = NONE;
            }
            header.read(data, at, end);
            if (header.kind == Kind.CUT || header.kind == Kind.RESERVED || header.kind == Kind.STOP) return;
            int next = at + header.size;
            if (header.isString()) {
                pieces.begin(data, at, end, header);
                if (!pieces.skip()) return;
                next = pieces.at;
            }
            if (next > place) return; // the failure is in this item, or at its header
            if (depth != 0 && header.kind == Kind.TEXT && tagged != at && frames[depth - 1].inKey) {
                frames[depth - 1].key = at;
                frames[depth - 1].keyEnd = next;
            }
            at = next;
            if (header.kind == Kind.TAG) {
                tagged = at;
            } else if (header.isContainer()) {
                if (Long.compareUnsigned(header.argument, end - at) > 0) return;
                open();
            } else if (depth == 0) {
                return;
            }
        }
    }

    private void open() {
        if (depth == frames.length) frames = Arrays.copyOf(frames, depth * 2);
        Frame f = new Frame();
        f.map = header.kind == Kind.MAP;
        f.open = header.indefinite;
        f.left = f.open ? Long.MAX_VALUE - 1 : f.map ? header.argument * 2 : header.argument;
        frames[depth++] = f;
    }

    private String path() {
        PathText path = new PathText();
        for (int i = 0; i < depth; i++) {
            Frame f = frames[i];
            if (f.index == NONE) break;
            if (!f.map) {
                path.index(f.index);
                continue;
            }
            if (f.inKey) break; // the failure is in a key: its map is the place
            byte[] key = f.key == NONE ? null : textOf(f);
            if (key != null && Utf8.validPrefix(key, 0, key.length) == key.length) {
                path.key(Utf8.string(key, 0, key.length, false));
            } else {
                path.pair(f.index);
            }
        }
        return path.toString();
    }

    /** A key's text, its chunks joined. */
    private byte[] textOf(Frame f) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        pieces.begin(data, f.key, f.keyEnd, header.read(data, f.key, f.keyEnd));
        while (pieces.next()) joined.write(data, pieces.from, pieces.to - pieces.from);
        return joined.toByteArray();
    }
}
