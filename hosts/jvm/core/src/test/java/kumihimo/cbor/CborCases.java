package kumihimo.cbor;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import kumihimo.Checks;
import kumihimo.DataException;
import kumihimo.Hex;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Trace;
import kumihimo.TraceFeed;

/** What CBOR's tests have in common: documents in hexadecimal, and values as traces. */
class CborCases {
    private final Checks checks = new Checks();

    final void report() {
        checks.report();
    }

    final void equal(Object got, Object wanted, String what) {
        checks.equal(what, got, wanted);
    }

    final void is(String got, String wanted) {
        equal(got, wanted, "got");
    }

    final void starts(String got, String wanted) {
        equal(got.substring(0, Math.min(got.length(), wanted.length())), wanted, "the beginning of " + cut(got));
    }

    final void ends(String got, String wanted) {
        equal(got.substring(Math.max(0, got.length() - wanted.length())), wanted, "the end of " + cut(got));
    }

    private static String cut(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "...";
    }

    static byte[] bytes(String hex) {
        return Hex.bytes(hex);
    }

    static String hex(byte[] data) {
        return Hex.hex(data);
    }

    static String hex(String text) {
        return hex(text.getBytes(StandardCharsets.UTF_8));
    }

    final String put(String lines) {
        return put(lines, "preferred");
    }

    /** The document of a trace, or its error's code. */
    final String put(String lines, String dialect) {
        return by(dialect, Limits.DEFAULT, w -> TraceFeed.document(lines + "\n", w));
    }

    /** The document that some verbs make. */
    static String by(String dialect, Limits limits, Consumer<CborWriter> verbs) {
        return by(CborDialect.parse(dialect), limits, verbs);
    }

    static String by(CborDialect dialect, Limits limits, Consumer<CborWriter> verbs) {
        CborWriter writer = new CborWriter(dialect, limits);
        try {
            verbs.accept(writer);
            writer.finish();
        } catch (DataException e) {
            return "error " + e.code().text();
        }
        return hex(writer.toByteArray());
    }

    final String get(String document) {
        return get(document, "standard_read");
    }

    final String get(String document, String dialect) {
        return get(document, dialect, Limits.DEFAULT.depth());
    }

    /** The trace of a document, or its error: code, offset, path. */
    final String get(String document, String dialect, int depth) {
        return get(document, CborReadDialect.parse(dialect), depth);
    }

    final String get(String document, CborReadDialect dialect, int depth) {
        byte[] data = bytes(document);
        Limits limits = Limits.DEFAULT.withDepth(depth);
        Reader reader = new CborReader(dialect, limits);
        Trace trace = new Trace(false);
        String fed = read(data, reader, () -> reader.feed(trace));
        String skipped = read(data, reader, reader::skip);
        equal(skipped, fed, "passing over " + cut(document));
        return fed.isEmpty() ? trace.finish().trim() : fed;
    }

    private static String read(byte[] data, Reader reader, Runnable way) {
        try {
            reader.reset(data);
            way.run();
            reader.finish();
            return "";
        } catch (DataException e) {
            DataException placed = new Cbor().locate(data, 0, data.length, e);
            return "error " + e.code().text() + " " + e.offset() + " " + placed.path();
        }
    }

    /** The document read by one dialect and written by another. */
    static String convert(String document, String from, String to) {
        return by(to, Limits.DEFAULT, w -> {
            Reader reader = new CborReader(CborReadDialect.parse(from), Limits.DEFAULT);
            reader.reset(bytes(document)).feed(w);
            reader.finish();
        });
    }
}
