package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Streams of documents that stop, break off, and take long: {@code java -cp CLASSES kumihimo.DocumentsTest}. */
public final class DocumentsTest {
    private static final Map<String, Object> VALUE = Map.of("name", "Bob", "tags", List.of(1, 2.5, "x", List.of()));

    public static void main(String[] arguments) throws IOException {
        Checks check = new Checks();
        for (String name : Formats.names()) {
            byte[] one = Kumihimo.dump(VALUE, name);
            for (int piece : new int[] {1, 3, 50, 1000}) {
                Documents documents = documents(repeat(one, 40), piece, name);
                int found = 0;
                while (next(documents)) {
                    byte[] document = Arrays.copyOfRange(documents.data(), documents.from(), documents.to());
                    check.equal(name, document, one);
                    check.equal(name, documents.start(), (long) found * one.length);
                    found++;
                }
                check.equal(name + " of a stream that takes long, in pieces of " + piece, found, 40);
            }
            for (String frame : new String[] {null, "gzip", "zstd", "lz4"}) cut(check, name, frame, repeat(one, 3));
        }
        large(check);
        check.report();
    }

    /** A stream that ends anywhere gives the documents before, and is refused for the one that is cut, or not at all. */
    private static void cut(Checks check, String name, String frame, byte[] all) throws IOException {
        if (frame != null && !kumihimo.frame.Frames.named(frame).isAvailable()) return;
        byte[] packed = frame == null ? all : Kumihimo.pack(all, frame);
        int size = all.length / 3;
        for (int n = 0; n <= packed.length; n++) {
            List<Object> seen = new ArrayList<>();
            String what = name + " in " + frame + " cut at " + n;
            boolean whole = frame == null ? n % size == 0 : n == packed.length || n == 0;
            try {
                Options by = Options.of(name);
                Kumihimo.eachDocument(new ByteArrayInputStream(packed, 0, n), by, seen::add);
                check.yes(what, whole || n < 4);
            } catch (DataException e) {
                check.yes(what + ": " + e.getMessage(), !whole && (e.code() == Code.TRUNCATED || n < 4 && frame != null));
            }
            if (frame == null) check.equal(what, seen.size(), n / size);
            if (!whole && n < 4) continue; // too few bytes to tell a frame
            for (Object value : seen) check.equal(what, value, Kumihimo.load(Arrays.copyOf(all, size), name));
        }
    }

    /** Documents larger than the buffer, behind others, from a stream that takes long. */
    private static void large(Checks check) throws IOException {
        byte[] long_ = Kumihimo.dump("x".repeat(300_000), "json");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 5; i++) {
            all.write("  [1] ".getBytes());
            all.write(long_);
        }
        Documents documents = documents(all.toByteArray(), 40_000, "json");
        for (int i = 0; i < 10; i++) {
            check.yes("there is one more", next(documents));
            check.equal("its size", documents.to() - documents.from(), i % 2 == 0 ? 3 : long_.length);
        }
        check.yes("there is none", !next(documents));
    }

    private static Documents documents(byte[] all, int piece, String format) {
        return new Documents(new SlowStream(all, all.length, piece), Formats.named(format), Limits.DEFAULT);
    }

    private static byte[] repeat(byte[] one, int times) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < times; i++) all.write(one, 0, one.length);
        return all.toByteArray();
    }

    private static boolean next(Documents documents) throws IOException {
        for (;;) {
            try {
                return documents.next();
            } catch (SocketTimeoutException again) {
                continue;
            }
        }
    }
}
