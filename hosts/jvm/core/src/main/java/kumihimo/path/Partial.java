package kumihimo.path;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Format;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.json.JsonReadDialect;
import kumihimo.tape.Cursor;
import kumihimo.tape.Recorder;
import kumihimo.tape.TapeReader;

/**
 * A few values out of documents of any format, each as a reader that a codec or a builder reads:
 *
 * <pre>
 *   Partial partial = new Partial(format, "", Limits.DEFAULT, Level.STRICT, Projection.of("last_price.price"));
 *   partial.run(document, 0, document.length);
 *   Reader price = partial.value(0);                          // null: absent
 * </pre>
 *
 * <p>One document at a time, and for one thread.
 */
public final class Partial {
    private final Format format;
    private final String dialect;
    private final Projection what;
    /** Null for a format whose values cannot be read alone: its documents are recorded. */
    private final Projector projector;
    private final Reader values;
    private final Recorder recorder;
    private static final byte[] NOTHING = {};

    /** Of values on a tape. */
    private TapeReader picked;

    private byte[] data;
    private int from;
    private List<List<Cursor>> places;

    /** @param dialect one of the format's read dialects, or "" for the default */
    public Partial(Format format, String dialect, Limits limits, Level level, Projection what) {
        this.format = format;
        this.dialect = dialect;
        this.what = what;
        boolean alone = format.valuesAreDocuments();
        projector = alone ? projector(format, dialect, limits, level, what) : null;
        values = alone ? format.reader(dialect, limits) : null;
        recorder = alone ? null : new Recorder(limits);
    }

    private static Projector projector(Format format, String dialect, Limits limits, Level level, Projection what) {
        if (format.name().equals("json")) {
            JsonReadDialect granted = JsonReadDialect.parse(dialect);
            if (granted.isPlain()) return new JsonProjector(what, level, granted, limits);
        }
        return new ReaderProjector(what, level, format.reader(dialect, limits));
    }

    /**
     * Looks at one document, whose bytes are held until the next.
     *
     * @throws kumihimo.DataException for a document that the level refuses, with the offset
     */
    public Partial run(byte[] data, int from, int to) {
        this.data = data;
        this.from = from;
        if (projector != null) {
            projector.run(data, from, to);
            values.beginParts();
            return this;
        }
        if (picked == null) picked = new TapeReader();
        picked.beginParts();
        Cursor root = recorder.record(format, dialect, data, from, to).root();
        places = new ArrayList<>();
        for (int i = 0; i < what.size(); i++) places.add(Picker.pick(root, what.path(i)));
        return this;
    }

    /** Lets go of the document, and of what was found in it. */
    public void forget() {
        data = NOTHING;
        places = null;
        picked = null;
        if (recorder != null) recorder.forget();
        if (projector != null) projector.forget();
        if (values != null) values.release();
    }

    /** What is looked for. */
    public Projection projection() {
        return what;
    }

    /** How many values path i has: of a path without [*] one, which may be absent. */
    public int count(int i) {
        return projector != null ? projector.count(i) : places.get(i).size();
    }

    /** A reader of path i's value, or null where it is absent; it is used again for the next value. */
    public Reader value(int i) {
        return value(i, 0);
    }

    /** A reader of value {@code element} of path i, or null where that element lacks the rest of the path. */
    public Reader value(int i, int element) {
        if (element >= count(i)) return null;
        if (projector == null) {
            Cursor place = places.get(i).get(element);
            if (!place.exists()) return null;
            return picked.reset(place);
        }
        int length = projector.length(i, element);
        if (length == 0) return null;
        int begin = from + projector.offset(i, element);
        return values.reset(data, begin, begin + length);
    }

    /** What is added to the offsets of a failure of path i's value, so that they count in the document. */
    public int offset(int i, int element) {
        return projector == null ? 0 : projector.offset(i, element);
    }
}
