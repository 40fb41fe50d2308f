package kumihimo.path;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.json.JsonEnds;
import kumihimo.json.JsonReadDialect;
import kumihimo.json.JsonReader;

/**
 * A few values out of JSON documents, without reading the rest:
 *
 * <pre>
 *   JsonProjector p = new JsonProjector(Projection.of("last_price.price", "trades[*].price"));
 *   p.run(document, 0, document.length);
 *   int offset = p.offset(0), length = p.length(0);          // of the value in the document; length 0: absent
 * </pre>
 *
 * <p>Keys with escapes are known at every level, and a valid document gives the same at every level.
 */
final class JsonProjector extends Projector {
    private final Level level;
    private final JsonReadDialect granted;
    private final Limits limits;
    private final JsonWalk walk;
    private final JsonStructure structure;
    private final JsonHurry hurry;

    /** At the level strict, by RFC 8259. */
    JsonProjector(Projection what) {
        this(what, Level.STRICT, JsonReadDialect.RFC8259, Limits.DEFAULT);
    }

    /**
     * @param granted two answers of it count, both at the level strict only: overflows, and duplicates where it says
     *     error
     */
    JsonProjector(Projection what, Level level, JsonReadDialect granted, Limits limits) {
        super(what);
        this.level = level;
        this.granted = granted;
        this.limits = limits;
        walk = new JsonWalk(plan, harvest);
        structure = new JsonStructure(walk);
        hurry = new JsonHurry(walk);
    }

    @Override
    void run(byte[] data, int from, int to) {
        java.util.Objects.checkFromToIndex(from, to, data.length);
        if (to - from > limits.size()) throw new DataException(Code.SIZE, "the document is larger than the limit", 0);
        boolean valid = find(data, from, to);
        if (level == Level.STRICT && mustBeRead(valid)) read(granted, data, from, to);
        if (valid) return;
        read(JsonReadDialect.RFC8259, data, from, to);
        throw new DataException(Code.SYNTAX, "the document was refused, but reads well: please report this defect", 0);
    }

    private boolean find(byte[] data, int from, int to) {
        harvest.begin(plan, from);
        walk.skip().clearOverflow();
        int p = JsonEnds.space(data, from, to);
        if (p == to) return false;
        Plan.State root = plan.states[0];
        boolean object = data[p] == '{';
        boolean exactly = root.ends.length != 0 || !object && (data[p] != '[' || root.wantsElements());
        Plan.State members = object ? root : Plan.NOTHING;
        if (level == Level.TRUSTED && !exactly) return hurry.run(members, data, p, to, limits.depth());
        int end = walk.value(0, data, p, to, limits.depth());
        if (end != JsonEnds.NONE && JsonEnds.space(data, end, to) == to) return true;
        if (level != Level.STRUCTURAL || exactly) return false;
        // The exact walk is the faster one where it takes the document, as it knows what to expect.
        harvest.begin(plan, from);
        return structure.run(members, data, p, to, limits.depth());
    }

    /**
     * What the walk does not know is the reader's to say, and then what else is wrong, too: the first fault is told.
     */
    private boolean mustBeRead(boolean valid) {
        boolean doublesOnly = granted.overflows() == JsonReadDialect.Overflows.REFUSE && !granted.decimalDigits();
        boolean unique = granted.duplicates() == JsonReadDialect.Duplicates.ERROR;
        return unique || doublesOnly && (!valid || walk.skip().mayOverflow());
    }

    private void read(JsonReadDialect by, byte[] data, int from, int to) {
        // Not kept: it would hold the document.
        JsonReader reader = new JsonReader(by, limits);
        reader.reset(data, from, to);
        reader.skip();
        reader.finish();
    }
}
