package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import kumihimo.frame.Frame;
import kumihimo.frame.Frames;
import kumihimo.path.Level;
import kumihimo.path.Projection;
import kumihimo.tape.Cursor;

/** The calls for any format: {@code java -cp CLASSES kumihimo.KumihimoTest}. */
public final class KumihimoTest {
    private static final Options JSON = Options.of("json");
    private static final Object VALUE = Map.of("id", 7L, "tags", List.of("a", 0.5, "\u00e9"));

    private final Checks check = new Checks();

    public static void main(String[] arguments) throws Exception {
        KumihimoTest test = new KumihimoTest();
        test.formatsAndFrames();
        test.converting();
        test.streams();
        test.files();
        test.parts();
        test.errors();
        test.again();
        test.limits();
        test.brokenFrames();
        test.guessedKeys();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Keys that come again and again, in other orders, with other white space, and more of them than are known. */
    private void guessedKeys() {
        String[] keys = {"id", "name", "n", "", "a\\u0062", "\u00e9", "twenty_bytes_long_key", "k".repeat(40)};
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < 3000; i++) {
            text.append(i == 0 ? "{" : ",{");
            for (int k = 0; k < keys.length; k++) {
                String key = i % 7 == 6 ? "rare" + i + "_" + k : keys[(k * (1 + i % 3 * 2) + i / 50) % keys.length];
                text.append(k == 0 ? "\"" : ", \"").append(key).append(i % 11 == 5 ? "\" :\n  " : "\": ");
                text.append(k == 3 ? "{\"id\":[{\"n\":" + i + "}]}" : "\"" + k + "\"");
            }
            text.append('}');
        }
        byte[] json = text.append(']').toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Object wanted = Kumihimo.load(json, JSON.readDialect("+comments"));
        for (int i = 0; i < 3; i++) check.equal("guessed keys", Kumihimo.load(json, JSON), wanted);
    }

    private void formatsAndFrames() {
        check.equal("formats", Kumihimo.formats(), List.of("json", "msgpack", "tagged", "cbor"));
        check.equal("frames", Kumihimo.frames(), List.of("gzip", "zstd", "lz4"));
        for (String format : Kumihimo.formats()) {
            for (Frame frame : Frames.all()) {
                Options by = Options.of(format).frame(frame.name());
                if (!frame.isAvailable()) {
                    DataException e = check.refused("no library", Code.UNSUPPORTED, () -> Kumihimo.dump(VALUE, by));
                    check.yes("it says what to add", e.reason().contains("com.github.luben:zstd-jni"));
                    continue;
                }
                byte[] packed = Kumihimo.dump(VALUE, by);
                check.equal("its frame", Frames.of(packed), frame);
                check.equal(format + " in " + frame, Kumihimo.load(packed, format), VALUE);
                check.equal("unpacked", Kumihimo.load(Kumihimo.unpack(packed), format), VALUE);
            }
        }
        check.equal("dialects", Kumihimo.dumpText(List.of(1L), JSON.writeDialect("python_default")), "[1]");
        check.equal("granted", Kumihimo.load("[1,/* */]", JSON.readDialect("relaxed")), List.of(1L));
        check.thrown("no such format", IllegalArgumentException.class, () -> Options.of("xml"));
        check.thrown("no such frame", IllegalArgumentException.class, () -> JSON.frame("rar"));
        check.thrown("no such dialect", IllegalArgumentException.class,
                () -> Kumihimo.dump(VALUE, JSON.writeDialect("fancy")));
        check.thrown("no format", IllegalArgumentException.class, () -> Kumihimo.dump(VALUE, Options.DEFAULT));
        check.refused("no such level", Code.RANGE, () -> Kumihimo.dump(VALUE, JSON.frame("gzip").frameLevel(10)));
        check.refused("no bytes", Code.TRUNCATED, () -> Kumihimo.load(new byte[0]));
        check.equal("by the first bytes", Kumihimo.load(new byte[] {(byte) 0xc1, 1}), Instant.ofEpochSecond(1));
    }

