package kumihimo.plain;

import java.lang.ref.WeakReference;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.SynchronousQueue;
import java.util.stream.Collectors;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Formats;
import kumihimo.Kumihimo;
import kumihimo.Options;
import kumihimo.path.Projection;

/** Documents that would cost time or memory beyond their size: {@code java -cp CLASSES kumihimo.plain.HostileTest}. */
public final class HostileTest {
    private static final Options JSON = Options.of("json");

    private final Checks check = new Checks();

    public static void main(String[] arguments) {
        HostileTest test = new HostileTest();
        test.kept();
        test.maps();
        test.longKeys();
        test.collections();
        test.places();
        test.honest();
        test.million();
        test.together();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // What a thread keeps between two documents.

    private void kept() {
        Plain plain = new Plain(JSON);
        byte[] broken = utf8("[" + "\"a text\",".repeat(200_000) + "x]");
        for (TypeOf<?> type : List.of(new TypeOf<Object>() {}, new TypeOf<List<List<Object>>>() {})) {
            byte[] document = type.type() == Object.class ? broken : utf8("[" + new String(broken, 0, broken.length));
            check.refused("a document that breaks off", Code.SYNTAX, () -> plain.read(
                    Formats.named("json").reader("", JSON.limits()).reset(document), type.type()));
            int held = 0;
            for (Object value : plain.builder.values) held += value == null ? 0 : 1;
            check.equal("values that are still held", held, 0);
            check.yes("places for values", plain.builder.values.length <= 1 << 16);
            held(plain);
        }
        byte[][] document = {utf8("{\"" + "k".repeat(1000) + "\":1}")};
        WeakReference<?> key = written(Kumihimo.load(document[0]));
        for (int i = 0; i < 100 && key.get() != null; i++) System.gc();
        check.yes("a long key is forgotten", key.get() == null);
    }

    /** Each path holds its whole tree, and trees are forgotten now and then. */
    private void held(Plain plain) {
        for (String end : List.of("0" + "}".repeat(40), "x", "")) {
            byte[] deep = utf8("{\"a\":".repeat(40) + end);
            try {
                plain.read(Formats.named("json").reader("", JSON.limits()).reset(deep));
            } catch (DataException e) {
                plain.builder.reset();
            }
            int held = 0;
            for (KeyPath path : plain.builder.around) held += path == null ? 0 : 1;
            check.equal("paths that are still held", held, 0);
        }
    }

    /** The only key of a map, which is written a few times. */
    private static WeakReference<?> written(Object map) {
        for (int i = 0; i < 3; i++) Kumihimo.dump(map, JSON);
        return new WeakReference<>(((Map<?, ?>) map).keySet().iterator().next());
    }

    // Hashes that come together.

    /** So many texts, two to the power of pieces, of one hash: that of "Aa" and "BB" is the same. */
    static List<String> colliding(int pieces) {
        List<String> all = List.of("");
        for (int i = 0; i < pieces; i++) {
            List<String> longer = new ArrayList<>();
            for (String s : all) {
                longer.add(s + "Aa");
                longer.add(s + "BB");
            }
            all = longer;
        }
        return all;
    }

    /** A map of the user's own. */
    public static class Own extends java.util.AbstractMap<String, Integer> {
        private final Map<String, Integer> all = new HashMap<>();

        @Override
        public Integer put(String key, Integer value) {
            return all.put(key, value);
        }

        @Override
        public Set<Map.Entry<String, Integer>> entrySet() {
            return all.entrySet();
        }
    }

    /** A table of the user's own, whose size is not ours to choose. */
    public static class OwnTable extends Hashtable<String, Integer> {
        private static final long serialVersionUID = 1;
    }

    private static byte[] map(Collection<String> keys) {
        Map<String, Integer> all = new LinkedHashMap<>();
        for (String key : keys) all.put(key, 1);
        return Kumihimo.dump(all, JSON);
    }

    private void maps() {
        byte[] hostile = map(colliding(14));
        for (TypeOf<?> type : List.of(new TypeOf<Hashtable<String, Integer>>() {}, new TypeOf<Own>() {},
                new TypeOf<OwnTable>() {}, new TypeOf<WeakHashMap<String, Integer>>() {})) {
            check.refused(type.type() + " of one hash", Code.SIZE, () -> Kumihimo.load(hostile, type, JSON));
        }
        for (TypeOf<?> type : List.of(new TypeOf<HashMap<String, Integer>>() {}, new TypeOf<Properties>() {},
                new TypeOf<ConcurrentHashMap<String, Integer>>() {},
                new TypeOf<IdentityHashMap<String, Integer>>() {})) {
            check.equal(type.type() + " of one hash", ((Map<?, ?>) Kumihimo.load(hostile, type, JSON)).size(), 1 << 14);
        }
        // Hashes that differ, and come to one place in a table of the size that a Hashtable would have.
        List<String> near = new ArrayList<>();
        for (int i = 0; near.size() < 1000; i++) {
            if (("k" + i).hashCode() % 23 == 0) near.add("k" + i);
        }
        for (int n : new int[] {0, 1, 1000}) {
            byte[] document = map(near.subList(0, n));
            Object value = Kumihimo.load(document, new TypeOf<Hashtable<String, Integer>>() {}, JSON);
            check.equal("a Hashtable", value, Kumihimo.load(document, new TypeOf<Map<String, Integer>>() {}, JSON));
            check.equal("its class", value.getClass(), Hashtable.class);
        }
        check.refused("null in a Hashtable", Code.TYPE,
                () -> Kumihimo.load(utf8("{\"a\":null}"), new TypeOf<Hashtable<String, Integer>>() {}, JSON));
        List<String> many = new ArrayList<>();
        for (int i = 0; i <= Container.FEW; i++) many.add("k" + i);
        byte[] few = map(many.subList(1, many.size()));
        byte[] more = map(many);
        for (TypeOf<?> type : List.of(new TypeOf<OwnTable>() {}, new TypeOf<WeakHashMap<String, Integer>>() {})) {
            check.runs("few in " + type.type(), () -> Kumihimo.load(few, type, JSON));
            check.refused("many in " + type.type(), Code.SIZE, () -> Kumihimo.load(more, type, JSON));
        }
    }

    /** So many arrays of this length whose hashes are the same: 31 * b + c is what counts of two bytes. */
    private static List<byte[]> arrays(int n, int size) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            byte[] one = new byte[size];
            one[0] = 1;
            for (int at = size - 2, x = i; x > 0; at -= 2, x /= 6) {
                one[at] = (byte) -(x % 6);
                one[at + 1] = (byte) (31 * (x % 6) - 100);
            }
            for (int at = size - 2; at > size - 14; at -= 2) {
                if (one[at + 1] == 0) one[at + 1] = -100;
            }
            all.add(one);
        }
        return all;
    }

    /** Equal hashes cost more where it takes longer to see that keys differ. */
    private void longKeys() {
        List<Object> extensions = new ArrayList<>();
        List<Object> numbers = new ArrayList<>();
        for (byte[] data : arrays(2000, 1000)) extensions.add(List.of(new Extension(1, data)));
        for (int i = 0; i < 2000; i++) {
            // Of two words, too, 31 * b + c is what counts.
            BigInteger number = BigInteger.ONE;
            for (int bit = 0; bit < 11; bit++) {
                long low = (i >> bit & 1) == 0 ? 100 : 69;
                number = number.shiftLeft(64).add(BigInteger.valueOf((low == 100 ? 2L : 3L) << 32 | low));
            }
            BigInteger shifted = BigInteger.ONE.shiftLeft(15_000).add(number);
            numbers.add(List.of(shifted));
        }
        for (List<Object> keys : List.of(extensions, numbers)) {
            Map<Object, Object> map = new LinkedHashMap<>();
            for (Object key : keys) map.put(key, null);
            check.equal("keys", map.size(), 2000);
            String format = keys == extensions ? "msgpack" : "cbor";
            byte[] document = Kumihimo.dump(map, format);
            Object first = keys.get(0);
            int same = 0;
            for (Object key : keys) same += key.hashCode() == first.hashCode() ? 1 : 0;
            check.equal("keys of one hash", same, 2000);
            check.refused("long keys of " + format, Code.SIZE, () -> Kumihimo.load(document, format));
        }
        byte[] uris = utf8(colliding(11).stream().map(s -> "\"/" + "%41".repeat(430) + s + "\"").collect(
                Collectors.joining(",", "[", "]")));
        check.refused("long URIs", Code.SIZE, () -> Kumihimo.load(uris, new TypeOf<Set<URI>>() {}, JSON));
    }

    private void collections() {
        // One copy for each element would be a million times half a million elements.
        byte[] many = Kumihimo.dump(Collections.nCopies(1_000_000, 7), JSON);
        check.equal("a list that copies itself",
                Kumihimo.load(many, new TypeOf<CopyOnWriteArrayList<Integer>>() {}, JSON),
                Collections.nCopies(1_000_000, 7));
        check.equal("a set of one element",
                Kumihimo.load(many, new TypeOf<CopyOnWriteArraySet<Integer>>() {}, JSON), Set.of(7));
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i <= Container.FEW; i++) numbers.add(i);
        byte[] more = Kumihimo.dump(numbers, JSON);
        check.refused("a set that looks through all it has", Code.SIZE,
                () -> Kumihimo.load(more, new TypeOf<CopyOnWriteArraySet<Integer>>() {}, JSON));
        byte[] few = Kumihimo.dump(numbers.subList(1, numbers.size()), JSON);
        check.equal("a small one", Kumihimo.load(few, new TypeOf<CopyOnWriteArraySet<Integer>>() {}, JSON),
                new TreeSet<>(numbers.subList(1, numbers.size())));
        check.equal("one that has trees", Kumihimo.load(Kumihimo.dump(colliding(10), JSON),
                new TypeOf<HashSet<String>>() {}, JSON), new HashSet<>(colliding(10)));
        DataException full = check.refused("a queue without room", Code.HOST,
                () -> Kumihimo.load(utf8("[[1]]"), new TypeOf<List<SynchronousQueue<Integer>>>() {}, JSON));
        check.equal("where it is", full.path(), "$[0]");
    }

    // Equal hashes by chance, and by design.

    private void honest() {
        Set<Set<Integer>> edges = new HashSet<>();
        for (int a = 0; a < 200; a++) {
            for (int b = 0; b < a; b++) edges.add(Set.of(a, b));
        }
        check.equal("edges",
                Kumihimo.load(Kumihimo.dump(edges, JSON), new TypeOf<Set<Set<Integer>>>() {}, JSON), edges);
        Set<Map<String, Integer>> points = new HashSet<>();
        Map<Object, Object> keyed = new LinkedHashMap<>();
        for (int x = 0; x < 130; x++) {
            for (int y = 0; y < 130; y++) {
                points.add(Map.of("x", x, "y", y));
                keyed.put(Map.of("x", (long) x, "y", (long) y), 1L);
            }
        }
        check.equal("points", Kumihimo.load(Kumihimo.dump(points, JSON),
                new TypeOf<Set<Map<String, Integer>>>() {}, JSON), points);
        check.equal("points as keys", Kumihimo.load(Kumihimo.dump(keyed, "msgpack"), "msgpack"), keyed);
        Map<Long, Integer> packed = new HashMap<>();
        for (long x = 0; x < 100; x++) {
            for (long y = 0; y < 100; y++) packed.put(x << 32 | y, 1);
        }
        check.equal("a Hashtable of packed points", Kumihimo.load(Kumihimo.dump(packed, JSON),
                new TypeOf<Hashtable<Long, Integer>>() {}, JSON), packed);
    }

    private void million() {
        List<Object> lists = new ArrayList<>();
        for (String text : colliding(20)) lists.add(List.of(text));
        byte[] flood = Kumihimo.dump(lists, JSON);
        // Taken, they would cost hours.
        DataException e = check.refused("a million lists of one hash", Code.SIZE,
                () -> Kumihimo.load(flood, new TypeOf<Set<List<String>>>() {}, JSON));
        check.yes("it says what, " + e.getMessage(), e.getMessage().contains("elements of a set"));
    }

    /** Maps and sets which cost too much together only, and others that mean no harm. */
    private void together() {
        Map<Object, Object> lists = new LinkedHashMap<>();
        for (String text : colliding(12).subList(0, 3500)) lists.put(List.of(text), 1L);
        byte[] one = Kumihimo.dump(List.of(lists), "msgpack");
        List<Object> copies = Collections.nCopies(30, lists);
        byte[] all = Kumihimo.dump(copies, "msgpack");
        List<Object> sets = Collections.nCopies(30, new ArrayList<>(lists.keySet()));
        byte[] allSets = Kumihimo.dump(sets, JSON);
        Options by = Options.of("msgpack");
        check.equal("one map", Kumihimo.load(one, by), List.of(lists));
        check.refused("thirty", Code.SIZE, () -> Kumihimo.load(all, by));
        check.refused("thirty by their type", Code.SIZE,
                () -> Kumihimo.load(all, new TypeOf<List<Map<List<String>, Object>>>() {}, by));
        check.refused("thirty sets", Code.SIZE,
                () -> Kumihimo.load(allSets, new TypeOf<List<Set<List<String>>>>() {}, JSON));
        check.refused("thirty, of two types", Code.SIZE,
                () -> Kumihimo.load(all, new TypeOf<List<Map<Object, Object>>>() {}, by));
        byte[] parts = Kumihimo.dump(Map.of("all", copies), "msgpack");
        check.refused("thirty parts", Code.SIZE, () -> Kumihimo.partial(parts, Projection.of("all[*]"), by));
        for (int i = 0; i < 3; i++) check.equal("documents of one map", Kumihimo.load(one, by), List.of(lists));

        Map<Object, Object> honest = new LinkedHashMap<>();
        for (int i = 0; i < 20_000; i++) honest.put(List.of("key " + i), (long) i);
        List<Object> many = Collections.nCopies(20, honest);
        check.equal("large maps", Kumihimo.load(Kumihimo.dump(many, "msgpack"), by), many);
    }

    // Every error says where.

    private void places() {
        Map<Object, Object> lists = new LinkedHashMap<>();
        for (String text : colliding(13)) lists.put(List.of(text), 1L);
        for (String format : List.of("cbor", "tagged", "msgpack")) {
            byte[] map = Kumihimo.dump(List.of(lists), format);
            byte[] set = Kumihimo.dump(List.of(new ArrayList<>(lists.keySet())), format);
            Options by = Options.of(format);
            placed("a map in " + format, map, new TypeOf<Object>() {}, by);
            placed("a typed map in " + format, map, new TypeOf<List<Map<List<String>, Object>>>() {}, by);
            placed("a typed set in " + format, set, new TypeOf<List<Set<List<String>>>>() {}, by);
        }
    }

    private void placed(String what, byte[] document, TypeOf<?> type, Options by) {
        DataException e = check.refused(what, Code.SIZE, () -> Kumihimo.load(document, type, by));
        check.yes(what + " with an offset", e.offset() > 0);
        check.yes(what + " with a path, " + e.path(), e.path() != null && e.path().startsWith("$[0]"));
    }
}
