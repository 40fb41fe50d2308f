package kumihimo.msgpack;

import java.util.Arrays;
import kumihimo.BigEndian;
import kumihimo.BinaryReader;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Names;
import kumihimo.Reader;
import kumihimo.Sink;
import kumihimo.Utf8;

/**
 * MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) becomes values. The layout is in {@link MsgpackWriter}.
 *
 * <p>What a type arrives as: integers as I64 where they fit, whatever width they were written in; float 32 and 64 as F64 (float
 * 32 widens exactly); ext -1 of 4, 8 or 12 bytes as TIME, other lengths of it as EXT. Encodings longer than need be are accepted,
 * as the specification says. {@link #time} takes RFC 3339 text too, and {@link #number} text that is a number, since that is
 * what writers make of moments and numbers that MessagePack cannot hold.
 *
 * <p>Nothing is believed before it is seen: a count or length beyond the bytes that are left is {@link Code#TRUNCATED} at its
 * header.
 */
public final class MsgpackReader extends BinaryReader {
    private static final Kind[] KINDS = new Kind[256];

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

    private final MsgpackReadDialect granted;
    private final int mostDepth;
    /** Where a str may be bytes, no first byte says that it is text. */
    private final Kind[] kinds;
    private final MsgpackHeader header = new MsgpackHeader();

    /** Values or pairs still to come in the innermost container. */
    private int left;
    /** The same of the containers around it. */
    private int[] outer = new int[16];
    /** In {@link #feed}: of the containers around it, whether they are maps. */
    private boolean[] maps = new boolean[16];
    private int depth;

    private int extFrom;

    public MsgpackReader(MsgpackReadDialect granted, Limits limits) {
        super(limits);
        this.granted = granted;
        mostDepth = limits.depth();
        if (granted == MsgpackReadDialect.RAW) {
            kinds = KINDS.clone();
            Arrays.fill(kinds, 0xa0, 0xc0, null);
            Arrays.fill(kinds, 0xd9, 0xdc, null);
        } else {
            kinds = KINDS;
        }
    }

    @Override
    protected void restart() {
        left = 0;
        depth = 0;
    }

    // ------------------------------------------------------------------------------------------------------------- scalars

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
    private void readHeader() {
        header.read(data, at, last);
        if (header.kind == MsgpackHeader.Kind.CUT || header.payload > last - at - header.size) throw cut(at);
    }

    /** The bytes of a number behind its first byte are there; passes them over, and returns where they are. */
    private int fixed(int width) {
        int from = at + 1;
        if (width > last - from) throw cut(at);
        at = from + width;
        return from;
    }

    @Override
    public void nil() {
        if (!tryNil()) throw wrong("null");
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
        long value = wideInteger();
        if (value != (int) value) throw stop(Code.RANGE, from, value + " does not fit an int");
        return (int) value;
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
        long value = BigEndian.i64(data, fixed(8));
        if (value < 0) throw stop(Code.RANGE, from, Long.toUnsignedString(value) + " does not fit 64 bits with sign");
        return value;
    }

    @Override
    public long u64() {
        if (at < last && (data[at] & 0xff) == 0xcf) return BigEndian.i64(data, fixed(8));
        int from = at;
        long value = i64();
        if (value < 0) throw stop(Code.RANGE, from, value + " is below 0");
        return value;
    }

