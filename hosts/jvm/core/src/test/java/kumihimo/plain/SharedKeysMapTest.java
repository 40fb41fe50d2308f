package kumihimo.plain;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import kumihimo.Checks;
import kumihimo.Formats;
import kumihimo.Kind;
import kumihimo.Kumihimo;
import kumihimo.Limits;
import kumihimo.Options;
import kumihimo.Reader;

/** Maps that share their keys are as LinkedHashMaps are: {@code java -cp CLASSES kumihimo.plain.SharedKeysMapTest}. */
public final class SharedKeysMapTest {
    private final Checks check = new Checks();

    public static void main(String[] arguments) throws Exception {
        SharedKeysMapTest test = new SharedKeysMapTest();
        test.calls();
        test.iterators();
        test.failFast();
        test.pairsGivenAway();
        test.serialized();
        test.many();
        test.kinds();
        test.documents();
        test.unrepeated();
        test.written();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** a, b, c and null for d: 1, 2, 3. */
    private static SharedKeysMap shared() {
        return new SharedKeysMap(new SharedKeys(new String[] {"a", "b", "c", "d"}), new Object[] {1, 2, 3, null});
    }

    private static Map<Object, Object> oracle() {
        return new LinkedHashMap<>(shared());
    }

    private static List<Object> pairs(Map<?, ?> map) {
        List<Object> all = new ArrayList<>();
        for (Map.Entry<?, ?> pair : map.entrySet()) {
            all.add(pair.getKey());
            all.add(pair.getValue());
        }
        return all;
    }

    private void same(String what, Map<?, ?> got, Map<?, ?> wanted) {
        check.equal(what + ": pairs", pairs(got), pairs(wanted));
        check.yes(what + ": equal", got.equals(wanted) && wanted.equals(got));
        check.equal(what + ": hash", got.hashCode(), wanted.hashCode());
        check.equal(what + ": text", got.toString(), wanted.toString());
        check.equal(what + ": size", got.size(), wanted.size());
        check.equal(what + ": keys", new ArrayList<>(got.keySet()), new ArrayList<>(wanted.keySet()));
        check.equal(what + ": values", new ArrayList<>(got.values()), new ArrayList<>(wanted.values()));
        List<Object> each = new ArrayList<>();
        got.forEach((key, value) -> {
            each.add(key);
            each.add(value);
        });
        check.equal(what + ": each", each, pairs(wanted));
        for (Object key : new Object[] {"a", "b", "c", "d", "e", "", 1, null}) {
            check.equal(what + ": has " + key, got.containsKey(key), wanted.containsKey(key));
            check.equal(what + ": get " + key, got.get(key), wanted.get(key));
        }
        check.equal(what + ": has 2", got.containsValue(2), wanted.containsValue(2));
        check.equal(what + ": has null", got.containsValue(null), wanted.containsValue(null));
    }

    /** Every call of Map, one or several behind one another, with what it returns. */
    private void calls() {
        Random random = new Random(1);
        for (int round = 0; round < 3000; round++) {
            Map<Object, Object> got = shared();
            Map<Object, Object> wanted = oracle();
            StringBuilder said = new StringBuilder();
            for (int n = random.nextInt(6); n >= 0; n--) {
                int call = random.nextInt(20);
                Object key = new Object[] {"a", "b", "c", "d", "e", "f", 7, null}[random.nextInt(8)];
                Object value = new Object[] {1, 2, "x", null}[random.nextInt(4)];
                said.append(call).append('(').append(key).append(' ').append(value).append(") ");
                check.equal(said.toString(), called(got, call, key, value), called(wanted, call, key, value));
            }
            same(said.toString(), got, wanted);
        }
    }

    private static Object called(Map<Object, Object> map, int call, Object key, Object value) {
        try {
            switch (call) {
                case 0:
                case 1:
                case 2:
                    return map.put(key, value);
                case 3:
                case 4:
                    return map.remove(key);
                case 5:
                    return map.remove(key, value);
                case 6:
                    return map.putIfAbsent(key, value);
                case 7:
                    return map.computeIfAbsent(key, k -> k + "+");
                case 8:
                    return map.computeIfPresent(key, (k, v) -> value);
                case 9:
                    return map.compute(key, (k, v) -> v == null ? value : null);
                case 10:
                    return map.merge(key, "m", (v, w) -> value);
                case 11:
                    return map.replace(key, value);
                case 12:
                    map.replaceAll((k, v) -> k + "=" + v);
                    return null;
                case 13:
                    return map.keySet().remove(key);
                case 14:
                    return map.values().remove(value);
                case 15:
                    return map.entrySet().removeIf(pair -> Objects.equals(pair.getValue(), value));
                case 16:
                    return map.keySet().retainAll(List.of("a", "c", "f"));
                case 17:
                    for (Map.Entry<Object, Object> pair : map.entrySet()) {
                        if (Objects.equals(pair.getKey(), key)) return pair.setValue(value);
                    }
                    return "none";
                case 18:
                    map.putAll(Map.of("b", 8, "g", 9));
                    return map.getOrDefault(key, "without");
                default:
                    map.clear();
                    return map.isEmpty();
            }
        } catch (RuntimeException e) {
            return e.getClass();
        }
    }

    private void iterators() throws Exception {
        SharedKeysMap map = shared();
        Iterator<Map.Entry<Object, Object>> pairs = map.entrySet().iterator();
        check.thrown("nothing to remove", IllegalStateException.class, () -> {
            pairs.remove();
            return null;
        });
        for (int i = 0; i < 4; i++) pairs.next();
        check.thrown("the end", NoSuchElementException.class, pairs::next);
        pairs.remove();
        check.thrown("removed already", IllegalStateException.class, () -> {
            pairs.remove();
            return null;
        });
        check.equal("the last one is gone", pairs(map), List.of("a", 1, "b", 2, "c", 3));

        SharedKeysMap other = shared();
        Iterator<Object> keys = other.keySet().iterator();
        keys.next();
        other.put("b", 5);
        check.equal("a value that is replaced disturbs nobody", keys.next(), "b");
        other.put("e", 5);
        check.yes("more", keys.hasNext());
        check.thrown("a key was added", ConcurrentModificationException.class, keys::next);
        check.thrown("and now", ConcurrentModificationException.class, () -> {
            keys.remove();
            return null;
        });

        SharedKeysMap grown = shared();
        Map<Object, Object> views = grown;
        java.util.Set<Object> before = views.keySet();
        grown.remove("b");
        check.equal("a view of before", new ArrayList<>(before), List.of("a", "c", "d"));
        check.equal("and of now", new ArrayList<>(grown.keySet()), List.of("a", "c", "d"));

        for (SharedKeysMap each : List.of(shared(), grown)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(each);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                Object read = in.readObject();
                check.equal("what Java writes", read.getClass(), LinkedHashMap.class);
                check.equal("is the same", pairs((Map<?, ?>) read), pairs(each));
            }
        }
    }

