package kumihimo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What all binary formats have in common, beyond the vectors: {@code java -cp CLASSES kumihimo.BinaryFormatsTest}. */
public final class BinaryFormatsTest {
    private static final int DOCUMENTS = 1500;
    private static final Names NAMES = Names.of("a", "id", "name", "caf\u00e9", "");

    private final Checks checks = new Checks();

    public static void main(String[] arguments) {
        BinaryFormatsTest test = new BinaryFormatsTest();
        for (Format format : Formats.all()) {
            if (format.isText()) continue;
            test.dialects(format);
            test.documents(format);
            test.streams(format);
            test.damage(format);
            test.fields(format);
            test.keysThatAreNoText(format);
            test.marks(format);
            test.kinds(format);
            test.lengths(format);
            test.limits(format);
            test.order(format);
        }
        test.checks.report();
    }

    private static Reader reader(Format format) {
        return format.reader("", Limits.DEFAULT);
    }

    private static byte[] written(Format format, java.util.function.Consumer<Writer> body) {
        Writer w = format.writer("", Limits.DEFAULT);
        body.accept(w);
        w.finish();
        return w.toByteArray();
    }

    private static byte[] document(Format format, long seed) {
        return written(format, w -> RandomDocument.into(w, seed, false));
    }

    private void dialects(Format format) {
        for (String name : format.readDialects()) checks.runs(name, () -> format.reader(name, Limits.DEFAULT));
        for (String name : format.writeDialects()) checks.runs(name, () -> format.writer(name, Limits.DEFAULT));
        checks.thrown("no dialect", IllegalArgumentException.class, () -> format.reader("none", Limits.DEFAULT));
        checks.thrown("no dialect", IllegalArgumentException.class, () -> format.writer("none", Limits.DEFAULT));
    }

    /** What was written is read: pushed, pulled, passed over, by one reader and one writer for all. */
    private void documents(Format format) {
        Writer writer = format.writer("", Limits.DEFAULT);
        Reader reader = reader(format);
        for (int seed = 0; seed < DOCUMENTS; seed++) {
            String what = format.name() + " document " + seed;
            Trace wanted = new Trace(false);
            RandomDocument.into(wanted, seed, false);
            String lines = wanted.finish();
            writer.reset();
            RandomDocument.into(writer, seed, false);
            writer.finish();
            byte[] document = writer.toByteArray();
            Trace fed = new Trace(false);
            reader.reset(document).feed(fed);
            reader.finish();
            checks.equal(what, fed.finish(), lines);
            Trace pulled = new Trace(false);
            Feed.value(reader.reset(document), pulled);
            reader.finish();
            checks.equal(what + " pulled", pulled.finish(), lines);
            reader.reset(document).skip();
            checks.equal(what + " passed over", reader.consumed(), document.length);
            writer.reset();
            reader.reset(document).feed(writer);
            writer.finish();
            checks.yes(what + " written again", Arrays.equals(writer.toByteArray(), document));
        }
    }

