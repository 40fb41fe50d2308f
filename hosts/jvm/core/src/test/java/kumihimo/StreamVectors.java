package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.IOException;

/** tests/vectors/streams: where the documents of a stream end, in pieces of any size. */
final class StreamVectors {
    private static final int[] PIECES = {Integer.MAX_VALUE, 1, 2, 3, 64, 100};

    private StreamVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        for (Format format : Formats.all()) {
            if (!areas.want("streams/" + format.name())) continue;
            for (String in : vectors.files("streams/" + format.name(), ".in")) {
                vectors.check(in, () -> {
                    for (int piece : PIECES) stream(vectors, format, in, piece);
                });
            }
        }
    }

    private static void stream(Vectors vectors, Format format, String in, int piece) throws IOException {
        StringBuilder traces = new StringBuilder();
        StringBuilder ends = new StringBuilder();
        String error = "ok\n";
        String start = "";
        Documents documents = new Documents(new Pieces(vectors.load(in), piece), format, Limits.DEFAULT);
        Reader reader = format.reader("", Limits.DEFAULT);
        while (documents.next()) {
            byte[] document = java.util.Arrays.copyOfRange(documents.data(), documents.from(), documents.to());
            Trace trace = new Trace(false);
            try {
                reader.reset(documents.data(), documents.from(), documents.to()).feed(trace);
                reader.finish();
            } catch (DataException e) {
                error = Vectors.said(DocumentVectors.placed(format, "", document, e));
                start = documents.start() + "\n";
                break;
            }
            traces.append(trace.finish());
            ends.append(documents.end()).append('\n');
        }
        String how = " in pieces of " + piece;
        Vectors.equal(traces.toString(), vectors.text(Vectors.beside(in, ".trace")), "the traces" + how);
        Vectors.equal(ends.toString(), vectors.text(Vectors.beside(in, ".ends")), "the ends" + how);
        if (Vectors.expectation(in).equals("ok")) {
            Vectors.equal(error, "ok\n", "the error" + how);
        } else {
            Vectors.equal(error, vectors.text(Vectors.beside(in, ".error")), "the error" + how);
            Vectors.equal(start, vectors.text(Vectors.beside(in, ".start")), "the refused one's start" + how);
        }
    }

    /** A stream that gives so many bytes at a time. */
    static final class Pieces extends ByteArrayInputStream {
        private final int piece;

        Pieces(byte[] data, int piece) {
            super(data);
            this.piece = piece;
        }

        @Override
        public synchronized int read(byte[] to, int at, int length) {
            return super.read(to, at, Math.min(length, piece));
        }
    }
}
