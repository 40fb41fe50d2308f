package kumihimo.path;

import kumihimo.Limits;
import kumihimo.json.JsonReadDialect;

/** A projector of JSON for the tests of other packages, which look at places where {@link Partial} gives values. */
public final class JsonProjection {
    private final Projector projector;

    public JsonProjection(Projection what, Level level, String dialect) {
        projector = new JsonProjector(what, level, JsonReadDialect.parse(dialect), Limits.DEFAULT);
    }

    public void run(byte[] document) {
        projector.run(document, 0, document.length);
    }

    public int count(int path) {
        return projector.count(path);
    }

    public int offset(int path, int element) {
        return projector.offset(path, element);
    }

    public int length(int path, int element) {
        return projector.length(path, element);
    }
}
