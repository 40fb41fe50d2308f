package kumihimo.path;

/**
 * Looks for the values that a set of paths leads to, in one document after the other. What it finds are offsets and
 * lengths, which count from the document's first byte and hold until the next run. For one thread.
 *
 * <p>A step that meets a value of another kind, or null, leads nowhere: its path is absent, or its list is empty. Of
 * a key that comes twice the last one counts (at the level trusted: any of them).
 */
abstract class Projector {
    final Projection what;
    final Plan plan;
    final Harvest harvest = new Harvest();

    Projector(Projection what) {
        this.what = what;
        plan = what.plan();
    }

    /**
     * Looks at one document, whose bytes are not kept.
     *
     * @throws kumihimo.DataException for the first fault of the document as the level strict sees it; its offset
     *     counts from {@code from}. What is found means nothing then
     */
    abstract void run(byte[] data, int from, int to);

    /** Lets go of the last document. */
    void forget() {}

    /** What is looked for. */
    final Projection projection() {
        return what;
    }

    /** How many values path i has: of a path without [*] one, which may be absent. */
    final int count(int i) {
        return harvest.count(i);
    }

    /** Where path i's value begins; of a path with [*] the first one's. */
    final int offset(int i) {
        return harvest.offset(i, 0);
    }

    /** How many bytes path i's value has, without white space around it; 0: it is absent. */
    final int length(int i) {
        return harvest.length(i, 0);
    }

    /**
     * Where value {@code element} of path i begins; elements are those of the arrays that the path's last [*] walks.
     */
    final int offset(int i, int element) {
        return harvest.offset(i, element);
    }

    /** How many bytes it has; 0: that element lacks the rest of the path. */
    final int length(int i, int element) {
        return harvest.length(i, element);
    }
}
