package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Packs a text as a member of gzip. What a text has beyond its first block goes to all processors ({@link
 * DeflateBlocks}):
 *
 * <pre>
 *   header | block 0 | block 1 | ... | last block | CRC-32 | size
 * </pre>
 *
 * <p>The bytes depend on the text, the level, and where it was flushed: not on processors, nor on the pieces in which it
 * comes. A text of one block is what a single deflate makes of it.
 */
final class Deflate extends Compressor {
    /** Text is taken in pieces of so many bytes: what the check sum has read is still in the cache for deflate. */
    private static final int PIECE = 1 << 15;

    private final Deflater deflater;
    private final CRC32 check = new CRC32();
    private final int level;
    private final byte[] room = new byte[1 << 14];
    private boolean open;
    /** Bytes of the member's text. */
    private long size;
    /** The end of the first block, once it is near; and what follows it, once something does. */
    private byte[] dictionary;
    private DeflateBlocks blocks;
    private boolean beyondFirst;

    Deflate(int level) {
        this.level = level;
        deflater = new Deflater(level, true);
    }

    @Override
    void compress(byte[] in, int from, int to, OutputStream out) throws IOException {
        begin(out);
        for (int at = from; at < to; ) {
            int n = Math.min(PIECE, to - at);
            if (!beyondFirst) {
                n = (int) Math.min(n, DeflateBlocks.BLOCK - size);
                if (n == 0) {
                    leaveFirst(out);
                    continue;
                }
                keepEnd(in, at, n);
                deflater.setInput(in, at, n);
                while (!deflater.needsInput()) put(Deflater.NO_FLUSH, out);
            } else {
                blocks.add(in, at, n, out);
            }
            check.update(in, at, n);
            size += n;
            at += n;
        }
    }

    /** Of n bytes that belong to the first block, those which the second one may repeat. */
    private void keepEnd(byte[] in, int at, int n) {
        int kept = (int) size + n - (DeflateBlocks.BLOCK - DeflateBlocks.DICTIONARY);
        if (kept <= 0) return;
        if (dictionary == null) dictionary = new byte[DeflateBlocks.DICTIONARY];
        int copied = Math.min(kept, n);
        System.arraycopy(in, at + n - copied, dictionary, kept - copied, copied);
    }

    private void leaveFirst(OutputStream out) throws IOException {
        flushFirst(out);
        if (blocks == null) blocks = new DeflateBlocks(level);
        blocks.begin(dictionary);
        beyondFirst = true;
    }

    /** An array to begin with: growing costs little beside deflate, clearing a large one that stays empty more. */
    @Override
    int bound(int size) {
        return Math.min(super.bound(size), 1 << 16);
    }

    @Override
    void flush(OutputStream out) throws IOException {
        begin(out);
        if (beyondFirst) blocks.flush(out);
        else flushFirst(out);
    }

    private void flushFirst(OutputStream out) throws IOException {
        while (put(Deflater.SYNC_FLUSH, out) == room.length) continue;
    }

    @Override
    void finish(OutputStream out) throws IOException {
        begin(out);
        if (beyondFirst) {
            blocks.finish(out);
        } else {
            deflater.finish();
            while (!deflater.finished()) put(Deflater.NO_FLUSH, out);
        }
        little(room, 0, check.getValue());
        little(room, 4, size);
        out.write(room, 0, 8);
        open = false;
    }

    /** No name, no time, no system: equal texts are equal bytes. */
    private void begin(OutputStream out) throws IOException {
        if (open) return;
        open = true;
        beyondFirst = false;
        size = 0;
        check.reset();
        deflater.reset();
        byte hint = (byte) (level == 9 ? 2 : level == 1 ? 4 : 0);
        out.write(new byte[] {Gzip.MAGIC[0], Gzip.MAGIC[1], Gzip.MAGIC[2], 0, 0, 0, 0, 0, hint, (byte) 0xff});
    }

    private int put(int how, OutputStream out) throws IOException {
        int n = deflater.deflate(room, 0, room.length, how);
        out.write(room, 0, n);
        return n;
    }

    private static void little(byte[] to, int at, long value) {
        for (int i = 0; i < 4; i++) to[at + i] = (byte) (value >> 8 * i);
    }

    @Override
    void close() {
        deflater.end();
        if (blocks != null) blocks.close();
    }
}
