package kumihimo.msgpack;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.format.BigEndian;
import kumihimo.format.BinaryReader;
import kumihimo.scalar.Unsigned;

/** The values of a document of MessagePack, without the containers that hold them. */
abstract class MsgpackScalars extends BinaryReader {
    /** What a byte begins; what is not here the header says. */
    static final Kind[] KINDS = new Kind[256];

    static {
        Arrays.fill(KINDS, 0x00, 0x80, Kind.I64);
        Arrays.fill(KINDS, 0x80, 0x90, Kind.MAP);
        Arrays.fill(KINDS, 0x90, 0xa0, Kind.ARRAY);
        Arrays.fill(KINDS, 0xa0, 0xc0, Kind.STR);
        KINDS[0xc0] = Kind.NIL;
        KINDS[0xc2] = KINDS[0xc3] = Kind.BOOL;
        Arrays.fill(KINDS, 0xc4, 0xc7, Kind.BIN);
        KINDS[0xca] = KINDS[0xcb] = Kind.F64;
        Arrays.fill(KINDS, 0xcc, 0xcf, Kind.I64);
        Arrays.fill(KINDS, 0xd0, 0xd4, Kind.I64);
        Arrays.fill(KINDS, 0xd9, 0xdc, Kind.STR);
        KINDS[0xdc] = KINDS[0xdd] = Kind.ARRAY;
        KINDS[0xde] = KINDS[0xdf] = Kind.MAP;
        Arrays.fill(KINDS, 0xe0, 0x100, Kind.I64);
    }

    final MsgpackReadDialect granted;
    /** Where a str may be bytes, no first byte says that it is text. */
    final Kind[] kinds;
    final MsgpackHeader header = new MsgpackHeader();

    private int extFrom;

    MsgpackScalars(MsgpackReadDialect granted, Limits limits) {
        super(limits);
        this.granted = granted;
        if (granted == MsgpackReadDialect.RAW) {
            kinds = KINDS.clone();
            Arrays.fill(kinds, 0xa0, 0xc0, null);
            Arrays.fill(kinds, 0xd9, 0xdc, null);
        } else {
            kinds = KINDS;
        }
    }

    @Override
    public Kind kind() {
        if (at >= last) throw cut(at);
        Kind kind = kinds[data[at] & 0xff];
        return kind != null ? kind : rareKind();
    }

    /** What the first byte does not say: integers of 64 bits without sign, extensions, and text that may be none. */
    private Kind rareKind() {
        int c = data[at] & 0xff;
        if (c == 0xc1) throw stop(Code.SYNTAX, at, "the byte c1 begins no MessagePack value");
        readHeader();
        if (c == 0xcf) return BigEndian.i64(data, at + 1) < 0 ? Kind.U64 : Kind.I64;
        if (header.kind == MsgpackHeader.Kind.STR) {
            int from = at + header.size;
            int to = from + (int) header.payload;
            return Utf8.validPrefix(data, from, to) == to ? Kind.STR : Kind.BIN;
        }
        return isTimestamp() ? Kind.TIME : Kind.EXT;
    }

    /** The header at hand is an extension that is a moment. */
    private boolean isTimestamp() {
        long n = header.payload;
        return data[at + header.size - 1] == -1 && (n == 4 || n == 8 || n == 12);
    }

    /** Takes the header at hand apart; what it announces is there. */
    final void readHeader() {
        header.read(data, at, last);
        if (header.kind == MsgpackHeader.Kind.CUT || header.payload > last - at - header.size) throw cut(at);
    }

    /** Passes the piece at hand over; its payload is from what is returned up to {@link #at}. */
    final int pass() {
        readHeader();
        int from = at + header.size;
        at = from + (int) header.payload;
        return from;
    }

    @Override
    public boolean tryNil() {
        if (at >= last) throw cut(at);
        if (data[at] != (byte) 0xc0) return false;
        at++;
        return true;
    }

    @Override
    public boolean bool() {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xfe;
        if (c != 0xc2) throw wrong("a boolean");
        return (data[at++] & 1) != 0;
    }

    @Override
    public long i64() {
        if (at < last && data[at] >= -32) return data[at++];
        return wideInteger();
    }

