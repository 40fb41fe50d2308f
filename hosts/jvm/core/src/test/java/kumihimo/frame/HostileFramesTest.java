package kumihimo.frame;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Formats;
import kumihimo.Limits;
import kumihimo.SlowStream;
import kumihimo.Writer;

/**
 * Frames that are cut, damaged, lie or expand beyond measure, as arrays and as streams, which must say the same:
 * {@code java -cp CLASSES kumihimo.frame.HostileFramesTest}.
 */
public final class HostileFramesTest {
    private static final byte[] TEXT = text();
    private static final byte[] SKIPPED = {0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};

    private final Checks check = new Checks();
    private final Random random = new Random(14);

    public static void main(String[] arguments) throws IOException {
        HostileFramesTest test = new HostileFramesTest();
        for (Frame frame : Frames.all()) {
            if (frame.isAvailable()) test.all(frame);
        }
        if (Frames.named("zstd").isAvailable()) {
            test.zstd();
            test.kept();
        }
        test.check.report();
    }

    /** Contexts that are kept of what packs small documents: of these alone. */
    private void kept() throws IOException {
        Frame zstd = Frames.named("zstd");
        Writer writer = Formats.named("json").writer("", Limits.DEFAULT);
        for (int level : new int[] {-5, 1, 3, 4, 19, 22}) {
            Zstd.Compress.KEPT.clear();
            Frames.pack(zstd, TEXT, 0, TEXT.length, level);
            check.equal("of level " + level, Zstd.Compress.KEPT.size(), level <= 3 ? 1 : 0);
        }
        for (boolean large : new boolean[] {false, true}) {
            for (boolean fails : new boolean[] {false, true}) {
                Zstd.Compress.KEPT.clear();
                byte[] packed = null;
                try (PackBuffer out = new PackBuffer(zstd)) {
                    writer.reset();
                    writer.streamTo(out);
                    writer.array(-1);
                    for (int i = large ? 200_000 : 3; i > 0; i--) writer.str("text");
                    writer.end();
                    writer.finish();
                    if (!fails) packed = out.finish(writer);
                } finally {
                    writer.streamTo(null);
                }
                check.equal("kept", Zstd.Compress.KEPT.size(), large || fails ? 0 : 1);
                if (fails) continue;
                int size = Frames.unpack(zstd, packed, Limits.DEFAULT).length;
                check.equal("the document", size, (large ? 200_000 : 3) * 7 + 1);
            }
        }
    }

