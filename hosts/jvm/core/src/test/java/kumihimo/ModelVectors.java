package kumihimo;

import java.util.List;

/** tests/vectors/model: what each dialect writes for the verbs of a document; and the same documents converted. */
final class ModelVectors {
    private ModelVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        List<String> files = vectors.files("model", "");
        for (Format format : Formats.all()) {
            if (areas.want("model/" + format.name())) models(vectors, format, files);
            if (areas.want("convert/" + format.name())) conversions(vectors, format);
        }
    }

    private static void models(Vectors vectors, Format format, List<String> files) {
        for (String file : files) {
            // name.format.dialect, perhaps with .error or .counts behind it
            String[] parts = file.split("\\.", -1);
            if (file.endsWith(".trace") || !parts[1].equals(format.name())) continue;
            String ending = parts.length > 3 ? parts[3] : "";
            vectors.check(file, () -> {
                String trace = vectors.text(parts[0] + ".trace");
                byte[] written;
                try {
                    written = write(format, parts[2], trace);
                } catch (DataException e) {
                    if (!ending.equals("error")) throw e;
                    Vectors.equal(e.code().text() + "\n", vectors.text(file), "the code");
                    return;
                }
                if (ending.equals("error")) throw new Vectors.Difference("it is written, but must be refused");
                Vectors.equal(written, vectors.load(file), "what is written");
            });
        }
    }

    private static byte[] write(Format format, String dialect, String trace) {
        Writer writer = format.writer(dialect, Limits.DEFAULT);
        TraceFeed.document(trace, writer);
        writer.finish();
        byte[] first = writer.toByteArray();
        // Once more with all text as bytes, by a writer that is used again.
        writer.reset();
        TraceFeed.document(trace, new AsBytes(writer));
        writer.finish();
        Vectors.equal(writer.toByteArray(), first, "what is written from bytes");
        return first;
    }

    private static void conversions(Vectors vectors, Format source) {
        for (String model : vectors.files("model", ".trace")) {
            String stem = model.substring(0, model.length() - ".trace".length());
            String from = stem + "." + source.name() + "." + source.writeDialects().get(0);
            if (!vectors.exists(from)) continue;
            byte[] document = vectors.load(from);
            Trace plain = new Trace(false);
            TraceFeed.document(vectors.text(model), plain);
            String read;
            try {
                read = DocumentVectors.feed(source, source.readDialects().get(0), document);
            } catch (DataException e) {
                vectors.check(from + " read", () -> {
                    throw e;
                });
                continue;
            }
            if (!read.equals(plain.finish())) continue;
            for (Format target : Formats.all()) {
                for (String dialect : target.writeDialects()) {
                    String expected = stem + "." + target.name() + "." + dialect;
                    if (!vectors.exists(expected) && !vectors.exists(expected + ".error")) continue;
                    vectors.check(expected + " from " + source.name(), () -> {
                        Writer writer = target.writer(dialect, Limits.DEFAULT);
                        convert(vectors, source, document, writer, expected);
                    });
                }
            }
        }
    }

    private static void convert(Vectors vectors, Format source, byte[] document, Writer writer, String file) {
        try {
            Reader reader = source.reader("", Limits.DEFAULT).reset(document);
            reader.feed(writer);
            reader.finish();
            writer.finish();
        } catch (DataException e) {
            if (vectors.exists(file)) throw e;
            Vectors.equal(e.code().text() + "\n", vectors.text(file + ".error"), "the code");
            return;
        }
        if (!vectors.exists(file)) throw new Vectors.Difference("it is written, but must be refused");
        Vectors.equal(writer.toByteArray(), vectors.load(file), "what is written");
    }
}