    private void converting() {
        byte[] json = utf8("{\"b\":1,\"a\":[null,1.50,\"x\"],\"b\":2}");
        for (String format : Kumihimo.formats()) {
            if (format.equals("tagged")) continue; // the order of verbs is kept there too, but by its own names
            byte[] there = Kumihimo.convert(json, "json", format);
            byte[] back = Kumihimo.convert(there, format, "json");
            check.equal("there and back by " + format, new String(back, StandardCharsets.UTF_8),
                    "{\"b\":1,\"a\":[null,1.5,\"x\"],\"b\":2}");
        }
        byte[] packed = Kumihimo.convert(json, JSON, Options.of("cbor").frame("lz4"));
        check.equal("with a frame", Kumihimo.load(packed, "cbor"), Kumihimo.load(json));
        check.refused("what the other cannot say", Code.UNSUPPORTED,
                () -> Kumihimo.convert(utf8("[18446744073709551616]"), "json", "msgpack"));
        DataException e = check.refused("where", Code.UNSUPPORTED,
                () -> Kumihimo.convert(utf8("{\"a\":\n[18446744073709551616]}"), "json", "msgpack"));
        check.equal("its place", e.path() + " " + e.line() + " " + e.column(), "$.a[0] 2 2");
    }

    private void streams() throws Exception {
        List<Object> all = new ArrayList<>();
        byte[] text = utf8(" {\"n\":1}{\"n\":2}\n[3] 4 \"5\"");
        Kumihimo.eachDocument(new ByteArrayInputStream(text), Options.DEFAULT, all::add);
        check.equal("documents", all, List.of(Map.of("n", 1L), Map.of("n", 2L), List.of(3L), 4L, "5"));
        all.clear();
        byte[] packed = Kumihimo.pack(text, "gzip");
        Kumihimo.eachDocument(new StreamVectors.Pieces(packed, 1), JSON, all::add);
        check.equal("packed, in pieces", all.size(), 5);
        List<Integer> numbers = new ArrayList<>();
        Kumihimo.eachDocument(new ByteArrayInputStream(utf8("1 2\n3")), Integer.class, JSON, numbers::add);
        check.equal("of a class", numbers, List.of(1, 2, 3));
        all.clear();
        DataException e = check.refused("a broken one", Code.SYNTAX, () -> {
            Kumihimo.eachDocument(new ByteArrayInputStream(utf8("[1]\n[2,]")), JSON, all::add);
            return null;
        });
        check.equal("after the good", all + " " + e.offset() + " " + e.path(), "[[1]] 3 $[1]");
        all.clear();
        Kumihimo.eachDocument(new ByteArrayInputStream(new byte[0]), Options.DEFAULT, all::add);
        check.equal("none", all, List.of());
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            many.append("{\"i\":").append(i).append(",\"t\":\"").append("x".repeat(i % 50)).append("\"}");
        }
        all.clear();
        // A visitor that reads and writes documents itself.
        Kumihimo.eachDocument(new ByteArrayInputStream(utf8(many.toString())), JSON,
                v -> all.add(Kumihimo.load(Kumihimo.dump(v, "cbor"), "cbor")));
        check.equal("many", all.size() + " " + ((Map<?, ?>) all.get(19_999)).get("i"), "20000 19999");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Kumihimo.write(VALUE, out, Options.of("msgpack").frame("lz4"));
        check.equal("to a stream and back",
                Kumihimo.read(new StreamVectors.Pieces(out.toByteArray(), 3), Options.of("msgpack")), VALUE);
        InputStream cut = new ByteArrayInputStream(packed, 0, 30);
        InputStream broken = Frames.unpack(Frames.named("gzip"), cut, Limits.DEFAULT);
        for (int i = 0; i < 2; i++) check.refused("a cut stream, twice", Code.TRUNCATED, broken::readAllBytes);
        byte[] bomb = Kumihimo.pack(new byte[100_000], "gzip");
        Options few = JSON.limits(Limits.DEFAULT.withSize(1000));
        check.refused("a stream that is larger", Code.SIZE, () -> Kumihimo.read(new ByteArrayInputStream(bomb), few));
        StringBuilder large = new StringBuilder("[0");
        for (int i = 1; i < 100_000; i++) large.append(',').append(i);
        large.append("] 7");
        all.clear();
        Kumihimo.eachDocument(new StreamVectors.Pieces(utf8(large.toString()), 100), JSON, all::add);
        check.equal("a large one", ((List<?>) all.get(0)).size() + " " + all.get(1), "100000 7");
        check.refused("a document beyond the limit", Code.SIZE, () -> {
            Options small = JSON.limits(Limits.DEFAULT.withSize(1000));
            Kumihimo.eachDocument(new ByteArrayInputStream(utf8(large.toString())), small, v -> { });
            return null;
        });
    }

    private void files() throws Exception {
        Path folder = Files.createTempDirectory("kumihimo");
        try {
            for (String name : new String[] {"a.json", "a.cbor.gz", "a.msgpack.lz4", "A.JSON.GZ"}) {
                Path file = folder.resolve(name);
                Kumihimo.write(VALUE, file);
                check.equal(name, Kumihimo.read(file), VALUE);
                check.equal(name + " is packed", Frames.of(Files.readAllBytes(file)), Frames.ofName(name));
            }
            check.thrown("a name that tells nothing", IllegalArgumentException.class, () -> {
                Kumihimo.write(VALUE, folder.resolve("a.txt"));
                return null;
            });
            Kumihimo.write(VALUE, folder.resolve("a.txt"), JSON);
            check.equal("told by its bytes", Kumihimo.read(folder.resolve("a.txt")), VALUE);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).forEach(f -> f.toFile().delete());
            }
        }
    }

    private void parts() {
        byte[] json = utf8("{\"a\":{\"b\":[10,{\"c\":30}]},\"list\":[{\"p\":1},{},{\"p\":[2]}],\"a\":{\"b\":[11]}}");
        Projection what = Projection.of("a.b[0]", "list[*].p", "none", "a");
        for (String format : Kumihimo.formats()) {
            byte[] document = format.equals("json") ? json : Kumihimo.convert(json, "json", format);
            for (Level level : Level.values()) {
                if (format.equals("json") && level == Level.TRUSTED) continue; // any of the equal keys
                Object[] found = Kumihimo.partial(document, what, Options.of(format).level(level));
                Object[] wanted = {11L, Arrays.asList(1L, null, List.of(2L)), null, Map.of("b", List.of(11L))};
                check.equal("parts of " + format + " " + level, found, wanted);
            }
            Cursor root = Kumihimo.lazy(document, Options.of(format));
            check.equal("lazy " + format, root.get("list").get(2).get("p").get(0).i64(), 2L);
            check.equal("its value", Kumihimo.value(root.get("a").read()), Map.of("b", List.of(11L)));
            int[] value = Kumihimo.value(root.get("a").get("b").read(), int[].class);
            check.equal("its value of a class", value, new int[] {11});
            check.yes("what is not there", !root.get("no").get(3).exists());
        }
        DataException e = check.refused("broken", Code.SYNTAX, () -> Kumihimo.partial(utf8("{\"a\":1,}"), what, JSON));
        check.equal("where", e.offset() + " " + e.path(), "7 $.a");
        check.refused("broken, lazy", Code.SYNTAX, () -> Kumihimo.lazy(utf8("{\"a\":1,}")));
    }

    private void errors() {
        DataException e = check.refused("broken", Code.SYNTAX, () -> Kumihimo.load(utf8("{\"a\":\n [1,x]}")));
        check.equal("its message", e.getMessage().endsWith("at byte 10 (line 2, column 5), at $.a[1]"), true);
        byte[] cut = {(byte) 0x92, 1, (byte) 0xcd};
        e = check.refused("cut", Code.TRUNCATED, () -> Kumihimo.load(cut, "msgpack"));
        check.equal("its place", e.path() + " " + e.offset(), "$[1] 2");
    }

    /** One thread's reader and writer serve all its calls, also those within calls and behind errors. */
    private void again() throws Exception {
        Object inner = new Object();
        Options by = JSON.otherwise(o -> o == inner ? Kumihimo.dumpText(List.of(1, 2), JSON) : o);
        check.equal("a call within a call", Kumihimo.dumpText(List.of(inner, inner), by), "[\"[1,2]\",\"[1,2]\"]");
        for (int i = 0; i < 3; i++) {
            check.refused("broken", Code.TRUNCATED, () -> Kumihimo.load("[1,", JSON));
            check.refused("no verb", Code.UNSUPPORTED, () -> Kumihimo.dump(Arrays.asList(1, new Object()), JSON));
            check.equal("good", Kumihimo.dumpText(Kumihimo.load("[1]", JSON), JSON), "[1]");
        }
        for (Format format : Formats.all()) {
            byte[] document = Kumihimo.dump(VALUE, format.name());
            for (String dialect : format.readDialects()) {
                if (dialect.contains("study") || dialect.contains("deterministic")) continue; // other bytes
                Options read = Options.of(format.name()).readDialect(dialect);
                for (int i = 0; i < 2; i++) {
                    Object value = Kumihimo.load(document, Map.class, read);
                    check.equal("by " + dialect, ((Map<?, ?>) value).get("id"), 7L);
                }
            }
        }
        List<Thread> threads = new ArrayList<>();
        List<Object> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < 4; t++) {
            long id = t;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 2000; i++) {
                    Object value = Map.of("id", id, "i", (long) i);
                    String format = Kumihimo.formats().get(i % 4);
                    if (!Kumihimo.load(Kumihimo.dump(value, format), format).equals(value)) wrong.add(value);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        check.equal("in four threads", wrong, List.of());
    }

    private void limits() throws Exception {
        Options shallow = JSON.limits(Limits.DEFAULT.withDepth(3));
        check.refused("deeper than the limit, read", Code.DEPTH, () -> Kumihimo.load("[[[[1]]]]", shallow));
        check.refused("deeper than the limit, written", Code.DEPTH,
                () -> Kumihimo.dump(List.of(List.of(List.of(List.of()))), shallow));
        Options small = JSON.limits(Limits.DEFAULT.withSize(10));
        check.refused("larger than the limit, read", Code.SIZE, () -> Kumihimo.load("[1,2,3,4,5,6]", small));
        check.refused("larger than the limit, written", Code.SIZE, () -> Kumihimo.dump("x".repeat(11), small));
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bomb)) {
            gzip.write(new byte[20_000_000]);
        }
        check.refused("a bomb", Code.SIZE, () -> Kumihimo.unpack(bomb.toByteArray()));
        // Counts and lengths that lie cost nothing.
        for (int kind : new int[] {0xdd, 0xdf, 0xdb, 0xc6}) {
            byte[] document = {(byte) kind, 0x7f, -1, -1, -1};
            check.refused("a count that lies", Code.TRUNCATED, () -> Kumihimo.load(document, "msgpack"));
        }
    }

    /**
     * Frames with bits turned and ends cut: refused or not, whole and in pieces alike, and nothing but a
     * DataException.
     */
    private void brokenFrames() {
        java.util.SplittableRandom pick = new java.util.SplittableRandom(7);
        byte[] text = new byte[3000];
        for (int i = 0; i < 40; i++) text[i] = (byte) pick.nextInt(256);
        for (int i = 40; i < text.length; i++) text[i] = text[i - 1 - pick.nextInt(39)];
        for (Frame frame : Frames.all()) {
            if (!frame.isAvailable()) continue;
            byte[] packed = Frames.pack(frame, text);
            for (int i = 0; i < 3000; i++) {
                byte[] broken = Arrays.copyOf(packed, i % 3 == 0 ? pick.nextInt(packed.length) : packed.length);
                for (int k = pick.nextInt(3); k > 0 && broken.length > 0; k--) {
                    broken[pick.nextInt(broken.length)] ^= (byte) (1 << pick.nextInt(8));
                }
                String pieces = unpacked(frame, broken, pick.nextInt(1, 200));
                check.equal(frame + " " + i, pieces, unpacked(frame, broken, 0));
            }
        }
    }

    private static String unpacked(Frame frame, byte[] packed, int piece) {
        try {
            byte[] text = piece == 0 ? Frames.unpack(frame, packed, Limits.DEFAULT)
                    : Frames.unpack(frame, new StreamVectors.Pieces(packed, piece), Limits.DEFAULT).readAllBytes();
            return "text " + text.length + " " + Arrays.hashCode(text);
        } catch (DataException e) {
            return e.code().text();
        } catch (Exception e) {
            return e.toString();
        }
    }
}
