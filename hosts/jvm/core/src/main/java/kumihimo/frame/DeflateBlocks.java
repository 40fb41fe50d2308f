package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Deflate by all processors, as pigz does it (https://zlib.net/pigz): a text is cut into blocks, which are packed at
 * the same time and written one behind the other.
 *
 * <p>Threads of the common pool help where they are idle ({@link ForkJoinPool}). Nothing waits for that: what no other
 * thread has begun, the caller's does itself, so that a pool whose threads are all blocked costs nothing. A block
 * takes half a megabyte; those that others have been given are counted for all texts together.
 */
final class DeflateBlocks {
    /** More than these find too little to do. */
    private static final int MOST_HELPERS = 15;
    /** Blocks of all texts that were handed over, and are not packed yet. */
    private static final AtomicInteger HANDED_OVER = new AtomicInteger();

    private final int level;
    /** In their order, packed or not. */
    private final ArrayDeque<DeflateBlock> waiting = new ArrayDeque<>();
    private final ArrayDeque<DeflateBlock> spare = new ArrayDeque<>();
    private DeflateBlock filling;

    DeflateBlocks(int level) {
        this.level = level;
    }

    void add(byte[] in, int at, int n, OutputStream out) throws IOException {
        if (filling == null) filling = take(null);
        for (int end = at + n; at < end; ) {
            if (filling.isFull()) pass(out);
            at += filling.add(in, at, end - at);
        }
    }

    /** The block goes on, so that many flushes cost no more than what they write. */
    void flush(OutputStream out) throws IOException {
        if (filling == null) return;
        while (!waiting.isEmpty()) write(waiting.remove(), out);
        filling.flush();
        out.write(filling.packed(), 0, filling.packedSize());
    }

    void finish(OutputStream out) throws IOException {
        DeflateBlock last = filling == null ? take(null) : filling;
        filling = null;
        last.endText();
        waiting.add(last);
        while (!waiting.isEmpty()) write(waiting.remove(), out);
    }

    /** What is being filled is to be packed; what is packed by now is written. */
    private void pass(OutputStream out) throws IOException {
        DeflateBlock full = filling;
        filling = take(full);
        waiting.add(full);
        int helpers = helpers();
        if (!handOver(full, helpers)) packOne();
        while (waiting.size() > 2 * helpers + 1 || !waiting.isEmpty() && waiting.peek().isDone()) {
            write(waiting.remove(), out);
        }
    }

    /** The oldest that nobody has begun: what waits behind it takes room. */
    private void packOne() {
        for (DeflateBlock block : waiting) {
            if (block.isBegun()) continue;
            block.packing().run();
            return;
        }
    }

    private static int helpers() {
        int others = Math.min(ForkJoinPool.getCommonPoolParallelism(), Runtime.getRuntime().availableProcessors() - 1);
        return Math.min(others, MOST_HELPERS);
    }

    /** Whether an idle thread may pack it. */
    private static boolean handOver(DeflateBlock block, int helpers) {
        ForkJoinPool pool = ForkJoinPool.commonPool();
        // What it has not begun, of us or of others, says that its threads are busy.
        if (pool.getQueuedSubmissionCount() > helpers) return false;
        if (HANDED_OVER.incrementAndGet() > 2 * helpers) {
            HANDED_OVER.decrementAndGet();
            return false;
        }
        block.onceDone(HANDED_OVER::decrementAndGet);
        try {
            pool.execute(block.packing());
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // it cannot start a thread
            return false;
        }
    }

    private void write(DeflateBlock block, OutputStream out) throws IOException {
        spare.add(block);
        block.pack();
        out.write(block.packed(), 0, block.packedSize());
    }

    private DeflateBlock take(DeflateBlock before) {
        DeflateBlock block = spare.isEmpty() ? new DeflateBlock(level) : spare.remove();
        block.begin(before);
        return block;
    }

    /** Gives back what the collector does not know of. */
    void close() {
        if (filling != null) filling.close();
        for (DeflateBlock block : waiting) block.close();
        for (DeflateBlock block : spare) block.close();
        filling = null;
        waiting.clear();
        spare.clear();
    }
}
