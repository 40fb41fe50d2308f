package kumihimo;

import java.lang.ref.SoftReference;
import kumihimo.path.Partial;
import kumihimo.path.Projection;
import kumihimo.plain.Plain;

/**
 * What the calls of {@link Kumihimo} need, kept for each thread as long as there is memory: readers, writers, and what
 * walks and builds values, for the options that were used last. {@link Kept} says what stays of a call: never its
 * document, nor a function of the options.
 */
final class Session implements AutoCloseable {
    private static final ThreadLocal<SoftReference<Session>> OF_THREAD = new ThreadLocal<>();

    private final Recent<Reader> readers = new Recent<>(Options::readsAs);
    private final Recent<Writer> writers = new Recent<>(Options::writesAs);
    private final Recent<Partial> partials = new Recent<>(Options::looksAs);
    private final Recent<Plain> plains = new Recent<>(Options::bindsAs);

    private boolean busy;

    /** What is in use, and how large the document is that it reads. */
    private Reader reader;
    private Partial partial;
    private long documentBytes;
    private Writer writer;
    private boolean finished;
    /** The one in use that belongs to its options, since it holds a function of theirs. */
    private Plain owned;

    private Session() {}

    /** The thread's own; another one where that is at work: a value's own code may call here, too. */
    static Session open() {
        SoftReference<Session> known = OF_THREAD.get();
        Session session = known == null ? null : known.get();
        if (session == null) {
            session = new Session();
            OF_THREAD.set(new SoftReference<>(session));
        } else if (session.busy) {
            session = new Session();
        }
        session.busy = true;
        return session;
    }

    @Override
    public void close() {
        if (reader != null && Kept.after(reader, documentBytes) == null) readers.drop();
        if (writer != null && Kept.after(writer, finished) == null) writers.drop();
        if (partial != null) {
            if (Kept.allows(documentBytes)) partial.forget();
            else partials.drop();
        }
        if (owned != null) owned.options().give(owned);
        reader = null;
        writer = null;
        partial = null;
        owned = null;
        busy = false;
    }

    /** What reads and writes values by these options. */
    Plain plain(Options by) {
        if (by.otherwise() != null) return owned(by);
        Plain plain = plains.find(null, by, null);
        if (plain == null) plains.add(null, by, null, plain = new Plain(by));
        return plain;
    }

    private Plain owned(Options by) {
        if (owned == null || owned.options() != by) {
            owned = by.take();
            if (owned == null) owned = new Plain(by);
        }
        return owned;
    }

    /** A reader of the document. */
    Reader reader(Format format, Options by, byte[] document) {
        reader = readers.find(format, by, null);
        if (reader == null) readers.add(format, by, null, reader = format.reader(by.readDialect(), by.limits()));
        documentBytes = document.length;
        return reader.reset(document);
    }

    /** A writer, at the beginning of a document; {@link #finish} ends it. */
    Writer writer(Format format, Options by) {
        writer = writers.find(format, by, null);
        if (writer == null) writers.add(format, by, null, writer = format.writer(by.writeDialect(), by.limits()));
        finished = false;
        return writer.reset();
    }

    /** The document of the writer is complete. */
    Writer finish() {
        writer.finish();
        finished = true;
        return writer;
    }

    /** The parts of the document that the projection leads to. */
    Partial partial(Format format, Options by, Projection what, byte[] document) {
        partial = partials.find(format, by, what);
        if (partial == null) {
            partial = new Partial(format, by.readDialect(), by.limits(), by.level(), what);
            partials.add(format, by, what, partial);
        }
        documentBytes = document.length;
        return partial.run(document, 0, document.length);
    }
}