    @Override
    public double f64() {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c == 0xcb) return Double.longBitsToDouble(BigEndian.i64(data, fixed(8)));
        if (c == 0xca) return Float.intBitsToFloat(BigEndian.i32(data, fixed(4)));
        if (c == 0xcf) return unsigned(BigEndian.i64(data, fixed(8)));
        if (kind() != Kind.I64) throw wrong("a number");
        return i64();
    }

    @Override
    public String number() {
        int from = at;
        switch (kind()) {
            case I64:
                return Long.toString(i64());
            case U64:
                return Long.toUnsignedString(u64());
            case F64:
                return digits(f64(), from);
            case STR:
                return numberOf(str(), from);
            default:
                throw wrong("a number");
        }
    }

    // ---------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public String str() {
        int from = openText();
        return text(from, at);
    }

    /** Passes text over; its bytes are from what is returned up to {@link #at}. */
    private int openText() {
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
        readHeader();
        int from = at + header.size;
        at = from + (int) header.payload;
        return from;
    }

    @Override
    public byte[] bin() {
        if (kind() != Kind.BIN) throw wrong("bytes");
        readHeader();
        int from = at + header.size;
        at = from + (int) header.payload;
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

    // ---------------------------------------------------------------------------------------------------------- containers

    @Override
    public long array() {
        int start = at;
        if (start >= last) throw cut(start);
        int c = data[start] & 0xff;
        long count = c & 15;
        if (c >>> 4 == 9) at = start + 1;
        else if (c == 0xdc || c == 0xdd) count = longCount(c);
        else throw wrong("an array");
        open(start, count, count);
        return count;
    }

    @Override
    public long map() {
        int start = at;
        if (start >= last) throw cut(start);
        int c = data[start] & 0xff;
        long count = c & 15;
        if (c >>> 4 == 8) at = start + 1;
        else if (c == 0xde || c == 0xdf) count = longCount(c);
        else throw wrong("a map");
        open(start, count, 2 * count);
        return count;
    }

    private long longCount(int c) {
        return (c & 1) == 0 ? BigEndian.u16(data, fixed(2)) : BigEndian.u32(data, fixed(4));
    }

    private void open(int start, long count, long values) {
        if (depth >= mostDepth) throw tooDeep(start);
        if (values > last - at) throw tooMany(start);
        if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2);
        outer[depth++] = left;
        left = (int) count;
    }

    @Override
    public boolean hasNext() {
        if (left != 0) {
            left--;
            return true;
        }
        close();
        return false;
    }

    private void close() {
        if (depth == 0) throw new DataException(Code.MISUSE, "no container is open");
        left = outer[--depth];
    }

    @Override
    public int field(Names names, int expected) {
        if (left == 0) {
            close();
            return Names.END;
        }
        left--;
        if (expected >= 0 && expected < names.size()) {
            int end = names.get(expected).match(data, at + 1, last);
            if (end >= 0 && data[at] == (byte) (0xa0 + end - at - 1) && end - at <= 32) {
                setKey(at + 1, end);
                at = end;
                return expected;
            }
        }
        return otherField(names);
    }

    private int otherField(Names names) {
        if (at >= last) throw cut(at);
        if (kinds[data[at] & 0xff] != Kind.STR && kind() != Kind.STR) {
            readOddKey();
            return Names.OTHER;
        }
        int from = openText();
        setKey(from, at);
        int found = names.find(data, from, at);
        if (found < 0 && granted == MsgpackReadDialect.STANDARD && !Utf8.isAscii(data, from, at)) checkText(from, at);
        return found;
    }

    // ---------------------------------------------------------------------------------------------------- more than a value

    @Override
    public void skip() {
        int base = depth;
        int before = left;
        left = 1; // values; of a map keys and values
        for (;;) {
            left--;
            skipOne();
            while (left == 0) {
                if (depth == base) {
                    left = before;
                    return;
                }
                left = outer[--depth];
            }
        }
    }

    /** A scalar, or a container's header. */
    private void skipOne() {
        if (at >= last) throw cut(at);
        int c = data[at];
        if (c >= -32) {
            at++;
            return;
        }
        Kind kind = KINDS[c & 0xff];
        if (kind == Kind.STR) {
            int from = openText();
            if (granted == MsgpackReadDialect.STANDARD && !Utf8.isAscii(data, from, at)) checkText(from, at);
        } else if (kind == Kind.MAP) {
            map();
            left *= 2;
        } else if (kind == Kind.ARRAY) {
            array();
        } else if (kind() == Kind.TIME) {
            time();
        } else {
            readHeader();
            at += header.size + (int) header.payload;
        }
    }

    @Override
    public void feed(Sink to) {
        int base = depth;
        int before = left;
        boolean map = false;
        int start = at;
        left = 1; // values; of a map keys and values
        try {
            for (;;) {
                start = at;
                boolean key = map && (left & 1) == 0;
                left--;
                Kind kind = kind();
                if (kind == Kind.STR) {
                    feedText(to, key);
                } else {
                    if (key) to.keyIsNext();
                    if (kind == Kind.ARRAY || kind == Kind.MAP) {
                        openLevel(to, kind, map);
                        map = kind == Kind.MAP;
                    } else {
                        feedScalar(to, kind);
                    }
                }
                while (left == 0) {
                    if (depth == base) {
                        left = before;
                        return;
                    }
                    left = outer[--depth];
                    map = maps[depth];
                    to.end();
                }
            }
        } catch (DataException e) {
            throw refused(e, start);
        }
    }

    private void feedText(Sink to, boolean key) {
        int from = openText();
        boolean ascii = Utf8.isAscii(data, from, at);
        if (!ascii && granted == MsgpackReadDialect.STANDARD) checkText(from, at);
        if (key) to.key(data, from, at, ascii);
        else to.str(data, from, at, ascii);
    }

    private void openLevel(Sink to, Kind kind, boolean outerIsMap) {
        long count = kind == Kind.MAP ? map() : array();
        if (maps.length < outer.length) maps = Arrays.copyOf(maps, outer.length);
        maps[depth - 1] = outerIsMap;
        if (kind == Kind.MAP) {
            left *= 2;
            to.map(count);
        } else {
            to.array(count);
        }
    }

    private void feedScalar(Sink to, Kind kind) {
        switch (kind) {
            case I64:
                to.i64(i64());
                return;
            case F64:
                to.f64(f64());
                return;
            case BOOL:
                to.bool(bool());
                return;
            case NIL:
                at++;
                to.nil();
                return;
            case U64:
                to.u64(u64());
                return;
            case TIME:
                to.time(time());
                return;
            default:
                feedBytes(to, kind);
        }
    }

    private void feedBytes(Sink to, Kind kind) {
        readHeader();
        int from = at + header.size;
        at = from + (int) header.payload;
        if (kind == Kind.BIN) to.bin(data, from, at);
        else to.ext(data[from - 1], data, from, at);
    }

    private static final class Here extends Mark {
        final int at;
        final int depth;
        final int left;

        Here(int at, int depth, int left) {
            this.at = at;
            this.depth = depth;
            this.left = left;
        }
    }

    @Override
    public Mark mark() {
        return new Here(at, depth, left);
    }

    @Override
    public void rewind(Mark mark) {
        Here here = (Here) mark;
        at = here.at;
        depth = here.depth;
        left = here.left;
    }
}
