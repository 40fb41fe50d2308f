package kumihimo.frame;

import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.zip.Deflater;

/**
 * A part of a text that is packed by itself. It knows up to 32 KB of what stands before it, so that it finds there
 * what one deflate of the whole text would:
 *
 * <pre>
 *   text     dictionary | what was flushed | what is not packed yet | room
 *            0          start              from                     end
 * </pre>
 *
 * <p>One thread fills it; then one packs it, that or another.
 */
final class DeflateBlock {
    /** Bytes of a block: its end costs 5 bytes, and the dictionary some hundredths of its time. */
    static final int SIZE = 1 << 17;
    /** As far as deflate looks back. */
    private static final int DICTIONARY = 1 << 15;
    private static final int LEAST = 1 << 10;

    private final Deflater deflater;
    private byte[] text = new byte[LEAST];
    private int start;
    private int from;
    private int end;
    private boolean last;
    /** Nothing of it has been packed. */
    private boolean fresh;
    private byte[] packed = {};
    private int size;
    private volatile boolean begun;
    private Packing packing;

    DeflateBlock(int level) {
        deflater = new Deflater(level, true);
    }

    /** Another block begins, behind this one, which is full, or behind none (null). */
    void begin(DeflateBlock before) {
        start = before == null ? 0 : DICTIONARY;
        if (start > 0) {
            room(start);
            System.arraycopy(before.text, before.end - start, text, 0, start);
        }
        from = end = start;
        fresh = true;
        last = begun = false;
        packing = new Packing(this::deflateAll);
    }

    private void room(int n) {
        if (text.length < n) text = Arrays.copyOf(text, Math.min(DICTIONARY + SIZE, Math.max(n, text.length * 2)));
    }

    /** Takes up to n bytes, and says how many. */
    int add(byte[] in, int at, int n) {
        int taken = Math.min(n, start + SIZE - end);
        room(end + taken);
        System.arraycopy(in, at, text, end, taken);
        end += taken;
        return taken;
    }

    boolean isFull() {
        return end - start == SIZE;
    }

    /** The text ends here. */
    void endText() {
        last = true;
    }

    /** Packs what has come since the last flush, by this thread; the block goes on. */
    void flush() {
        size = 0;
        if (from < end) deflate();
    }

    /** This is run when it is packed, or when it is sure that it never will be. */
    void onceDone(Runnable then) {
        packing.then = then;
    }

    /** What packs it, for any thread; run a second time it does nothing. */
    Runnable packing() {
        return packing;
    }

    /** Whether some thread packs it, or has. */
    boolean isBegun() {
        return begun;
    }

    boolean isDone() {
        return packing.isDone();
    }

    /** Packs it, or waits for the thread that does. */
    void pack() {
        packing.run();
        boolean interrupted = false;
        try {
            for (;;) {
                try {
                    packing.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true; // the other thread is at work, and done in a moment
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

    private void deflateAll() {
        begun = true;
        deflate();
    }

    private synchronized void deflate() {
        if (fresh) {
            deflater.reset();
            if (start > 0) deflater.setDictionary(text, 0, start);
            fresh = false;
        }
        int n = end - from;
        // More than deflate may need: a flush that just fills the array would be followed by another, empty one.
        int most = n + n / 4 + 256;
        if (packed.length < most) packed = new byte[most];
        deflater.setInput(text, from, n);
        from = end;
        if (last) deflater.finish();
        int how = last ? Deflater.NO_FLUSH : Deflater.SYNC_FLUSH;
        for (size = 0; ; packed = Arrays.copyOf(packed, packed.length * 2)) {
            size += deflater.deflate(packed, size, packed.length - size, how);
            if (size < packed.length) return;
        }
    }

    /** What was packed last: these bytes, as many as {@link #packedSize}. */
    byte[] packed() {
        return packed;
    }

    int packedSize() {
        return size;
    }

    /** Gives back what the collector does not know of, behind who is at work still. */
    void close() {
        packing.cancel(false);
        synchronized (this) {
            deflater.end();
        }
    }

    private static final class Packing extends FutureTask<Void> {
        /** Set before another thread knows of this. */
        Runnable then;

        Packing(Runnable work) {
            super(work, null);
        }

        @Override
        protected void done() {
            if (then != null) then.run();
        }
    }
}
