package kumihimo.cbor;

import java.io.ByteArrayOutputStream;
import kumihimo.cbor.CborHeader.Kind;
import kumihimo.format.BinaryLocate;

/** Which value of a document a byte belongs to, for errors: found by reading the headers before it again. */
final class CborLocate extends BinaryLocate<CborLocate.Level> {
    private final CborHeader header = new CborHeader();
    private final CborPieces pieces = new CborPieces();

    private CborLocate(byte[] data, int end) {
        super(data, end);
    }

    /** An open container. */
    static final class Level extends BinaryLocate.Frame {
        /** Items still to come, keys too; of indefinite length never 0. */
        long left;
        /** Where the current pair's key begins and ends, if it is text. */
        int key = NONE;
        int keyEnd;
        final boolean open;
        boolean inKey;

        Level(CborHeader header) {
            super(header.kind == Kind.MAP);
            open = header.indefinite;
            left = open ? Long.MAX_VALUE - 1 : map ? header.argument * 2 : header.argument;
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
        CborLocate locate = new CborLocate(data, to);
        locate.walk(from, from + offset);
        return locate.path();
    }

    /** Opens and closes containers up to the item that holds the place. */
    private void walk(int at, long place) {
        int tagged = NONE; // where the content of a tag must begin
        for (;;) {
            Level f = innermost();
            if (f != null && tagged != at) {
                if (f.open ? at != end && data[at] == (byte) 0xff && at < place : f.left == 0) {
                    if (f.open) at++;
                    if (!close()) return;
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
            if (f != null && header.kind == Kind.TEXT && tagged != at && f.inKey) {
                f.key = at;
                f.keyEnd = next;
            }
            at = next;
            if (header.kind == Kind.TAG) {
                tagged = at;
            } else if (header.isContainer()) {
                if (Long.compareUnsigned(header.argument, end - at) > 0) return;
                open(new Level(header));
            } else if (f == null) {
                return;
            }
        }
    }

    /** Its chunks joined. */
    @Override
    protected String keyOf(Level f) {
        if (f.key == NONE) return null;
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        pieces.begin(data, f.key, f.keyEnd, header.read(data, f.key, f.keyEnd));
        while (pieces.next()) joined.write(data, pieces.from, pieces.to - pieces.from);
        byte[] key = joined.toByteArray();
        return text(key, 0, key.length);
    }
}