    private void streams(Format format) {
        Random random = new Random(5);
        for (int seed = 0; seed < 200; seed++) {
            byte[] all = {};
            List<Integer> wanted = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                byte[] next = document(format, seed * 8 + i);
                all = Arrays.copyOf(all, all.length + next.length);
                System.arraycopy(next, 0, all, all.length - next.length, next.length);
                wanted.add(all.length);
            }
            Boundary boundary = format.boundary(Limits.DEFAULT);
            List<Integer> ends = new ArrayList<>();
            int piece = 1 + random.nextInt(40);
            for (int at = 0; at < all.length; ) {
                at += boundary.next(all, at, Math.min(all.length, at + piece));
                if (boundary.complete()) ends.add(at);
            }
            checks.equal(format.name() + " ends in pieces of " + piece, ends, wanted);
        }
    }

    /** Of damaged documents every way to read gives the same verdict, and no other exception. */
    private void damage(Format format) {
        Random random = new Random(11);
        Reader reader = reader(format);
        for (int seed = 0; seed < 6 * DOCUMENTS; seed++) {
            byte[] document = document(format, seed % DOCUMENTS);
            for (int n = random.nextInt(4); n >= 0; n--) {
                if (document.length == 0) break;
                int at = random.nextInt(document.length);
                if (random.nextInt(8) == 0) document = Arrays.copyOf(document, at);
                else if (random.nextBoolean()) document[at] = (byte) random.nextInt(256);
                else document[at] ^= (byte) (1 << random.nextInt(8));
            }
            byte[] damaged = document;
            String fed = verdict(reader, damaged, () -> reader.feed(new Trace(false)));
            String pulled = verdict(reader, damaged, () -> Feed.value(reader, new Trace(false)));
            String passed = verdict(reader, damaged, reader::skip);
            String named = verdict(reader, damaged, () -> byFields(reader));
            if (pulled.equals(fed) && passed.equals(fed) && named.equals(fed)) continue;
            String what = format.name() + " damaged " + Arrays.toString(damaged);
            checks.equal(what, pulled + ", " + passed + ", " + named, fed + ", " + fed + ", " + fed);
        }
    }

    /** Reads a value whose maps, as far as they are not inside of others, are records. */
    private static void byFields(Reader reader) {
        switch (reader.kind()) {
            case ARRAY:
                reader.array();
                while (reader.hasNext()) {
                    if (reader.kind() == Kind.MAP) byFields(reader);
                    else reader.skip();
                }
                return;
            case MAP:
                reader.map();
                for (int i = 0; ; i++) {
                    int field = reader.field(NAMES, i % NAMES.size());
                    if (field == Names.END) return;
                    reader.skip();
                }
            default:
                reader.skip();
        }
    }

    private String verdict(Reader reader, byte[] document, Runnable read) {
        try {
            reader.reset(document);
            read.run();
            reader.finish();
            return "taken";
        } catch (DataException e) {
            return e.code() + " " + e.offset();
        } catch (RuntimeException | StackOverflowError e) {
            return e.toString();
        }
    }

    /** Names of all lengths, in order and not, and keys that are none. */
    private void fields(Format format) {
        String[] texts = new String[70];
        for (int i = 0; i < texts.length; i++) texts[i] = (i % 3 == 2 ? "\u00e9" : "x").repeat(i);
        Names names = Names.of(texts);
        for (int shift : new int[] {0, 1, 69}) {
            byte[] document = written(format, w -> {
                w.array(Sink.UNKNOWN);
                // Several times, since formats may give names numbers.
                for (int round = 0; round < 6; round++) {
                    w.map(texts.length + 1);
                    for (int i = 0; i < texts.length; i++) {
                        if (i == 7) w.key("another \u00e9");
                        if (i == 7) w.str("passed over");
                        w.key(names.get((i + shift) % texts.length));
                        w.i64(i);
                    }
                    w.end();
                }
                w.end();
            });
            Reader reader = reader(format).reset(document);
            reader.array();
            while (reader.hasNext()) {
                reader.map();
                int expected = 0;
                for (int i = 0, field; (field = reader.field(names, expected)) != Names.END; expected = field + 1) {
                    if (field == Names.OTHER) {
                        checks.equal(format.name() + " another key", reader.lastKey(), "another \u00e9");
                        reader.skip();
                        continue;
                    }
                    checks.equal(format.name() + " field", field, (i + shift) % texts.length);
                    checks.equal(format.name() + " key", reader.lastKey(), texts[field]);
                    checks.equal(format.name() + " value", reader.i32(), i++);
                }
            }
            reader.finish();
        }
    }

    private void keysThatAreNoText(Format format) {
        byte[] document = written(format, w -> {
            w.map(Sink.UNKNOWN);
            w.keyIsNext();
            w.i64(-7);
            w.nil();
            w.keyIsNext();
            w.nil();
            w.nil();
            w.keyIsNext();
            w.f64(1.5);
            w.nil();
            w.keyIsNext();
            w.bin(new byte[] {1, 2, 3}, 0, 3);
            w.nil();
            w.keyIsNext();
            w.time(new Moment(0, 0, 0, Moment.Clock.UTC));
            w.nil();
            w.keyIsNext();
            w.u64(-1);
            w.nil();
            w.keyIsNext();
            w.time(new Moment(Long.MAX_VALUE, 0, 0, Moment.Clock.UTC));
            w.nil();
            w.keyIsNext();
            w.array(1);
            w.nil();
            w.end();
            w.nil();
            w.end();
        });
        Names names = Names.of("-7");
        String[] wanted = {"-7", "null", "1.5", "AQID", "1970-01-01T00:00:00Z", "18446744073709551615"};
        Reader reader = reader(format).reset(document);
        reader.map();
        for (String key : wanted) {
            checks.equal(format.name() + " " + key, reader.field(names, 0), Names.OTHER);
            checks.equal(format.name() + " key", reader.lastKey(), key);
            reader.nil();
        }
        for (String what : new String[] {" a year without text", " a container"}) {
            checks.equal(format.name() + what, reader.field(names, 0), Names.OTHER);
            checks.refused(format.name() + what, Code.TYPE, reader::lastKey);
            reader.nil();
        }
        checks.equal(format.name() + " end", reader.field(names, 0), Names.END);
        reader.finish();
    }

    /** Back to where a mark was set, out of what was opened since. */
    private void marks(Format format) {
        Reader reader = reader(format);
        Random random = new Random(3);
        for (int seed = 0; seed < 300; seed++) {
            byte[] document = document(format, seed);
            int stop = 1 + random.nextInt(30);
            Trace all = new Trace(false);
            reader.reset(document).feed(all);
            reader.reset(document);
            Reader.Mark mark = reader.mark();
            try {
                dive(reader, stop);
            } catch (Stop e) {
                // Somewhere in the middle.
            }
            reader.rewind(mark);
            Trace again = new Trace(false);
            Feed.value(reader, again);
            reader.finish();
            checks.equal(format.name() + " after a mark " + seed, again.finish(), all.finish());
        }
    }

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void dive(Reader reader, int stop) {
        Feed.value(reader, new Counting(stop));
    }

    /** A sink that stops the reader after so many verbs. */
    private static final class Counting implements Sink {
        private int left;

        Counting(int left) {
            this.left = left;
        }

        private void count() {
            if (--left == 0) throw new Stop();
        }

        @Override
        public void nil() {
            count();
        }

        @Override
        public void bool(boolean value) {
            count();
        }

        @Override
        public void i64(long value) {
            count();
        }

        @Override
        public void u64(long bits) {
            count();
        }

        @Override
        public void f64(double value) {
            count();
        }

        @Override
        public void big(String digits) {
            count();
        }

        @Override
        public void str(String text) {
            count();
        }

        @Override
        public void bin(byte[] data, int from, int to) {
            count();
        }

        @Override
        public void time(Moment moment) {
            count();
        }

        @Override
        public void ext(int type, byte[] data, int from, int to) {
            count();
        }

        @Override
        public void array(long count) {
            count();
        }

        @Override
        public void map(long count) {
            count();
        }

        @Override
        public void key(String text) {
            count();
        }

        @Override
        public void keyIsNext() {
            count();
        }

        @Override
        public void end() {
            count();
        }
    }

    /** A value asked for as another kind is refused at its first byte, and nothing of it is taken. */
    private void kinds(Format format) {
        byte[][] documents = {written(format, Sink::nil), written(format, w -> w.bool(true)),
            written(format, w -> w.i64(-5)), written(format, w -> w.f64(0.5)),
            written(format, w -> w.str("no number")),
            written(format, w -> w.bin(new byte[] {1}, 0, 1)), written(format, w -> w.ext(5, new byte[] {1}, 0, 1)),
            written(format, w -> w.time(new Moment(1, 0, 0, Moment.Clock.UTC))), written(format, w -> {
                w.array(0);
                w.end();
            }), written(format, w -> {
                w.map(0);
                w.end();
            })};
        Kind[] kinds = {Kind.NIL, Kind.BOOL, Kind.I64, Kind.F64, Kind.STR, Kind.BIN, Kind.EXT, Kind.TIME, Kind.ARRAY,
            Kind.MAP};
        Reader reader = reader(format);
        for (int i = 0; i < kinds.length; i++) {
            Kind kind = reader.reset(documents[i]).kind();
            checks.equal(format.name() + " kind", kind, kinds[i]);
            int first = reader.position();
            for (Kind asked : kinds) {
                reader.reset(documents[i]);
                if (asked == kind || asked == Kind.F64 && kind == Kind.I64) {
                    checks.runs(format.name() + " " + kind, () -> ask(reader, asked));
                    continue;
                }
                String what = format.name() + " " + kind + " as " + asked;
                DataException e = checks.refused(what, Code.TYPE, () -> ask(reader, asked));
                checks.equal(what, e.offset(), (long) first);
            }
        }
        byte[] large = written(format, w -> w.u64(-1));
        checks.refused(format.name() + " too large for 64 bits", Code.RANGE, () -> reader.reset(large).i64());
        checks.equal(format.name() + " as a double", reader.reset(large).f64(), 18446744073709551615.0);
        checks.equal(format.name() + " in digits", reader.reset(large).number(), "18446744073709551615");
        byte[] wide = written(format, w -> w.i64(1L << 31));
        checks.refused(format.name() + " too large for 32 bits", Code.RANGE, () -> reader.reset(wide).i32());
        checks.equal(format.name() + " a double's digits", reader.reset(documents[3]).number(), "0.5");
    }

    private static Object ask(Reader reader, Kind kind) {
        switch (kind) {
            case NIL:
                reader.nil();
                return null;
            case BOOL:
                return reader.bool();
            case I64:
                return reader.i64();
            case F64:
                return reader.f64();
            case STR:
                return reader.str();
            case BIN:
                return reader.bin();
            case EXT:
                return reader.ext();
            case TIME:
                return reader.time();
            case ARRAY:
                return reader.array();
            default:
                return reader.map();
        }
    }

    /** Text, bytes and containers around every length at which a header widens, by all ways to write them. */
    private void lengths(Format format) {
        Reader reader = reader(format);
        for (int n : new int[] {0, 11, 12, 15, 16, 23, 24, 31, 32, 127, 128, 255, 256, 65535, 65536, 70000}) {
            for (String c : new String[] {"x", "\u00e9", "\u4fa1", "\ud83d\ude00"}) {
                String text = n == 0 ? "" : "y".repeat(n - 1) + c;
                byte[] utf8 = Utf8.bytes(text);
                byte[] document = written(format, w -> w.str(text));
                checks.equal(format.name() + " text of " + n, reader.reset(document).str(), text);
                checks.yes(format.name() + " as bytes",
                        Arrays.equals(written(format, w -> w.str(utf8, 0, utf8.length, false)), document));
                byte[] map = written(format, w -> {
                    w.map(1);
                    w.key(text);
                    w.nil();
                    w.end();
                });
                reader.reset(map).map();
                checks.yes(format.name() + " has a key", reader.hasNext());
                checks.equal(format.name() + " key of " + n, reader.key(), text);
            }
            byte[] data = new byte[n];
            byte[] bin = written(format, w -> w.bin(data, 0, n));
            checks.yes(format.name() + " bytes", Arrays.equals(reader.reset(bin).bin(), data));
            byte[] ext = written(format, w -> w.ext(9, data, 0, n));
            checks.equal(format.name() + " type", reader.reset(ext).ext(), 9);
            checks.yes(format.name() + " extension", Arrays.equals(reader.extData(), data));
            byte[] known = written(format, w -> nils(w, n, n));
            byte[] unknown = written(format, w -> nils(w, n, Sink.UNKNOWN));
            checks.yes(format.name() + " count", Arrays.equals(known, unknown));
            reader.reset(known).skip();
            reader.finish();
        }
    }

    private static void nils(Writer w, int n, long count) {
        w.array(count);
        for (int i = 0; i < n; i++) w.nil();
        w.end();
    }

    private void limits(Format format) {
        byte[] deep = written(format, w -> {
            for (int i = 0; i < 5; i++) w.array(1);
            w.nil();
            for (int i = 0; i < 5; i++) w.end();
        });
        Limits four = Limits.DEFAULT.withDepth(4);
        checks.runs(format.name() + " depth", () -> pass(format.reader("", Limits.DEFAULT.withDepth(5)), deep));
        checks.refused(format.name() + " too deep", Code.DEPTH, () -> pass(format.reader("", four), deep));
        Writer writer = format.writer("", four);
        for (int i = 0; i < 4; i++) writer.array(1);
        checks.refused(format.name() + " too deep to write", Code.DEPTH, () -> {
            writer.array(1);
            return null;
        });
        Limits small = Limits.DEFAULT.withSize(1000);
        byte[] fits = written(format, w -> w.str("x".repeat(900)));
        byte[] large = written(format, w -> w.str("x".repeat(1000)));
        checks.runs(format.name() + " size", () -> pass(format.reader("", small), fits));
        checks.refused(format.name() + " too large", Code.SIZE, () -> pass(format.reader("", small), large));
        checks.refused(format.name() + " too large to write", Code.SIZE, () -> {
            Writer w = format.writer("", small);
            w.str("x".repeat(1001));
            w.finish();
            return null;
        });
        checks.runs(format.name() + " as large as may be", () -> {
            Writer w = format.writer("", small);
            w.str("x".repeat(900));
            w.finish();
            return null;
        });
        // Openings without end: no stack, and no memory for what a header says.
        byte[] open = written(format, w -> {
            for (int i = 0; i < 1000; i++) w.array(1);
            w.nil();
            for (int i = 0; i < 1000; i++) w.end();
        });
        checks.runs(format.name() + " deep", () -> pass(reader(format), open));
        // Pushed from the middle of what is pulled.
        for (int levels : new int[] {15, 16, 17, 31, 32, 33, 100, 999}) {
            Reader reader = reader(format).reset(open);
            for (int i = 0; i < levels; i++) {
                reader.array();
                reader.hasNext();
            }
            Trace trace = new Trace(false);
            reader.feed(trace);
            checks.equal(format.name() + " " + levels, trace.finish().split("\n").length, 2 * (1000 - levels) + 1);
            for (int i = 0; i < levels; i++) checks.yes("end", !reader.hasNext());
            reader.finish();
        }
    }

    private static Object pass(Reader reader, byte[] document) {
        reader.reset(document).skip();
        reader.finish();
        return null;
    }

    private void order(Format format) {
        List<java.util.function.Consumer<Writer>> bad = List.of(w -> {}, w -> w.array(1), Sink::end, w -> {
            w.nil();
            w.nil();
        }, w -> {
            w.map(1);
            w.nil();
        }, w -> {
            w.map(1);
            w.key("a");
            w.end();
        }, w -> {
            w.map(1);
            w.key("a");
            w.key("b");
        }, w -> {
            w.array(2);
            w.nil();
            w.end();
        }, w -> {
            w.array(1);
            w.nil();
            w.nil();
        }, w -> {
            w.array(1);
            w.key("a");
        }, w -> {
            w.map(Sink.UNKNOWN);
            w.keyIsNext();
            w.end();
        }, w -> {
            w.map(Sink.UNKNOWN);
            w.keyIsNext();
            w.key("a");
        });
        for (int i = 0; i < bad.size(); i++) {
            java.util.function.Consumer<Writer> verbs = bad.get(i);
            checks.refused(format.name() + " order " + i, Code.MISUSE, () -> written(format, verbs));
        }
    }
}
