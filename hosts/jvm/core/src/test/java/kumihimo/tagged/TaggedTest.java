package kumihimo.tagged;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.Hex;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Names;
import kumihimo.Reader;
import kumihimo.Sink;
import kumihimo.Trace;
import kumihimo.Writer;

/** Tagged beyond the vectors: {@code java -cp CLASSES kumihimo.tagged.TaggedTest}. */
public final class TaggedTest {
    private final Checks checks = new Checks();

    public static void main(String[] arguments) {
        TaggedTest test = new TaggedTest();
        test.varints();
        test.hashes();
        test.moments();
        test.waysToWriteNames();
        test.manyNames();
        test.marksAndNames();
        test.study();
        test.studyRefuses();
        test.studyFields();
        test.hostile();
        test.checks.report();
    }

    private static byte[] written(Writer w, Consumer<Writer> body) {
        body.accept(w);
        w.finish();
        return w.toByteArray();
    }

    private static byte[] safe(Consumer<Writer> body) {
        return written(new TaggedWriter(Limits.DEFAULT), body);
    }

    private static byte[] study(Consumer<Writer> body) {
        return written(new StudyWriter(Limits.DEFAULT), body);
    }

    private static Reader reader() {
        return new TaggedReader(TaggedReadDialect.STANDARD, Limits.DEFAULT);
    }

    private void is(byte[] got, String hex) {
        checks.yes(Arrays.toString(got) + " " + hex, Arrays.equals(got, Hex.bytes(hex)));
    }

    private void varints() {
        Varint varint = new Varint();
        byte[] room = new byte[16];
        for (int shift = 0; shift < 64; shift++) {
            for (int off = -2; off <= 2; off++) {
                long n = (1L << shift) + off;
                int end = Varint.put(room, 0, n);
                checks.equal("size of " + n, Varint.size(n), end);
                checks.yes("whole", varint.load(room, 0, end));
                checks.equal("value", varint.value, n);
                checks.yes("cut", !varint.load(room, 0, end - 1) && !varint.broken);
                checks.equal("zigzag", Varint.unzigzag(Varint.zigzag(n)), n);
            }
        }
        Arrays.fill(room, (byte) 0xff);
        checks.yes("too long", !varint.load(room, 0, 16) && varint.broken);
    }

    /** The names of docs/formats.md. */
    private void hashes() {
        String[] names = {"a", "abc", "organization", "\u00e9", "ab"};
        int[] wanted = {0x2a874496, 0xa8a4d9d3, 0x5a39cc67, 0xbcf0d56a, 0x94dbd4ea};
        for (int i = 0; i < names.length; i++) {
            byte[] utf8 = new Name(names[i]).utf8();
            checks.equal(names[i], StudyHeader.hash(utf8, 0, utf8.length), wanted[i]);
        }
    }

    private void moments() {
        for (Moment.Clock clock : Moment.Clock.values()) {
            boolean zoned = clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL;
            for (long seconds : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                Moment moment = new Moment(seconds, 999_999_999, zoned ? Integer.MIN_VALUE : 0, clock);
                checks.equal("a moment", reader().reset(safe(w -> w.time(moment))).time(), moment);
            }
        }
        checks.equal("a type of 32 bits", reader().reset(safe(w -> w.ext(Integer.MIN_VALUE, new byte[0], 0, 0))).ext(),
                Integer.MIN_VALUE);
    }

    /** A name is written the same as a Name, a String and bytes, also where numbers run out and searching pauses. */
    private void waysToWriteNames() {
        Random random = new Random(1);
        for (int round = 0; round < 60; round++) {
            int range = round % 3 == 0 ? 6000 : 30;
            Name[] names = new Name[400];
            for (int i = 0; i < names.length; i++) {
                String end = "\u00e9".repeat(random.nextInt(2)) + "x".repeat(random.nextInt(40));
                names[i] = new Name("f" + random.nextInt(range) + end);
            }
            int[] order = random.ints(3000, 0, names.length).toArray();
            byte[] byName = safe(w -> records(w, names, order, 0));
            checks.yes("as Strings", Arrays.equals(safe(w -> records(w, names, order, 1)), byName));
            checks.yes("as bytes", Arrays.equals(safe(w -> records(w, names, order, 2)), byName));
            Trace wanted = new Trace(false);
            records(wanted, names, order, 0);
            Trace got = new Trace(false);
            reader().reset(byName).feed(got);
            checks.yes("read again", got.finish().equals(wanted.finish()));
        }
    }

    private static void records(Sink to, Name[] names, int[] order, int way) {
        to.array(Sink.UNKNOWN);
        for (int i = 0; i < order.length; ) {
            to.map(Sink.UNKNOWN);
            for (int end = Math.min(order.length, i + 7); i < end; i++) {
                Name name = names[order[i]];
                if (way == 0) to.key(name);
                else if (way == 1) to.key(name.text());
                else to.key(name.utf8(), 0, name.utf8().length, false);
                to.i64(i);
            }
            to.end();
        }
        to.end();
    }

    /** All numbers that there are, and one name more. */
    private void manyNames() {
        StringBuilder hex = new StringBuilder("c1fe54c5");
        for (int i = 0; i < TaggedHeader.MOST_NAMES; i++) {
            hex.append("db04");
            for (char c : String.format("%04d", i).toCharArray()) hex.append(String.format("%02x", (int) c));
            hex.append("c0");
        }
        Reader reader = reader();
        Names names = Names.of("4159", "0064", "0063");
        reader.reset(Hex.bytes(hex + "ffffc0f000c07fc0c6")).map();
        int found = 0;
        for (int field; (field = reader.field(names, 0)) != Names.END; ) {
            if (field != Names.OTHER) found++;
            reader.nil();
        }
        reader.finish();
        checks.equal("each name twice", found, 6);
        checks.refused("one more", Code.SYNTAX, () -> {
            reader.reset(Hex.bytes(hex + "db0161c0c6")).skip();
            return null;
        });
    }

