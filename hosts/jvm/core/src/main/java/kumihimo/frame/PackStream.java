package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;

/** Packs a stream into one member; {@link Frames#pack(Frame, OutputStream, int)}. */
final class PackStream extends OutputStream {
    private final OutputStream to;
    private final Compressor compressor;
    private final byte[] one = new byte[1];
    private boolean closed;
    /** Bytes that are still to come, where it was said how many there are; else negative. */
    private long announced = -1;

    PackStream(Frame frame, OutputStream to, int level) {
        this.to = to;
        compressor = frame.compressor(level);
    }

    /** All that will be written has this size. */
    void announce(long size) {
        announced = size;
        compressor.announce(size);
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
        if (announced >= 0 && length > announced) throw new IOException("more is written than was announced");
        compressor.compress(data, offset, offset + length, to);
        if (announced >= 0) announced -= length;
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
            if (announced > 0) throw new IOException("less was written than was announced");
            compressor.finish(last);
        } finally {
            compressor.close();
        }
    }
}
