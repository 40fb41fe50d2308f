package kumihimo.format;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Utf8;
import kumihimo.Writer;

/**
 * What the writers of binary formats share: the verbs' grammar, the limit of size, and what text may be. The verbs
 * themselves are not here, though some are spelled alike in several subclasses: from here each value's bytes would be
 * put by a virtual call.
 */
public abstract class BinaryWriter extends Writer {
    /** Characters of text whose header is written for ASCII, before it is known whether that is what it is. */
    protected static final int SHORT = 0xffff;

    protected final Order order;
    private final Limits limits;

    protected BinaryWriter(Limits limits) {
        this.limits = limits;
        order = new Order(limits);
    }

    @Override
    public final Limits limits() {
        return limits;
    }

    @Override
    protected final long sizeLimit() {
        return limits.size();
    }

    /** A value of one byte. */
    protected final void putValue(int c) {
        order.value();
        putByte(c);
    }

    /** One byte, of whatever. */
    protected final void putByte(int c) {
        room(1)[size++] = (byte) c;
    }

    /** n bytes of data to a place in the buffer, which has the room; there the document ends. */
    protected final void putBytes(int at, byte[] data, int from, int n) {
        System.arraycopy(data, from, buffer, at, n);
        size = at + n;
    }

    /**
     * Text of n characters, {@link #SHORT} at most, to the place behind its header, which the caller writes: of one
     * byte below 32, of two below 256, else of three.
     *
     * @param header bytes to have for the header
     * @return the place, or -1 where not all is ASCII
     */
    protected final int putAscii(String text, int n, int header) {
        byte[] to = room(n + header);
        int body = size + (n < 32 ? 1 : n < 0x100 ? 2 : 3);
        return Utf8.putAscii(text, to, body) == n ? body : -1;
    }

    /** The counts that came too late move what is behind them. */
    protected final void settle(Holes holes) {
        int wider = holes.wider();
        if (wider == 0) return;
        holes.settle(room(wider), size);
        size += wider;
    }

    /** The room for a payload of n bytes and the header before it, which is less than 64. */
    protected static int withHeader(int n, int header) {
        if (n > Integer.MAX_VALUE - 64) throw new DataException(Code.SIZE, "a value is longer than an array can be");
        return n + header;
    }

    /** The bytes of text in UTF-8. */
    protected static int sizeOf(String text) {
        int n = Utf8.size(text, 0);
        if (n < 0) throw halfPair();
        return n;
    }

    protected static void checkText(byte[] data, int from, int to) {
        if (Utf8.validPrefix(data, from, to) != to) throw noText();
    }

    protected static DataException halfPair() {
        return new DataException(Code.ENCODING, "a string holds half a surrogate pair");
    }

    protected static DataException noText() {
        return new DataException(Code.ENCODING, "a string is not valid UTF-8");
    }

    /** Extensions of most formats have a type of one byte. */
    protected static void checkExtension(int type) {
        if (type != (byte) type) throw new DataException(Code.RANGE, "an extension's type is not within -128 and 127");
    }
}
