package kumihimo.msgpack;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.format.BigEndian;
import kumihimo.format.BinaryWriter;
import kumihimo.format.Holes;
import kumihimo.scalar.TimeText;

/**
 * Values become MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md), each in its smallest encoding:
 *
 * <pre>
 *   c0 nil   c2 false   c3 true     00-7f, e0-ff one-byte integers   cc-cf uint 8-64   d0-d3 int 8-64
 *   cb float 64
 *   a0-bf, d9-db str     c4-c6 bin       90-9f, dc, dd array              80-8f, de, df map
 *   d4-d8 fixext 1-16    c7-c9 ext       ext -1 timestamp: 4, 8 or 12 bytes
 * </pre>
 *
 * <p>Numbers are big-endian. A count that is not known yet is a hole of one byte, settled in {@link #finish} ({@link
 * Holes}).
 */
public final class MsgpackWriter extends BinaryWriter {
    /** Bytes of the widest header of a container. */
    private static final int WIDEST = 5;
    /** Containers of fewer values or pairs have a header of one byte. */
    private static final int SMALL = 16;
    /** Bytes that no header is longer than, of what has a length. */
    private static final int HEADER = 6;

    /** Bytes of a name and a text of less than 32 each, or an integer, and their headers. */
    private static final int PAIR = 80;

    private final MsgpackDialect as;
    private final Holes holes = new Holes(SMALL, MsgpackWriter::putCount);

    public MsgpackWriter(MsgpackDialect as, Limits limits) {
        super(limits);
        this.as = as;
    }

    @Override
    public MsgpackWriter reset() {
        size = 0;
        order.clear();
        holes.clear();
        return this;
    }

    @Override
    public void finish() {
        order.finish();
        settle(holes);
        checkSize();
    }

    @Override
    public void nil() {
        putValue(0xc0);
    }

    @Override
    public void bool(boolean value) {
        putValue(value ? 0xc3 : 0xc2);
    }

    @Override
    public void i32(int value) {
        order.value();
        size = putInteger(room(9), size, value);
    }

    @Override
    public void i64(long value) {
        order.value();
        size = putInteger(room(9), size, value);
    }

    @Override
    public void u64(long bits) {
        order.value();
        byte[] to = room(9);
        size = bits >= 0 && bits < 128 ? putSmall(to, size, (int) bits) : putAbove(to, size, bits);
    }

    private static int putSmall(byte[] to, int at, int c) {
        to[at] = (byte) c;
        return at + 1;
    }

    /** An integer of 64 bits without sign, from 128. */
    private static int putAbove(byte[] to, int at, long n) {
        if (n >>> 8 == 0) {
            BigEndian.put16(to, at, 0xcc00 | (int) n);
            return at + 2;
        }
        if (n >>> 16 == 0) {
            to[at] = (byte) 0xcd;
            BigEndian.put16(to, at + 1, (int) n);
            return at + 3;
        }
        if (n >>> 32 == 0) {
            to[at] = (byte) 0xce;
            BigEndian.put32(to, at + 1, (int) n);
            return at + 5;
        }
        return put64(to, at, 0xcf, n);
    }

    /** An integer below -32. */
    private static int putBelow(byte[] to, int at, long n) {
        if (n == (byte) n) {
            BigEndian.put16(to, at, 0xd000 | (int) n & 0xff);
            return at + 2;
        }
        if (n == (short) n) {
            to[at] = (byte) 0xd1;
            BigEndian.put16(to, at + 1, (int) n);
            return at + 3;
        }
        if (n == (int) n) {
            to[at] = (byte) 0xd2;
            BigEndian.put32(to, at + 1, (int) n);
            return at + 5;
        }
        return put64(to, at, 0xd3, n);
    }

    private static int put64(byte[] to, int at, int c, long n) {
        to[at] = (byte) c;
        BigEndian.put64(to, at + 1, n);
        return at + 9;
    }

    @Override
    public void f64(double value) {
        order.value();
        size = put64(room(9), size, 0xcb, Double.doubleToRawLongBits(value));
    }

