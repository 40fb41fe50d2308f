package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.zip.Deflater;

/**
 * Deflate by all processors, as pigz does it (https://zlib.net/pigz): each block of a text is packed by itself, and
 * knows the 32 KB before it, so that it finds there what one deflate would.
 *
 * <pre>
 *   text     ... block n-1 |          block n          | ...
 *                 dictionary, not packed again
 *   packed   ...           | deflate's, to a whole byte | ...
 * </pre>
 *
 * <p>Others help where the common pool has threads for it ({@link ForkJoinPool}). Nothing waits for that: what no other
 * thread has begun, the caller's does itself, so that a pool whose threads are all blocked costs time but no more.
 */
final class DeflateBlocks {
    /** Bytes of a block: a flush costs it 5 bytes, and the dictionary some hundredths of its time. */
    static final int BLOCK = 1 << 17;
    /** As far as deflate looks back. */
    static final int DICTIONARY = 1 << 15;
    /** Threads that help at most: a block takes half a megabyte, and there are two for each. */
    private static final int MOST_HELPERS = 15;

    private final int level;
    /** In their order, packed or not. */
    private final ArrayDeque<Block> waiting = new ArrayDeque<>();
    private final ArrayDeque<Block> spare = new ArrayDeque<>();
    private Block filling;

    DeflateBlocks(int level) {
        this.level = level;
    }

    /** Another text, behind a first part with this end. */
    void begin(byte[] dictionary) {
        filling = take();
        System.arraycopy(dictionary, 0, filling.text, 0, DICTIONARY);
    }

    void add(byte[] in, int at, int n, OutputStream out) throws IOException {
        while (n > 0) {
            if (filling.end == filling.text.length) pass(out);
            int copied = Math.min(n, filling.text.length - filling.end);
            System.arraycopy(in, at, filling.text, filling.end, copied);
            filling.end += copied;
            at += copied;
            n -= copied;
        }
    }

    void flush(OutputStream out) throws IOException {
        if (filling.end > DICTIONARY) pass(out);
        while (!waiting.isEmpty()) write(waiting.remove(), out);
    }

    void finish(OutputStream out) throws IOException {
        filling.last = true;
        waiting.add(filling);
        filling = null;
        while (!waiting.isEmpty()) write(waiting.remove(), out);
    }

    /** What is being filled is to be packed; what is packed by now is written. */
    private void pass(OutputStream out) throws IOException {
        Block done = filling;
        Block next = take();
        // A flushed block may be shorter than a dictionary, which then begins in the one before.
        System.arraycopy(done.text, done.end - DICTIONARY, next.text, 0, DICTIONARY);
        filling = next;
        waiting.add(done);
        int helpers = helpers();
        if (helpers > 0 && unfinished() <= helpers + 1) ForkJoinPool.commonPool().execute(done.packing);
        else done.packing.run();
        while (waiting.size() > 2 * helpers || !waiting.isEmpty() && waiting.peek().packing.isDone()) {
            write(waiting.remove(), out);
        }
    }

    private static int helpers() {
        int others = Math.min(ForkJoinPool.getCommonPoolParallelism(), Runtime.getRuntime().availableProcessors() - 1);
        return Math.min(others, MOST_HELPERS);
    }

    private int unfinished() {
        int count = 0;
        for (Block block : waiting) count += block.packing.isDone() ? 0 : 1;
        return count;
    }

    private void write(Block block, OutputStream out) throws IOException {
        block.pack();
        out.write(block.packed, 0, block.size);
        spare.add(block);
    }

    private Block take() {
        Block block = spare.isEmpty() ? new Block(level) : spare.remove();
        block.begin();
        return block;
    }

    /** Gives back what the collector does not know of. */
    void close() {
        if (filling != null) spare.add(filling);
        filling = null;
        for (Block block : waiting) {
            block.packing.cancel(false);
            spare.add(block);
        }
        waiting.clear();
        for (Block block : spare) block.close();
        spare.clear();
    }

    private static final class Block {
        /** Dictionary, and text behind it up to {@link #end}. */
        final byte[] text = new byte[DICTIONARY + BLOCK];
        int end;
        boolean last;
        byte[] packed = new byte[BLOCK / 4];
        int size;
        FutureTask<Void> packing;
        private final Deflater deflater;

        Block(int level) {
            deflater = new Deflater(level, true);
        }

        void begin() {
            end = DICTIONARY;
            last = false;
            size = 0;
            packing = new FutureTask<>(this::deflate, null);
        }

        /** By this thread, or by the one that has begun it. */
        void pack() {
            packing.run();
            boolean interrupted = false;
            try {
                for (;;) {
                    try {
                        packing.get();
                        return;
                    } catch (InterruptedException e) {
                        interrupted = true; // it is at work, and done in a moment
                    } catch (ExecutionException e) {
                        throw passedOn(e.getCause());
                    }
                }
            } finally {
                if (interrupted) Thread.currentThread().interrupt();
            }
        }

        private static RuntimeException passedOn(Throwable e) {
            if (e instanceof Error) throw (Error) e;
            return (RuntimeException) e; // deflate has no others
        }

        private synchronized void deflate() {
            deflater.reset();
            deflater.setDictionary(text, 0, DICTIONARY);
            deflater.setInput(text, DICTIONARY, end - DICTIONARY);
            if (last) deflater.finish();
            for (;;) {
                int n = deflater.deflate(packed, size, packed.length - size, last ? Deflater.NO_FLUSH : Deflater.SYNC_FLUSH);
                size += n;
                if (size < packed.length) return;
                packed = Arrays.copyOf(packed, packed.length * 2);
            }
        }

        /** Behind who is at work still. */
        synchronized void close() {
            deflater.end();
        }
    }
}