    /** Names that were given numbers behind a mark get the same ones again. */
    private void marksAndNames() {
        Reader reader = reader().reset(Hex.bytes("c1fe54c4" + "c5db016101db016202c6" + "c540034104c6" + "c6"));
        Names names = Names.of("a", "b");
        reader.array();
        for (int round = 0; round < 3; round++) {
            Reader.Mark mark = reader.mark();
            int sum = 0;
            while (reader.hasNext()) {
                reader.map();
                for (int field; (field = reader.field(names, 0)) != Names.END; ) {
                    sum = 10 * sum + field * 5 + reader.i32();
                }
            }
            checks.equal("fields and values", sum, 1 * 1000 + 7 * 100 + 3 * 10 + 9);
            reader.rewind(mark);
        }
    }

    /** The documents of the published encoder's own tests. */
    private void study() {
        is(study(w -> w.i64(150)), "01000000ac02");
        is(study(w -> w.str("Hello")), "070000000548656c6c6f");
        is(study(w -> {
            w.map(2);
            w.key("b");
            w.i64(2);
            w.key("a");
            w.i64(1);
            w.end();
        }), "01964487020141f9e8040a0000000c01964487016101" + "41f9e80162");
        is(study(w -> {
            w.array(2);
            w.i64(1);
            w.i64(2);
            w.end();
        }), "090000000a11000000022100000004");
        is(study(w -> w.big("42")), "0b000000023432");
        is(study(w -> w.f64(4.2)), "04000000cdcccccccccc1040");
        is(study(Sink::nil), "0000000000");
        is(study(w -> w.f64(Double.NaN)), "0000000000");
        checks.equal("a boolean", reader().reset(study(w -> w.bool(true))).bool(), true);
        checks.equal("2^64-1", reader().reset(study(w -> w.u64(-1))).u64(), -1L);
        checks.equal("digits", reader().reset(study(w -> w.big("-0"))).number(), "-0");
    }

    private void studyRefuses() {
        checks.refused("an empty map", Code.UNSUPPORTED, () -> study(w -> {
            w.map(0);
            w.end();
        }));
        checks.refused("a key twice", Code.DUPLICATE, () -> study(w -> {
            w.map(2);
            w.key("a");
            w.nil();
            w.key("a");
            w.i64(1);
            w.end();
        }));
        checks.refused("one hash", Code.UNSUPPORTED, () -> study(w -> {
            w.map(2);
            w.key("f3234");
            w.nil();
            w.key("f13293");
            w.nil();
            w.end();
        }));
        checks.refused("a key that is no text", Code.UNSUPPORTED, () -> study(w -> {
            w.map(1);
            w.keyIsNext();
            w.nil();
        }));
        checks.refused("bytes", Code.UNSUPPORTED, () -> study(w -> w.bin(new byte[1], 0, 1)));
        checks.refused("digits that are none", Code.RANGE, () -> study(w -> w.big("1.")));
        checks.refused("the other layout", Code.SYNTAX,
                () -> new TaggedReader(TaggedReadDialect.STUDY_READ, Limits.DEFAULT).reset(safe(Sink::nil)).kind());
        checks.refused("the other layout", Code.SYNTAX,
                () -> new TaggedReader(TaggedReadDialect.SAFE_READ, Limits.DEFAULT).reset(study(Sink::nil)).kind());
    }

    private void studyFields() {
        byte[] document = study(w -> {
            w.map(2);
            w.key("list");
            w.array(2);
            w.map(1);
            w.key("a");
            w.str("x");
            w.end();
            w.nil();
            w.end();
            w.key("b");
            w.f64(0.5);
            w.end();
        });
        Reader reader = reader().reset(document);
        Names names = Names.of("b", "list");
        reader.map();
        Reader.Mark mark = reader.mark();
        for (int round = 0; round < 2; round++) {
            for (int field; (field = reader.field(names, 0)) != Names.END; ) {
                if (field == 0) checks.equal("b", reader.f64(), 0.5);
                else reader.skip();
            }
            reader.finish();
            reader.rewind(mark);
        }
    }

    private void hostile() {
        Reader reader = reader();
        byte[] deep = new byte[1 << 20];
        Arrays.fill(deep, (byte) TaggedHeader.ARRAY);
        for (int i = 0; i < 3; i++) deep[i] = TaggedHeader.mark(i);
        checks.equal("where", checks.refused("deep", Code.DEPTH, () -> {
            reader.reset(deep).skip();
            return null;
        }).offset(), 1027L);
        String[] lies = {"d3ffffffffffffffff", "d7ffffffffffffff7f", "d8ffffffff0f", "d900ffffffffffffffffff01"};
        for (String lie : lies) {
            checks.equal("where", checks.refused("a lie", Code.TRUNCATED, () -> {
                reader.reset(Hex.bytes("c1fe54c4" + lie)).skip();
                return null;
            }).offset(), 4L);
        }
        // Arrays in arrays, each as long as what is left: headers are looked at once.
        int n = 100_000;
        byte[] nested = new byte[9 * n];
        for (int i = 0; i < n; i++) {
            nested[9 * i] = (byte) (i == 0 ? StudyHeader.ARRAY : 0x10 | StudyHeader.ARRAY);
            int left = 9 * n - 9 * i - 9;
            for (int j = 0; j < 5; j++) nested[9 * i + 4 + j] = (byte) (left >>> 7 * j & 0x7f | (j < 4 ? 0x80 : 0));
        }
        checks.refused("deep", Code.DEPTH, () -> {
            reader.reset(nested).skip();
            return null;
        });
    }
}
