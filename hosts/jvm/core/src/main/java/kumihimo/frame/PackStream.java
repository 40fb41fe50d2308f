package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;

/** Packs a stream into one member; {@link Frames#pack(Frame, OutputStream, int)}. */
final class PackStream extends OutputStream {
    private final OutputStream to;
    private final Compressor compressor;
    private final byte[] one = new byte[1];
    private boolean closed;

    PackStream(Frame frame, OutputStream to, int level) {
        this.to = to;
        compressor = frame.compressor(level);
    }

    @Override
    public void write(int b) throws IOException {
        one[0] = (byte) b;
        write(one, 0, 1);
    }

    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
        java.util.Objects.checkFromIndexSize(offset, length, data.length);
        if (closed) throw new IOException("the stream is closed");
        compressor.compress(data, offset, offset + length, to);
    }

    @Override
    public void flush() throws IOException {
        if (closed) return;
        compressor.flush(to);
        to.flush();
    }

    @Override
    public void close() throws IOException {
        if (closed) return;
        closed = true;
        try (OutputStream last = to) {
            compressor.finish(last);
        } finally {
            compressor.close();
        }
    }
}