    @Override
    public int i32() {
        if (at < last && data[at] >= -32) return data[at++];
        int from = at;
        return intOf(wideInteger(), from);
    }

    private long wideInteger() {
        if (at >= last) throw cut(at);
        switch (data[at] & 0xff) {
            case 0xcc:
                return data[fixed(1)] & 0xff;
            case 0xcd:
                return BigEndian.u16(data, fixed(2));
            case 0xce:
                return BigEndian.u32(data, fixed(4));
            case 0xd0:
                return data[fixed(1)];
            case 0xd1:
                return (short) BigEndian.u16(data, fixed(2));
            case 0xd2:
                return BigEndian.i32(data, fixed(4));
            case 0xd3:
                return BigEndian.i64(data, fixed(8));
            case 0xcf:
                return naturalInteger();
            default:
                throw wrong("an integer");
        }
    }

    private long naturalInteger() {
        int from = at;
        return signedOf(BigEndian.i64(data, fixed(8)), from);
    }

    @Override
    public long u64() {
        if (at < last && (data[at] & 0xff) == 0xcf) return BigEndian.i64(data, fixed(8));
        int from = at;
        return naturalOf(i64(), from);
    }

    @Override
    public double f64() {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c == 0xcb) return Double.longBitsToDouble(BigEndian.i64(data, fixed(8)));
        if (c == 0xca) return Float.intBitsToFloat(BigEndian.i32(data, fixed(4)));
        if (c == 0xcf) return Unsigned.toDouble(BigEndian.i64(data, fixed(8)));
        if (kind() != Kind.I64) throw wrong("a number");
        return i64();
    }

    @Override
    public float f32() {
        int from = at;
        int c = from < last ? data[from] & 0xff : 0;
        if (c == 0xca) return Float.intBitsToFloat(BigEndian.i32(data, fixed(4)));
        if (c == 0xcb) return narrow(Double.longBitsToDouble(BigEndian.i64(data, fixed(8))), from - begin);
        return super.f32();
    }

    @Override
    public String number() {
        return digitsOf(kind(), at);
    }

    // ------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public String str() {
        int from = openText();
        return text(from, at);
    }

    /** Passes text over; its bytes are from what is returned up to {@link #at}. */
    final int openText() {
        int start = at;
        if (start >= last) throw cut(start);
        int n = (data[start] & 0xff) - 0xa0;
        if (n < 0 || n >= 32) return openLongText();
        int from = start + 1;
        if (n > last - from) throw cut(start);
        at = from + n;
        return from;
    }

    private int openLongText() {
        int c = data[at] & 0xff;
        if (c < 0xd9 || c > 0xdb) throw wrong("text");
        return pass();
    }

    @Override
    public byte[] bin() {
        if (kind() != Kind.BIN) throw wrong("bytes");
        int from = pass();
        return Arrays.copyOfRange(data, from, at);
    }

    @Override
    public Moment time() {
        Kind kind = kind();
        int start = at;
        if (kind == Kind.STR) return momentOf(str(), start);
        if (kind != Kind.TIME) throw wrong("a moment");
        int from = at + header.size;
        int n = (int) header.payload;
        long seconds;
        int nanoseconds = 0;
        if (n == 4) {
            seconds = BigEndian.u32(data, from);
        } else if (n == 8) {
            long packed = BigEndian.i64(data, from);
            seconds = packed & (1L << 34) - 1;
            nanoseconds = (int) (packed >>> 34);
        } else {
            nanoseconds = BigEndian.i32(data, from);
            seconds = BigEndian.i64(data, from + 4);
        }
        if (nanoseconds < 0 || nanoseconds > 999_999_999) {
            throw stop(Code.RANGE, start, "a timestamp's nanoseconds are 1,000,000,000 or more");
        }
        at = from + n;
        return new Moment(seconds, nanoseconds, 0, Moment.Clock.UTC);
    }

    @Override
    public int ext() {
        if (kind() != Kind.EXT) throw wrong("an extension");
        extFrom = at + header.size;
        at = extFrom + (int) header.payload;
        return data[extFrom - 1];
    }

    @Override
    public byte[] extData() {
        return Arrays.copyOfRange(data, extFrom, at);
    }
}
