package kumihimo.frame;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * The table of frames, and packing and unpacking: whole arrays and streams, which give the same text and refuse the
 * same bytes.
 *
 * <p>gzip is done by the JDK, lz4 by this library, zstd by {@code com.github.luben:zstd-jni} where that is on the
 * class path.
 */
public final class Frames {
    private static final List<Frame> ALL = List.of(new Gzip(), new Zstd(), new Lz4());
    /** How much of a stream is looked at to find what stands behind a frame that is to be skipped. */
    private static final int HEAD = 1 << 16;
    /** Bytes that every JVM lets an array have. */
    private static final int MOST = Integer.MAX_VALUE - 8;

    private Frames() {}

    /** All frames, in the order in which their names are listed to users. */
    public static List<Frame> all() {
        return ALL;
    }

    /** @throws IllegalArgumentException for a name that is none; the message has all names */
    public static Frame named(String name) {
        List<String> names = new ArrayList<>();
        for (Frame f : ALL) {
            if (f.name().equals(name)) return f;
            names.add(f.name());
        }
        throw new IllegalArgumentException("there is no frame " + name + "; there are " + String.join(", ", names));
    }

    /** The frame whose ending the name of a file has, in any case and with something before it; or null. */
    public static Frame ofName(String file) {
        for (Frame f : ALL) {
            int at = file.length() - f.ending().length();
            int n = f.ending().length();
            if (at > 0 && isAscii(file, at) && file.regionMatches(true, at, f.ending(), 0, n)) return f;
        }
        return null;
    }

