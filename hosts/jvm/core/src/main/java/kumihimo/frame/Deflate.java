package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;

/**
 * Packs a text as a member of gzip, block by block ({@link DeflateBlocks}):
 *
 * <pre>
 *   header | block | block | ... | last block | CRC-32 | size
 * </pre>
 *
 * <p>The bytes depend on the text, the level, and where it was flushed: not on processors, nor on the pieces in which
 * it comes. A text of one block is what a single deflate makes of it.
 */
final class Deflate extends Compressor {
    /** Text is taken in pieces of so many bytes: what the check sum has read is still in the cache to be copied. */
    private static final int PIECE = 1 << 15;

    private final int level;
    private final DeflateBlocks blocks;
    private final CRC32 check = new CRC32();
    private final byte[] trailer = new byte[8];
    private boolean open;
    /** Bytes of the member's text. */
    private long size;

    Deflate(int level) {
        this.level = level;
        blocks = new DeflateBlocks(level);
    }

    @Override
    void compress(byte[] in, int from, int to, OutputStream out) throws IOException {
        begin(out);
        for (int at = from; at < to; at += PIECE) {
            int n = Math.min(PIECE, to - at);
            check.update(in, at, n);
            blocks.add(in, at, n, out);
        }
        size += to - from;
    }

    /** An array to begin with: growing costs little beside deflate, clearing a large one that stays empty more. */
    @Override
    int bound(int size) {
        return Math.min(super.bound(size), 1 << 16);
    }

    @Override
    void flush(OutputStream out) throws IOException {
        begin(out);
        blocks.flush(out);
    }

    @Override
    void finish(OutputStream out) throws IOException {
        begin(out);
        blocks.finish(out);
        little(trailer, 0, check.getValue());
        little(trailer, 4, size);
        out.write(trailer, 0, trailer.length);
        open = false;
    }

    /** No name, no time, no system: equal texts are equal bytes. */
    private void begin(OutputStream out) throws IOException {
        if (open) return;
        open = true;
        size = 0;
        check.reset();
        byte hint = (byte) (level == 9 ? 2 : level == 1 ? 4 : 0);
        out.write(new byte[] {Gzip.MAGIC[0], Gzip.MAGIC[1], Gzip.MAGIC[2], 0, 0, 0, 0, 0, hint, (byte) 0xff});
    }

    private static void little(byte[] to, int at, long value) {
        for (int i = 0; i < 4; i++) to[at + i] = (byte) (value >> 8 * i);
    }

    @Override
    void close() {
        blocks.close();
    }
}
