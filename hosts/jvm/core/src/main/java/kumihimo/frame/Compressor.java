package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;

/** What packs. A member begins with the first call, or with the first one behind {@link #finish}. */
abstract class Compressor {
    /** Packs, and keeps back what compresses better with what follows. */
    abstract void compress(byte[] in, int from, int to, OutputStream out) throws IOException;

    /** All that came so far can be unpacked from what is in out. */
    abstract void flush(OutputStream out) throws IOException;

    /** The member ends here. */
    abstract void finish(OutputStream out) throws IOException;

    /** The most bytes that so many take as a member, for an array that need not grow; a hint. */
    int bound(int size) {
        return (int) Math.min(size / 4L + 256, Integer.MAX_VALUE - 8);
    }

    /** The text that follows is all of the member; said before the first call. */
    void announce(long size) {}

    /** Gives back what the collector does not know of. */
    abstract void close();
}
