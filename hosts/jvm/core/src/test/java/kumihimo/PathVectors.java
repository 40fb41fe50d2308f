package kumihimo;

import java.util.Arrays;
import java.util.Locale;
import kumihimo.path.Path;
import kumihimo.path.Projection;
import kumihimo.path.Step;

/** tests/vectors/paths: which texts are paths, and what they mean. */
final class PathVectors {
    private PathVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        if (!areas.want("paths")) return;
        for (String file : vectors.files("paths", ".path")) {
            vectors.check(file, () -> {
                if (Vectors.expectation(file).equals("ok")) taken(vectors, file);
                else refused(vectors, file);
            });
        }
    }

    private static void taken(Vectors vectors, String file) {
        byte[] text = vectors.load(file);
        Path path = Path.parse(text);
        Vectors.equal(steps(path, true), vectors.text(Vectors.beside(file, ".steps")), "the steps");
        Vectors.equal(steps(Path.parse(vectors.text(file)), true), steps(path, true), "the steps of the same text");
        // As errors spell it, it is the same path; a step of digits is spelled as a key.
        Vectors.equal(steps(Path.parse(path.toString()), false), steps(path, false), "the steps of " + path);
    }

    private static void refused(Vectors vectors, String file) {
        byte[] text = vectors.load(file);
        String expected = vectors.text(Vectors.beside(file, ".error"));
        try {
            Path.parse(text);
        } catch (DataException e) {
            Vectors.equal(Vectors.said(e), expected, "the error");
            String string = vectors.text(file);
            if (!Arrays.equals(Utf8.bytes(string), text)) return; // it is not UTF-8, and so not that string
            try {
                Projection.of("a", string);
            } catch (DataException of) {
                // In a set of paths the failure says which.
                Vectors.equal(Vectors.said(of).trim(), (expected.trim() + " " + string).trim(), "the error in a set");
                return;
            }
            throw new Vectors.Difference("it is taken in a set");
        }
        throw new Vectors.Difference("it is taken, but must be refused");
    }

    private static String steps(Path path, boolean either) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < path.size(); i++) {
            Step step = path.step(i);
            boolean number = step.kind() == Step.Kind.INDEX || step.kind() == Step.Kind.EITHER && either;
            if (number) {
                String kind = step.kind().name().toLowerCase(Locale.ROOT);
                lines.append(kind).append(' ').append(Long.toUnsignedString(step.index())).append('\n');
            } else if (step.kind() == Step.Kind.EACH) {
                lines.append("each\n");
            } else {
                Trace name = new Trace(false); // a text in the notation of traces is one line of it
                name.str(step.key());
                lines.append("key").append(name.finish().substring(3));
            }
        }
        return lines.toString();
    }
}
