package kumihimo;

/**
 * What a call may leave behind for the next one of its thread: readers and writers, but neither a document nor the
 * memory that a large one took. Everything that keeps them (sessions, pools) asks here after each use:
 *
 * <pre>
 *   try {
 *       ... writer.finish(); ...
 *       done = true;
 *   } finally {
 *       writer = Kept.after(writer, done);            // null: the next call makes a new one
 *       reader = Kept.after(reader, document.length);
 *   }
 * </pre>
 */
public final class Kept {
    /** Bytes of a document, read or written: what has worked on a larger one is not kept. */
    public static final int MOST_BYTES = 4 << 20;

    private Kept() {}

    /**
     * Whether something that has worked on a document of so many bytes is kept; what it has grown to is at most some
     * multiple of them.
     */
    public static boolean allows(long documentBytes) {
        return documentBytes <= MOST_BYTES;
    }

    /** The reader without the document of so many bytes that it has read, or failed to; or null: it is not kept. */
    public static Reader after(Reader reader, long documentBytes) {
        if (reader == null || !allows(documentBytes)) return null;
        reader.release();
        return reader;
    }

    /**
     * The writer, whose document has been taken out of it, or null: it is not kept.
     *
     * @param finished whether its document became whole; of one that did not, nobody knows how large it has grown
     */
    public static Writer after(Writer writer, boolean finished) {
        return writer != null && finished && allows(writer.size()) ? writer : null;
    }
}
