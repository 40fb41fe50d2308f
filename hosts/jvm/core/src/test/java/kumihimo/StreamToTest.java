package kumihimo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;
import kumihimo.json.JsonDialect;
import kumihimo.json.JsonWriter;

/** Documents that go to a stream in pieces: {@code java -cp CLASSES kumihimo.StreamToTest}. */
public final class StreamToTest {
    private final Checks check = new Checks();

    public static void main(String[] arguments) throws IOException {
        StreamToTest test = new StreamToTest();
        test.same();
        test.limits();
        test.failures();
        test.check.report();
    }

    /** Values of all kinds, empty containers and long texts where a piece may end. */
    private static void write(Writer to, int seed) {
        Random random = new Random(seed);
        Name name = new Name("t\u00e9xt");
        to.array(Sink.UNKNOWN);
        for (int i = 0; i < 6000; i++) {
            to.map(Sink.UNKNOWN);
            for (int k = random.nextInt(5); k > 0; k--) {
                to.key("key" + k);
                switch (random.nextInt(7)) {
                    case 0:
                        to.map(0);
                        to.end();
                        break;
                    case 1:
                        to.array(Sink.UNKNOWN);
                        for (int n = random.nextInt(4); n > 0; n--) {
                            to.array(0);
                            to.end();
                        }
                        to.end();
                        break;
                    case 2:
                        to.str("\u4fa1\"\n".repeat(random.nextInt(random.nextInt(50) == 0 ? 30_000 : 9)));
                        break;
                    case 3:
                        to.f64(random.nextGaussian());
                        break;
                    case 4:
                        to.bin(new byte[] {1, 2, 3}, 0, random.nextInt(4));
                        break;
                    case 5:
                        to.bool(i % 2 == 0);
                        break;
                    default:
                        to.i64(random.nextLong() >> random.nextInt(64));
                }
            }
            to.field(name, "text " + i);
            to.end();
        }
        to.end();
    }

    private void same() throws IOException {
        String all = "non_finite=null+extension=object+invalid=replace";
        for (JsonDialect dialect : new JsonDialect[] {
            JsonDialect.LENIENT, JsonDialect.PRETTY.with(all), JsonDialect.PYTHON_DEFAULT.with(all)
        }) {
            JsonWriter writer = new JsonWriter(dialect, Limits.DEFAULT);
            for (int seed = 1; seed < 4; seed++) {
                write(writer.reset(), seed);
                writer.finish();
                byte[] whole = writer.toByteArray();
                JsonWriter pieces = new JsonWriter(dialect, Limits.DEFAULT);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                pieces.streamTo(out);
                write(pieces, seed);
                pieces.finish();
                check.yes("in pieces", out.size() > whole.length / 2 && pieces.capacity() < whole.length);
                pieces.writeTo(out);
                check.yes("the same bytes", Arrays.equals(out.toByteArray(), whole));
            }
        }
        for (Format format : Formats.all()) {
            Writer writer = format.writer("", Limits.DEFAULT);
            records(writer, 40_000);
            writer.finish();
            byte[] whole = writer.toByteArray();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            writer.reset().streamTo(out);
            records(writer, 40_000);
            writer.finish();
            writer.writeTo(out);
            check.yes(format.name(), Arrays.equals(out.toByteArray(), whole));
        }
    }

    private static void records(Writer to, int count) {
        to.array(Sink.UNKNOWN);
        for (int i = 0; i < count; i++) {
            to.map(1);
            to.key("key");
            to.i64(i);
            to.end();
        }
        to.end();
    }

    private void limits() {
        Format json = Formats.named("json");
        Writer free = json.writer("", Limits.DEFAULT);
        records(free, 40_000);
        free.finish();
        int size = free.size();
        for (int less = 0; less < 2; less++) {
            Writer writer = json.writer("", Limits.DEFAULT.withSize(size - less));
            writer.streamTo(new ByteArrayOutputStream());
            if (less == 0) {
                check.runs("up to the limit", () -> {
                    records(writer, 40_000);
                    writer.finish();
                    return null;
                });
            } else {
                check.refused("beyond it", Code.SIZE, () -> {
                    records(writer, 40_000);
                    writer.finish();
                    return null;
                });
            }
            writer.reset();
            check.runs("and again", () -> {
                records(writer, 10);
                writer.finish();
                return null;
            });
        }
    }

    private void failures() {
        Writer writer = Formats.named("json").writer("", Limits.DEFAULT);
        writer.streamTo(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("full");
            }
        });
        check.thrown("the stream's error", UncheckedIOException.class, () -> {
            records(writer, 40_000);
            return null;
        });
        writer.reset();
        records(writer, 40_000);
        check.runs("no stream any more", () -> {
            writer.finish();
            return null;
        });
        check.yes("all of it", writer.size() > 400_000);
    }
}
