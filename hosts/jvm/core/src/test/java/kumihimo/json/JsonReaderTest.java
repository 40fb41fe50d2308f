package kumihimo.json;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Names;
import kumihimo.Reader;
import kumihimo.Sink;
import kumihimo.Trace;

/**
 * The reader of JSON beyond the vectors: calls for one type, fields, marks, limits, and damaged documents, on which
 * all ways of reading must agree: {@code java -cp CLASSES kumihimo.json.JsonReaderTest}.
 */
public final class JsonReaderTest {
    private static final String PADDING = " ".repeat(48);
    private static final String[] DIALECTS = {"rfc8259", "unique_keys", "doubles", "relaxed", "exact_decimals",
        "python_read", "ruby_read", "old_ruby_read", "+duplicates=last+comments",
        "+surrogates=replace+control_characters+unknown_escapes"};
    /** Pieces of documents. */
    private static final String[] PIECES = {"\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "0", "1", "-", ".",
        "e", "E5", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\u00e9", "\u4e2d", "\ud83d\ude00", "true", "null",
        "NaN", "/**/", "//\n", "-0", "1e400", "18446744073709551615", "123456789012345678", "{\"a\":[1,{}]}", "\"a\":",
        ",\"a\":2", "        ", "\u0001"};

    private int checked;
    private int failed;

