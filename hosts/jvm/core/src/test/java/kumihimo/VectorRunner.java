package kumihimo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs tests/vectors by this library, without a test framework:
 *
 * <pre>
 *   java -cp CLASSES kumihimo.VectorRunner [-v] tests/vectors [area...]
 * </pre>
 *
 * <p>An area is a folder of tests/vectors, or the beginning of one ({@code read/json}, {@code streams}); {@code
 * model/json} is the models written as JSON, {@code convert/json} those converted from it. Without one all are run.
 * Exits with 1 where something has failed.
 */
public final class VectorRunner {
    /**
     * Files that cannot pass here, each with the reason. What is in this list and would pass, or
     * is no vector any more, fails the run.
     */
    private static Map<String, String> leftOut() {
        return new LinkedHashMap<>();
    }

    private VectorRunner() {}

    public static void main(String[] arguments) {
        List<String> rest = new ArrayList<>(List.of(arguments));
        boolean verbose = rest.remove("-v");
        if (rest.isEmpty()) {
            System.err.println("usage: VectorRunner [-v] tests/vectors [area...]");
            System.exit(2);
        }
        Vectors vectors = new Vectors(Path.of(rest.get(0)), leftOut(), verbose);
        Areas areas = new Areas(rest.subList(1, rest.size()));
        TraceVectors.run(vectors, areas);
        DocumentVectors.run(vectors, areas);
        ModelVectors.run(vectors, areas);
        PathVectors.run(vectors, areas);
        ProjectVectors.run(vectors, areas);
        LevelVectors.run(vectors, areas);
        TapeVectors.run(vectors, areas);
        TapeReaderVectors.run(vectors, areas);
        FrameVectors.run(vectors, areas);
        StreamVectors.run(vectors, areas);
        DetectVectors.run(vectors, areas);
        areas.complain();
        if (!vectors.report(rest.size() == 1)) System.exit(1);
    }

    /** What the command line asks for. */
    static final class Areas {
        private final List<String> wanted;
        private final List<String> unknown;

        Areas(List<String> wanted) {
            this.wanted = wanted;
            unknown = new ArrayList<>(wanted);
        }

        boolean want(String area) {
            boolean asked = wanted.isEmpty();
            for (String w : wanted) {
                boolean in = area.equals(w) || area.startsWith(w + "/");
                asked |= in;
                if (in) unknown.remove(w);
            }
            return asked;
        }

        void complain() {
            if (unknown.isEmpty()) return;
            System.err.println("no area " + String.join(", ", unknown));
            System.exit(2);
        }
    }
}
