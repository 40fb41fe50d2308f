package kumihimo;

import java.util.Locale;
import kumihimo.path.JsonProjection;
import kumihimo.path.Level;
import kumihimo.path.Projection;

/** tests/vectors/project: what paths find in a JSON document, by each level. */
final class ProjectVectors {
    private ProjectVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        if (!areas.want("project")) return;
        for (String in : vectors.files("project", ".in")) {
            String stem = in.substring(0, in.length() - ".in".length());
            byte[] document = vectors.load(in);
            Projection what = Projection.of(vectors.lines(stem + ".paths").toArray(new String[0]));
            for (Level level : Level.values()) {
                String name = "." + level.name().toLowerCase(Locale.ROOT);
                one(vectors, stem + name, "rfc8259", what, level, document);
                for (String dialect : Formats.named("json").readDialects()) {
                    one(vectors, stem + name + "." + dialect, dialect, what, level, document);
                }
            }
        }
    }

    private static void one(Vectors vectors, String stem, String dialect, Projection what, Level level,
            byte[] document) {
        boolean found = vectors.exists(stem + ".found");
        boolean refused = vectors.exists(stem + ".error");
        boolean named = stem.endsWith("." + dialect);
        if (named && !found && !refused) return;
        vectors.check(stem + (found ? ".found" : refused ? ".error" : " whole"), () -> {
            JsonProjection projector = new JsonProjection(what, level, dialect);
            try {
                projector.run(document);
            } catch (DataException e) {
                if (found) throw e;
                DataException placed = DocumentVectors.placed(Formats.named("json"), dialect, document, e);
                if (refused) Vectors.equal(Vectors.said(placed), vectors.text(stem + ".error"), "the error");
                return;
            }
            if (refused) throw new Vectors.Difference("it is taken, but must be refused");
            String lines = found(projector, what, document);
            if (found) Vectors.equal(lines, vectors.text(stem + ".found"), "what is found");
        });
    }

    /** What a projector found, as a .found file says it. */
    private static String found(JsonProjection projector, Projection what, byte[] document) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < what.size(); i++) {
            int count = projector.count(i);
            if (what.wild(i)) lines.append("each ").append(count).append('\n');
            for (int k = 0; k < count; k++) {
                int offset = projector.offset(i, k);
                int length = projector.length(i, k);
                if (length == 0) {
                    lines.append("absent\n");
                    continue;
                }
                if (offset < 0 || length < 0 || offset > document.length - length) {
                    throw new Vectors.Difference("it found what is not in the document");
                }
                lines.append(offset).append(' ').append(length).append('\n');
            }
        }
        return lines.toString();
    }
}
