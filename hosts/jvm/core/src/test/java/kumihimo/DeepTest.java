package kumihimo;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Map;
import kumihimo.path.Level;
import kumihimo.path.Projection;
import kumihimo.tape.Cursor;

/**
 * No level of a document costs stack, whatever is done with it: {@code java -cp CLASSES kumihimo.DeepTest}. All of it
 * runs on a stack that holds no thousand frames, by limits that allow the depth.
 */
public final class DeepTest {
    private static final int DEPTH = 10_000;
    private static final int STACK = 160 << 10;
    private static final Limits LIMITS = Limits.DEFAULT.withDepth(2 * DEPTH);

    private final Checks check = new Checks();

    public static void main(String[] arguments) throws InterruptedException {
        DeepTest test = new DeepTest();
        Thread small = new Thread(null, test::all, "small", STACK);
        small.start();
        small.join();
        test.check.yes("the end was reached", test.ended);
        test.check.report();
    }

    private volatile boolean ended;

    private void all() {
        for (Format format : Formats.all()) {
            for (int maps = 0; maps < 3; maps++) {
                for (String dialect : format.writeDialects()) {
                    // Its white space would grow by the square of the depth.
                    if (dialect.endsWith("pretty")) continue;
                    int kind = maps;
                    String what = format.name() + " " + dialect + " " + kind;
                    check.runs(what, () -> {
                        byte[] document = document(format, dialect, kind);
                        if (dialect.equals("study")) read(what, document, Options.of("tagged").limits(LIMITS));
                        return null;
                    });
                }
                byte[] document = document(format, "", maps);
                for (String dialect : format.readDialects()) {
                    // The other layout's.
                    if (dialect.equals("study_read")) continue;
                    read(format.name() + " by " + dialect + " " + maps, document,
                            Options.of(format.name()).readDialect(dialect).limits(LIMITS));
                }
            }
        }
        ended = true;
    }

    /** Arrays, maps, or both in turn, each in the one before. */
    private static byte[] document(Format format, String dialect, int maps) {
        Writer out = format.writer(dialect, LIMITS);
        for (int i = 0; i < DEPTH; i++) {
            if (maps == 1 || maps == 2 && i % 2 == 0) {
                out.map(1);
                out.key("a");
            } else {
                out.array(Sink.UNKNOWN);
            }
        }
        out.i64(1);
        for (int i = 0; i < DEPTH; i++) out.end();
        out.finish();
        return out.toByteArray();
    }

    private void read(String what, byte[] document, Options by) {
        check.runs(what + " read and written", () -> {
            Kumihimo.dump(Kumihimo.load(document, by), by);
            return null;
        });
        check.runs(what + " passed over", () -> {
            Reader in = Formats.named(by.format()).reader(by.readDialect(), LIMITS).reset(document);
            in.skip();
            in.finish();
            return null;
        });
        check.runs(what + " converted", () -> Kumihimo.convert(document, by, Options.of("cbor").limits(LIMITS)));
        check.runs(what + " on a tape", () -> {
            Cursor place = Kumihimo.lazy(document, by);
            for (int i = 0; i < 1000; i++) place = place.kind() == Kind.MAP ? place.get("a") : place.get(0);
            return Kumihimo.value(place.read());
        });
        for (Level level : Level.values()) {
            check.runs(what + " in parts, " + level, () -> Kumihimo.partial(document,
                    Projection.of("a.a.a", "[0][0]", "a[0].a", "b"), by.level(level)));
        }
        check.runs(what + " of a stream", () -> {
            Kumihimo.eachDocument(new ByteArrayInputStream(document), by, value -> { });
            return null;
        });
        DataException cut = check.refused(what + " cut", Code.TRUNCATED,
                () -> Kumihimo.load(Arrays.copyOf(document, document.length / 2), by));
        check.yes(what + " cut: a path that is cut, too", cut.path() != null && cut.path().length() <= 200);
        Object value = Kumihimo.load(document, by);
        check.refused(what + " has no hash", Code.DEPTH, () -> Kumihimo.hash(Map.of("a", value)));
    }
}
