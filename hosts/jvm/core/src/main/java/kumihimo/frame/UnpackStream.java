package kumihimo.frame;

import java.io.IOException;
import java.io.InputStream;
import kumihimo.DataException;
import kumihimo.Limits;

/** The text of a stream that is in a frame; {@link Frames#unpack(Frame, InputStream, Limits)}. */
final class UnpackStream extends InputStream {
    private final InputStream from;
    private final Unpacker unpacker;
    private final byte[] in = new byte[1 << 15];
    private final byte[] one = new byte[1];
    private int at;
    private int filled;
    private boolean more; // the last call filled all its room, so there may be more text in what was given
    private boolean finished;
    private boolean closed;
    private DataException failed;

    UnpackStream(Frame frame, InputStream from, Limits limits) {
        this.from = from;
        unpacker = new Unpacker(frame, limits);
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        java.util.Objects.checkFromIndexSize(offset, length, to.length);
        if (closed) throw new IOException("the stream is closed");
        if (failed != null) throw failed;
        if (length == 0) return 0;
        try {
            return finished ? -1 : some(to, offset, length);
        } catch (DataException e) { // what follows is damaged, too
            unpacker.close();
            throw failed = e;
        }
    }

    private int some(byte[] to, int offset, int length) throws IOException {
        for (;;) {
            if (at == filled && !more) {
                int n = from.read(in, 0, in.length); // where it fails, the next call asks again
                if (n < 0) {
                    unpacker.finish();
                    unpacker.close();
                    finished = true;
                    return -1;
                }
                at = 0;
                filled = n;
            }
            int got = unpacker.unpack(in, at, filled, to, offset, length);
            at = unpacker.position();
            more = got == length;
            if (got > 0) return got;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        unpacker.close();
        from.close();
    }
}