    /** What is done at one key of a loop over the map: the keys that were seen, and how it ended. */
    private static String loop(Map<Object, Object> map, Object at, Runnable change, boolean each) {
        List<Object> seen = new ArrayList<>();
        try {
            if (each) {
                map.forEach((key, value) -> {
                    if (key.equals(at)) change.run();
                });
            } else {
                for (Object key : map.keySet()) {
                    seen.add(key);
                    if (key.equals(at)) change.run();
                }
            }
        } catch (ConcurrentModificationException e) {
            return seen + " changed " + map;
        }
        return seen + " " + map;
    }

    private void failFast() {
        for (String at : List.of("a", "b", "c", "d")) {
            for (int change = 0; change < 5; change++) {
                for (boolean each : new boolean[] {false, true}) {
                    List<String> said = new ArrayList<>();
                    for (Map<Object, Object> map : List.of(shared(), oracle())) {
                        int n = change;
                        said.add(loop(map, at, () -> {
                            if (n == 0) map.remove("a");
                            else if (n == 1) map.remove("d");
                            else if (n == 2) map.put("e", 5);
                            else if (n == 3) map.clear();
                            else map.put("b", 5);
                        }, each));
                    }
                    check.equal("change " + change + " at " + at, said.get(0), said.get(1));
                }
            }
        }
    }

    private static String pairOf(Map<Object, Object> map, int change) {
        Iterator<Map.Entry<Object, Object>> pairs = map.entrySet().iterator();
        Map.Entry<Object, Object> pair = pairs.next();
        Map.Entry<Object, Object> other = map.entrySet().iterator().next();
        if (change == 0) map.remove("a");
        else if (change == 1) pairs.remove();
        else if (change == 2) map.clear();
        else if (change == 3) map.put("a", 5);
        else if (change == 4) other.setValue(6);
        else map.put("e", 5);
        String said = pair + " " + pair.hashCode() + " " + pair.equals(other) + " " + pair.getValue();
        return said + " " + pair.setValue(9) + " " + pair.getValue() + " " + other.getValue() + " " + map;
    }

