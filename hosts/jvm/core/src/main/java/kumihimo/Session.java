package kumihimo;

import kumihimo.path.Partial;
import kumihimo.path.Projection;
import kumihimo.plain.Plain;

/**
 * What the calls of {@link Kumihimo} need, kept for each thread: a reader, a writer, and what walks and builds
 * values, each for the options that were used last.
 */
final class Session implements AutoCloseable {
    /** A writer of a document that was larger is not kept. */
    private static final int KEPT = 4 << 20;
    private static final byte[] NOTHING = {};
    private static final ThreadLocal<Session> OF_THREAD = ThreadLocal.withInitial(Session::new);

    private boolean busy;
    private Plain plain;

    private Format readFormat;
    private Options readOptions;
    private Reader reader;

    private Format writeFormat;
    private Options writeOptions;
    private Writer writer;

    private Options partialOptions;
    private Format partialFormat;
    private Partial partial;

    private Session() {}

    /** The thread's own; another one where that is at work: a value's own code may call here, too. */
    static Session open() {
        Session session = OF_THREAD.get();
        if (session.busy) session = new Session();
        session.busy = true;
        return session;
    }

    @Override
    public void close() {
        if (reader != null) reader.reset(NOTHING, 0, 0);
        if (writer != null && writer.size() > KEPT) writer = null;
        busy = false;
    }

    Plain plain(Options by) {
        if (plain == null || plain.options() != by) plain = new Plain(by);
        return plain;
    }

    Reader reader(Format format, Options by) {
        if (reader == null || readFormat != format || readOptions != by) {
            reader = null;
            reader = format.reader(by.readDialect(), by.limits());
            readFormat = format;
            readOptions = by;
        }
        return reader;
    }

    Writer writer(Format format, Options by) {
        if (writer == null || writeFormat != format || writeOptions != by) {
            writer = null;
            writer = format.writer(by.writeDialect(), by.limits());
            writeFormat = format;
            writeOptions = by;
        }
        return writer.reset();
    }

    Partial partial(Format format, Options by, Projection what) {
        if (partial == null || partial.projection() != what || partialFormat != format || partialOptions != by) {
            partial = null;
            partial = new Partial(format, by.readDialect(), by.limits(), by.level(), what);
            partialFormat = format;
            partialOptions = by;
        }
        return partial;
    }
}