    private static byte[] text() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) text.append("{\"id\":").append(i * 7919 % 1000).append("}\n");
        return text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private void all(Frame frame) throws IOException {
        String name = frame.name();
        byte[] one = Frames.pack(frame, TEXT);
        byte[] empty = Frames.pack(frame, new byte[0]);
        byte[] file = name.equals("gzip") ? join(one, empty, one) : join(SKIPPED, one, SKIPPED, empty, one, SKIPPED);
        check.equal(name, Frames.unpack(frame, file, Limits.DEFAULT), join(TEXT, TEXT));
        cut(frame, file, one, empty);
        damaged(frame, file);
        bombs(frame);
        streams(frame, one);
    }

    /** Between members a cut is none, and right behind frames that are to be skipped alone. */
    private void cut(Frame frame, byte[] file, byte[] one, byte[] empty) {
        for (int n = 0; n < file.length; n++) {
            byte[] part = Arrays.copyOf(file, n);
            String said = unpacked(frame, part);
            String name = frame.name() + " cut at " + n;
            if (said.startsWith("ok")) check.yes(name, isBoundary(frame, n, one.length, empty.length));
            else check.equal(name, said, "truncated " + n);
            agree(name, frame, part, said);
        }
    }

    private static boolean isBoundary(Frame frame, int at, int one, int empty) {
        int skipped = frame.name().equals("gzip") ? 0 : SKIPPED.length;
        int[] sizes = {skipped, one, skipped, empty, one, skipped};
        int end = 0;
        for (int size : sizes) {
            if (at == (end += size) && at > 0) return true;
        }
        return false;
    }

    private void damaged(Frame frame, byte[] file) {
        for (int round = 0; round < 3000; round++) {
            byte[] bad = file.clone();
            for (int i = random.nextInt(3); i >= 0; i--) bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            if (round % 3 == 0) bad = Arrays.copyOf(bad, random.nextInt(bad.length));
            agree(frame.name() + " damaged " + round, frame, bad, unpacked(frame, bad));
        }
    }

    private void bombs(Frame frame) {
        String name = frame.name();
        byte[] bomb = Frames.pack(frame, new byte[64 << 20]);
        Limits limits = Limits.DEFAULT.withRatio(20, 1 << 16);
        check.refused(name + " beyond the ratio", Code.SIZE, () -> Frames.unpack(frame, bomb, limits));
        check.refused(name + " beyond the size", Code.SIZE,
                () -> Frames.unpack(frame, bomb, Limits.DEFAULT.withSize(1000)));
        agree(name + " beyond the ratio", frame, bomb, unpacked(frame, bomb, limits), limits);
        byte[] many = new byte[0];
        byte[] small = Frames.pack(frame, new byte[1 << 14]);
        for (int i = 0; i < 64; i++) many = join(many, small);
        byte[] all = many;
        check.refused(name + " of many members", Code.SIZE, () -> Frames.unpack(frame, all, limits));
        check.equal(name + " exactly at the limit",
                Frames.unpack(frame, Frames.pack(frame, TEXT), Limits.DEFAULT.withSize(TEXT.length)), TEXT);
        check.refused(name + " one beyond it", Code.SIZE,
                () -> Frames.unpack(frame, Frames.pack(frame, TEXT), Limits.DEFAULT.withSize(TEXT.length - 1)));
    }

    private void streams(Frame frame, byte[] one) throws IOException {
        String name = frame.name();
        for (int piece = 1; piece < 40; piece++) {
            InputStream in = Frames.unpack(frame, new SlowStream(one, one.length, piece), Limits.DEFAULT);
            check.equal(name + " of a stream that takes long", patiently(in), TEXT);
        }
        InputStream closed = Frames.unpack(frame, new ByteArrayInputStream(one), Limits.DEFAULT);
        check.equal(name, closed.read(), (int) TEXT[0]);
        closed.close();
        closed.close();
        check.thrown(name + " is closed", IOException.class, closed::read);
        InputStream ended = Frames.unpack(frame, new ByteArrayInputStream(one), Limits.DEFAULT);
        check.equal(name, ended.readAllBytes(), TEXT);
        check.equal(name + " has ended", ended.read(), -1);
        InputStream bad = Frames.unpack(frame, new ByteArrayInputStream(one, 0, one.length / 2), Limits.DEFAULT);
        for (int i = 0; i < 2; i++) check.refused(name + " stays broken", Code.TRUNCATED, bad::readAllBytes);
        bad.close();
    }

    /** What only zstd's headers can say. */
    private void zstd() {
        Frame zstd = Frames.named("zstd");
        for (int log = 10; log <= 31; log++) {
            byte[] window = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, (byte) (log - 10 << 3), 9, 0, 0, 'x'};
            if (log <= 27) check.equal("a window of 2^" + log, Frames.unpack(zstd, window, Limits.DEFAULT), bytes("x"));
            else check.refused("a window of 2^" + log, Code.SIZE, () -> Frames.unpack(zstd, window, Limits.DEFAULT));
        }
        for (long said : new long[] {0, 1, 2, 255, 1L << 20, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -3}) {
            byte[] lying = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, (byte) 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 'x'};
            for (int i = 0; i < 8; i++) lying[6 + i] = (byte) (said >> 8 * i);
            String told = unpacked(zstd, lying);
            check.equal("a length of " + said, told.substring(0, 6), said == 1 ? "ok [12" : "syntax");
            agree("a length of " + said, zstd, lying, told);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) all.write(part, 0, part.length);
        return all.toByteArray();
    }

    /** Streams of pieces say what the array says. */
    private void agree(String what, Frame frame, byte[] packed, String said) {
        agree(what, frame, packed, said, Limits.DEFAULT);
    }

    private void agree(String what, Frame frame, byte[] packed, String said, Limits limits) {
        for (int piece : new int[] {1, 7, 1 << 16}) {
            String streamed;
            try (InputStream in = Frames.unpack(frame, new Pieces(packed, piece), limits)) {
                streamed = "ok " + Arrays.toString(in.readAllBytes());
            } catch (DataException e) {
                streamed = said(e);
            } catch (IOException e) {
                streamed = e.toString();
            }
            check.equal(what + " in pieces of " + piece, streamed, said);
        }
    }

    private static String unpacked(Frame frame, byte[] packed) {
        return unpacked(frame, packed, Limits.DEFAULT);
    }

    private static String unpacked(Frame frame, byte[] packed, Limits limits) {
        try {
            return "ok " + Arrays.toString(Frames.unpack(frame, packed, limits));
        } catch (DataException e) {
            return said(e);
        }
    }

    /** How far the library has read when it sees damage, or a bomb, hangs on the pieces that it was given. */
    private static String said(DataException e) {
        boolean certain = e.code() == Code.TRUNCATED || e.code() == Code.TRAILING;
        return e.code().text() + (certain ? " " + e.offset() : "");
    }

    private static byte[] patiently(InputStream in) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] some = new byte[100]; ; ) {
            try {
                int n = in.read(some);
                if (n < 0) return all.toByteArray();
                all.write(some, 0, n);
            } catch (SocketTimeoutException again) {
                continue;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    /** A stream that gives so many bytes at a time. */
    private static class Pieces extends ByteArrayInputStream {
        private final int piece;

        Pieces(byte[] data, int piece) {
            super(data);
            this.piece = piece;
        }

        @Override
        public synchronized int read(byte[] to, int at, int length) {
            return super.read(to, at, Math.min(length, piece));
        }
    }
}
