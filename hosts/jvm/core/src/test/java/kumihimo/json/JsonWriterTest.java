package kumihimo.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Name;
import kumihimo.Sink;

/**
 * The writer of JSON beyond the vectors: the order of verbs, limits, and text of every kind and length against a plain
 * escaper: {@code java -cp CLASSES kumihimo.json.JsonWriterTest}.
 */
public final class JsonWriterTest {
    private static final String[] DIALECTS = {"compact", "script_safe", "html_safe", "ascii_only", "escape_slash",
        "python_default", "pretty", "lenient"};
    /** What strings are made of: nothing to escape, and all that is. */
    private static final String[] PIECES = {"a", "plain text ", "eight by", "\"", "\\", "/", "<", "&", "\n", "\u0001",
        "\u007f", "\u00e9", "\u00ff", "\u0100", "\u07ff", "\u0800", "\u2027", "\u2028", "\u2029", "\u202a", "\u4e2d",
        "\ud7ff", "\ue000", "\ufffd", "\uffff", "\ud83d\ude00", "\udbff\udfff", "' "};

    private int checked;
    private int failed;

    public static void main(String[] arguments) {
        JsonWriterTest test = new JsonWriterTest();
        test.order();
        test.layouts();
        test.limits();
        test.text(new SplittableRandom(5));
        test.halves();
        test.names();
        test.fields(new SplittableRandom(6));
        test.emptyArrays();
        test.piecesOfEmptyArrays();
        test.dialects();
        System.out.println(test.checked + " documents, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    private void equal(String got, String wanted) {
        checked++;
        if (got.equals(wanted)) return;
        if (failed++ < 20) System.out.println(got + "\n  not " + wanted);
    }

    private static JsonWriter writer(String dialect) {
        return new JsonWriter(JsonDialect.parse(dialect), Limits.DEFAULT);
    }

    private static String written(JsonWriter to, Consumer<JsonWriter> verbs) {
        try {
            verbs.accept(to.reset());
            to.finish();
            return new String(to.toByteArray(), StandardCharsets.UTF_8);
        } catch (DataException e) {
            return e.code().text();
        }
    }

    private void check(String dialect, String wanted, Consumer<JsonWriter> verbs) {
        JsonWriter to = writer(dialect);
        equal(written(to, verbs), wanted);
        equal(written(to, w -> w.i64(1)), "1");
    }

    private void order() {
        for (String dialect : new String[] {"compact", "pretty", "python_default"}) {
            String misuse = Code.MISUSE.text();
            check(dialect, misuse, w -> {});
            check(dialect, misuse, w -> w.end());
            check(dialect, misuse, w -> w.array(0));
            check(dialect, misuse, w -> { w.array(0); w.end(); w.end(); });
            check(dialect, misuse, w -> { w.nil(); w.nil(); });
            check(dialect, misuse, w -> { w.nil(); w.array(0); });
            check(dialect, misuse, w -> { w.nil(); w.key("a"); });
            check(dialect, misuse, w -> w.key("a"));
            check(dialect, misuse, w -> w.key(new Name("a")));
            check(dialect, misuse, w -> w.key(new Name("/")));
            check(dialect, misuse, w -> w.keyIsNext());
            check(dialect, misuse, w -> { w.array(1); w.key("a"); });
            check(dialect, misuse, w -> { w.map(1); w.i64(1); });
            check(dialect, misuse, w -> { w.map(1); w.str("a"); });
            check(dialect, misuse, w -> { w.map(1); w.array(0); });
            check(dialect, misuse, w -> { w.map(1); w.key("a"); w.end(); });
            check(dialect, misuse, w -> { w.map(1); w.key("a"); w.key("b"); });
            check(dialect, misuse, w -> { w.map(1); w.keyIsNext(); w.end(); });
            check(dialect, misuse, w -> { w.map(1); w.keyIsNext(); w.keyIsNext(); });
            check(dialect, misuse, w -> { w.map(1); w.keyIsNext(); w.key("a"); });
            check(dialect, misuse, w -> { w.map(1); w.keyIsNext(); w.i32(1); w.i32(2); w.i32(3); });
            check(dialect, misuse, w -> w.big("01"));
            check(dialect, misuse, w -> w.big(""));
            check(dialect, misuse, w -> w.big("1 "));
            check(dialect, misuse, w -> w.big("\u0131"));
            String unsupported = Code.UNSUPPORTED.text();
            check(dialect, unsupported, w -> { w.map(1); w.keyIsNext(); w.map(0); });
            check(dialect, unsupported, w -> { w.map(1); w.keyIsNext(); w.raw(new byte[] {'1'}, 0, 1); });
            check(dialect, unsupported, w -> w.ext(1, new byte[0], 0, 0));
        }
    }

    private static void all(JsonWriter w) {
        w.map(9);
        w.key("a");
        w.array(3);
        w.i32(-1);
        w.f64(0.5);
        w.end();
        w.key("b");
        w.map(0);
        w.end();
        w.key(new Name("c"));
        w.array(0);
        w.end();
        w.keyIsNext();
        w.i64(7);
        w.map(1);
        w.keyIsNext();
        w.nil();
        w.f32(0.1f);
        w.end();
        w.keyIsNext();
        w.str("\u00e9");
        w.bool(true);
        w.keyIsNext();
        w.bool(false);
        w.raw(new byte[] {'[', ']'}, 0, 2);
        w.keyIsNext();
        w.big("1e400");
        w.u64(-1);
        w.keyIsNext();
        w.bin(new byte[] {1}, 0, 1);
        w.big("-12345678901234567890");
        w.end();
    }

    private void layouts() {
        check("compact", "{\"a\":[-1,0.5],\"b\":{},\"c\":[],\"7\":{\"null\":0.1},\"\u00e9\":true,\"false\":[],"
                + "\"1e400\":18446744073709551615,\"AQ==\":-12345678901234567890}", JsonWriterTest::all);
        check("python_default", "{\"a\": [-1, 0.5], \"b\": {}, \"c\": [], \"7\": {\"null\": 0.1}, \"\\u00e9\": true, "
                + "\"false\": [], "
                + "\"1e400\": 18446744073709551615, \"AQ==\": -12345678901234567890}", JsonWriterTest::all);
        check("pretty", "{\n  \"a\": [\n    -1,\n    0.5\n  ],\n  \"b\": {},\n  \"c\": [],\n"
                + "  \"7\": {\n    \"null\": 0.1\n  },\n"
                + "  \"\u00e9\": true,\n  \"false\": [],\n  \"1e400\": 18446744073709551615,\n"
                + "  \"AQ==\": -12345678901234567890\n}", JsonWriterTest::all);
        check("python_default", "{\"NaN\": NaN}", w -> {
            w.map(1);
            w.keyIsNext();
            w.f64(Double.NaN);
            w.f32(Float.NaN);
            w.end();
        });
        check("+non_finite=text", "[\"-Infinity\",\"Infinity\"]", w -> {
            w.array(2);
            w.f64(Double.NEGATIVE_INFINITY);
            w.f32(Float.POSITIVE_INFINITY);
            w.end();
        });
        check("+extension=object", "{\"type\":-5,\"data\":\"AAE=\"}", w -> w.ext(-5, new byte[] {9, 0, 1, 9}, 1, 3));
        JsonLayout layout = new JsonLayout(" ,", " : ", "\r\n", "\t");
        JsonWriter tabs = new JsonWriter(JsonDialect.COMPACT.with(layout), Limits.DEFAULT);
        equal(written(tabs, w -> { w.array(2); w.map(1); w.key("a"); w.nil(); w.end(); w.nil(); w.end(); }),
                "[\r\n\t{\r\n\t\t\"a\" : null\r\n\t} ,\r\n\tnull\r\n]");
    }

    private static void nest(JsonWriter w, int levels) {
        for (int i = 0; i < levels; i++) w.array(1);
        for (int i = 0; i < levels; i++) w.end();
    }

    private void limits() {
        Limits deep = Limits.DEFAULT.withDepth(3);
        for (JsonDialect as : new JsonDialect[] {JsonDialect.COMPACT, JsonDialect.PRETTY}) {
            JsonWriter to = new JsonWriter(as, deep);
            equal(written(to, w -> nest(w, 4)), Code.DEPTH.text());
            equal(written(to, w -> nest(w, 3)).replaceAll("\\s", ""), "[[[]]]");
        }
        JsonWriter many = new JsonWriter(JsonDialect.COMPACT, Limits.DEFAULT.withDepth(300_000));
        equal(written(many, w -> nest(w, 300_000)), "[".repeat(300_000) + "]".repeat(300_000));
        // A document is taken up to its last byte, and refused from the next one on, however it comes to be so long.
        for (int n : new int[] {1, 3, 60, 500, 510, 511, 512, 600, 5000, 20_000}) {
            String text = "x".repeat(n);
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            for (int more = -1; more <= 1; more++) {
                int limit = n + 2 + more;
                String wanted = more < 0 ? Code.SIZE.text() : "\"" + text + "\"";
                JsonWriter to = new JsonWriter(JsonDialect.COMPACT, Limits.DEFAULT.withSize(limit));
                equal(written(to, w -> w.str(text)), wanted);
                equal(written(to, w -> w.str(bytes, 0, n, true)), wanted);
                equal(written(to, w -> w.str(bytes, 0, n, false)), wanted);
                byte[] raw = ("\"" + text + "\"").getBytes(StandardCharsets.US_ASCII);
                equal(written(to, w -> w.raw(raw, 0, raw.length)), wanted);
                JsonWriter list = new JsonWriter(JsonDialect.COMPACT, Limits.DEFAULT.withSize(2L * n + 1 + more));
                String items = more < 0 ? Code.SIZE.text() : "[" + "7,".repeat(n - 1) + "7]";
                equal(written(list, w -> { w.array(n); for (int i = 0; i < n; i++) w.i64(7); w.end(); }), items);
            }
        }
        JsonWriter small = new JsonWriter(JsonDialect.COMPACT, Limits.DEFAULT.withSize(100));
        equal(written(small, w -> w.bin(new byte[1 << 20], 0, 1 << 20)), Code.SIZE.text());
        equal(written(small, w -> w.bin(new byte[72], 0, 72)), "\"" + "A".repeat(96) + "\"");
    }

    /** As the dialects' table says, character by character. */
    private static String escaped(String text, JsonEscapes escapes) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int named = "\b\f\n\r\t\"\\".indexOf(c);
            boolean separator = c == '\u2028' || c == '\u2029';
            boolean web = escapes == JsonEscapes.HTML_SAFE || escapes == JsonEscapes.SCRIPT_SAFE;
            if (named >= 0) {
                out.append('\\').append("bfnrt\"\\".charAt(named));
            } else if (c == '/' && (escapes == JsonEscapes.SCRIPT_SAFE || escapes == JsonEscapes.SLASH)) {
                out.append("\\/");
            } else if (c < 0x20 || separator && web || "<>&".indexOf(c) >= 0 && escapes == JsonEscapes.HTML_SAFE
                    || c > 0x7f && escapes.ascii || c == 0x7f && escapes == JsonEscapes.PYTHON) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    private void text(SplittableRandom random) {
        for (String dialect : DIALECTS) {
            JsonWriter to = writer(dialect);
            JsonEscapes escapes = JsonDialect.parse(dialect).escapes();
            for (int i = 0; i < 6000; i++) {
                StringBuilder text = new StringBuilder();
                int kinds = 1 + random.nextInt(PIECES.length);
                int plain = random.nextInt(4) * 8;
                for (int n = random.nextInt(i % 50 == 0 ? 4000 : 12); n > 0; n--) {
                    text.append(PIECES[random.nextInt(kinds)]);
                    if (plain != 0) text.append("some more plain text to go by".substring(0, random.nextInt(plain)));
                }
                both(to, text.toString(), escapes);
            }
            for (int c = 0; c < 0x10000; c++) {
                if (Character.isSurrogate((char) c)) continue;
                String before = "0123456789abcdef".substring(0, c & 15);
                both(to, before + (char) c + "0123456789".substring(0, c >> 4 & 7), escapes);
            }
            for (int n = 4090; n < 4102; n++) {
                both(to, "x".repeat(n) + "\ud83d\ude00".repeat(3000), escapes);
                both(to, "\u00e9".repeat(n), escapes);
                both(to, "y".repeat(n) + "\n\u00e9" + "z".repeat(n * 2), escapes);
            }
        }
    }

    private void both(JsonWriter to, String text, JsonEscapes escapes) {
        String wanted = escaped(text, escapes);
        byte[] utf8 = ("x" + text + "\ud83d\ude00").getBytes(StandardCharsets.UTF_8);
        boolean ascii = text.chars().allMatch(c -> c < 0x80);
        equal(written(to, w -> w.str(text)), wanted);
        equal(written(to, w -> w.str(utf8, 1, utf8.length - 4, ascii)), wanted);
        equal(written(to, w -> w.str(utf8, 1, utf8.length - 4, false)), wanted);
    }

    private void halves() {
        String[] broken =
                {"\ud800", "\udc00", "a\ud800b", "\udc00\ud800", "plain text before it \ud83d", "\ud83d\ud83d\ude00"};
        String[] mended =
                {"\ufffd", "\ufffd", "a\ufffdb", "\ufffd\ufffd", "plain text before it \ufffd", "\ufffd\ud83d\ude00"};
        for (int i = 0; i < broken.length; i++) {
            String text = broken[i];
            String far = "x".repeat(4095);
            check("compact", Code.ENCODING.text(), w -> w.str(text));
            check("ascii_only", Code.ENCODING.text(), w -> w.str(far + text));
            check("compact", Code.ENCODING.text(), w -> { w.map(1); w.key(text); });
            check("lenient", "\"" + mended[i] + "\"", w -> w.str(text));
            check("lenient", "\"" + far + mended[i] + "\"", w -> w.str(far + text));
            check("+invalid=keep", "\"" + mended[i] + "\"", w -> w.str(text));
        }
        byte[][] bytes = {{(byte) 0xff}, {'a', (byte) 0xe2, (byte) 0x82}, {(byte) 0xf0, (byte) 0x9f, (byte) 0x98, 'b'},
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, {(byte) 0xc0, (byte) 0x80},
            {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80}};
        String[] replaced =
                {"\ufffd", "a\ufffd", "\ufffdb", "\ufffd\ufffd\ufffd", "\ufffd\ufffd", "\ufffd\ufffd\ufffd\ufffd"};
        for (int i = 0; i < bytes.length; i++) {
            byte[] b = bytes[i];
            check("compact", Code.ENCODING.text(), w -> w.str(b, 0, b.length, false));
            check("lenient", "\"" + replaced[i] + "\"", w -> w.str(b, 0, b.length, false));
            String escaped = escaped(replaced[i], JsonEscapes.ASCII);
            check("+invalid=replace+escapes=ascii", escaped, w -> w.str(b, 0, b.length, false));
        }
    }

    private void names() {
        for (String name : new String[] {"", "a", "id", "name5", "names6", "seven_7", "organization", "a/b", "<b>",
            "q\"q", "\u00e9", "\u4e2d\u6587", "\ud83d\ude00", "\u2028", "\u007f", "a\nb", "x".repeat(3000)}) {
            Name prepared = new Name(name);
            for (String dialect : DIALECTS) {
                JsonWriter to = writer(dialect);
                for (int twice = 0; twice < 2; twice++) {
                    equal(written(to, w -> { w.map(2); w.key(prepared); w.i32(1); w.key(prepared); w.nil(); w.end(); }),
                            written(to, w -> { w.map(2); w.key(name); w.i32(1); w.key(name); w.nil(); w.end(); }));
                }
            }
        }
    }

    private void dialects() {
        for (String bad : new String[] {"none", "Compact", "+", "+time", "+time=never", "+nothing=text", "+floats=c"}) {
            String got = "taken";
            try {
                JsonDialect.parse(bad);
            } catch (IllegalArgumentException e) {
                got = "refused";
            }
            equal(bad + " " + got, bad + " refused");
        }
        equal(JsonDialect.parse("") == JsonDialect.COMPACT ? "the default" : "another", "the default");
    }

    /** A key and its value in one call are what they are in two, whatever the name, the text, and what is due. */
    private void fields(SplittableRandom random) {
        String[] names = {"", "a", "thirteen_long", "twenty_one_characters", "twenty_two_characters_",
            "a \"quoted\" one", "caf\u00e9", "a/b", "n".repeat(24), "n".repeat(100), "n".repeat(5000)};
        for (String dialect : DIALECTS) {
            JsonWriter to = writer(dialect);
            for (String text : names) {
                Name name = new Name(text);
                for (int i = 0; i < 60; i++) {
                    field(to, name, text(random, i < 50 ? i : 5000 * (i - 49)), random.nextLong());
                }
                field(to, name, "text\ud800", 0);
                field(to, name, "a long text of ASCII, and then a half: \ude00", -1);
            }
        }
    }

    private interface Pair {
        void write(JsonWriter to, Consumer<JsonWriter> emptyArray);
    }

    private void emptyArrays() {
        Pair[] pairs = {
            (w, empty) -> empty.accept(w),
            (w, empty) -> { empty.accept(w); empty.accept(w); },
            (w, empty) -> { w.array(2); empty.accept(w); empty.accept(w); w.end(); },
            (w, empty) -> { w.array(3); w.i32(1); empty.accept(w); w.nil(); w.end(); },
            (w, empty) -> { w.map(2); w.key("a"); empty.accept(w); w.key("b"); empty.accept(w); w.end(); },
            (w, empty) -> { w.map(1); empty.accept(w); w.end(); },
            (w, empty) -> { w.map(1); w.keyIsNext(); empty.accept(w); w.nil(); w.end(); },
            (w, empty) -> { w.array(1); w.array(1); w.array(1); empty.accept(w); w.end(); w.end(); w.end(); },
            (w, empty) -> { w.array(9999); for (int i = 0; i < 9999; i++) empty.accept(w); w.end(); },
        };
        for (String dialect : DIALECTS) {
            for (int depth = 1; depth < 6; depth++) {
                JsonWriter to = new JsonWriter(JsonDialect.parse(dialect), Limits.DEFAULT.withDepth(depth).withSize(20000));
                for (Pair pair : pairs) {
                    String inTwo = written(to, w -> pair.write(w, a -> { a.array(0); a.end(); }));
                    equal(written(to, w -> pair.write(w, JsonWriter::emptyArray)), inTwo);
                }
            }
        }
    }

    /** However many they are, what goes to a stream needs little memory. */
    private void piecesOfEmptyArrays() {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        JsonWriter to = writer("compact");
        to.streamTo(stream);
        to.array(Sink.UNKNOWN);
        for (int i = 0; i < 300_000; i++) to.emptyArray();
        to.end();
        to.finish();
        equal(to.capacity() < 300_000 ? "little" : to.capacity() + " bytes", "little");
        stream.write(to.toByteArray(), 0, to.size());
        equal(stream.toString(StandardCharsets.US_ASCII), "[[]" + ",[]".repeat(299_999) + "]");
    }

    private static String text(SplittableRandom random, int size) {
        StringBuilder text = new StringBuilder();
        boolean plain = random.nextBoolean();
        while (text.length() < size) text.append(plain ? "a" : PIECES[random.nextInt(PIECES.length)]);
        return text.toString();
    }

    private void field(JsonWriter to, Name name, String text, long number) {
        String inTwo = written(to, w -> {
            w.map(5);
            w.key(name);
            w.str(text);
            w.key(name);
            w.bool(true);
            w.key(name);
            w.i64(number);
            w.key(name);
            w.bool(false);
            w.key(name);
            w.i64(number >> 40);
            w.end();
        });
        equal(written(to, w -> {
            w.map(5);
            w.field(name, text);
            w.field(name, true);
            w.field(name, number);
            w.field(name, false);
            w.field(name, number >> 40);
            w.end();
        }), inTwo);
        equal(written(to, w -> {
            w.array(1);
            w.field(name, text);
        }), "misuse");
        equal(written(to, w -> {
            w.map(1);
            w.key(name);
            w.field(name, number);
        }), "misuse");
        equal(written(to, w -> w.field(name, true)), "misuse");
    }
}
