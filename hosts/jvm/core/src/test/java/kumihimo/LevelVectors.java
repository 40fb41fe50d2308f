package kumihimo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import kumihimo.path.Level;
import kumihimo.path.Partial;
import kumihimo.path.Projection;

/** tests/vectors/levels: what paths find in documents of the binary formats, by each level. */
final class LevelVectors {
    private LevelVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        for (Format format : Formats.all()) {
            String folder = "levels/" + format.name();
            if (format.isText() || !areas.want(folder)) continue;
            for (String in : vectors.files(folder, ".in")) {
                String stem = in.substring(0, in.length() - ".in".length());
                byte[] document = vectors.load(in);
                Projection what = Projection.of(vectors.lines(stem + ".paths").toArray(new String[0]));
                for (Level level : Level.values()) {
                    one(vectors, stem + "." + level.name().toLowerCase(Locale.ROOT), format, what, level, document);
                }
            }
        }
    }

    private static void one(Vectors vectors, String stem, Format format, Projection what, Level level,
            byte[] document) {
        boolean found = vectors.exists(stem + ".found");
        boolean refused = vectors.exists(stem + ".error");
        vectors.check(stem + (found ? ".found" : refused ? ".error" : " whole"), () -> {
            Partial partial = new Partial(format, "", Limits.DEFAULT, level, what);
            String values;
            try {
                partial.run(document, 0, document.length);
                values = values(partial, what);
            } catch (DataException e) {
                if (found) throw e;
                DataException placed = DocumentVectors.placed(format, "", document, e);
                if (refused) Vectors.agree(Vectors.said(placed), vectors.text(stem + ".error"));
                return;
            }
            if (refused) throw new Vectors.Difference("it is taken, but must be refused");
            if (found) Vectors.equal(values, expected(format, vectors.lines(stem + ".found"), document), "what is found");
        });
    }

    private static String values(Partial partial, Projection what) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < what.size(); i++) {
            if (what.wild(i)) all.append("each ").append(partial.count(i)).append('\n');
            for (int k = 0; k < partial.count(i); k++) {
                Reader value = partial.value(i, k);
                if (value == null) {
                    all.append("absent\n");
                    continue;
                }
                Trace trace = new Trace(false);
                try {
                    value.feed(trace);
                } catch (DataException e) {
                    throw e.offset() < 0 ? e : e.atByte(e.offset() + partial.offset(i, k));
                }
                all.append(trace.finish());
            }
        }
        return all.toString();
    }

    /** The same out of the lines of a .found file: each value is a document. */
    private static String expected(Format format, List<String> lines, byte[] document) {
        StringBuilder all = new StringBuilder();
        for (String line : lines) {
            if (line.equals("absent") || line.startsWith("each ")) {
                all.append(line).append('\n');
                continue;
            }
            String[] place = line.split(" ");
            int offset = Integer.parseInt(place[0]);
            int length = Integer.parseInt(place[1]);
            all.append(DocumentVectors.feed(format, "", Arrays.copyOfRange(document, offset, offset + length)));
        }
        return all.toString();
    }
}
