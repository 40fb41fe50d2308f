package kumihimo.tagged;

import kumihimo.format.HeaderWalk;

/**
 * Where documents end in a run of tagged ones, one behind the other. The first byte says which layout a document has.
 *
 * <pre>
 *   safe     c1 fe 54 c5 a1 61 c4 01 c6 c6         openings and ends add up
 *   study    01 96 44 87 02  0a 00 00 00 06 ...    a map ends with its names, another value with itself, or with
 *                                                  the names that the maps inside an array need
 * </pre>
 *
 * <p>Whether the document is valid is the reader's question.
 */
public final class TaggedBoundary extends HeaderWalk {
    /** What the document is, as far as it is known, and where in it the walk stands. */
    private enum In {
        UNKNOWN,
        SAFE,
        /** Of the layout study: the outermost map. */
        FIELDS,
        ARRAY,
        NAMES
    }

    private final TaggedHeader safe = new TaggedHeader();
    private final StudyHeader study = new StudyHeader();
    private In in = In.UNKNOWN;
    /** Open containers. */
    private long depth;
    /** Of the layout study: bytes of the outermost array that no header has been seen of. */
    private long inside;
    /** Of the layout study: there is a field, so names follow. */
    private boolean named;

    public TaggedBoundary() {
        super(Math.max(TaggedHeader.LONGEST, StudyHeader.LONGEST));
    }

    @Override
    protected void restart() {
        in = In.UNKNOWN;
        depth = inside = 0;
        named = false;
    }

    @Override
    protected int step(byte[] data, int from, int to) {
        if (in == In.UNKNOWN && data[from] == TaggedHeader.mark(0)) {
            // A wrong mark is the reader's matter; where it ends the document ends.
            for (int i = 0; i < 3; i++) {
                if (from + i == to) return 0;
                if (data[from + i] != TaggedHeader.mark(i)) {
                    done = true;
                    return i;
                }
            }
            in = In.SAFE;
            return 3;
        }
        return in == In.SAFE ? stepSafe(data, from, to) : stepStudy(data, from, to);
    }

    private int stepSafe(byte[] data, int from, int to) {
        safe.read(data, from, to);
        switch (safe.kind) {
            case CUT:
                return 0;
            case ARRAY:
            case MAP:
                depth++;
                break;
            case KEY:
                break;
            case END:
                if (depth != 0) depth--;
                done = depth == 0;
                break;
            default:
                done = depth == 0;
        }
        payload = safe.payload;
        return safe.size;
    }

    private int stepStudy(byte[] data, int from, int to) {
        study.read(data, from, to);
        if (study.kind == StudyHeader.Kind.CUT) return 0;
        if (study.kind == StudyHeader.Kind.RESERVED) {
            done = true;
            return study.size;
        }
        payload = study.payload;
        boolean list = study.type() == StudyHeader.ARRAY;
        switch (in) {
            case UNKNOWN:
                if (study.tag >>> 8 != 0) in = In.FIELDS;
                else if (list) enterArray();
                else done = true;
                break;
            case ARRAY:
                element(list);
                break;
            default:
                done = study.tag == StudyHeader.TABLE || in == In.NAMES;
        }
        return study.size;
    }

    private void enterArray() {
        in = In.ARRAY;
        inside = payload;
        payload = 0;
        if (inside == 0) leaveArray();
    }

    private void element(boolean list) {
        inside -= Math.min(inside, study.size);
        if (list) {
            payload = 0;
        } else {
            if (study.type() == StudyHeader.MESSAGE && study.payload != 0) {
                named = true;
                payload = inside; // what else there is does not matter
            }
            payload = Math.min(payload, inside);
            inside -= payload;
        }
        if (inside == 0) leaveArray();
    }

    private void leaveArray() {
        in = In.NAMES;
        done = !named;
    }
}
