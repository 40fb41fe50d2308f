package kumihimo;

/**
 * What was wrong with a document or a value, and where.
 *
 * <p>Readers throw it with the code, the sentence and the offset. The calls of {@link Kumihimo} read the document a
 * second time to find line, column and path before they pass it on ({@link #at}). No value of the document is in the
 * message beyond 40 characters; the path, which has keys, is cut to 200 bytes.
 */
public final class DataException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Code code;
    private final String reason;
    private final long offset;
    private final long line;
    private final long column;
    private final String path;

    /** An error at no place of a document. */
    public DataException(Code code, String reason) {
        this(code, reason, -1, -1, -1, null, null);
    }

    /** An error at a byte of the document, counted from 0. */
    public DataException(Code code, String reason, long offset) {
        this(code, reason, offset, -1, -1, null, null);
    }

    /**
     * An error at no place of a document, that another one has caused: of the program's own code, {@link Code#HOST}.
     */
    public DataException(Code code, String reason, Throwable cause) {
        this(code, reason, -1, -1, -1, null, cause);
    }

    private DataException(Code code, String reason, long offset, long line, long column, String path,
            Throwable cause) {
        super(sentence(reason, offset, line, column, path), cause);
        this.code = code;
        this.reason = reason;
        this.offset = offset;
        this.line = line;
        this.column = column;
        this.path = path;
    }

    /** The same error at a byte of the document: of a sink, which knows none. */
    public DataException atByte(long offset) {
        DataException placed = new DataException(code, reason, offset, line, column, path, getCause());
        placed.setStackTrace(getStackTrace());
        return placed;
    }

    /** The same error with its place in words that a user can follow. Line and column are -1 in binary formats. */
    public DataException at(long line, long column, String path) {
        DataException placed = new DataException(code, reason, offset, line, column, path, getCause());
        placed.setStackTrace(getStackTrace());
        return placed;
    }

    public Code code() {
        return code;
    }

    /** The message without its place. */
    public String reason() {
        return reason;
    }

    /** Bytes from the document's first, or -1 where there is no place. */
    public long offset() {
        return offset;
    }

    /** Counted from 1, or -1 where the format has no lines. */
    public long line() {
        return line;
    }

    /** Bytes, counted from 1, or -1 where the format has no lines. */
    public long column() {
        return column;
    }

    /** The value at hand, {@code $.asks[0][1]}, or null where it is not known. */
    public String path() {
        return path;
    }

    private static String sentence(String reason, long offset, long line, long column, String path) {
        StringBuilder out = new StringBuilder(reason);
        if (offset >= 0) {
            out.append(" at byte ").append(offset);
            if (line > 0) out.append(" (line ").append(line).append(", column ").append(column).append(')');
        }
        if (path != null) out.append(", at ").append(path);
        return out.toString();
    }
}
