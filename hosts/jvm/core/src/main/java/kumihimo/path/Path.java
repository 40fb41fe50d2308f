package kumihimo.path;

import java.util.List;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.PathText;
import kumihimo.Utf8;

/**
 * A path into a document, as users write it. Two notations; the first byte decides:
 *
 * <pre>
 *   JSON Pointer (RFC 6901)   /trades/0/price   /a~1b
 *       A token of digits means the member of that name in a map and the element of that number in an array.
 *   dotted                    last_price.price   asks[0][1]   trades[*].price   $.a.b
 *       [3] is an element, [*] every element, ["a.b"] or "a.b" a member whose name has . [ ] " or nothing in it
 *       (JSON's escapes apply, ['a.b'] works too). Bare names are taken as they are, blanks included.
 * </pre>
 *
 * <p>Nothing at all, and $, are the whole document. Immutable.
 */
public final class Path {
    private final Step[] steps;

    Path(List<Step> steps) {
        this.steps = steps.toArray(new Step[0]);
    }

    /**
     * Reads one path.
     *
     * @throws DataException {@link Code#SYNTAX}, {@link Code#ENCODING} for half a surrogate pair; the offset counts
     *     bytes of the path's UTF-8
     */
    public static Path parse(String text) {
        byte[] utf8;
        try {
            utf8 = Utf8.bytes(text);
        } catch (DataException e) {
            throw new DataException(Code.ENCODING, "a path is not valid Unicode", 0);
        }
        return new PathParser(utf8).parse();
    }

    /** Reads one path that is UTF-8; errors as in {@link #parse(String)}. */
    public static Path parse(byte[] utf8) {
        try {
            Utf8.string(utf8, 0, utf8.length, false);
        } catch (DataException e) {
            throw new DataException(Code.ENCODING, "a path is not valid UTF-8", 0);
        }
        return new PathParser(utf8).parse();
    }

    /** How many steps there are; 0: the path is the whole document. */
    public int size() {
        return steps.length;
    }

    public Step step(int i) {
        return steps[i];
    }

    /** Whether some step is [*], so that the path leads to a list of values. */
    public boolean wild() {
        return behindEach() != 0;
    }

    /** The number of the first step behind the last [*], or 0 where there is none. */
    public int behindEach() {
        int n = steps.length;
        while (n != 0 && steps[n - 1].kind() != Step.Kind.EACH) n--;
        return n;
    }

    /** In dotted notation, as errors spell it; {@link #parse} reads it back (EITHER prints as its key). */
    @Override
    public String toString() {
        PathText out = new PathText();
        for (Step step : steps) {
            if (step.kind() == Step.Kind.EACH) out.each();
            else if (step.kind() == Step.Kind.INDEX) out.index(step.index());
            else out.key(step.key());
        }
        return out.whole();
    }
}
