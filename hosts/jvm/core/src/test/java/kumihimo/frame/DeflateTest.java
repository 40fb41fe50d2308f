package kumihimo.frame;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import kumihimo.Checks;

/**
 * gzip of texts of several blocks, at every size around their ends, against the JDK's gunzip: {@code java -cp CLASSES
 * kumihimo.frame.DeflateTest}.
 */
public final class DeflateTest {
    private static final int BLOCK = DeflateBlock.SIZE;
    private static final Frame GZIP = Frames.named("gzip");

    private final Checks check = new Checks();
    private final Random random = new Random(14);

    public static void main(String[] arguments) throws Exception {
        DeflateTest test = new DeflateTest();
        test.sizes();
        test.pieces();
        test.flushes();
        test.manyFlushes();
        test.filledArrays();
        test.size();
        test.busyPool();
        test.withinThePool();
        test.interrupted();
        test.broken();
        test.check.report();
    }

    private void sizes() throws IOException {
        byte[] all = text(4 * BLOCK + 8);
        for (int blocks = 0; blocks <= 4; blocks++) {
            for (int more = -3; more <= 3; more++) {
                int size = blocks * BLOCK + more;
                if (size < 0) continue;
                byte[] text = Arrays.copyOf(all, size);
                for (int level : new int[] {1, 6, 9}) {
                    byte[] packed = Frames.pack(GZIP, text, 0, size, level);
                    check.yes("of " + size + " bytes, level " + level, Arrays.equals(unpacked(packed), text));
                }
                byte[] packed = Frames.pack(GZIP, text);
                if (size <= BLOCK) check.yes("as one deflate has it", Arrays.equals(body(packed), body(ofTheJdk(text))));
            }
        }
        byte[] noise = new byte[3 * BLOCK + 1];
        random.nextBytes(noise);
        check.yes("what cannot be packed", Arrays.equals(unpacked(Frames.pack(GZIP, noise)), noise));
        byte[] zeros = new byte[5 * BLOCK];
        check.yes("zeros", Arrays.equals(unpacked(Frames.pack(GZIP, zeros)), zeros));
    }

