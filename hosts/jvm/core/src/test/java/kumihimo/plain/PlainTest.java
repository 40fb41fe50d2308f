package kumihimo.plain;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Formats;
import kumihimo.Kumihimo;
import kumihimo.Limits;
import kumihimo.Options;

/** Java values into documents and back: {@code java -cp CLASSES kumihimo.plain.PlainTest}. */
public final class PlainTest {
    private static final Options JSON = Options.of("json");
    private static final Options EXACT = JSON.readDialect("exact_decimals");
    private static final Options CBOR = Options.of("cbor");

    private final Checks check = new Checks();

    public static void main(String[] arguments) throws Exception {
        PlainTest test = new PlainTest();
        test.written();
        test.read();
        test.scalarsOfTypes();
        test.containersOfTypes();
        test.beans();
        test.generics();
        test.errors();
        test.depth();
        test.numbers();
        test.keys();
        test.formats();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void writes(Object value, String json) {
        check.runs(json, () -> {
            check.equal("written", Kumihimo.dumpText(value, JSON), json);
            return null;
        });
    }

    private void written() {
        writes(null, "null");
        writes(true, "true");
        writes(Arrays.asList((byte) -1, (short) 2, 3, 4L), "[-1,2,3,4]");
        writes(Arrays.asList(0.5f, 0.1f, 0.1, 1.0), "[0.5,0.1,0.1,1.0]");
        writes(Arrays.asList('a', "b", new StringBuilder("c"), "d".toCharArray()), "[\"a\",\"b\",\"c\",\"d\"]");
        writes(new BigInteger("18446744073709551616"), "18446744073709551616");
        writes(Arrays.asList(new BigDecimal("1.50"), new BigDecimal("7"), new BigDecimal("1E+400")),
                "[1.50,7,1E+400]");
        writes(new Object[] {1, new int[] {1}, new long[] {2}, new double[] {0.5}, new float[] {0.1f},
            new short[] {3}, new boolean[] {true}, new String[] {"x"}}, "[1,[1],[2],[0.5],[0.1],[3],[true],[\"x\"]]");
        writes(new byte[] {0, (byte) 255}, "\"AP8=\"");
        writes(ByteBuffer.wrap(new byte[] {9, 0, (byte) 255}, 1, 2), "\"AP8=\"");
        writes(TimeUnit.DAYS, "\"DAYS\"");
        writes(new UUID(1, 2), "\"00000000-0000-0001-0000-000000000002\"");
        writes(Arrays.asList(Optional.empty(), Optional.of(List.of(1)), OptionalInt.of(7), OptionalInt.empty()),
                "[null,[1],7,null]");
        writes(Arrays.asList(Instant.ofEpochSecond(0), LocalDate.of(2020, 1, 2), LocalDateTime.of(2020, 1, 2, 3, 4, 5),
                OffsetDateTime.of(2020, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(9)), LocalTime.of(1, 2),
                Duration.ofSeconds(61), new Date(1000)),
                "[\"1970-01-01T00:00:00Z\",\"2020-01-02\",\"2020-01-02T03:04:05\",\"2020-01-02T03:04:05+09:00\","
                + "\"01:02\",\"PT1M1S\",\"1970-01-01T00:00:01Z\"]");
        writes(URI.create("a:b"), "\"a:b\"");
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("a", 1);
        map.put(TimeUnit.HOURS, Set.of());
        map.put(3, Map.of("b", List.of()));
        map.put(null, null);
        writes(map, "{\"a\":1,\"HOURS\":[],\"3\":{\"b\":[]},\"null\":null}");
        writes(new LinkedHashSet<>(List.of(2, 1)), "[2,1]");
        writes(List.of(1, 2).iterator(), "[1,2]");
        writes((Iterable<Integer>) () -> List.of(1, 2).iterator(), "[1,2]");
        writes(new Point(), "{\"x\":1,\"y\":2.5,\"name\":null}");
        check.equal("nulls are left out", Kumihimo.dumpText(new Point(), JSON.omitNulls(true)), "{\"x\":1,\"y\":2.5}");
        check.refused("an object without properties", Code.UNSUPPORTED, () -> Kumihimo.dump(new Object(), JSON));
        Options as = JSON.otherwise(o -> o instanceof Thread ? Map.of("thread", 1) : o);
        check.equal("an object by the caller's way", Kumihimo.dumpText(List.of(new Thread()), as), "[{\"thread\":1}]");
        check.refused("half a pair", Code.ENCODING, () -> Kumihimo.dump("\ud800", JSON));
    }

    private void reads(String json, Object value) {
        check.runs(json, () -> {
            check.equal("read from " + json, Kumihimo.load(json, JSON), value);
            return null;
        });
    }

    private void read() {
        reads("null", null);
        reads("[1,-9223372036854775808,0.5,true,\"a\\u00e9\"]", List.of(1L, Long.MIN_VALUE, 0.5, true, "a\u00e9"));
        BigInteger most = new BigInteger("18446744073709551615");
        reads("[18446744073709551615,18446744073709551616,1e400]",
                List.of(most, most.add(BigInteger.ONE), new BigDecimal("1e400")));
        reads("{\"a\":{\"b\":[]},\"a\":2,\"c\":{}}", Map.of("a", 2L, "c", Map.of()));
        Map<?, ?> ordered = (Map<?, ?>) Kumihimo.load("{\"z\":1,\"a\":2,\"m\":3}", JSON);
        check.equal("the order of keys", new ArrayList<>(ordered.keySet()), List.of("z", "a", "m"));
        check.equal("digits that are kept", Kumihimo.load("[1.50,2e3]", EXACT),
                List.of(new BigDecimal("1.50"), new BigDecimal("2e3")));
        Map<Object, Object> odd = new HashMap<>();
        odd.put(1L, "a");
        odd.put(List.of(1L, 2L), "b");
        odd.put(true, "c");
        odd.put(ByteBuffer.wrap(new byte[] {1}), "d");
        check.equal("keys of any kind", Kumihimo.load(Kumihimo.dump(odd, CBOR), CBOR), odd);
        List<Object> moments = List.of(Instant.ofEpochSecond(5, 7), LocalDate.of(2020, 1, 2),
                OffsetDateTime.of(2020, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(-3)));
        check.equal("moments", Kumihimo.load(Kumihimo.dump(moments, CBOR), CBOR), moments);
        Extension ext = new Extension(5, new byte[] {1, 2});
        check.equal("extensions", Kumihimo.load(Kumihimo.dump(ext, "msgpack"), "msgpack"), ext);
    }

    private void typed(String json, Class<?> type, Object value) {
        check.runs(json + " as " + type.getSimpleName(), () -> {
            check.equal("read from " + json, Kumihimo.load(utf8(json), type, JSON), value);
            return null;
        });
    }

    private void scalarsOfTypes() {
        typed("7", int.class, 7);
        typed("7", Long.class, 7L);
        typed("null", Long.class, null);
        typed("-128", byte.class, (byte) -128);
        typed("7", short.class, (short) 7);
        typed("0.1", float.class, 0.1f);
        typed("7", double.class, 7.0);
        typed("16777217.0000000001", float.class, 16777218f);
        typed("9007199791611905", float.class, 9007200328482816f);
        for (String format : Formats.names()) {
            check.refused("a float that is too large", Code.RANGE,
                    () -> Kumihimo.load(Kumihimo.dump(1e300, format), float.class, Options.of(format)));
        }
        typed("\"a\"", char.class, 'a');
        typed("\"abc\"", char[].class, "abc".toCharArray());
        typed("\"AP8=\"", byte[].class, new byte[] {0, (byte) 255});
        typed("\"DAYS\"", TimeUnit.class, TimeUnit.DAYS);
        typed("1.0", BigInteger.class, BigInteger.ONE);
        typed("12e2", BigInteger.class, BigInteger.valueOf(1200));
        typed("1.50", BigDecimal.class, new BigDecimal("1.50"));
        typed("1e400", Number.class, new BigDecimal("1e400"));
        typed("\"00000000-0000-0001-0000-000000000002\"", UUID.class, new UUID(1, 2));
        typed("\"2020-01-02\"", LocalDate.class, LocalDate.of(2020, 1, 2));
        typed("\"2020-01-02T03:04:05\"", LocalDateTime.class, LocalDateTime.of(2020, 1, 2, 3, 4, 5));
        typed("\"2020-01-02T03:04:05+01:00\"", Instant.class, Instant.parse("2020-01-02T02:04:05Z"));
        typed("\"01:02\"", LocalTime.class, LocalTime.of(1, 2));
        typed("\"PT1M\"", Duration.class, Duration.ofMinutes(1));
        typed("null", Optional.class, Optional.empty());
        typed("null", OptionalInt.class, OptionalInt.empty());
        typed("5", OptionalInt.class, OptionalInt.of(5));
        typed("{\"a\":[1]}", Object.class, Map.of("a", List.of(1L)));
    }

    private void containersOfTypes() {
        typed("[1,2]", int[].class, new int[] {1, 2});
        typed("[1,2]", long[].class, new long[] {1, 2});
        typed("[1,2]", double[].class, new double[] {1, 2});
        typed("[0.5]", float[].class, new float[] {0.5f});
        typed("[[1],[]]", int[][].class, new int[][] {{1}, {}});
        typed("[\"a\",null]", String[].class, new String[] {"a", null});
        typed("[true]", boolean[].class, new boolean[] {true});
        typed("[1,2]", List.class, List.of(1L, 2L));
        typed("[1,2,1]", Set.class, Set.of(1L, 2L));
        typed("{\"a\":1}", Map.class, Map.of("a", 1L));
        typed("{\"b\":1,\"a\":2}", SortedMap.class, new TreeMap<>(Map.of("a", 2L, "b", 1L)));
        StringBuilder many = new StringBuilder("[0");
        int[] numbers = new int[1000];
        for (int i = 1; i < numbers.length; i++) many.append(',').append(numbers[i] = i);
        typed(many.append(']').toString(), int[].class, numbers);
    }

    /** A bean with public fields, one of which is null. */
    public static class Point {
        public int x = 1;
        public double y = 2.5;
        public String name;
        public transient int hidden = 5;
        public static int shared = 6;
    }

    /** A bean with getters and setters. */
    public static class Person {
        private String name;
        private boolean active;
        private List<Person> children = List.of();
        private URI url;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public boolean isActive() {
            return active;
        }

        public void setActive(boolean active) {
            this.active = active;
        }

        public List<Person> getChildren() {
            return children;
        }

        public void setChildren(List<Person> children) {
            this.children = children;
        }

        public URI getURL() {
            return url;
        }

        public void setURL(URI url) {
            if (url != null && url.toString().equals("bad:x")) throw new IllegalStateException("no place ".repeat(40));
            this.url = url;
        }
    }

    private void beans() throws Exception {
        String text = "{\"name\":\"p\",\"y\":3,\"other\":{\"x\":[1]},\"x\":9,\"hidden\":1}";
        Point point = Kumihimo.load(utf8(text), Point.class);
        check.equal("a bean", List.of(point.x, point.y, point.name, point.hidden), List.of(9, 3.0, "p", 5));
        String json = "{\"name\":\"Bob\",\"active\":true,\"children\":[{\"name\":\"Al\"},null],\"URL\":\"a:b\"}";
        Person bob = Kumihimo.load(utf8(json), Person.class);
        check.equal("a bean that holds itself", bob.getChildren().get(0).getName(), "Al");
        check.equal("its properties", List.of(bob.getName(), bob.isActive(), bob.getURL(), bob.getChildren().size()),
                List.of("Bob", true, URI.create("a:b"), 2));
        Map<?, ?> again = (Map<?, ?>) Kumihimo.load(Kumihimo.dump(bob, CBOR), CBOR);
        check.equal("a bean as a map", again.keySet(), Set.of("name", "active", "children", "URL"));
        DataException unknown = check.refused("an unknown member", Code.TYPE,
                () -> Kumihimo.load(utf8("{\"x\":1,\"z\":[2]}"), Point.class, JSON.refuseUnknown(true)));
        check.equal("where it is", unknown.path() + " " + unknown.offset(), "$.z 11");
        check.refused("a missing member", Code.TYPE,
                () -> Kumihimo.load(utf8("{\"x\":1}"), Point.class, JSON.refuseMissing(true)));
        DataException host = check.refused("a setter that fails", Code.HOST,
                () -> Kumihimo.load(utf8("{\"URL\":\"bad:x\"}"), Person.class));
        check.yes("its cause", host.getCause() instanceof IllegalStateException);
        check.yes("no more of what it says than 40 characters", !host.getMessage().contains("no place ".repeat(5)));
        check.equal("its place", host.offset(), 0L);
        check.refused("an interface", Code.UNSUPPORTED, () -> Kumihimo.load(utf8("{}"), Runnable.class));
        check.refused("a class of the JDK", Code.UNSUPPORTED, () -> Kumihimo.load(utf8("{}"), Thread.class));
        records();
    }

    private void records() throws Exception {
        Class<?> record = Records.compiled();
        if (record == null) return; // a JVM without records
        String json = "{\"id\":7,\"name\":\"n\",\"next\":{\"id\":8,\"name\":\"m\"},\"tags\":[\"a\"],"
                + "\"at\":\"2020-01-02\"}";
        Object value = Kumihimo.load(utf8(json), record);
        check.equal("a record", value.toString(),
                "Node[id=7, name=n, next=Optional[Node[id=8, name=m, next=Optional.empty, tags=null, at=null]], "
                + "tags=[a], at=2020-01-02]");
        check.equal("a record, written", Kumihimo.dumpText(value, JSON.omitNulls(true)), json);
        check.equal("a record in every format", throughAll(value, record), List.of());
        DataException refused = check.refused("a record that refuses", Code.HOST,
                () -> Kumihimo.load(utf8("[{\"id\":-1}]"), Types.arrayOf(record), JSON));
        check.equal("where it is", refused.path() + " " + refused.offset(), "$[0] 1");
        Options whole = JSON.refuseMissing(true);
        for (String missing : List.of("{}", "{\"id\":null}", "{\"id\":1,\"id\":null}")) {
            typed(missing, record, Kumihimo.load(utf8("{\"id\":0}"), record));
            check.refused("an int that is missing", Code.TYPE, () -> Kumihimo.load(utf8(missing), record, whole));
        }
        String complete = "{\"id\":1,\"name\":\"n\",\"tags\":[],\"at\":\"2020-01-02\"}";
        check.runs("an Optional is never missing", () -> Kumihimo.load(utf8(complete), record, whole));
        check.refused("null among ints", Code.TYPE, () -> Kumihimo.load(utf8("[null]"), int[].class));
        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 1000; i++) deep.append("{\"id\":1,\"next\":");
        deep.append("null").append("}".repeat(1000));
        check.runs("records within records", () -> Kumihimo.load(utf8(deep.toString()), record));
        int[] ok = {0};
        Thread small = new Thread(null, () -> {
            Options deeper = JSON.limits(Limits.DEFAULT.withDepth(1_000_000));
            String all = "{\"id\":1,\"next\":".repeat(200_000);
            try {
                Kumihimo.load(utf8(all), record, deeper);
            } catch (DataException e) {
                ok[0] = e.code() == Code.DEPTH ? 1 : 2;
            }
        }, "small", 200 << 10);
        small.start();
        small.join();
        check.equal("deeper than the stack", ok[0], 1);
    }