    private static boolean isAscii(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) return false;
        }
        return true;
    }

    /**
     * The frame that the first bytes tell, or null. Frames that are to be skipped belong to what stands behind them,
     * and to zstd where that is not at hand.
     */
    public static Frame of(byte[] data, int from, int to) {
        return of(data, from, to, true);
    }

    /** The same, where frames that are to be skipped count only if another one stands behind them. */
    public static Frame behindSkipped(byte[] data, int from, int to) {
        return of(data, from, to, false);
    }

    private static Frame of(byte[] data, int from, int to, boolean alone) {
        boolean skipped = false;
        long at = from;
        while (at < to && Frame.skippable(data, (int) at, to) == Frame.Match.YES) {
            skipped = true;
            at += to - at < 8 ? to : 8 + Frame.little(data, (int) at + 4);
        }
        for (Frame f : ALL) {
            if (skipped && f instanceof Gzip) continue;
            if (at < to && f.begins(data, (int) at, to) == Frame.Match.YES) return f;
        }
        return skipped && alone ? named("zstd") : null;
    }

    /** The same for the whole array. */
    public static Frame of(byte[] file) {
        return of(file, 0, file.length);
    }

    /** Packs a whole array into one member, by the frame's usual level. */
    public static byte[] pack(Frame frame, byte[] text) {
        return pack(frame, text, 0, text.length, Frame.USUAL);
    }

    /**
     * Packs a part of an array into one member. The bytes may differ from one release to the next; what they unpack
     * to does not.
     *
     * @param level one of the frame's, or {@link Frame#USUAL}
     * @throws DataException {@link Code#RANGE} where the frame has no such level, {@link Code#UNSUPPORTED} where what
     *     does the work is not there
     */
    public static byte[] pack(Frame frame, byte[] text, int from, int to, int level) {
        Compressor compressor = frame.compressor(level(frame, level));
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream(compressor.bound(to - from));
            compressor.announce(to - from);
            compressor.compress(text, from, to, out);
            compressor.finish(out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            compressor.close();
        }
    }

    /**
     * A stream that packs what is written to it into one member. Its flush makes all that was written readable, which
     * costs size if done often; its close ends the member and closes the stream below.
     */
    public static OutputStream pack(Frame frame, OutputStream to, int level) {
        return new PackStream(frame, to, level(frame, level));
    }

    /**
     * The same of a text whose size is known, which suits the work to it: no more bytes and no fewer are written.
     */
    public static OutputStream pack(Frame frame, OutputStream to, int level, long size) {
        PackStream stream = new PackStream(frame, to, level(frame, level));
        stream.announce(size);
        return stream;
    }

    private static int level(Frame frame, int level) {
        if (level == Frame.USUAL) return frame.usualLevel();
        if (level < frame.lowestLevel() || level > frame.highestLevel()) {
            throw new DataException(Code.RANGE, frame.levels());
        }
        return level;
    }

    /** The text of all members of a whole array. */
    public static byte[] unpack(Frame frame, byte[] file, Limits limits) {
        return unpack(frame, file, 0, file.length, limits);
    }

    /**
     * The text of all members in a part of an array.
     *
     * @param limits of size and ratio
     * @throws DataException with the offset in the packed bytes: {@link Code#TRUNCATED}, {@link Code#SYNTAX} (another
     *     format, damage, a check sum that does not match), {@link Code#TRAILING}, {@link Code#SIZE}, {@link
     *     Code#UNSUPPORTED}
     */
    public static byte[] unpack(Frame frame, byte[] file, int from, int to, Limits limits) {
        Unpacker unpacker = new Unpacker(frame, limits);
        try {
            byte[] out = new byte[firstSize(frame, file, from, to, limits)];
            int size = 0;
            for (int at = from; ; ) {
                int got = unpacker.unpack(file, at, to, out, size, out.length - size);
                at = unpacker.position();
                size += got;
                if (size < out.length) break;
                // What does not fit an array is seen when one byte more is asked for than an array may have.
                if (size == MOST) throw new DataException(Code.SIZE, "the text does not fit an array");
                byte[] last = new byte[1];
                int one = unpacker.unpack(file, at, to, last, 0, 1);
                at = unpacker.position();
                if (one == 0) break;
                out = Arrays.copyOf(out, (int) Math.min(Math.max(size * 2L, 4096), MOST));
                out[size++] = last[0];
            }
            unpacker.finish();
            return size == out.length ? out : Arrays.copyOf(out, size);
        } finally {
            unpacker.close();
        }
    }

    /** What a frame announces may be a lie, so it is believed no further than the limits and the usual ratio. */
    private static int firstSize(Frame frame, byte[] file, int from, int to, Limits limits) {
        long packed = to - from;
        long want = frame.announced(file, from, to);
        if (want == 0) want = packed * 4;
        want = Math.min(want, Math.max(packed * 64, 1 << 20));
        return (int) Math.max(Math.min(want, Math.min(limits.size(), MOST)), 256);
    }

    /**
     * The text of a stream that is in a frame. Its errors are {@link DataException}; closing it closes the stream
     * below.
     */
    public static InputStream unpack(Frame frame, InputStream from, Limits limits) {
        return new UnpackStream(frame, from, limits);
    }

    /**
     * The text of a stream that may be in a frame, which its first bytes tell. No more is waited for than is needed
     * to tell. A stream may be of any length; how large a document may be is its reader's question.
     */
    public static InputStream plain(InputStream from, Limits limits) throws IOException {
        return plain(from, limits, true);
    }

    /**
     * The same.
     *
     * @param alone whether frames that are to be skipped count without another one behind them; in a binary format a
     *     document may begin like one
     */
    public static InputStream plain(InputStream from, Limits limits, boolean alone) throws IOException {
        byte[] head = new byte[16];
        int filled = 0;
        while (undecided(head, filled)) {
            if (filled == head.length) head = Arrays.copyOf(head, filled * 4);
            int n = from.read(head, filled, head.length - filled);
            if (n < 0) break;
            filled += n;
        }
        Frame frame = of(head, 0, filled, alone);
        InputStream all = new SequenceInputStream(new java.io.ByteArrayInputStream(head, 0, filled), from);
        return frame == null ? all : unpack(frame, all, limits.withSize(Long.MAX_VALUE));
    }

    /** Whether more bytes could change which frame it is. */
    private static boolean undecided(byte[] head, int filled) {
        long at = 0;
        while (at < filled && Frame.skippable(head, (int) at, filled) == Frame.Match.YES) {
            at += filled - at < 8 ? filled : 8 + Frame.little(head, (int) at + 4);
        }
        if (at > 0) return filled < at + 4 && at < HEAD && filled < HEAD;
        if (filled == 0) return true;
        for (Frame f : ALL) {
            if (f.begins(head, 0, filled) == Frame.Match.MORE) return true;
        }
        return false;
    }
}