    /** The bytes do not depend on the pieces, nor on what was packed before. */
    private void pieces() throws IOException {
        byte[] text = text(3 * BLOCK + 1000);
        byte[] expected = Frames.pack(GZIP, text);
        Compressor again = GZIP.compressor(6);
        for (int round = 0; round < 20; round++) {
            int most = 1 << random.nextInt(20);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int at = 0; at < text.length; ) {
                int n = Math.min(text.length - at, random.nextInt(most + 1));
                again.compress(text, at, at + n, out);
                at += n;
            }
            again.finish(out);
            check.yes("in pieces of up to " + most, Arrays.equals(out.toByteArray(), expected));
        }
        again.close();
    }

    /** What was flushed can be read, wherever that was. */
    private void flushes() throws IOException {
        byte[] text = text(3 * BLOCK + 1000);
        for (int round = 0; round < 30; round++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            OutputStream stream = Frames.pack(GZIP, out, 6);
            for (int at = 0; at < text.length; ) {
                int n = Math.min(text.length - at, random.nextInt(round % 3 == 0 ? 100_000 : BLOCK + 2));
                if (random.nextInt(4) == 0) n = Math.min(text.length - at, Math.max(0, BLOCK - at)); // to its end
                stream.write(text, at, n);
                at += n;
                if (random.nextInt(3) == 0) {
                    for (int again = random.nextInt(3); again >= 0; again--) stream.flush();
                    byte[] read = new byte[at];
                    int got = new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readNBytes(read, 0, at);
                    check.yes("flushed at " + at, got == at && Arrays.equals(read, Arrays.copyOf(text, at)));
                }
            }
            stream.close();
            check.yes("closed", Arrays.equals(unpacked(out.toByteArray()), text));
        }
    }

    /** Each flush writes what came since the last, and no block is ended for it. */
    private void manyFlushes() throws IOException {
        byte[] text = text(3 * BLOCK);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OutputStream stream = Frames.pack(GZIP, out, 6);
        int lines = 0;
        for (int at = 0; at < text.length; at += 83, lines++) {
            stream.write(text, at, Math.min(83, text.length - at));
            stream.flush();
        }
        stream.close();
        check.yes("closed", Arrays.equals(unpacked(out.toByteArray()), text));
        // A block that begins anew looks through 32 KB first, and finds no codes of its own.
        check.yes(out.size() + " bytes for " + lines + " lines", out.size() < lines * 60);
    }

    /** Flushed text that just fills an array of 2^14 bytes or a multiple: the bytes are the same, whoever packs it. */
    private void filledArrays() throws IOException {
        byte[] noise = new byte[3 * BLOCK];
        random.nextBytes(noise);
        Compressor used = GZIP.compressor(6);
        used.compress(noise, 0, noise.length, OutputStream.nullOutputStream());
        used.finish(OutputStream.nullOutputStream());
        for (int filled = 1 << 14; filled <= 1 << 16; filled += 1 << 14) {
            for (int size = filled - 40; size <= filled; size++) {
                byte[] whole = flushed(GZIP.compressor(6), noise, size, size);
                check.yes("in pieces", Arrays.equals(flushed(GZIP.compressor(6), noise, size, 1000), whole));
                check.yes("by one that was used before", Arrays.equals(flushed(used, noise, size, 7), whole));
            }
        }
        used.close();
    }

    private static byte[] flushed(Compressor compressor, byte[] text, int size, int piece) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < size; at += piece) compressor.compress(text, at, Math.min(size, at + piece), out);
        compressor.flush(out);
        compressor.finish(out);
        return out.toByteArray();
    }

    /** A block finds what stands before it: the parts take little more than the whole. */
    private void size() throws IOException {
        byte[] text = text(8 * BLOCK);
        int ours = Frames.pack(GZIP, text).length;
        int theirs = ofTheJdk(text).length;
        check.yes(ours + " bytes, in one " + theirs, ours < theirs * 1.02);
    }

    /** Nobody waits for a pool whose threads all wait for something else, and the bytes are the same. */
    private void busyPool() throws Exception {
        byte[] text = text(40 * BLOCK);
        byte[] expected = Frames.pack(GZIP, text);
        CountDownLatch packed = new CountDownLatch(1);
        int threads = ForkJoinPool.getCommonPoolParallelism();
        CountDownLatch busy = new CountDownLatch(threads);
        List<ForkJoinTask<?>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            tasks.add(ForkJoinPool.commonPool().submit(() -> {
                busy.countDown();
                packed.await();
                return null;
            }));
        }
        check.yes("the pool is busy", busy.await(60, TimeUnit.SECONDS));
        check.yes("beside a pool that is busy", Arrays.equals(Frames.pack(GZIP, text), expected));
        packed.countDown();
        for (ForkJoinTask<?> task : tasks) task.get();
    }

    private void withinThePool() throws Exception {
        byte[] text = text(10 * BLOCK);
        byte[] expected = Frames.pack(GZIP, text);
        List<ForkJoinTask<byte[]>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) tasks.add(ForkJoinPool.commonPool().submit(() -> Frames.pack(GZIP, text)));
        for (ForkJoinTask<byte[]> task : tasks) check.yes("within the pool", Arrays.equals(task.get(), expected));
    }

    private void interrupted() throws IOException {
        byte[] text = text(10 * BLOCK);
        byte[] expected = Frames.pack(GZIP, text);
        Thread.currentThread().interrupt();
        byte[] packed = Frames.pack(GZIP, text);
        check.yes("the thread is still interrupted", Thread.interrupted());
        check.yes("packed all the same", Arrays.equals(packed, expected));
    }

    /** A stream that breaks off: the error arrives, and what packs can be closed. */
    private void broken() throws IOException {
        byte[] text = text(20 * BLOCK);
        for (int round = 0; round < 200; round++) {
            int[] left = {random.nextInt(60_000)};
            OutputStream stops = new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    if (--left[0] < 0) throw new IOException("the disk is full");
                }
            };
            OutputStream stream = Frames.pack(GZIP, stops, 1);
            try {
                stream.write(text);
                stream.close();
                check.yes("an error was swallowed", left[0] >= 0);
            } catch (IOException e) {
                check.equal("the stream's own error", e.getMessage(), "the disk is full");
            }
            try {
                stream.close();
            } catch (IOException e) {
                check.equal("the same again", e.getMessage(), "the disk is full");
            }
        }
    }

    /** Lines that repeat within a block, and across its end. */
    private byte[] text(int size) {
        StringBuilder text = new StringBuilder();
        while (text.length() < size) {
            text.append("{\"pair\":\"btc_jpy\",\"price\":").append(random.nextInt(5_000_000)).append(".5,\"amount\":0.")
                    .append(random.nextInt(100_000)).append("},\n");
        }
        return Arrays.copyOf(text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII), size);
    }

    private static byte[] unpacked(byte[] packed) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(packed)).readAllBytes();
    }

    private static byte[] ofTheJdk(byte[] text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text);
        }
        return out.toByteArray();
    }

    /** Behind the header, which names a system or none. */
    private static byte[] body(byte[] member) {
        return Arrays.copyOfRange(member, 10, member.length);
    }
}
