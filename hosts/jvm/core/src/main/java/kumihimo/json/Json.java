package kumihimo.json;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Boundary;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;
import kumihimo.format.FormatRow;

/** JSON's row of the table of formats. */
public final class Json extends FormatRow {
    private static final List<String> MEDIA_TYPES = List.of("application/json", "text/json");
    private static final List<String> ENDINGS = List.of(".json", ".ndjson", ".jsonl");
    /** Begins a value, or a comment. */
    private static final String FIRST = "{[\"-0123456789tfnNI/";

    public Json() {
        super("json", true, MEDIA_TYPES, ENDINGS);
    }

    /**
     * JSON has no mark of its own: a value begins with one of a few bytes, behind a byte order mark and white space.
     */
    @Override
    public Likeness resembles(byte[] data, int from, int to) {
        int at = JsonEnds.space(data, JsonBytes.hasMark(data, from, to) ? from + 3 : from, to);
        if (at == to) return at == from ? Likeness.NONE : Likeness.POSSIBLE;
        return FIRST.indexOf(data[at]) >= 0 ? Likeness.POSSIBLE : Likeness.NONE;
    }

    @Override
    public List<String> readDialects() {
        return new ArrayList<>(JsonReadDialect.named().keySet());
    }

    @Override
    public List<String> writeDialects() {
        return new ArrayList<>(JsonDialect.named().keySet());
    }

    /** Dialects without a name too, as {@link JsonReadDialect#parse} has them. */
    @Override
    public Reader reader(String dialect, Limits limits) {
        return new JsonReader(JsonReadDialect.parse(dialect), limits);
    }

    /** Dialects without a name too, as {@link JsonDialect#parse} has them. */
    @Override
    public Writer writer(String dialect, Limits limits) {
        return new JsonWriter(JsonDialect.parse(dialect), limits);
    }

    @Override
    public Boundary boundary(Limits limits) {
        return new JsonBoundary();
    }

    @Override
    protected DataException place(byte[] data, int from, int to, DataException failure) {
        return JsonDiagnosis.locate(data, from, to, failure);
    }
}
