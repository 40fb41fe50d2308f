package kumihimo.path;

import kumihimo.Code;
import kumihimo.DataException;

/**
 * A set of paths, compiled once for any number of documents; immutable. {@link Partial} looks for them
 * in documents of any format.
 */
public final class Projection {
    private final Path[] paths;
    private final Plan plan;

    private Projection(Path[] paths) {
        this.paths = paths;
        this.plan = Plan.compile(paths);
    }

    /**
     * The projection of these paths; {@link Path} has the notations.
     *
     * @throws DataException {@link Code#SYNTAX} or {@link Code#ENCODING} with the offset in the path that is none,
     *     which is the failure's path; {@link Code#SIZE} where they combine [*] and numbers in ways that need more
     *     than 65,536 states
     */
    public static Projection of(String... paths) {
        Path[] parsed = new Path[paths.length];
        for (int i = 0; i < paths.length; i++) {
            try {
                parsed[i] = Path.parse(paths[i]);
            } catch (DataException e) {
                throw e.at(-1, -1, paths[i]);
            }
        }
        return new Projection(parsed);
    }

    /** The projection of paths that were read before; errors as in {@link #of(String...)}. */
    public static Projection of(Path... paths) {
        return new Projection(paths.clone());
    }

    /** How many paths there are. */
    public int size() {
        return paths.length;
    }

    public Path path(int i) {
        return paths[i];
    }

    /** Whether path i has a [*], and so leads to a list of values. */
    public boolean wild(int i) {
        return plan.wild[i];
    }

    Plan plan() {
        return plan;
    }
}
