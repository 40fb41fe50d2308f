package kumihimo.tagged;

import static kumihimo.tagged.TaggedHeader.ABOVE;
import static kumihimo.tagged.TaggedHeader.ARRAY;
import static kumihimo.tagged.TaggedHeader.BELOW;
import static kumihimo.tagged.TaggedHeader.BIG;
import static kumihimo.tagged.TaggedHeader.BIN;
import static kumihimo.tagged.TaggedHeader.EXT;
import static kumihimo.tagged.TaggedHeader.F64;
import static kumihimo.tagged.TaggedHeader.FAR_NAME;
import static kumihimo.tagged.TaggedHeader.LONE_NAME;
import static kumihimo.tagged.TaggedHeader.LONG_STR;
import static kumihimo.tagged.TaggedHeader.MAP;
import static kumihimo.tagged.TaggedHeader.MINUS;
import static kumihimo.tagged.TaggedHeader.NAME;
import static kumihimo.tagged.TaggedHeader.NULL;
import static kumihimo.tagged.TaggedHeader.STR;
import static kumihimo.tagged.TaggedHeader.TIME;
import static kumihimo.tagged.TaggedHeader.TRUE;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.format.BinaryReader;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.NumberText;

/**
 * The values of a document of the layout {@code safe}, without the containers that hold them; and who reads the other
 * layout.
 */
abstract class TaggedScalars extends BinaryReader {
    /** What a byte begins where a value is due; what is not here the header says. */
    private static final Kind[] KINDS = new Kind[256];

    static {
        Arrays.fill(KINDS, 0x00, NAME, Kind.I64);
        Arrays.fill(KINDS, STR, LONE_NAME, Kind.STR);
        KINDS[NULL] = Kind.NIL;
        KINDS[TRUE - 1] = KINDS[TRUE] = Kind.BOOL;
        KINDS[ARRAY] = Kind.ARRAY;
        KINDS[MAP] = Kind.MAP;
        KINDS[F64] = Kind.F64;
        Arrays.fill(KINDS, ABOVE, ABOVE + 3, Kind.I64);
        Arrays.fill(KINDS, BELOW, LONG_STR, Kind.I64);
        Arrays.fill(KINDS, LONG_STR, BIN, Kind.STR);
        Arrays.fill(KINDS, BIN, BIG, Kind.BIN);
        KINDS[BIG] = Kind.BIG;
        KINDS[EXT] = Kind.EXT;
        KINDS[TIME] = Kind.TIME;
        Arrays.fill(KINDS, MINUS, FAR_NAME, Kind.I64);
    }

    /** By the number that stands for each. */
    private static final Moment.Clock[] CLOCKS = {Moment.Clock.UTC, Moment.Clock.OFFSET, Moment.Clock.LOCAL,
        Moment.Clock.DATE, Moment.Clock.NAIVE};

    private final boolean takesSafe;
    final StudyReader study;
    /**
     * The document is of the layout study, or none at all. Then {@link #at} is at the end, and no fast way finds a
     * byte.
     */
    boolean inStudy;
    final TaggedHeader header = new TaggedHeader();
    private final Varint varint = new Varint();

    /** A name comes next, which is not read yet. */
    boolean atName;

    /** The last extension's bytes. */
    int extFrom;

    TaggedScalars(TaggedReadDialect granted, Limits limits) {
        super(limits);
        takesSafe = granted != TaggedReadDialect.STUDY_READ;
        study = new StudyReader(granted, limits);
    }

    @Override
    protected void restart() {
        atName = false;
        inStudy = !takesSafe || !TaggedHeader.isMark(data, at, last);
        if (inStudy) {
            study.reset(data, at, end);
            at = last;
        } else {
            at += 3;
        }
    }

    /** Where this reader finds no byte: of the layout study another one has them. */
    final StudyReader study() {
        if (!inStudy) throw cut(at);
        return study;
    }

    @Override
    public int position() {
        return inStudy ? study.position() : super.position();
    }

    @Override
    public int consumed() {
        return inStudy ? study.consumed() : super.consumed();
    }

    @Override
    public void finish() {
        if (inStudy) study.finish();
        else super.finish();
    }

    @Override
    public String lastKey() {
        return inStudy ? study.lastKey() : super.lastKey();
    }

    @Override
    public boolean lastKeyIsText() {
        return inStudy ? study.lastKeyIsText() : super.lastKeyIsText();
    }

    // -------------------------------------------------------------------------------------------------------- scalars

    @Override
    public Kind kind() {
        if (at >= last) return study().kind();
        Kind kind = KINDS[data[at] & 0xff];
        return kind != null ? kind : rareKind();
    }

    private Kind rareKind() {
        if (atName) return Kind.STR;
        if ((data[at] & 0xff) != ABOVE + 3) throw misplaced();
        if (last - at < 9) throw cut(at);
        return LittleEndian.i64(data, at + 1) < 0 ? Kind.U64 : Kind.I64;
    }

    /** What stands where a value is due, and is none. */
    private DataException misplaced() {
        readHeader();
        return stop(Code.SYNTAX, at, header.kind == TaggedHeader.Kind.END ? "a container ends where a value is due"
                : "a key stands where a value is due");
    }

    /** Takes the header at hand apart; what it announces need not be there. */
    final void readHeader() {
        header.read(data, at, last);
        if (header.kind == TaggedHeader.Kind.CUT) throw cut(at);
        if (header.kind == TaggedHeader.Kind.RESERVED) throw stop(Code.SYNTAX, at, "no piece of a document begins so");
    }

