package kumihimo;

import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import kumihimo.path.Partial;
import kumihimo.path.Projection;
import kumihimo.plain.Plain;

/** What a thread keeps from call to call: {@code java -cp CLASSES kumihimo.SessionTest}. */
public final class SessionTest {
    private static final byte[] NOTHING = {};

    private final Checks check = new Checks();

    public static void main(String[] arguments) {
        SessionTest test = new SessionTest();
        test.equality();
        test.madeOnce();
        test.forgotten();
        test.functions();
        test.check.report();
    }

    private void equality() {
        check.equal("the same", Options.of("json"), Options.of("json"));
        check.equal("their hashes", Options.of("json").hashCode(), Options.of("json").hashCode());
        check.equal("limits", Limits.DEFAULT.withDepth(7).withSize(9), Limits.DEFAULT.withSize(9).withDepth(7));
        Options by = Options.of("json");
        List<Options> others = List.of(Options.DEFAULT, by.format("cbor"), by.readDialect("relaxed"),
                by.writeDialect("pretty"), by.frame("gzip"), by.frameLevel(3), by.numberDigits(50),
                by.limits(Limits.DEFAULT.withDepth(3)), by.level(kumihimo.path.Level.TRUSTED), by.refuseUnknown(true),
                by.refuseMissing(true), by.omitNulls(true), by.otherwise(x -> x));
        for (Options other : others) check.yes("another", !by.equals(other) && !other.equals(by));
    }

    private void madeOnce() {
        Options json = Options.of("json");
        Object[] first = used("json", json);
        // Two that alternate, and options that are written anew.
        for (int i = 0; i < 3; i++) {
            used("cbor", Options.of("cbor"));
            check.equal("used again", used("json", Options.of("json")), first);
        }
        Options pretty = json.writeDialect("pretty");
        check.equal("the dialect of writing is not the reader's", used("json", pretty)[0], first[0]);
        check.yes("but the writer's", used("json", pretty)[1] != first[1]);
        check.yes("limits", used("json", json.limits(Limits.DEFAULT.withDepth(3)))[0] != first[0]);
        check.yes("a binder of its own", used("json", json.refuseMissing(true))[2] != first[2]);
        for (int i = 1; i <= 4; i++) used("json", json.limits(Limits.DEFAULT.withDepth(i)));
        check.yes("the fifth is no longer there", used("json", json)[0] != first[0]);

        Projection what = Projection.of("a");
        check.yes("a projection", parts(json, what) == parts(Options.of("json"), what));
        check.yes("another one", parts(json, what) != parts(json, Projection.of("a")));
        try (Session outer = Session.open(); Session inner = Session.open()) {
            check.yes("one within another", outer != inner);
        }
    }

    private static Object[] used(String format, Options by) {
        try (Session session = Session.open()) {
            Format as = Formats.named(format);
            Writer writer = session.writer(as, by);
            writer.nil();
            session.finish();
            Plain plain = session.plain(by);
            return new Object[] {session.reader(as, by, NOTHING), writer, plain};
        }
    }

    private static Partial parts(Options by, Projection what) {
        try (Session session = Session.open()) {
            return session.partial(Formats.named(by.format()), by, what, "{}".getBytes(StandardCharsets.UTF_8));
        }
    }

    /** No call leaves its document with the thread, whether it succeeds or not. */
    private void forgotten() {
        for (String format : Formats.names()) {
            Options by = Options.of(format);
            Projection what = Projection.of("a", "b[*]");
            gone(format + " read", () -> {
                byte[] document = document(by);
                Kumihimo.load(document, by);
                return document;
            });
            gone(format + " in parts", () -> {
                byte[] document = document(by);
                Kumihimo.partial(document, what, by);
                return document;
            });
            gone(format + " converted", () -> {
                byte[] document = document(by);
                Kumihimo.convert(document, format, "json");
                return document;
            });
            gone(format + " refused", () -> {
                byte[] document = document(by);
                byte[] cut = java.util.Arrays.copyOf(document, document.length - 1);
                check.refused("cut", Code.TRUNCATED, () -> Kumihimo.load(cut, by));
                return cut;
            });
        }
        gone("study in parts", () -> {
            byte[] document = document(Options.of("tagged").writeDialect("study"));
            Kumihimo.partial(document, Projection.of("a"), Options.of("tagged"));
            return document;
        });
    }

    private static byte[] document(Options by) {
        return Kumihimo.dump(java.util.Map.of("a", "text", "b", List.of(1L, 2L)), by);
    }

    /** A user's function goes with its options: a thread may outlive the program that it belongs to. */
    private void functions() {
        gone("a function", () -> {
            Object marker = new Object();
            Function<Object, Object> otherwise = x -> marker.hashCode() + "";
            Options by = Options.of("json").otherwise(otherwise);
            check.equal("it is used", Kumihimo.dumpText(List.of(new Object()), by), "[\"" + marker.hashCode() + "\"]");
            check.equal("and what reads", Kumihimo.load("[1]".getBytes(StandardCharsets.UTF_8), by), List.of(1L));
            return otherwise;
        });
        Options by = Options.of("json").otherwise(x -> "nested " + Kumihimo.dumpText(List.of(), own[0]));
        own[0] = by;
        check.equal("within itself", Kumihimo.dumpText(new Object(), by), "\"nested []\"");
    }

    /** So that the function can name the options that it is of. */
    private final Options[] own = new Options[1];

    private void gone(String what, Supplier<Object> use) {
        List<WeakReference<Object>> all = new ArrayList<>();
        all.add(new WeakReference<>(use.get()));
        for (int i = 0; i < 20 && all.get(0).get() != null; i++) System.gc();
        check.equal(what, all.get(0).get(), null);
    }
}