    public static void main(String[] arguments) {
        JsonReaderTest test = new JsonReaderTest();
        test.types();
        test.integers(new SplittableRandom(1));
        test.strings(new SplittableRandom(2));
        test.fields();
        test.droppedKeys();
        test.marks();
        test.places();
        test.limits();
        test.misuse();
        test.released();
        test.skipping(new SplittableRandom(4));
        test.damaged(new SplittableRandom(3));
        test.boundaries(new SplittableRandom(5));
        System.out.println(test.checked + " checks, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    private void equal(Object got, Object wanted) {
        checked++;
        if (got.equals(wanted)) return;
        if (failed++ < 20) System.out.println(got + "\n  not " + wanted);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static JsonReader reader(String document) {
        JsonReader reader = new JsonReader();
        reader.reset(utf8(document));
        return reader;
    }

    /** What a call gives, or the code and the offset of its error. */
    private static String said(JsonReader reader, Function<JsonReader, Object> call) {
        try {
            return String.valueOf(call.apply(reader));
        } catch (DataException e) {
            return e.code().text() + " " + e.offset();
        }
    }

    /** The same wherever the value stands: at the document's end, before more, and in an array. */
    private void value(String text, String wanted, Function<JsonReader, Object> call) {
        equal(text + ": " + said(reader(text), call), text + ": " + wanted);
        equal(text + ": " + said(reader(text + PADDING), call), text + ": " + wanted);
        JsonReader inside = reader("[" + text + "," + PADDING + "1]");
        inside.array();
        inside.hasNext();
        String there = said(inside, call);
        int space = there.lastIndexOf(' ');
        boolean error = space > 0 && wanted.equals(there.substring(0, space) + " 0");
        equal(text + ": " + (error ? wanted : there), text + ": " + wanted);
    }

    private void types() {
        String[] values = {"null", "true", "false", "12", "-7", "1.5", "1e3", "\"x\"", "[]", "{}",
            "18446744073709551615", "1e400", "123456789012345678901", "-0", "\"QUI=\"", "\"2016-12-25T01:53:10Z\"",
            "2147483648", "\"2016-13-01\""};
        for (String v : values) {
            boolean text = v.startsWith("\"");
            boolean number = v.matches("-?[0-9].*");
            boolean integer = v.matches("-?[0-9]+");
            value(v, v.equals("null") ? "true" : "false", JsonReader::tryNil);
            value(v, v.equals("true") || v.equals("false") ? v : "type 0", JsonReader::bool);
            value(v, text ? v.substring(1, v.length() - 1) : "type 0", JsonReader::str);
            value(v, number ? v : "type 0", JsonReader::number);
            String large = v.length() > 19 ? "range 0" : v.equals("-0") ? "0" : v;
            value(v, integer ? large : "type 0", JsonReader::i64);
            value(v, integer ? v.length() > 9 ? "range 0" : large : "type 0", JsonReader::i32);
            String real = number ? Double.toString(Double.parseDouble(v)) : "type 0";
            value(v, v.equals("1e400") ? "range 0" : real, JsonReader::f64);
            value(v, v.equals("\"QUI=\"") ? "[65, 66]" : "type 0", r -> Arrays.toString(r.bin()));
            value(v, v.contains("-25T") ? new Moment(1482630790, 0, 0, Moment.Clock.UTC).toString()
                    : v.contains("-13-") ? "range 0" : "type 0", JsonReader::time);
            value(v, v.equals("[]") ? "-1" : "type 0", JsonReader::array);
            value(v, v.equals("{}") ? "-1" : "type 0", JsonReader::map);
        }
        value("trux", "syntax 0", JsonReader::bool);
        value("\"\\u0041\\n\\\"\\ud83d\\ude00\u00e9\"", "A\n\"\ud83d\ude00\u00e9", JsonReader::str);
        equal(said(reader("\"\\ud800\""), JsonReader::str), "encoding 1");
        equal(said(reader("12a"), r -> { r.i64(); r.finish(); return "taken"; }), "syntax 2");
        equal(said(reader("1 2"), r -> { r.i64(); r.finish(); return "taken"; }), "trailing 2");
        equal(said(reader(""), JsonReader::i64), "truncated 0");
        equal(said(reader("["), r -> { r.array(); return r.hasNext() ? r.i64() : 0; }), "truncated 1");
    }

    private void integers(SplittableRandom random) {
        for (int i = 0; i < 5_000; i++) {
            int digits = random.nextInt(1, 22);
            BigInteger n = new BigInteger(random.nextInt(1, 68), new java.util.Random(random.nextLong()));
            if (i % 2 == 0) n = BigInteger.TEN.pow(digits - 1).add(n.mod(BigInteger.TEN.pow(digits - 1)));
            if (random.nextInt(3) == 0) n = n.negate();
            String text = n.toString();
            String wanted = n.bitLength() > 63 ? "range 0" : text;
            value(text, wanted, JsonReader::i64);
            value(text, n.bitLength() > 31 ? "range 0" : text, JsonReader::i32);
            value(text, n.signum() < 0 || n.bitLength() > 64 ? "range 0" : text, r -> Long.toUnsignedString(r.u64()));
            value(text, Double.toString(Double.parseDouble(text)), JsonReader::f64);
            value(text, text, JsonReader::number);
            value(text + ".5", "type 0", JsonReader::i64);
            value(text + "e1", "type 0", JsonReader::i32);
        }
    }

    private void strings(SplittableRandom random) {
        String[] pieces = {"a", "plain text ", "\"", "\\", "/", "\n", "\u0000", "\u007f", "\u00e9", "\u07ff", "\u0800",
            "\ud7ff", "\ue000", "\uffff", "\ud83d\ude00", "\udbff\udfff", "\u4e2d\u6587\u5b57", "12345678"};
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text = new StringBuilder();
            StringBuilder spelled = new StringBuilder();
            boolean plain = random.nextInt(4) == 0;
            for (int n = random.nextInt(30); n > 0; n--) {
                String piece = pieces[random.nextInt(plain ? 2 : pieces.length)];
                text.append(piece);
                for (char c : piece.toCharArray()) {
                    boolean escape = c < 0x20 || !plain && random.nextInt(6) == 0;
                    if (escape) spelled.append(String.format("\\u%04X", (int) c));
                    else if (c == '"' || c == '\\' || c == '/' && random.nextBoolean()) spelled.append('\\').append(c);
                    else spelled.append(c);
                }
            }
            // Half of a pair is no UTF-8: where one half became an escape, the other must.
            String json = "\"" + spelled + "\"";
            if (!new String(utf8(json), StandardCharsets.UTF_8).equals(json)) continue;
            value(json, text.toString(), JsonReader::str);
            JsonReader keys = reader("{" + json + " : 1}");
            keys.map();
            equal(keys.hasNext() + keys.key() + keys.i32() + keys.hasNext(), "true" + text + "1false");
            JsonReader fields = reader("{" + json + ":1, \"other\":2}");
            Names names = Names.of("x" + text, text.toString());
            fields.map();
            equal(fields.field(names, i % 3) + fields.lastKey() + fields.i32(), "1" + text + "1");
            equal(fields.field(names, 1) + fields.lastKey() + fields.i32(), Names.OTHER + "other2");
            equal(fields.field(names, 0), Names.END);
            fields.finish();
        }
    }

    private void fields() {
        Names names = Names.of("id", "name", "a longer name than sixteen bytes", "\u4e2d", "q\"", "");
        String[] documents = {
            "{\"id\":1,\"name\":2,\"a longer name than sixteen bytes\":3,\"\u4e2d\":4,\"q\\\"\":5,\"\":6}",
            "{ \"id\" : 1 , \"name\"\n:\t2,\"a longer name than sixteen bytes\":3,"
                + "\"\\u4e2d\":4,\"q\\u0022\":5, \"\" :6 } ",
            "{\"\":6,\"q\\\"\":5,\"\u4e2d\":4,\"a longer name than sixteen bytes\":3,"
                + "\"\\u006eame\":2,\"\\u0069\\u0064\":1}"};
        for (String document : documents) {
            for (int expected = -2; expected < 8; expected++) {
                JsonReader reader = reader(document);
                reader.map();
                int found = 0;
                for (int f; (f = reader.field(names, expected)) != Names.END; found++) {
                    equal(f + 1, reader.i32());
                    equal(reader.lastKey(), names.get(f).text());
                }
                equal(found, 6);
                reader.finish();
            }
        }
        String[] broken = {"{\"id\" 1}", "{\"id\":1 \"name\":2}", "{\"id\":1,}", "{\"id\":1,,}", "{,}", "{id:1}",
            "{\"id\"", "{\"id\":1", "{\"id", "{\"id\":1]", "{\"i\\d\":1}"};
        String[] said = {"syntax 6", "syntax 8", "syntax 8", "syntax 8", "syntax 1", "syntax 1",
            "truncated 5", "truncated 7", "truncated 1", "syntax 7", "syntax 3"};
        for (int i = 0; i < broken.length; i++) {
            String read = said(reader(broken[i]), r -> {
                r.map();
                while (r.field(names, 0) != Names.END) r.skip();
                r.finish();
                return "taken";
            });
            equal(broken[i] + " " + read, broken[i] + " " + said[i]);
        }
    }

    private void droppedKeys() {
        JsonReader reader = new JsonReader(JsonReadDialect.parse("+duplicates=last+trailing_commas"), Limits.DEFAULT);
        Names names = Names.of("a", "b");
        String[] documents = {"{\"a\":1,\"b\":[{\"x\":1,\"x\":2}],\"a\":3,}",
            "{\"a\":{\"a\":1,\"a\":2},\"a\":0,\"b\":1,\"\\u0061\":3}"};
        for (String document : documents) {
            reader.reset(utf8(document)).map();
            StringBuilder read = new StringBuilder();
            for (int f; (f = reader.field(names, 0)) != Names.END; ) {
                read.append(f);
                if (f == 0) read.append(reader.i32());
                else reader.skip();
            }
            reader.finish();
            equal(read.toString(), "103");
        }
        StringBuilder many = new StringBuilder("{\"b\":0");
        for (int i = 0; i < 100_000; i++) many.append(",\"a\":").append(i);
        reader.reset(utf8(many + "}")).map();
        equal(reader.field(names, 1) + reader.i32() + reader.field(names, 0) * 10, 1);
        equal(reader.i32() + reader.field(names, 0), 99_998);
        JsonReader strict = new JsonReader(JsonReadDialect.UNIQUE_KEYS, Limits.DEFAULT);
        strict.reset(utf8("{\"a\":1,\"b\":2,\"a\":3}"));
        equal(said(strict, JsonReader::map), "duplicate 13");
    }

    private void marks() {
        JsonReader reader = reader("{\"value\":[1,{\"k\":2}],\"type\":\"x\",\"rest\":[[]]}");
        Names names = Names.of("type", "value");
        reader.map();
        equal(reader.field(names, 0), 1);
        Reader.Mark value = reader.mark();
        reader.skip();
        equal(reader.field(names, 0), 0);
        equal(reader.str(), "x");
        Reader.Mark behind = reader.mark();
        reader.rewind(value);
        Trace trace = new Trace(false);
        reader.feed(trace);
        equal(trace.finish(), "array\ni64 1\nmap\nkey \"k\"\ni64 2\nend\nend\n");
        equal(reader.hasNext() + reader.key(), "truetype");
        reader.rewind(behind);
        equal(reader.hasNext() + reader.key(), "truerest");
        reader.array();
        reader.hasNext();
        reader.array();
        reader.rewind(behind);
        equal(reader.field(names, 0), Names.OTHER);
        reader.skip();
        equal(reader.field(names, 0), Names.END);
        reader.finish();
    }

    /** Where a failure was that only the caller knows of: the reader says the byte, the format's row the rest. */
    private void places() {
        String[] documents = {"[1,2]", "{\"a\":\n [1, {\"b c\":\"x\"}]}", "{\"a\":1,\"\\u00e9\":[[],[3]]}",
            "// c\n[1,/*,*/\r\n2,]"};
        int[] offsets = {3, 17, 21, 15};
        String[] said = {"$[1] 1 4", "$.a[1][\"b c\"] 2 12", "$.\u00e9[1][0] 1 22", "$[1] 3 1"};
        for (int i = 0; i < documents.length; i++) {
            byte[] document = utf8(documents[i]);
            byte[] inside = utf8("[\n" + documents[i] + "]");
            DataException failure = new DataException(Code.RANGE, "too much", offsets[i]);
            DataException placed = new Json().locate(document, 0, document.length, failure);
            equal(placed.path() + " " + placed.line() + " " + placed.column(), said[i]);
            placed = new Json().locate(inside, 2, 2 + document.length, failure);
            equal(placed.path() + " " + placed.line() + " " + placed.column(), said[i]);
        }
    }

    private void limits() {
        int deep = 200_000;
        String open = "[".repeat(deep);
        JsonReader reader = new JsonReader(JsonReadDialect.RFC8259, Limits.DEFAULT.withDepth(deep));
        for (String dialect : new String[] {"rfc8259", "relaxed"}) {
            JsonReader any = new JsonReader(JsonReadDialect.parse(dialect), Limits.DEFAULT.withDepth(deep));
            any.reset(utf8(open + "]".repeat(deep)));
            any.skip();
            any.finish();
            any.reset(utf8("[" + open + "]".repeat(deep + 1)));
            equal(said(any, r -> { r.skip(); return "taken"; }), "depth " + deep);
            equal(said(new JsonReader(), r -> { r.reset(utf8(open)).skip(); return "taken"; }), "depth 1024");
        }
        reader.reset(utf8(open));
        equal(said(reader, r -> { r.skip(); return "taken"; }), "truncated " + deep);
        JsonReader small = new JsonReader(JsonReadDialect.RFC8259, Limits.DEFAULT.withSize(5));
        small.reset(utf8("[1,2]")).skip();
        small.finish();
        small.reset(utf8("[1,2] "));
        equal(said(small, JsonReader::kind), "size 5");
        String digits = "9".repeat(1_000_000);
        equal(said(reader(digits), JsonReader::f64), "range 0");
        equal(said(reader("0." + "0".repeat(1_000_000) + digits), JsonReader::f64), "0.0");
        equal(said(reader("0." + digits), JsonReader::f64), "1.0");
        equal(reader(digits).number().length(), 1_000_000);
    }

    /** A reader that has let go of its document holds no room for a large text of it. */
    private void released() {
        for (String dialect : DIALECTS) {
            JsonReader reader = new JsonReader(JsonReadDialect.parse(dialect), Limits.DEFAULT);
            reader.reset(utf8('"' + "\\n".repeat(1 << 20) + '"'));
            equal(reader.str().length(), 1 << 20);
            reader.release();
            equal(reader.text.unescaped().length <= 1 << 16, true);
        }
    }

    private void misuse() {
        equal(said(reader("1"), r -> { r.finish(); return "taken"; }), "misuse 0");
        equal(said(reader("[1]"), r -> { r.array(); r.hasNext(); r.i32(); r.finish(); return "taken"; }), "misuse 2");
        equal(said(reader("[1]"), r -> { r.array(); r.hasNext(); r.i32(); r.i32(); return "taken"; }), "misuse 2");
        equal(said(reader("[1]"), r -> { r.array(); return r.field(Names.of("a"), 0); }), "misuse 1");
        equal(said(reader("1"), r -> r.hasNext()), "misuse 0");
    }

    /** Documents passed over one after the other, in arrays of their size: what was seen before changes nothing. */
    private void skipping(SplittableRandom random) {
        JsonReader reader = new JsonReader();
        String[] keys = new String[40];
        for (int i = 0; i < keys.length; i++) keys[i] = "\"" + "k".repeat(random.nextInt(1, 36)) + i % 7 + "\"";
        for (int i = 0; i < 30_000; i++) {
            StringBuilder text = new StringBuilder();
            value(random, keys, random.nextInt(1, 5), text);
            byte[] document = utf8(text.toString());
            boolean broken = random.nextInt(4) == 0;
            if (broken) document = Arrays.copyOf(document, random.nextInt(document.length + 1));
            reader.reset(document);
            String fed = said(reader, r -> { r.feed(new Trace(false)); r.finish(); return "taken"; });
            reader.reset(document);
            equal(text + " " + said(reader, r -> { r.skip(); r.finish(); return "taken"; }), text + " " + fed);
        }
    }

    private static void value(SplittableRandom random, String[] keys, int depth, StringBuilder out) {
        String space = random.nextInt(3) == 0 ? " " : random.nextInt(8) == 0 ? "\n".repeat(random.nextInt(40)) : "";
        int kind = random.nextInt(depth <= 0 ? 4 : 8);
        if (kind == 0) out.append(random.nextBoolean() ? "true" : "null");
        else if (kind == 1) out.append(random.nextInt(-9, 1 << random.nextInt(4, 31)));
        else if (kind == 2) out.append(random.nextInt(-9, 99) + "." + random.nextInt(1 << random.nextInt(31)));
        else if (kind == 3) out.append('"').append("v".repeat(random.nextInt(30))).append('"');
        else container(random, keys, depth, kind < 6, space, out);
    }

    private static void container(SplittableRandom random, String[] keys, int depth, boolean map, String space,
            StringBuilder out) {
        out.append(map ? '{' : '[').append(space);
        int first = random.nextInt(keys.length - 5);
        int n = random.nextInt(6);
        for (int i = 0; i < n; i++) {
            if (i > 0) out.append(',').append(space);
            if (map) out.append(keys[first + i]).append(':').append(random.nextInt(5) == 0 ? "" : space);
            value(random, keys, depth - 1, out);
        }
        out.append(space).append(map ? '}' : ']');
    }

    /** Damaged documents: no failure but the reader's own, and the same whichever way they are read. */
    private void damaged(SplittableRandom random) {
        String whole = "{\"id\":505874924095815681,\"text\":\"@a\\u00e9 \u4e2d\\n\","
                + "\"list\":[1,-2.5e3,true,null,{\"a\":{}}],"
                + " \"b\" : [ ] , \"c\":\"\\ud83d\\ude00\"}";
        JsonReader[] readers = new JsonReader[DIALECTS.length];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new JsonReader(JsonReadDialect.parse(DIALECTS[i]), Limits.DEFAULT);
        }
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(whole);
            for (int n = random.nextInt(1, 4); n > 0 && text.length() > 0; n--) {
                int at = random.nextInt(text.length());
                if (random.nextInt(3) == 0) text.delete(at, Math.min(text.length(), at + random.nextInt(1, 9)));
                else text.insert(at, PIECES[random.nextInt(PIECES.length)]);
            }
            byte[] document = utf8(text.toString());
            if (random.nextInt(4) == 0) document[random.nextInt(document.length)] ^= (byte) (1 << random.nextInt(8));
            JsonReader reader = readers[i % readers.length];
            reader.reset(document);
            String fed = said(reader, r -> {
                Trace trace = new Trace(false);
                r.feed(trace);
                r.finish();
                return "taken";
            });
            reader.reset(document);
            equal(text + " " + said(reader, r -> { r.skip(); r.finish(); return "taken"; }), text + " " + fed);
            reader.reset(document);
            String pulled = said(reader, r -> { pull(r); r.finish(); return "taken"; });
            // What is no text has no String.
            if (!pulled.startsWith("encoding") || DIALECTS[i % DIALECTS.length].equals("rfc8259")) {
                equal(text + " " + pulled, text + " " + fed);
            }
        }
    }

    /** Documents end at the same places whatever pieces the stream comes in. */
    private void boundaries(SplittableRandom random) {
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(30); n > 0; n--) text.append(PIECES[random.nextInt(PIECES.length)]);
            byte[] stream = utf8(text.toString());
            equal(ends(stream, 1 + random.nextInt(20)), ends(stream, stream.length + 1));
        }
    }

    private static String ends(byte[] stream, int piece) {
        JsonBoundary boundary = new JsonBoundary();
        StringBuilder ends = new StringBuilder();
        int passed = 0;
        for (int at = 0; at < stream.length; ) {
            at += boundary.next(stream, at, Math.min(stream.length, at + piece));
            passed += boundary.passed();
            if (boundary.complete()) ends.append(at).append(' ');
        }
        return ends.append(boundary.started()).append(passed).toString();
    }

    /** Reads a value as a program does that asks for what it finds. */
    private static void pull(JsonReader from) {
        switch (from.kind()) {
            case ARRAY:
                equalCount(from.array());
                while (from.hasNext()) pull(from);
                return;
            case MAP: {
                Names names = Names.of("text", "a");
                equalCount(from.map());
                while (from.field(names, 0) != Names.END) {
                    from.lastKey();
                    pull(from);
                }
                return;
            }
            case NIL:
                from.nil();
                return;
            case BOOL:
                from.bool();
                return;
            case I64:
                from.i64();
                return;
            case F64:
                from.f64();
                return;
            case STR:
                from.str();
                return;
            default:
                from.number();
        }
    }

    private static void equalCount(long count) {
        if (count != Sink.UNKNOWN) throw new DataException(Code.HOST, "JSON tells no counts");
    }
}
