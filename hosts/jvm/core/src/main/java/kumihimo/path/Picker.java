package kumihimo.path;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import kumihimo.Kind;
import kumihimo.tape.Cursor;

/**
 * A few values off a tape, by a path: projection for formats whose values cannot be read alone, and the same answers
 * as {@link Partial} gives.
 */
public final class Picker {
    private Picker() {}

    /**
     * The places that the path leads to: of a path without [*] one, which may not exist; else one for each element of
     * the arrays that its last [*] walks, in the document's order.
     */
    public static List<Cursor> pick(Cursor from, Path path) {
        List<Cursor> found = new ArrayList<>();
        int behindEach = path.behindEach();
        Cursor at = follow(from, path, 0);
        if (behindEach == 0) {
            found.add(at);
            return found;
        }
        Deque<Walk> walks = new ArrayDeque<>();
        walks.push(new Walk(at, path, 0));
        while (!walks.isEmpty()) {
            Walk walk = walks.peek();
            if (!walk.elements.hasNext()) {
                walks.pop();
                continue;
            }
            at = follow(walk.elements.next(), path, walk.step + 1);
            if (walk.step + 1 == behindEach) found.add(at);
            else walks.push(new Walk(at, path, walk.step + 1));
        }
        return found;
    }

    /** An array that a [*] walks, or another value, which has no elements. */
    private static final class Walk {
        final Iterator<Cursor> elements;
        /** The number of the [*]. */
        final int step;

        Walk(Cursor at, Path path, int from) {
            int step = from;
            while (path.step(step).kind() != Step.Kind.EACH) step++;
            this.step = step;
            elements = at.kind() == Kind.ARRAY ? at.iterator() : java.util.Collections.emptyIterator();
        }
    }

    /** To the next [*], or to the path's end. */
    private static Cursor follow(Cursor from, Path path, int step) {
        Cursor at = from;
        for (int i = step; i < path.size() && path.step(i).kind() != Step.Kind.EACH; i++) {
            at = follow(at, path.step(i));
        }
        return at;
    }

    private static Cursor follow(Cursor from, Step by) {
        boolean keyed = by.kind() == Step.Kind.KEY || by.kind() == Step.Kind.EITHER && from.kind() == Kind.MAP;
        if (keyed) return from.get(by.key());
        boolean possible = by.index() >= 0 && by.index() <= Integer.MAX_VALUE;
        return from.get(possible ? (int) by.index() : -1);
    }
}
