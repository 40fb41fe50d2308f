package kumihimo;

import java.util.Arrays;

/**
 * tests/vectors/&lt;format&gt; and read: what a document means by each dialect, in each of the ways that a reader
 * has.
 */
final class DocumentVectors {
    private static final byte[] BEFORE = {'"', '{', (byte) 0x81};
    private static final byte[] BEHIND = {'"', '0', '}', ']', (byte) 0xff, '1', 'e', '5'};

    private DocumentVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        for (Format format : Formats.all()) {
            if (areas.want(format.name())) documents(vectors, format);
            if (areas.want("read/" + format.name())) dialects(vectors, format);
        }
    }

    private static void documents(Vectors vectors, Format format) {
        for (String in : vectors.files(format.name(), ".in")) {
            vectors.check(in, () -> {
                byte[] document = vectors.load(in);
                String dialect = format.readDialects().get(0);
                switch (Vectors.expectation(in)) {
                    case "ok":
                        accepted(format, dialect, document, vectors.text(Vectors.beside(in, ".trace")));
                        cut(format, dialect, document);
                        return;
                    case "err": {
                        String error = vectors.text(Vectors.beside(in, ".error"));
                        DataException e = refused(format, dialect, document, error);
                        String place = Vectors.beside(in, ".place");
                        if (vectors.exists(place)) {
                            Vectors.equal(e.line() + " " + e.column() + "\n", vectors.text(place), "line and column");
                        }
                        return;
                    }
                    default:
                        try {
                            pull(format, dialect, document);
                        } catch (DataException e) {
                            refused(format, dialect, document, Vectors.said(placed(format, dialect, document, e)));
                        }
                }
            });
        }
    }

    private static void dialects(Vectors vectors, Format format) {
        for (String in : vectors.files("read/" + format.name(), ".in")) {
            byte[] document = vectors.load(in);
            String stem = in.substring(0, in.length() - 2);
            for (String file : vectors.files("read/" + format.name(), "")) {
                if (!file.startsWith(stem) || file.equals(in)) continue;
                String dialect = file.substring(stem.length(), file.lastIndexOf('.'));
                vectors.check(file, () -> {
                    if (file.endsWith(".trace")) accepted(format, dialect, document, vectors.text(file));
                    else refused(format, dialect, document, vectors.text(file));
                });
            }
        }
    }

    /** The document is read as these lines: pushed, pulled, passed over, and out of the middle of an array. */
    private static void accepted(Format format, String dialect, byte[] document, String lines) {
        Vectors.equal(feed(format, dialect, document), lines, "the trace");
        try {
            Vectors.equal(pull(format, dialect, document), lines, "the trace, pulled");
        } catch (DataException e) {
            // Bytes that are no text have no String, and so cannot be pulled.
            if (e.code() != Code.ENCODING || !lines.contains("\\x")) throw e;
        }
        Reader reader = format.reader(dialect, Limits.DEFAULT);
        reader.reset(document).skip();
        reader.finish();
        if (reader.consumed() > document.length) throw new Vectors.Difference("more was read than there is");
        byte[] inside = inside(document);
        Trace trace = new Trace(false);
        reader.reset(inside, BEFORE.length, BEFORE.length + document.length).feed(trace);
        reader.finish();
        Vectors.equal(trace.finish(), lines, "the trace, out of the middle of an array");
    }

    private static byte[] inside(byte[] document) {
        byte[] inside = Arrays.copyOf(BEFORE, BEFORE.length + document.length + BEHIND.length);
        System.arraycopy(document, 0, inside, BEFORE.length, document.length);
        System.arraycopy(BEHIND, 0, inside, BEFORE.length + document.length, BEHIND.length);
        return inside;
    }

    static String feed(Format format, String dialect, byte[] document) {
        Reader reader = format.reader(dialect, Limits.DEFAULT).reset(document);
        Trace trace = new Trace(false);
        reader.feed(trace);
        reader.finish();
        return trace.finish();
    }

    /** As {@link #feed}, by the calls for one value. */
    private static String pull(Format format, String dialect, byte[] document) {
        Reader reader = format.reader(dialect, Limits.DEFAULT).reset(document);
        Trace trace = new Trace(false);
        Feed.value(reader, trace);
        reader.finish();
        return trace.finish();
    }

    /** The document is refused so, whichever way it is read. */
    private static DataException refused(Format format, String dialect, byte[] document, String expected) {
        DataException first = null;
        byte[] inside = inside(document);
        for (String way : new String[] {"feed", "pull", "skip", "inside"}) {
            Reader reader = format.reader(dialect, Limits.DEFAULT);
            try {
                if (way.equals("inside")) reader.reset(inside, BEFORE.length, BEFORE.length + document.length);
                else reader.reset(document);
                if (way.equals("feed")) reader.feed(new Trace(false));
                else if (way.equals("skip")) reader.skip();
                else Feed.value(reader, new Trace(false));
                reader.finish();
            } catch (DataException e) {
                DataException placed = placed(format, dialect, document, e);
                try {
                    Vectors.agree(Vectors.said(placed), expected);
                } catch (Vectors.Difference d) {
                    throw new Vectors.Difference(way + " " + d.getMessage());
                }
                if (first == null) first = placed;
                continue;
            }
            throw new Vectors.Difference(way + " takes the document, which must be refused: " + expected.trim());
        }
        return first;
    }

    /** A document that the end cuts is refused as cut, or as broken text where the cut leaves half a character. */
    private static void cut(Format format, String dialect, byte[] document) {
        Reader reader = format.reader(dialect, Limits.DEFAULT);
        for (int n = 0; n < document.length; n++) {
            byte[] left = Arrays.copyOf(document, n);
            try {
                reader.reset(left).skip();
                reader.finish();
                if (!format.isText()) throw new Vectors.Difference("cut to " + n + " bytes it is taken");
            } catch (DataException e) {
                boolean half = format.isText() && e.code() == Code.ENCODING;
                if (e.code() != Code.TRUNCATED && !half) {
                    throw new Vectors.Difference("cut to " + n + " bytes it is refused as " + Vectors.said(e).trim());
                }
            }
        }
    }

    /** The failure with the line, the column and the path that a user is told. */
    static DataException placed(Format format, String dialect, byte[] document, DataException e) {
        return format.locate(document, 0, document.length, e);
    }
}