    /** Passes the piece at hand over; its payload is from what is returned up to {@link #at}. */
    final int pass() {
        readHeader();
        int from = at + header.size;
        if (header.payload > last - from) throw cut(at);
        at = from + (int) header.payload;
        return from;
    }

    @Override
    public boolean tryNil() {
        if (at >= last) return study().tryNil();
        if (data[at] != (byte) NULL) return false;
        at++;
        return true;
    }

    @Override
    public boolean bool() {
        if (at >= last) return study().bool();
        if ((data[at] & 0xfe) != TRUE - 1) throw wrong("a boolean");
        return (data[at++] & 1) != 0;
    }

    @Override
    public long i64() {
        if (at >= last) return study().i64();
        int c = data[at] & 0xff;
        if (c >= NAME) return wideInteger(c);
        at++;
        return c;
    }

    @Override
    public int i32() {
        if (at >= last) return study().i32();
        int c = data[at] & 0xff;
        if (c < NAME) {
            at++;
            return c;
        }
        int from = at;
        return intOf(wideInteger(c), from);
    }

    private long wideInteger(int c) {
        switch (c) {
            case ABOVE:
                return data[fixed(1)] & 0xff;
            case ABOVE + 1:
                return LittleEndian.u16(data, fixed(2));
            case ABOVE + 2:
                return LittleEndian.u32(data, fixed(4));
            case ABOVE + 3:
                return naturalInteger();
            case BELOW:
                return data[fixed(1)];
            case BELOW + 1:
                return (short) LittleEndian.u16(data, fixed(2));
            case BELOW + 2:
                return LittleEndian.i32(data, fixed(4));
            case BELOW + 3:
                return LittleEndian.i64(data, fixed(8));
            case BIG: {
                int from = at;
                return integerOf(number(), from);
            }
            default:
                if (c < MINUS || c >= FAR_NAME) throw wrong("an integer");
                at++;
                return c - FAR_NAME;
        }
    }

    private long naturalInteger() {
        int from = at;
        return signedOf(LittleEndian.i64(data, fixed(8)), from);
    }

    @Override
    public long u64() {
        if (at >= last) return study().u64();
        if ((data[at] & 0xff) == ABOVE + 3) return LittleEndian.i64(data, fixed(8));
        int from = at;
        return naturalOf(i64(), from);
    }

    @Override
    public double f64() {
        if (at >= last) return study().f64();
        if ((data[at] & 0xff) == F64) return Double.longBitsToDouble(LittleEndian.i64(data, fixed(8)));
        int from = at;
        Kind kind = kind();
        return kind == Kind.I64 ? i64() : rareDouble(kind, from);
    }

    @Override
    public float f32() {
        int from = at;
        if (from >= last) return study().f32();
        if ((data[from] & 0xff) != F64) return super.f32();
        return narrow(Double.longBitsToDouble(LittleEndian.i64(data, fixed(8))), from - begin);
    }

    @Override
    public String number() {
        if (at >= last) return study().number();
        Kind kind = kind();
        return kind == Kind.BIG ? Utf8.string(data, passNumber(), at, true) : digitsOf(kind, at);
    }

    /** As {@link #pass}, of a number in its digits. */
    final int passNumber() {
        int start = at;
        int from = pass();
        if (!NumberText.isNumber(data, from, at)) throw noNumber(start);
        return from;
    }

    // ------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public String str() {
        if (at >= last) return study().str();
        int n = (data[at] & 0xff) - STR;
        if (n < 0 || n >= 32) return otherText();
        int from = at + 1;
        if (n > last - from) throw cut(at);
        at = from + n;
        return text(from, at);
    }

    private String otherText() {
        if (atName) return key();
        int c = data[at] & 0xff;
        if (c < LONG_STR || c >= BIN) throw wrong("text");
        int from = pass();
        return text(from, at);
    }

    @Override
    public byte[] bin() {
        if (at >= last) return study().bin();
        if (kind() != Kind.BIN) throw wrong("bytes");
        int from = pass();
        return Arrays.copyOfRange(data, from, at);
    }

    @Override
    public Moment time() {
        if (at >= last) return study().time();
        int start = at;
        if (kind() == Kind.STR) return momentOf(str(), start);
        if ((data[start] & 0xff) != TIME) throw wrong("a moment");
        pass();
        int clock = data[start + 1];
        if (clock < 0 || clock >= CLOCKS.length) throw stop(Code.SYNTAX, start, "a time is of no kind");
        varint.load(data, start + 2, last);
        long seconds = varint.signed();
        varint.load(data, varint.end, last);
        long nanoseconds = varint.length();
        if (nanoseconds > 999_999_999) throw stop(Code.RANGE, start, "a time's nanoseconds are 1,000,000,000 or more");
        long offset = 0;
        if (clock == 1 || clock == 2) {
            varint.load(data, varint.end, last);
            offset = varint.signed();
            if (offset != (int) offset) throw stop(Code.RANGE, start, "a time's offset is beyond 32 bits");
        }
        return new Moment(seconds, (int) nanoseconds, (int) offset, CLOCKS[clock]);
    }

    @Override
    public int ext() {
        if (at >= last) return study().ext();
        if (kind() != Kind.EXT) throw wrong("an extension");
        int start = at;
        extFrom = pass();
        varint.load(data, start + 1, last);
        long type = varint.signed();
        if (type != (int) type) throw stop(Code.RANGE, start, "an extension's type is beyond 32 bits");
        return (int) type;
    }

    @Override
    public byte[] extData() {
        return inStudy ? study.extData() : Arrays.copyOfRange(data, extFrom, at);
    }
}
