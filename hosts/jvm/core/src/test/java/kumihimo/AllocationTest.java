package kumihimo;

import java.lang.management.ManagementFactory;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Readers and writers allocate nothing for a value but the value: {@code java -cp CLASSES kumihimo.AllocationTest}.
 * What this thread allocates is compared for documents of few and of many values.
 */
public final class AllocationTest {
    private static final int FEW = 500;
    private static final int MANY = 3000;
    /** A String with its array, of a few characters. */
    private static final int TEXT = 24 + 16 + 32;
    /** Beyond ASCII the JDK decodes into arrays that it cuts to size. */
    private static final int DECODED = 3 * TEXT;

    private static final Names NAMES = Names.of("id", "name", "other");
    private static final Name ID = new Name("id");
    private static final Name NAME = new Name("name");
    private static final String TEXT_OF_20 = "twenty characters, n";

    private final Checks check = new Checks();
    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    public static void main(String[] arguments) {
        AllocationTest test = new AllocationTest();
        for (Format format : Formats.all()) test.of(format);
        test.check.report();
    }

    private void of(Format format) {
        value(format, "null", 0, (out, i) -> out.nil(), Reader::nil);
        value(format, "boolean", 0, (out, i) -> out.bool(i % 2 == 0), Reader::bool);
        value(format, "small integers", 0, (out, i) -> out.i32(i % 50), Reader::i32);
        value(format, "integers", 0, (out, i) -> out.i64(i * 0x123456789abcdL), Reader::i64);
        value(format, "integers of 64 bits", 0, (out, i) -> out.u64(-1L - i), in -> {
            in.kind();
            in.u64();
        });
        value(format, "doubles of few digits", 0, (out, i) -> out.f64(i / 8.0), Reader::f64);
        value(format, "doubles", 0, (out, i) -> out.f64(Math.sqrt(i) * 1e20), Reader::f64);
        value(format, "floats", 0, (out, i) -> out.f32((float) Math.sqrt(i)), Reader::f32);
        value(format, "text", TEXT, (out, i) -> out.str(TEXT_OF_20), Reader::str);
        value(format, "text beyond ASCII", DECODED, (out, i) -> out.str("\u4fa1\u683c \u00e9"), Reader::str);
        value(format, "values that are passed over", 0, AllocationTest::record, Reader::skip);
        value(format, "kinds", 0, (out, i) -> out.i64(i), in -> {
            in.kind();
            in.skip();
        });
        value(format, "arrays", 0, (out, i) -> {
            out.array(i % 2 == 0 ? 2 : Sink.UNKNOWN);
            out.bool(true);
            out.array(0);
            out.end();
            out.end();
        }, in -> {
            in.array();
            in.hasNext();
            in.bool();
            in.hasNext();
            in.array();
            in.hasNext();
            in.hasNext();
        });
        value(format, "records", TEXT, AllocationTest::record, in -> {
            in.map();
            int found = in.field(NAMES, 0);
            for (; found != Names.END; found = in.field(NAMES, found + 1)) {
                if (found == 0) in.i64();
                else if (found == 1) in.str();
                else in.skip();
            }
        });
    }

    private static void record(Writer out, int i) {
        out.map(2);
        out.field(ID, (long) i);
        out.key(NAME);
        out.str(TEXT_OF_20);
        out.end();
    }

    /** @param most bytes that reading one may allocate; writing one may none */
    private void value(Format format, String what, int most, BiConsumer<Writer, Integer> write,
            Consumer<Reader> read) {
        Integer[] boxes = new Integer[MANY];
        for (int i = 0; i < MANY; i++) boxes[i] = i;
        Writer writer = format.writer("", Limits.DEFAULT);
        long written = grown(n -> {
            writer.reset().array(n);
            for (int i = 0; i < n; i++) write.accept(writer, boxes[i]);
            writer.end();
            writer.finish();
        });
        check.equal(format.name() + ", " + what + ", written: bytes for " + (MANY - FEW), written, 0L);

        byte[][] documents = new byte[2][];
        for (int k = 0; k < 2; k++) {
            int n = k == 0 ? FEW : MANY;
            writer.reset().array(n);
            for (int i = 0; i < n; i++) write.accept(writer, boxes[i]);
            writer.end();
            writer.finish();
            documents[k] = writer.toByteArray();
        }
        Reader reader = format.reader("", Limits.DEFAULT);
        long got = grown(n -> {
            reader.reset(documents[n == FEW ? 0 : 1]).array();
            while (reader.hasNext()) read.accept(reader);
            reader.finish();
        });
        check.yes(format.name() + ", " + what + ", read: " + got + " bytes for " + (MANY - FEW),
                got <= (long) most * (MANY - FEW));
    }

    /** The bytes that many cost more than few, each by the run that cost least: the first ones make what is kept. */
    private long grown(java.util.function.IntConsumer run) {
        long few = Long.MAX_VALUE;
        long many = Long.MAX_VALUE;
        for (int times = 0; times < 6; times++) {
            few = Math.min(few, allocated(() -> run.accept(FEW)));
            many = Math.min(many, allocated(() -> run.accept(MANY)));
        }
        return Math.max(0, many - few);
    }

    private long allocated(Runnable run) {
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        run.run();
        return threads.getThreadAllocatedBytes(thread) - before;
    }
}
