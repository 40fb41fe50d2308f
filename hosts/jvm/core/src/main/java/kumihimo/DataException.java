package kumihimo;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.function.Supplier;

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
    private long offset;
    private long line;
    private long column;
    private String path;
    /** Finds the place, when it is first asked for; null where it is known. */
    private transient Supplier<DataException> finder;

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
        super(reason, cause);
        this.code = code;
        this.reason = reason;
        this.offset = offset;
        this.line = line;
        this.column = column;
        this.path = path;
    }

    /** The same error at a byte of the document: of a sink, which knows none. */
    public DataException atByte(long offset) {
        find();
        return copied(offset, line, column, path);
    }

    /** The same error with its place in words that a user can follow. Line and column are -1 in binary formats. */
    public DataException at(long line, long column, String path) {
        find();
        return copied(offset, line, column, path);
    }

    /**
     * The same error, whose place is looked for when somebody asks for it: for who goes on after errors, since finding
     * a place takes time that grows with the document.
     *
     * @param find gives the error with its place; it is called once at most, and holds what it needs until then
     */
    public DataException at(Supplier<DataException> find) {
        // Now: where the error is a cause, the JDK prints the frames it has, and asks for none.
        DataException placed = copied(offset, line, column, path);
        placed.finder = find;
        return placed;
    }

    private DataException copied(long offset, long line, long column, String path) {
        DataException placed = new DataException(code, reason, offset, line, column, path, getCause());
        placed.setStackTrace(getStackTrace());
        return placed;
    }

    private synchronized void find() {
        if (finder == null) return;
        Supplier<DataException> last = finder;
        finder = null;
        DataException found;
        try {
            found = last.get();
        } catch (RuntimeException changed) { // the document is no longer what it was
            return;
        }
        offset = found.offset();
        line = found.line();
        column = found.column();
        path = found.path();
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        find();
        out.defaultWriteObject();
    }

    @Override
    public String getMessage() {
        find();
        return sentence(reason, offset, line, column, path);
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
        find();
        return offset;
    }

    /** Counted from 1, or -1 where the format has no lines. */
    public long line() {
        find();
        return line;
    }

    /** Bytes, counted from 1, or -1 where the format has no lines. */
    public long column() {
        find();
        return column;
    }

    /** The value at hand, {@code $.asks[0][1]}, or null where it is not known. */
    public String path() {
        find();
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
