package kumihimo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * A sink of a format. Verbs are checked: what makes no document is {@link Code#MISUSE}. After {@link #finish} the
 * bytes of the document are {@link #toByteArray} or {@link #writeTo}. A writer is for one thread, and can be used
 * again: {@link #reset}.
 */
public abstract class Writer implements Sink {
    /**
     * The bytes so far; grows by doubling. Subclasses keep {@code buffer.length - size} free bytes by {@link #room}.
     */
    protected byte[] buffer = new byte[512];

    /** How many bytes of the buffer belong to the document. */
    protected int size;

    /** Bytes behind which a document that goes to a stream is passed on: few enough to be in a cache still. */
    private static final int PIECE = 1 << 16;

    /** How large the document may grow before {@link #pass} is to be asked; only few subclasses ask. */
    protected int pieceEnd = Integer.MAX_VALUE;

    private OutputStream stream;
    /** Bytes that have been passed on. */
    private long passed;

    protected Writer() {}

    /**
     * What is written from now on goes to this stream, but for what {@link #writeTo} must write at the end: a format
     * passes on what will not change, or nothing. A large document then needs little memory, and what compresses it
     * finds it in a cache. Errors of the stream are {@link UncheckedIOException}. Null ends it.
     */
    public final void streamTo(OutputStream out) {
        stream = out;
        passed = 0;
        pieceEnd = out == null ? Integer.MAX_VALUE : PIECE;
    }

    /** A part of {@link #reset}: nothing is written, and no stream is there. */
    protected final void forget() {
        size = 0;
        streamTo(null);
    }

    /** Passes on all but the last n bytes, which are what is in the buffer then. */
    protected final void pass(int n) {
        int done = size - n;
        try {
            stream.write(buffer, 0, done);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.arraycopy(buffer, done, buffer, 0, n);
        size = n;
        passed += done;
        checkSize();
    }

    /** Forgets everything that was written, and begins another document. */
    public abstract Writer reset();

    /** The document is complete. */
    public abstract void finish();

    /** An integer, as {@link #i64}. */
    public void i32(int value) {
        i64(value);
    }

    /** A float: formats that write digits write those that it needs, all others the double of the same value. */
    public void f32(float value) {
        f64(value);
    }

    /** A key and its text: the same as the two verbs, in one call, which a format may do faster. */
    public void field(Name name, String text) {
        key(name);
        str(text);
    }

    /** A key and its boolean. */
    public void field(Name name, boolean value) {
        key(name);
        bool(value);
    }

    /** A key and its integer. */
    public void field(Name name, long value) {
        key(name);
        i64(value);
    }

    /** Bytes of the document, without those that went to a stream. */
    public final int size() {
        return size;
    }

    /** Bytes that the writer holds: whoever keeps it for the next document asks whether they are too many. */
    public final int capacity() {
        return buffer.length;
    }

    /** A copy of the document's bytes. */
    public final byte[] toByteArray() {
        return java.util.Arrays.copyOf(buffer, size);
    }

    /** The document's bytes to a stream. */
    public final void writeTo(OutputStream out) throws IOException {
        out.write(buffer, 0, size);
    }

    /**
     * The buffer, with at least n free bytes behind size.
     *
     * @throws DataException {@link Code#SIZE} where the document would pass the limit
     */
    protected final byte[] room(int n) {
        return buffer.length - size >= n ? buffer : grow(n);
    }

    private byte[] grow(int n) {
        long most = Math.min(sizeLimit(), Integer.MAX_VALUE - 8);
        long wanted = (long) size + n;
        if (wanted > most) throw new DataException(Code.SIZE, "the document would be larger than " + most + " bytes");
        buffer = java.util.Arrays.copyOf(buffer, (int) Math.min(Math.max(wanted, buffer.length * 2L), most));
        return buffer;
    }

    /**
     * The buffer, with at least n free bytes behind size, of which fewer may be used: an escaped character takes up
     * to six. So the limit is held only against what has been written, and {@link #checkSize} must be asked at the
     * end.
     *
     * @throws DataException {@link Code#SIZE} where the document has passed the limit, or would not fit an array
     */
    protected final byte[] roomUpTo(int n) {
        return buffer.length - size >= n ? buffer : growUpTo(n);
    }

    private byte[] growUpTo(int n) {
        checkSize();
        int most = Integer.MAX_VALUE - 8;
        long wanted = (long) size + n;
        if (wanted > most) throw new DataException(Code.SIZE, "the document would be larger than " + most + " bytes");
        buffer = java.util.Arrays.copyOf(buffer, (int) Math.min(Math.max(wanted, buffer.length * 2L), most));
        return buffer;
    }

    /** First thing in {@link #finish}: a buffer that was never too small has asked nobody yet. */
    protected final void checkSize() {
        if (passed + size <= sizeLimit()) return;
        throw new DataException(Code.SIZE, "the document is larger than " + sizeLimit() + " bytes");
    }

    /** What the writer refuses to go beyond; whoever makes numbers into verbs asks for their limits here. */
    public abstract Limits limits();

    /** Bytes that the document may have. */
    protected abstract long sizeLimit();
}
