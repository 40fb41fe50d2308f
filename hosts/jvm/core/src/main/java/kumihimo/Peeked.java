package kumihimo;

import java.io.IOException;
import java.io.InputStream;

/** A stream whose first bytes have been looked at. */
final class Peeked extends InputStream {
    private static final int HEAD = 64;

    private final InputStream in;
    private final byte[] head = new byte[HEAD];
    private int at;
    private int filled;

    Peeked(InputStream in) {
        this.in = in;
    }

    /** The format that the bytes tell; null for a stream without any. */
    Format format() throws IOException {
        filled = Math.max(in.readNBytes(head, 0, 1), 0);
        while (filled < HEAD && undecided()) {
            int n = in.read(head, filled, HEAD - filled);
            if (n < 0) break;
            filled += n;
        }
        if (filled == 0) return null;
        Format told = Formats.of(head, 0, filled);
        if (told == null) throw new DataException(Code.SYNTAX, "the first bytes are of no known format", 0);
        return told;
    }

    /** A mark has three bytes, of which the first may be cut off from the others; white space says nothing. */
    private boolean undecided() {
        int first = head[0] & 0xff;
        if (filled < 3 && (first == 0xc1 || first == 0xd9 || first == 0xef)) return true;
        int i = first == 0xef ? 3 : 0;
        while (i < filled && (head[i] == ' ' || head[i] == '\t' || head[i] == '\n' || head[i] == '\r')) i++;
        return i == filled;
    }

    @Override
    public int read() throws IOException {
        return at < filled ? head[at++] & 0xff : in.read();
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (at == filled) return in.read(to, offset, length);
        int n = Math.min(length, filled - at);
        System.arraycopy(head, at, to, offset, n);
        at += n;
        return n;
    }
}
