package kumihimo.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import kumihimo.Limits;

/**
 * Compression around a document, or a stream of documents, of any format: one row of the table {@link Frames}. A file
 * in a frame is one member or several, one behind the other; gzip calls them members, zstd and lz4 frames.
 */
public abstract class Frame {
    /** The level that stands for the frame's usual one. */
    public static final int USUAL = Integer.MIN_VALUE;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final String name;
    private final String ending;
    private final String mediaType;
    private final String contentEncoding;
    private final int lowest;
    private final int usual;
    private final int highest;

    Frame(String name, String ending, String mediaType, String contentEncoding, int lowest, int usual, int highest) {
        this.name = name;
        this.ending = ending;
        this.mediaType = mediaType;
        this.contentEncoding = contentEncoding;
        this.lowest = lowest;
        this.usual = usual;
        this.highest = highest;
    }

    /** {@code gzip}, {@code zstd}, {@code lz4}. */
    public final String name() {
        return name;
    }

    /** Of file names, with the dot. */
    public final String ending() {
        return ending;
    }

    public final String mediaType() {
        return mediaType;
    }

    /** The name in HTTP's Content-Encoding, or null where none is registered. */
    public final String contentEncoding() {
        return contentEncoding;
    }

    public final int lowestLevel() {
        return lowest;
    }

    public final int usualLevel() {
        return usual;
    }

    public final int highestLevel() {
        return highest;
    }

    /** Whether what does the work is there; where it is not, every call throws an error that names what to add. */
    public abstract boolean isAvailable();

    @Override
    public final String toString() {
        return name;
    }

    /** What a member's first bytes say; MORE: too few to tell. Four are always enough. */
    enum Match {
        NO,
        MORE,
        YES
    }

    abstract Match begins(byte[] head, int from, int to);

    /**
     * How long the text will be, as the frame itself says; 0 where it does not. A hint for the size of an array, no
     * more.
     */
    abstract long announced(byte[] file, int from, int to);

    /** Zero bytes may follow the last member (tapes, block devices). */
    boolean isPadded() {
        return false;
    }

    abstract Expander expander(Limits limits);

    /** The level is one of the frame's. */
    abstract Compressor compressor(int level);

    final String other() {
        return "this is not " + name + ": the header is another one, or damaged";
    }

    final String after() {
        return "something that is not " + name + " follows the last " + name + " " + member();
    }

    final String cut() {
        return "the " + name + " data is cut off";
    }

    final String levels() {
        return "the levels of " + name + " are " + lowest + " to " + highest;
    }

    String member() {
        return "frame";
    }

    static Match matches(byte[] head, int from, int to, byte[] magic) {
        for (int i = 0; i < magic.length; i++) {
            if (from + i == to) return Match.MORE;
            if (head[from + i] != magic[i]) return Match.NO;
        }
        return Match.YES;
    }

    /** A skippable frame (RFC 8878, 3.1.2), which zstd and lz4 have alike. */
    static Match skippable(byte[] head, int from, int to) {
        for (int i = 0; i < 4; i++) {
            if (from + i == to) return Match.MORE;
            int b = head[from + i] & 0xff;
            if (i == 0 ? b >> 4 != 5 : b != (i == 1 ? 0x2a : i == 2 ? 0x4d : 0x18)) return Match.NO;
        }
        return Match.YES;
    }

    static long little(byte[] data, int at) {
        return (int) INT.get(data, at) & 0xffffffffL;
    }

}