    @Override
    public void big(String digits) {
        if (as.big == MsgpackDialect.BigNumber.REFUSE) {
            throw new DataException(Code.UNSUPPORTED, "MessagePack has no number of this size");
        }
        str(digits);
    }

    @Override
    public void str(String text) {
        order.value();
        putText(text);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        putText(data, from, to, ascii);
    }

    @Override
    public void key(String text) {
        order.key();
        putText(text);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        putText(data, from, to, ascii);
    }

    @Override
    public void key(Name name) {
        order.key();
        byte[] utf8 = name.utf8();
        int n = utf8.length;
        if (n >= 32) {
            putText(utf8, 0, n, true);
            return;
        }
        size = putName(name, roomUpTo(PAIR), size);
    }

    // A key and its value in one step: one look at what may come, and at the room.

    @Override
    public void field(Name name, String text) {
        int n = text.length();
        if (n >= 32 || name.utf8().length >= 32) {
            super.field(name, text);
            return;
        }
        order.pair();
        byte[] to = roomUpTo(PAIR);
        int at = putName(name, to, size);
        if (Utf8.putAscii(text, to, at + 1) == n) {
            to[at] = (byte) (0xa0 | n);
            size = at + 1 + n;
        } else {
            size = at;
            putLong(text);
        }
    }

    @Override
    public void field(Name name, boolean value) {
        if (name.utf8().length >= 32) {
            super.field(name, value);
            return;
        }
        order.pair();
        byte[] to = roomUpTo(PAIR);
        size = putSmall(to, putName(name, to, size), value ? 0xc3 : 0xc2);
    }

    @Override
    public void field(Name name, long value) {
        if (name.utf8().length >= 32) {
            super.field(name, value);
            return;
        }
        order.pair();
        byte[] to = roomUpTo(PAIR);
        size = putInteger(to, putName(name, to, size), value);
    }

    /** A name of less than 32 bytes. */
    private static int putName(Name name, byte[] to, int at) {
        to[at] = (byte) (0xa0 | name.utf8().length);
        return name.put(to, at + 1);
    }

    private static int putInteger(byte[] to, int at, long value) {
        if (value >= -32 && value < 128) return putSmall(to, at, (int) value);
        return value < 0 ? putBelow(to, at, value) : putAbove(to, at, value);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
    }

    /** Text that is nearly always ASCII: its characters are copied behind a header for as many bytes. */
    private void putText(String text) {
        int n = text.length();
        int body = n > SHORT ? -1 : putAscii(text, n, HEADER);
        if (body < 0) {
            putLong(text);
            return;
        }
        putTextHeader(buffer, size, n);
        size = body + n;
    }

    /** Text that is long or no ASCII. */
    private void putLong(String text) {
        int n = Utf8.size(text, 0);
        if (n < 0) {
            putBroken(text);
            return;
        }
        byte[] to = room(withHeader(n, HEADER));
        size = Utf8.put(text, 0, to, putTextHeader(to, size, n));
    }

    /** Half a surrogate pair; where it is kept, it is the three bytes that UTF-8 would give it if it could. */
    private void putBroken(String text) {
        if (as.invalid == MsgpackDialect.InvalidText.REFUSE) throw halfPair();
        byte[] data = Utf8.looseBytes(text);
        if (as.invalid == MsgpackDialect.InvalidText.BIN) putBin(data, 0, data.length);
        else putText(data, 0, data.length, true);
    }

    /** @param checked the bytes are UTF-8, or need not be */
    private void putText(byte[] data, int from, int to, boolean checked) {
        int n = to - from;
        if (!checked && as.invalid != MsgpackDialect.InvalidText.KEEP && Utf8.validPrefix(data, from, to) != to) {
            if (as.invalid == MsgpackDialect.InvalidText.REFUSE) throw noText();
            putBin(data, from, to);
            return;
        }
        byte[] out = room(withHeader(n, HEADER));
        putBytes(putTextHeader(out, size, n), data, from, n);
    }

