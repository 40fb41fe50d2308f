package kumihimo.path;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import kumihimo.Checks;
import kumihimo.DataException;
import kumihimo.Formats;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Trace;
import kumihimo.json.JsonReadDialect;
import kumihimo.json.JsonReader;
import kumihimo.tape.Tape;

/**
 * Projection and tapes over JSON that was damaged, against the reader that feeds: the same verdict and the same
 * error, at every level the same finds, and nothing outside of the document: {@code java -cp CLASSES
 * kumihimo.path.ProjectionTest [seed count]}.
 *
 * <p>The projectors are the same for all documents, since what they remember of one must not change what they say of
 * another.
 */
public final class ProjectionTest {
    private static final Limits LIMITS = Limits.DEFAULT.withDepth(20);
    private static final String BYTES = "\"\\{}[]:,0123456789.eE+-tfnu \n\t/\u0000\u0001ab\u00e9";
    private static final byte[] AROUND = "\"}]1,a:0".getBytes(StandardCharsets.US_ASCII);
    private static final String[][] PATHS = {
        {"a", "x", "b", "t[*].p"}, {"a.b.c", "timestamp", "last_price.price", "trades[*].price", "asks[0][1]"},
        {"[*]", "[0]", "[*].p", "/0/a"}, {"", "a"}, {"k", "\u00e9", "e", "b[*]"}, {"a[*].b[*].c", "a[*].t[*]"}};

    private final Checks checks = new Checks();
    private final SplittableRandom random;
    private final List<byte[]> documents = new ArrayList<>();
    private final Reader reader = new JsonReader(JsonReadDialect.RFC8259, LIMITS);
    private final Projector[][] projectors = new Projector[PATHS.length][];

    private ProjectionTest(long seed) {
        random = new SplittableRandom(seed);
        for (int i = 0; i < PATHS.length; i++) {
            Projection what = Projection.of(PATHS[i]);
            projectors[i] = new Projector[] {
                new JsonProjector(what, Level.STRICT, JsonReadDialect.RFC8259, LIMITS),
                new JsonProjector(what, Level.STRUCTURAL, JsonReadDialect.RFC8259, LIMITS),
                new JsonProjector(what, Level.TRUSTED, JsonReadDialect.RFC8259, LIMITS),
                new ReaderProjector(what, Level.STRICT, new JsonReader(JsonReadDialect.RFC8259, LIMITS))};
        }
    }

    public static void main(String[] arguments) {
        long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1;
        int count = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        ProjectionTest test = new ProjectionTest(seed);
        test.make();
        for (int i = 0; i < count; i++) test.one();
        test.checks.report();
    }

    // What is looked at.

    private void make() {
        String[] some = {
            "{\"a\":{\"b\":{\"c\":1,\"d\":[]}},\"x\":\"y\",\"b\":null}",
            "{\"k\":1,\"\\u006b\":2,\"\u00e9\":[3],\"e\":\"\\n\\\"\"}",
            "[{\"p\":1},5,null,[1],{\"p\":{}},{}]",
            "{\"t\":[{\"p\":1},{\"p\":2,\"p\":3}],\"t\":[{\"p\":4}]}", " 5 ", "\"\u4fa1\"",
            "{\"a\":[{\"b\":[{\"c\":1},{}],\"t\":[1,2]},{\"b\":[{\"c\":3}],\"t\":[1],\"t\":[2,3]}]}",
            "[[[[]]],{}]", "[1e400,-0,1E-5]"};
        for (String one : some) documents.add(one.getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 200; i++) documents.add(rows(i % 4).getBytes(StandardCharsets.UTF_8));
    }

    /** Arrays and objects of one kind, as are guessed at in passing them over. */
    private String rows(int kind) {
        StringBuilder out = new StringBuilder("[");
        for (int i = 0, n = 1 + random.nextInt(30); i < n; i++) {
            out.append(i == 0 ? "" : random.nextInt(8) == 0 ? "," : ", ");
            String space = random.nextInt(8) == 0 ? "" : " ";
            if (kind == 0) out.append('[').append(number()).append(", ").append(number()).append(']');
            if (kind == 1) {
                out.append("{\"a\":").append(space).append(number()).append(", \"t\": \"x").append(i % 3);
                out.append("\",").append(space).append("\"p\":").append(number()).append('}');
            }
            if (kind == 2) out.append("[[").append(number()).append("],").append(space).append("[]]");
            if (kind == 3) out.append("{\"k").append(random.nextInt(400)).append("\": ").append(number()).append('}');
        }
        String text = out.append(']').toString();
        if (random.nextBoolean()) return text;
        return "{\"asks\": " + text + ", \"last_price\": {\"price\": 1.5}, \"timestamp\": \"now\"}";
    }