    private static List<String> throughAll(Object value, Class<?> type) {
        List<String> wrong = new ArrayList<>();
        for (String format : Formats.names()) {
            Object again = Kumihimo.load(Kumihimo.dump(value, format), type, Options.of(format));
            if (!again.equals(value)) wrong.add(format + " " + again);
        }
        return wrong;
    }

    /** A class with an argument, and what extends it. */
    public static class Box<T> {
        public T content;
        public List<T> more;
        public Box<List<T>> nested;
    }

    public static class Shipped extends Box<Point> {}

    public static class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1;
    }

    private void generics() {
        List<Point> points = Kumihimo.load(utf8("[{\"x\":4}]"), new TypeOf<List<Point>>() {}, JSON);
        check.equal("a list of beans", points.get(0).x, 4);
        TypeOf<Map<Integer, List<Integer>>> lists = new TypeOf<Map<Integer, List<Integer>>>() {};
        Map<Integer, List<Integer>> map = Kumihimo.load(utf8("{\"1\":[2]}"), lists, JSON);
        check.equal("a map with keys that are numbers", map, Map.of(1, List.of(2)));
        check.equal("the same from CBOR", Kumihimo.load(Kumihimo.dump(map, CBOR), lists, CBOR), map);
        TypeOf<EnumMap<TimeUnit, String>> days = new TypeOf<EnumMap<TimeUnit, String>>() {};
        Map<TimeUnit, String> units = Kumihimo.load(utf8("{\"DAYS\":\"d\"}"), days, JSON);
        check.equal("an EnumMap", units, Map.of(TimeUnit.DAYS, "d"));
        TypeOf<EnumSet<TimeUnit>> chosen = new TypeOf<EnumSet<TimeUnit>>() {};
        EnumSet<TimeUnit> set = EnumSet.of(TimeUnit.DAYS, TimeUnit.HOURS);
        check.equal("an EnumSet", Kumihimo.load(Kumihimo.dump(set, JSON), chosen, JSON), set);
        check.equal("an empty one", Kumihimo.load(utf8("[]"), chosen, JSON), EnumSet.noneOf(TimeUnit.class));
        check.refused("of no such name", Code.TYPE, () -> Kumihimo.load(utf8("[\"AGES\"]"), chosen, JSON));
        Box<Integer> box = Kumihimo.load(utf8("{\"content\":1,\"more\":[2],\"nested\":{\"content\":[3]}}"),
                new TypeOf<Box<Integer>>() {}, JSON);
        check.equal("a class with an argument", List.of(box.content, box.more, box.nested.content),
                List.of(1, List.of(2), List.of(3)));
        Shipped shipped = Kumihimo.load(utf8("{\"content\":{\"x\":3},\"more\":[{\"x\":4}]}"), Shipped.class, JSON);
        check.equal("a class that gives an argument", shipped.content.x + shipped.more.get(0).x, 7);
        check.equal("a list that gives one", Kumihimo.load(utf8("[\"a\"]"), Names.class, JSON), List.of("a"));
        check.refused("and keeps to it", Code.TYPE, () -> Kumihimo.load(utf8("[1]"), Names.class, JSON));
        List<int[]>[] arrays = Kumihimo.load(utf8("[[[1]]]"), new TypeOf<List<int[]>[]>() {}, JSON);
        check.equal("an array of lists of arrays", arrays[0].get(0), new int[] {1});
        TypeOf<Map<String, ? extends Number>> wildcard = new TypeOf<Map<String, ? extends Number>>() {};
        Map<String, ? extends Number> wild = Kumihimo.load(utf8("{\"a\":1}"), wildcard, JSON);
        check.equal("a wildcard", wild.get("a"), 1L);
    }

    private void errors() {
        DataException e = check.refused("text for a number", Code.TYPE,
                () -> Kumihimo.load(utf8("{\"x\":1,\n \"y\":\"a\"}"), Point.class, JSON));
        check.equal("where", e.path() + " " + e.offset() + " " + e.line() + " " + e.column(), "$.y 13 2 6");
        check.refused("too large for an int", Code.RANGE, () -> Kumihimo.load(utf8("2147483648"), int.class, JSON));
        check.refused("too large for a byte", Code.RANGE, () -> Kumihimo.load(utf8("128"), byte.class, JSON));
        check.refused("no constant", Code.TYPE, () -> Kumihimo.load(utf8("\"YEARS\""), TimeUnit.class, JSON));
        check.refused("no UUID", Code.TYPE, () -> Kumihimo.load(utf8("\"1-1-1-1-1\""), UUID.class, JSON));
        check.refused("null for an int", Code.TYPE, () -> Kumihimo.load(utf8("[null]"), int[].class, JSON));
        check.refused("a fraction", Code.TYPE, () -> Kumihimo.load(utf8("1.5"), BigInteger.class, JSON));
        DataException secret = check.refused("a long text", Code.TYPE,
                () -> Kumihimo.load(utf8('"' + "s".repeat(500) + '"'), TimeUnit.class, JSON));
        check.yes("is cut in the message", secret.getMessage().length() < 150);
        check.refused("something behind it", Code.TRAILING, () -> Kumihimo.load(utf8("1 2"), int.class, JSON));
        check.equal("after an error", Kumihimo.load("[1]", JSON), List.of(1L));
    }

    private void depth() {
        List<Object> self = new ArrayList<>();
        self.add(self);
        check.refused("a list that holds itself", Code.DEPTH, () -> Kumihimo.dump(self, JSON));
        Map<String, Object> map = new HashMap<>();
        map.put("a", Collections.singletonList(map));
        check.refused("a map that holds itself", Code.DEPTH, () -> Kumihimo.dump(map, CBOR));
        List<Object> deep = List.of();
        for (int i = 0; i < 100_000; i++) deep = List.of(deep);
        Object nested = deep;
        check.refused("a deep list", Code.DEPTH, () -> Kumihimo.dump(nested, JSON));
        Options deeper = JSON.limits(Limits.DEFAULT.withDepth(200_000));
        byte[] bytes = Kumihimo.dump(nested, deeper);
        check.equal("by a larger limit", bytes.length, 200_002);
        check.runs("and read again", () -> Kumihimo.load(bytes, deeper));
        check.refused("but not by the usual one", Code.DEPTH, () -> Kumihimo.load(bytes, JSON));
        byte[] keys = new byte[2000];
        Arrays.fill(keys, (byte) 0xa1); // a map whose key is a map whose key ...
        keys[1000] = 1;
        check.refused("maps that are keys", Code.DEPTH, () -> Kumihimo.load(keys, CBOR));
    }

    private void numbers() {
        // A million digits: by the square of their number it would take minutes.
        String million = "7".repeat(1_000_000);
        Options large = JSON.numberDigits(2_000_000);
        BigInteger value = (BigInteger) Kumihimo.load(million, large);
        check.equal("a million digits", value.mod(BigInteger.valueOf(1000)).intValue(), 777);
        check.refused("more than the limit", Code.SIZE, () -> Kumihimo.load(million, JSON));
        check.refused("also for a type", Code.SIZE, () -> Kumihimo.load(utf8(million), BigDecimal.class, JSON));
        // Six bytes of two thousand each: of all the document's no more than 64 digits for each byte.
        String exponents = "[" + "1e4900,".repeat(2000) + "1]";
        DataException many = check.refused("integers by exponents", Code.SIZE,
                () -> Kumihimo.load(utf8(exponents), new TypeOf<List<BigInteger>>() {}, JSON));
        check.yes("where there were too many", many.offset() > 0 && "$".compareTo(many.path()) < 0);
        check.equal("some of them", Kumihimo.load(utf8("[1e4000,2e3]"), new TypeOf<List<BigInteger>>() {}, JSON),
                List.of(BigInteger.TEN.pow(4000), BigInteger.valueOf(2000)));
        check.refused("a large exponent", Code.SIZE, () -> Kumihimo.load(utf8("1e5000"), BigInteger.class, JSON));
        for (String format : Formats.names()) {
            byte[] document = Kumihimo.dump(List.of(1e300, 1e300), format);
            check.runs("each document has its own", () -> {
                Options by = Options.of(format);
                for (int i = 0; i < 300; i++) Kumihimo.load(document, new TypeOf<List<BigInteger>>() {}, by);
                return null;
            });
        }
    }

    private void keys() {
        Map<Object, TypeOf<?>> numbers = new LinkedHashMap<>();
        numbers.put(7, new TypeOf<Map<Integer, Object>>() {});
        numbers.put(7L, new TypeOf<Map<Long, Object>>() {});
        numbers.put(0.5f, new TypeOf<Map<Float, Object>>() {});
        numbers.put(Double.NaN, new TypeOf<Map<Double, Object>>() {});
        numbers.put(BigInteger.TEN, new TypeOf<Map<BigInteger, Object>>() {});
        numbers.put(new BigDecimal("1.50"), new TypeOf<Map<BigDecimal, Object>>() {});
        numbers.forEach((key, type) -> {
            check.equal(key + " as a key", Kumihimo.load(utf8("{\"" + key + "\":1}"), type, JSON), Map.of(key, 1L));
            for (String no : List.of("", " 7", "+5", "1f", "7d ", "0x1p3", "\u0661", "1e999999999999")) {
                check.refused(no + " as a key", Code.TYPE,
                        () -> Kumihimo.load(utf8("{\"" + no + "\":1}"), type, JSON));
            }
        });
        // HashMap keeps keys of one hash that are text in a tree: by the square of their number it would take minutes.
        List<String> texts = HostileTest.colliding(17);
        Map<String, Object> map = new LinkedHashMap<>();
        for (String text : texts) map.put(text, 1L);
        check.equal("keys of one hash", Kumihimo.load(Kumihimo.dump(map, JSON), JSON), map);
        // What has no order has no tree, and is counted.
        Map<Object, Object> lists = new LinkedHashMap<>();
        for (String text : HostileTest.colliding(13)) lists.put(List.of(text), 1L);
        byte[] hostile = Kumihimo.dump(lists, CBOR);
        check.refused("lists of one hash as keys", Code.SIZE, () -> Kumihimo.load(hostile, CBOR));
        byte[] set = Kumihimo.dump(new ArrayList<>(lists.keySet()), CBOR);
        check.refused("lists of one hash in a set", Code.SIZE,
                () -> Kumihimo.load(set, new TypeOf<Set<List<String>>>() {}, CBOR));
        byte[] equal = Kumihimo.dump(Collections.nCopies(100, List.of("a")), CBOR);
        check.equal("equal elements of a set", Kumihimo.load(equal, new TypeOf<Set<List<String>>>() {}, CBOR),
                Set.of(List.of("a")));
        // Names of every length, many of them for one place in the cache, and with bytes of zero.
        Map<String, Object> names = new LinkedHashMap<>();
        for (int n = 0; n < 40; n++) {
            for (int i = 0; i < 60; i++) names.put("x".repeat(n) + i, (long) i);
            names.put("\0".repeat(n), -1L);
            names.put("\u00e9".repeat(n) + "k", -2L);
        }
        for (int again = 0; again < 3; again++) {
            for (String format : List.of("json", "msgpack", "cbor")) {
                check.equal("names in " + format, Kumihimo.load(Kumihimo.dump(names, format), format), names);
            }
        }
    }

    private void formats() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("null", null);
        value.put("numbers", List.of(0L, -1L, 1L << 40, 0.5, -0.0, Double.MAX_VALUE));
        value.put("text", "a\u00e9\u4e2d\ud83d\ude00\0");
        value.put("maps", List.of(Map.of(), Map.of("a", Map.of("b", List.of()))));
        for (String format : Formats.names()) {
            check.equal("a value in " + format, Kumihimo.load(Kumihimo.dump(value, format), format), value);
        }
        check.equal("a value whose format is told", Kumihimo.load(Kumihimo.dump(value, "msgpack")), value);
    }
}