    private void pairsGivenAway() {
        for (int change = 0; change < 6; change++) {
            String got = pairOf(shared(), change);
            String wanted = pairOf(oracle(), change);
            // Of a pair that is gone two of a LinkedHashMap are still one object.
            if (change < 3) wanted = wanted.replace(" 9 9 ", " 9 1 ");
            check.equal("a pair and change " + change, got, wanted);
        }
    }

    private static Object sent(Object value) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return received(bytes.toByteArray());
    }

    private static Object received(byte[] bytes) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }

    private void serialized() throws Exception {
        SharedKeysMap map = shared();
        Map.Entry<Object, Object> pair = map.entrySet().iterator().next();
        map.put("a", 7);
        Object read = sent(pair);
        check.equal("what is written of a pair", read.getClass(), java.util.AbstractMap.SimpleEntry.class);
        check.equal("the pair", read.toString(), "a=7");
        for (String name : List.of("kumihimo.plain.SharedKeysMap", "kumihimo.plain.SharedKeysMap$Pair")) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(0xaced0005);
            out.writeShort(0x7372); // an object, and its class
            out.writeUTF(name);
            out.writeLong(1);
            out.writeByte(2); // serializable, without fields or a parent
            out.writeShort(0);
            out.writeShort(0x7870);
            check.thrown("a forged " + name, InvalidObjectException.class, () -> received(bytes.toByteArray()));
        }
    }

    /** As many keys as there may be, those of one hash among them. */
    private void many() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < 5; bit++) key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            keys.add(key.toString());
            keys.add("key" + i);
        }
        SharedKeys shared = new SharedKeys(keys.toArray(new String[0]));
        for (int i = 0; i < keys.size(); i++) check.equal("key " + i, shared.find(keys.get(i)), i);
        for (String none : new String[] {"", "AaAaAaAaA", "AaBBAaBBC#", "key32"}) {
            check.equal("no key " + none, shared.find(none), -1);
        }
        check.equal("of no keys", new SharedKeys(new String[0]).find("a"), -1);
    }

    private static Class<?> kind(Plain plain, String json) {
        Reader reader = Formats.named("json").reader("", Limits.DEFAULT).reset(utf8(json));
        return plain.read(reader).getClass();
    }

    /** Which maps share their keys. */
    private void kinds() {
        Plain plain = new Plain(Options.of("json"));
        StringBuilder most = new StringBuilder("{\"k0\":0");
        for (int i = 1; i < SharedKeys.MOST; i++) most.append(",\"k").append(i).append("\":").append(i);
        String longKey = "\"" + "k".repeat(65) + "\"";
        for (String json : new String[] {"{\"a\":1}", "{\"a\":1,\"b\":[{\"a\":2}]}", most + "}"}) {
            check.equal(json + " comes first", kind(plain, json), LinkedHashMap.class);
            kind(plain, json);
            check.equal(json + " comes again", kind(plain, json), SharedKeysMap.class);
        }
        for (String json : new String[] {
            "{}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"b\":2,\"c\":3,\"b\":4}", most + ",\"more\":1}",
            "{" + longKey + ":1}", "{\"a\":1," + longKey + ":1}"
        }) {
            for (int i = 0; i < 20; i++) check.equal(json, kind(plain, json), LinkedHashMap.class);
        }
    }

    // Documents against a reader that is asked for each value.

    private static Object read(Reader from) {
        Kind kind = from.kind();
        if (kind == Kind.MAP) {
            Map<Object, Object> map = new LinkedHashMap<>();
            from.map();
            while (from.hasNext()) {
                String key = from.str();
                map.put(key, read(from));
            }
            return map;
        }
        if (kind == Kind.ARRAY) {
            List<Object> list = new ArrayList<>();
            from.array();
            while (from.hasNext()) list.add(read(from));
            return list;
        }
        if (kind == Kind.STR) return from.str();
        if (kind == Kind.I64) return from.i64();
        from.nil();
        return null;
    }

    private static final String[] KEYS = {"id", "name", "n\u00e4me", "\u540d", "a", "b", "c", "longer than eight",
        "longer than sixteen bytes", "k".repeat(31), "k".repeat(33), "", "q\\\"", "\\u0061", "\\ud83d\\ude00"};
    private static final String[] TEXTS = {"", "plain", "\u00e9t\u00e9", "\u4fa1\u683c\u0800\uffff", "\ud83d\ude00 x",
        "a\\nb", "\\u4fa1 and \u4fa1", "\\ud83d\\ude00", "long, and at its end beyond ASCII: \u4fa1", "\\/"};

    private static void value(StringBuilder to, Random random, int depth, int keys) {
        int kind = random.nextInt(depth < 5 ? 6 : 3);
        if (kind == 0) {
            to.append(random.nextInt(1000) - 300);
        } else if (kind == 1) {
            to.append('"').append(TEXTS[random.nextInt(TEXTS.length)]).append('"');
        } else if (kind == 2) {
            to.append("null");
        } else {
            boolean map = kind > 3;
            to.append(map ? '{' : '[');
            int first = random.nextInt(keys);
            int n = random.nextInt(random.nextInt(20) == 0 ? 100 : 6);
            for (int i = 0; i < n; i++) {
                if (i > 0) to.append(",\n ".substring(0, 1 + random.nextInt(3)));
                // Mostly the same orders, now and then another one, and a key again.
                int key = random.nextInt(8) == 0 ? random.nextInt(keys) : first + i;
                if (map) {
                    to.append('"').append(KEYS[key % KEYS.length]);
                    if (key >= KEYS.length && !KEYS[key % KEYS.length].isEmpty()) to.append(key);
                    to.append("\":");
                }
                value(to, random, depth + 1, keys);
            }
            to.append(map ? '}' : ']');
        }
    }

    private void documents() {
        Plain plain = new Plain(Options.of("json"));
        Plain other = new Plain(Options.of("msgpack"));
        Reader reader = Formats.named("json").reader("", Limits.DEFAULT);
        Reader packs = Formats.named("msgpack").reader("", Limits.DEFAULT);
        int sharing = 0;
        for (int seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            StringBuilder json = new StringBuilder("[");
            value(json, random, 0, 3 + random.nextInt(random.nextInt(3) == 0 ? 2000 : 12));
            byte[] document = utf8(json.append("]").toString());
            Object wanted = read(reader.reset(document));
            byte[] pack = Kumihimo.convert(document, "json", "msgpack");
            for (int again = 0; again < 3; again++) {
                Object got = plain.read(reader.reset(document));
                check.equal("document " + seed, got.toString(), wanted.toString());
                check.yes("document " + seed, got.equals(wanted));
                check.equal("packed " + seed, other.read(packs.reset(pack)).toString(), wanted.toString());
                if (((List<?>) got).get(0) instanceof SharedKeysMap) sharing++;
            }
        }
        check.yes("some maps share their keys: " + sharing, sharing > 500);
    }

    /** Keys that come once, or that are always others, leave little behind. */
    private void unrepeated() {
        Plain plain = new Plain(Options.of("json"));
        Reader reader = Formats.named("json").reader("", Limits.DEFAULT);
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            StringBuilder json = new StringBuilder("[0");
            List<Object> wanted = new ArrayList<>(List.of(0L));
            for (int i = 0; i < 300; i++) {
                Map<Object, Object> map = new LinkedHashMap<>();
                json.append(",{");
                for (int k = random.nextInt(4); k >= 0; k--) {
                    String key = "k" + random.nextInt(round < 100 ? 60 : 1_000_000);
                    json.append('"').append(key).append("\":").append(k).append(k > 0 ? "," : "}");
                    map.put(key, (long) k);
                }
                wanted.add(map);
            }
            byte[] document = utf8(json.append("]").toString());
            check.equal("round " + round, plain.read(reader.reset(document)), wanted);
        }
    }

    /** Such maps are written as others are, also when their keys are their own. */
    private void written() {
        Map<Object, Object> map = shared();
        map.put("a", List.of(shared(), Map.of()));
        check.equal("shared", new String(Kumihimo.dump(map, "json"), StandardCharsets.UTF_8),
                "{\"a\":[{\"a\":1,\"b\":2,\"c\":3,\"d\":null},{}],\"b\":2,\"c\":3,\"d\":null}");
        map.remove("c");
        map.put("\u00e9", true);
        check.equal("its own", new String(Kumihimo.dump(map, "json"), StandardCharsets.UTF_8),
                "{\"a\":[{\"a\":1,\"b\":2,\"c\":3,\"d\":null},{}],\"b\":2,\"d\":null,\"\u00e9\":true}");
    }
}