    private String number() {
        switch (random.nextInt(6)) {
            case 0: return "" + random.nextInt(100);
            case 1: return 100 + random.nextInt(900) + "." + random.nextInt(10);
            case 2: return "0." + random.nextInt(10_000);
            case 3: return "-" + random.nextInt(50) + "e-0" + random.nextInt(9);
            case 4: return 100 + random.nextInt(900) + ".5";
            default: return "" + (1_482_630_790L + random.nextInt(1000));
        }
    }

    private byte[] damaged(byte[] document) {
        byte[] out = document;
        for (int i = random.nextInt(4); i > 0 && out.length > 0; i--) {
            int at = random.nextInt(out.length);
            int n = random.nextInt(Math.min(30, out.length - at) + 1);
            switch (random.nextInt(5)) {
                case 0:
                    out = out.clone();
                    out[at] = (byte) BYTES.charAt(random.nextInt(BYTES.length()));
                    break;
                case 1:
                    out = out.clone();
                    out[at] ^= (byte) (1 << random.nextInt(8));
                    break;
                case 2:
                    out = Arrays.copyOf(out, at);
                    break;
                case 3:
                    out = joined(out, at, at + n, out);
                    break;
                default:
                    byte[] other = documents.get(random.nextInt(documents.size()));
                    out = joined(out, at + n, random.nextInt(other.length + 1), other);
            }
        }
        return out;
    }

    /** The beginning of one and the end of another. */
    private static byte[] joined(byte[] a, int to, int from, byte[] b) {
        byte[] out = Arrays.copyOf(a, to + b.length - from);
        System.arraycopy(b, from, out, to, b.length - from);
        return out;
    }

    // How it is looked at.

    private void one() {
        byte[] document = damaged(documents.get(random.nextInt(documents.size())));
        int around = random.nextInt(3) == 0 ? 0 : 40;
        byte[] data = new byte[document.length + 2 * around];
        for (int i = 0; i < data.length; i++) data[i] = AROUND[i % AROUND.length];
        System.arraycopy(document, 0, data, around, document.length);
        int to = around + document.length;
        String shown = new String(document, StandardCharsets.UTF_8);

        String wanted = read(data, around, to);
        checks.equal("on a tape: " + shown, recorded(data, around, to), wanted);
        String[] found = new String[4];
        Projector[] of = projectors[random.nextInt(projectors.length)];
        for (int i = 0; i < of.length; i++) found[i] = run(of[i], data, around, to);
        boolean taken = wanted.startsWith("read");
        if (!taken) {
            checks.equal("strict: " + shown, found[0], wanted);
            checks.equal("by a reader: " + shown, found[3], wanted);
        }
        for (int i = 1; i < found.length; i++) {
            // Who vouches for a document may find any value of a key that comes twice.
            boolean same = taken && (i != 2 || !twice(shown));
            boolean refused = !found[i].startsWith("found");
            if (same || refused) checks.equal(i + ": " + shown, found[i], same ? found[0] : wanted);
        }
    }

    private static boolean twice(String document) {
        return document.contains("u006") || document.split("\"[a-z]*\"\\s*:", -1).length > 2;
    }

    private String read(byte[] data, int from, int to) {
        try {
            Trace trace = new Trace(false);
            reader.reset(data, from, to).feed(trace);
            reader.finish();
            return "read " + trace.finish();
        } catch (DataException e) {
            return e.code() + " " + e.offset();
        }
    }

    private static String recorded(byte[] data, int from, int to) {
        try {
            Trace trace = new Trace(false);
            Tape.of(Formats.named("json"), "", LIMITS, data, from, to).root().read().feed(trace);
            return "read " + trace.finish();
        } catch (DataException e) {
            return e.code() + " " + e.offset();
        }
    }

    private String run(Projector projector, byte[] data, int from, int to) {
        try {
            projector.run(data, from, to);
        } catch (DataException e) {
            return e.code() + " " + e.offset();
        }
        StringBuilder out = new StringBuilder("found");
        for (int i = 0; i < projector.projection().size(); i++) {
            out.append(" of ").append(i);
            for (int k = 0; k < projector.count(i); k++) {
                int offset = projector.offset(i, k);
                int length = projector.length(i, k);
                if (offset < 0 || length < 0 || length > to - from - offset) checks.yes("inside: " + out, false);
                out.append(' ').append(offset).append('+').append(length);
            }
        }
        return out.toString();
    }
}