    private static int putTextHeader(byte[] to, int at, int n) {
        return n < 32 ? putSmall(to, at, 0xa0 | n) : putSized(to, at, n, 0xd9);
    }

    /** The length behind c, c + 1 or c + 2, in 1, 2 or 4 bytes. */
    private static int putSized(byte[] to, int at, int n, int c) {
        if (n < 0x100) {
            BigEndian.put16(to, at, c << 8 | n);
            return at + 2;
        }
        if (n < 0x10000) {
            to[at] = (byte) (c + 1);
            BigEndian.put16(to, at + 1, n);
            return at + 3;
        }
        to[at] = (byte) (c + 2);
        BigEndian.put32(to, at + 1, n);
        return at + 5;
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        putBin(data, from, to);
    }

    private void putBin(byte[] data, int from, int to) {
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        putBytes(putSized(out, size, n, 0xc4), data, from, n);
    }

    @Override
    public void time(Moment moment) {
        Moment.Clock clock = moment.clock();
        if (clock != Moment.Clock.UTC) {
            boolean zoned = clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL;
            if (zoned ? as.zoned == MsgpackDialect.ZonedTime.REFUSE
                    : as.unzoned == MsgpackDialect.UnzonedTime.REFUSE) {
                throw new DataException(Code.UNSUPPORTED,
                        "MessagePack's timestamp is UTC, and the dialect refuses other clocks");
            }
            if (!zoned || as.zoned == MsgpackDialect.ZonedTime.TEXT) {
                str(TimeText.text(moment));
                return;
            }
        }
        order.value();
        putTimestamp(room(15), moment.seconds(), moment.nanoseconds());
    }

    private void putTimestamp(byte[] to, long seconds, int nanoseconds) {
        int at = size;
        if (seconds >>> 34 == 0) {
            long packed = (long) nanoseconds << 34 | seconds;
            boolean small = packed >>> 32 == 0;
            BigEndian.put16(to, at, small ? 0xd6ff : 0xd7ff);
            if (small) BigEndian.put32(to, at + 2, (int) packed);
            else BigEndian.put64(to, at + 2, packed);
            size = at + (small ? 6 : 10);
            return;
        }
        BigEndian.put16(to, at, 0xc70c);
        to[at + 2] = -1;
        BigEndian.put32(to, at + 3, nanoseconds);
        BigEndian.put64(to, at + 7, seconds);
        size = at + 15;
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        checkExtension(type);
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        int at = n > 0 && n <= 16 && (n & n - 1) == 0
                ? putSmall(out, size, 0xd4 + Integer.numberOfTrailingZeros(n)) : putSized(out, size, n, 0xc7);
        out[at++] = (byte) type;
        putBytes(at, data, from, n);
    }

    @Override
    public void array(long count) {
        open(false, count);
    }

    @Override
    public void map(long count) {
        open(true, count);
    }

    private void open(boolean map, long count) {
        order.value();
        if (count > 0xffffffffL) {
            throw new DataException(Code.SIZE, "a container holds more than MessagePack's 4,294,967,295 values");
        }
        byte[] to = room(WIDEST);
        order.open(map, count);
        if (count < 0) {
            holes.open(size, map);
            count = 0;
        }
        size = putCount(to, size, map, (int) count);
    }

    /** @param n a count of 32 bits without sign */
    private static int putCount(byte[] to, int at, boolean map, int n) {
        if (n >= 0 && n < SMALL) return putSmall(to, at, (map ? 0x80 : 0x90) | n);
        int c = map ? 0xde : 0xdc;
        if (n >>> 16 == 0) {
            to[at] = (byte) c;
            BigEndian.put16(to, at + 1, n);
            return at + 3;
        }
        to[at] = (byte) (c + 1);
        BigEndian.put32(to, at + 1, n);
        return at + 5;
    }

    @Override
    public void end() {
        long seen = order.end();
        if (seen >= 0) holes.close(buffer, seen);
    }
}
