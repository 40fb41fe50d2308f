package kumihimo;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.Year;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import kumihimo.frame.Frame;
import kumihimo.frame.Frames;
import kumihimo.path.Level;
import kumihimo.path.Projection;
import kumihimo.plain.TypeOf;
import kumihimo.tape.Cursor;

/**
 * Mutated documents through the calls of {@link Kumihimo}: maps and lists, records, places, parts, streams, frames,
 * other formats.
 *
 * <pre>
 *   java -cp CLASSES kumihimo.MutationRunner tests/vectors (count N | seconds N) [seed]
 * </pre>
 */
public final class MutationRunner {
    /** A bean with properties of every sort. */
    public static final class Thing {
        public int id;
        public String name;
        public double price;
        public float weight;
        public List<Thing> parts;
        public Map<String, BigDecimal> sizes;
        public Set<LocalDate> days;
        public Optional<BigInteger> total;
        public byte[] data;
        public long[] counts;
        public UUID key;
        public Instant at;
        public Level level;
    }

    private static final byte[] THING = Utf8.bytes("{\"id\":7,\"name\":\"é\",\"price\":1.5,\"weight\":2,\"parts\":"
            + "[{\"id\":8,\"name\":\"b\"}],\"sizes\":{\"x\":1.25},\"days\":[\"2020-02-29\"],"
            + "\"total\":12345678901234567890,"
            + "\"data\":\"AAEC\",\"counts\":[1,2],\"key\":\"00112233-4455-6677-8899-aabbccddeeff\","
            + "\"at\":\"2020-01-01T00:00:00Z\",\"level\":\"STRICT\"}");

    private static final Type[] TYPES = {
        Object.class, Thing.class, new TypeOf<List<Double>>() {}.type(), new TypeOf<Map<Integer, Long>>() {}.type(),
        new TypeOf<Set<String>>() {}.type(), new TypeOf<List<Thing>>() {}.type(), String[].class, float[].class,
        BigDecimal.class, BigInteger.class, LocalDate.class, UUID.class, long.class, Boolean.class, Level.class,
        Instant.class, Date.class, OffsetDateTime.class, Year.class, Duration.class, Locale.class
    };

    private static final Projection PATHS = Projection.of("a", "a.b", "[0]", "[*].x", "a[*][1]", "id", "parts[*].name",
            "sizes.x", "$[\"\"]", "a.b.c[3]");

    private MutationRunner() {}

    public static void main(String[] arguments) {
        long seed = arguments.length > 3 ? Long.parseLong(arguments[3]) : 1;
        Mutations mutations = new Mutations(Path.of(arguments[0]), seed).with("json", THING);
        for (String format : Formats.names()) {
            Options big = Options.of(format).writeDialect(format.equals("msgpack") ? "big_text" : "");
            if (!format.equals("json")) mutations.with(format, Kumihimo.convert(THING, Options.of("json"), big));
        }
        int number = Integer.parseInt(arguments[2]);
        boolean good = arguments[1].equals("count")
                ? mutations.count(number, MutationRunner::tried)
                : mutations.seconds("jvm_core", number, MutationRunner::tried);
        if (!good) System.exit(1);
    }

    /** One document through all of it. */
    static void tried(Format format, byte[] document, Random pick) throws Exception {
        List<String> dialects = format.readDialects();
        Options by = Options.of(format.name()).readDialect(dialects.get(pick.nextInt(dialects.size())));
        int most = document.length;
        verdict(most, () -> Kumihimo.load(document, TYPES[pick.nextInt(TYPES.length)], by));
        verdict(most, () -> Kumihimo.load(document, by));
        verdict(-1, () -> Kumihimo.load(document));
        String lazy = verdict(most, () -> Kumihimo.lazy(document, by));
        verdict(most, () -> visited(Kumihimo.lazy(document, by)));
        for (Level level : Level.values()) {
            String partial = verdict(most, () -> Kumihimo.partial(document, PATHS, by.level(level)));
            // What is found is made, too, and that may be refused where looking is not.
            if (level == Level.STRICT && !lazy.equals("ok") && !partial.equals(lazy)) {
                throw new AssertionError("lazy: " + lazy + ", partial: " + partial);
            }
        }
        List<String> formats = Formats.names();
        Format to = Formats.named(formats.get(pick.nextInt(formats.size())));
        List<String> spellings = to.writeDialects();
        Options as = Options.of(to.name()).writeDialect(spellings.get(pick.nextInt(spellings.size())));
        verdict(most, () -> Kumihimo.convert(document, by, as));
        verdict(-1, () -> {
            Kumihimo.eachDocument(new ByteArrayInputStream(document), by, value -> {});
            return null;
        });
        verdict(-1, () -> Kumihimo.load(framed(document, pick), by));
    }

    /** The document in a frame, of which one bit may be another. */
    private static byte[] framed(byte[] document, Random pick) {
        Frame frame = Frames.all().get(pick.nextInt(Frames.all().size()));
        if (!frame.isAvailable()) return document;
        byte[] packed = Frames.pack(frame, document);
        if (pick.nextBoolean()) packed[pick.nextInt(packed.length)] ^= (byte) (1 << pick.nextInt(8));
        return packed;
    }

    private static Object visited(Cursor place) {
        if (place.kind() == Kind.ARRAY || place.kind() == Kind.MAP) {
            for (Cursor value : place) {
                value.key();
                visited(value);
            }
            place.get("a").exists();
            place.get(1).exists();
        }
        return null;
    }

    /**
     * What a call says: ok, or code and offset.
     *
     * @param most the last offset that an error may have; -1: of any bytes, such as a frame's
     */
    private static String verdict(int most, Checks.Body call) throws Exception {
        try {
            call.run();
            return "ok";
        } catch (DataException e) {
            boolean outside = most >= 0 && e.offset() > most;
            boolean ours = outside || e.code() == Code.MISUSE || e.code() == Code.HOST;
            if (ours) throw new AssertionError(e.getMessage(), e);
            return e.code().text() + " " + e.offset();
        }
    }
}
