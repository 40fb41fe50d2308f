package kumihimo.frame;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import kumihimo.Writer;

/**
 * Packs one document into an array, while it is written: the stream for {@link Writer#streamTo}. A document that is
 * whole before the writer has passed on a piece is packed as a text of known size, which costs less.
 *
 * <p>To be closed whatever happens, which gives back what packs; nothing is packed for that.
 */
public final class PackBuffer extends OutputStream {
    private final Frame frame;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream(256);
    private final byte[] one = new byte[1];
    private Compressor compressor;
    private boolean closed;

    /** By the frame's usual level. */
    public PackBuffer(Frame frame) {
        this.frame = frame;
    }

    @Override
    public void write(int b) throws IOException {
        one[0] = (byte) b;
        write(one, 0, 1);
    }

    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
        java.util.Objects.checkFromIndexSize(offset, length, data.length);
        open().compress(data, offset, offset + length, packed);
    }

    private Compressor open() throws IOException {
        if (closed) throw new IOException("the stream is closed");
        if (compressor == null) compressor = frame.compressor(frame.usualLevel());
        return compressor;
    }

    /**
     * The document in its frame.
     *
     * @param writer has finished, and has what it did not pass on
     */
    public byte[] finish(Writer writer) throws IOException {
        if (compressor == null) open().announce(writer.size());
        writer.writeTo(this);
        open().finish(packed);
        return packed.toByteArray();
    }

    @Override
    public void close() {
        closed = true;
        if (compressor != null) compressor.close();
        compressor = null;
    }
}
