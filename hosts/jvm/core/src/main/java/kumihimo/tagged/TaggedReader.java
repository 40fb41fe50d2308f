package kumihimo.tagged;

import static kumihimo.tagged.TaggedHeader.ABOVE;
import static kumihimo.tagged.TaggedHeader.ARRAY;
import static kumihimo.tagged.TaggedHeader.BELOW;
import static kumihimo.tagged.TaggedHeader.BIG;
import static kumihimo.tagged.TaggedHeader.BIN;
import static kumihimo.tagged.TaggedHeader.END;
import static kumihimo.tagged.TaggedHeader.EXT;
import static kumihimo.tagged.TaggedHeader.F64;
import static kumihimo.tagged.TaggedHeader.FAR_NAME;
import static kumihimo.tagged.TaggedHeader.LONE_NAME;
import static kumihimo.tagged.TaggedHeader.LONG_STR;
import static kumihimo.tagged.TaggedHeader.MAP;
import static kumihimo.tagged.TaggedHeader.MINUS;
import static kumihimo.tagged.TaggedHeader.NAME;
import static kumihimo.tagged.TaggedHeader.NEW_NAME;
import static kumihimo.tagged.TaggedHeader.NULL;
import static kumihimo.tagged.TaggedHeader.STR;
import static kumihimo.tagged.TaggedHeader.TIME;
import static kumihimo.tagged.TaggedHeader.TRUE;

import java.util.Arrays;
import kumihimo.BinaryReader;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.LittleEndian;
import kumihimo.Moment;
import kumihimo.Names;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.scalar.NumberText;

/**
 * Tagged becomes values. {@link TaggedHeader} has the bytes of the layout {@code safe}, {@link StudyHeader} those of
 * {@code study}, which {@link StudyReader} reads; a document's first byte says which it is: c1 begins no tag of the other.
 *
 * <p>Counts are unknown, and nothing is believed before it is seen.
 */
public final class TaggedReader extends BinaryReader {
    // What the next piece must be.
    /** A value, and behind it another one. */
    private static final byte ELEMENT = 0;
    private static final byte KEY_DUE = 1;
    /** A key's value. */
    private static final byte ITEM = 2;
    /** A value that is a key. */
    private static final byte ODD_KEY = 3;
    /** The one value that is asked for. */
    private static final byte DOCUMENT = 4;
    private static final byte NOTHING = 5;

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
    private static final Moment.Clock[] CLOCKS = {Moment.Clock.UTC, Moment.Clock.OFFSET, Moment.Clock.LOCAL, Moment.Clock.DATE,
        Moment.Clock.NAIVE};

    private final boolean takesSafe;
    private final int mostDepth;
    private final StudyReader study;
    /** The document is of the layout study, or none at all. Then {@link #at} is at the end, and no fast way finds a byte. */
    private boolean inStudy;
    private final TaggedHeader header = new TaggedHeader();
    private final Varint varint = new Varint();
    private final KnownNames known = new KnownNames();

    /** What is due in the innermost container, ELEMENT or KEY_DUE; {@link #feed} and {@link #skip} know the rest. */
    private byte due;
    /** The same of the containers around it. */
    private byte[] outer = new byte[16];
    private int depth;
    /** {@link #hasNext} has seen a name that is not read yet. */
    private boolean atName;

    private int extFrom;

    public TaggedReader(TaggedReadDialect granted, Limits limits) {
        super(limits);
        takesSafe = granted != TaggedReadDialect.STUDY_READ;
        mostDepth = limits.depth();
        study = new StudyReader(granted, limits);
    }

    @Override
    protected void restart() {
        depth = 0;
        due = ELEMENT;
        atName = false;
        known.cut(0);
        inStudy = !takesSafe || !TaggedHeader.isMark(data, at, last);
        if (inStudy) {
            study.reset(data, at, end);
            at = last;
        } else {
            at += 3;
        }
    }

    /** Where this reader finds no byte: of the layout study another one has them. */
    private StudyReader study() {
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

    // ------------------------------------------------------------------------------------------------------------- scalars

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
    private void readHeader() {
        header.read(data, at, last);
        if (header.kind == TaggedHeader.Kind.CUT) throw cut(at);
        if (header.kind == TaggedHeader.Kind.RESERVED) throw stop(Code.SYNTAX, at, "no piece of a document begins so");
    }

    /** Passes the piece at hand over; its payload is from what is returned up to {@link #at}. */
    private int pass() {
        readHeader();
        int from = at + header.size;
        if (header.payload > last - from) throw cut(at);
        at = from + (int) header.payload;
        return from;
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
        long value = wideInteger(c);
        if (value != (int) value) throw stop(Code.RANGE, from, value + " does not fit an int");
        return (int) value;
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
        long value = LittleEndian.i64(data, fixed(8));
        if (value < 0) throw stop(Code.RANGE, from, Long.toUnsignedString(value) + " does not fit 64 bits with sign");
        return value;
    }

    @Override
    public long u64() {
        if (at >= last) return study().u64();
        if ((data[at] & 0xff) == ABOVE + 3) return LittleEndian.i64(data, fixed(8));
        int from = at;
        long value = i64();
        if (value < 0) throw stop(Code.RANGE, from, value + " is below 0");
        return value;
    }

    @Override
    public double f64() {
        if (at >= last) return study().f64();
        if ((data[at] & 0xff) == F64) return Double.longBitsToDouble(LittleEndian.i64(data, fixed(8)));
        int from = at;
        switch (kind()) {
            case I64:
                return i64();
            case U64:
                return unsigned(u64());
            case BIG:
                return doubleOf(number(), from);
            default:
                throw wrong("a number");
        }
    }

    @Override
    public String number() {
        if (at >= last) return study().number();
        int start = at;
        switch (kind()) {
            case I64:
                return Long.toString(i64());
            case U64:
                return Long.toUnsignedString(u64());
            case F64:
                return digits(f64(), start);
            case STR:
                return numberOf(str(), start);
            case BIG:
                return Utf8.string(data, passNumber(), at, true);
            default:
                throw wrong("a number");
        }
    }

    /** As {@link #pass}, of a number in its digits. */
    private int passNumber() {
        int start = at;
        int from = pass();
        if (!NumberText.isNumber(data, from, at)) throw stop(Code.SYNTAX, start, "a number's digits break JSON's grammar");
        return from;
    }

    // ---------------------------------------------------------------------------------------------------- text and bytes

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

    // ---------------------------------------------------------------------------------------------------------- containers

    @Override
    public long array() {
        if (at >= last) return study().array();
        if (data[at] != (byte) ARRAY) throw wrong("an array");
        open(due);
        due = ELEMENT;
        return Sink.UNKNOWN;
    }

    @Override
    public long map() {
        if (at >= last) return study().map();
        if (data[at] != (byte) MAP) throw wrong("a map");
        open(due);
        due = KEY_DUE;
        return Sink.UNKNOWN;
    }

    /** Passes the byte that opens a container. */
    private void open(byte behind) {
        if (depth >= mostDepth) throw tooDeep(at);
        if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2);
        outer[depth++] = behind;
        at++;
    }

    @Override
    public boolean hasNext() {
        if (at >= last) return study().hasNext();
        if (data[at] == (byte) END) {
            close();
            return false;
        }
        if (due == KEY_DUE) toKey();
        return true;
    }

    /** Passes the byte that ends a container. */
    private void close() {
        if (depth == 0) throw new DataException(Code.MISUSE, "no container is open");
        at++;
        due = outer[--depth];
    }

    /** A name is left to {@link #key}; that a value is the key is passed over. */
    private void toKey() {
        int c = data[at] & 0xff;
        atName = c >= NAME && c < STR || c >= LONE_NAME && c < NULL;
        if (!atName) toRareKey();
    }

    private void toRareKey() {
        readHeader();
        switch (header.kind) {
            case NAME:
            case NEW_NAME:
            case LONE_NAME:
                atName = true;
                return;
            case KEY:
                at++;
                return;
            default:
                throw stop(Code.SYNTAX, at, "a value stands where a key is due");
        }
    }

    @Override
    public String key() {
        if (at >= last) return study().key();
        if (!atName) return str();
        int number = readName();
        return number >= 0 ? known.text(data, number) : text(keyFrom, keyTo);
    }

    /** Passes a name over, and returns its number, or -1; its bytes are from {@link #keyFrom} to {@link #keyTo}. */
    private int readName() {
        atName = false;
        int start = at;
        int c = data[start] & 0xff;
        if (c < STR) {
            at = start + 1;
            return numbered(c - NAME, start);
        }
        int from = start + 1;
        if (c >= LONE_NAME && c < NULL) {
            int n = c - LONE_NAME;
            if (n > last - from) throw cut(start);
            at = from + n;
        } else {
            from = pass();
            if (header.kind == TaggedHeader.Kind.NAME) return numbered(header.number, start);
        }
        setKey(from, at);
        return c == NEW_NAME ? learn(start, from) : -1;
    }

    private int numbered(int number, int start) {
        if (number >= known.size()) throw stop(Code.SYNTAX, start, "no name has had this number yet");
        setKey(known.from(number), known.to(number));
        return number;
    }

    /** The name up to {@link #at} takes the next number, which is returned. */
    private int learn(int start, int from) {
        boolean ascii = Utf8.isAscii(data, from, at);
        if (!ascii) checkText(from, at);
        int number = known.size();
        if (number == TaggedHeader.MOST_NAMES) {
            throw stop(Code.SYNTAX, start, "a document has 4160 names with numbers at most");
        }
        known.add(from, at, ascii);
        return number;
    }

    @Override
    public int field(Names names, int expected) {
        if (at >= last) return study().field(names, expected);
        int c = data[at] & 0xff;
        int n = c - LONE_NAME;
        if (n >= 0 && n < 32 && expected >= 0 && expected < names.size()) {
            int end = names.get(expected).match(data, at + 1, last);
            if (end - at - 1 == n) {
                setKey(at + 1, end);
                at = end;
                return expected;
            }
        }
        if (c == END) {
            close();
            return Names.END;
        }
        return otherField(names);
    }

    private int otherField(Names names) {
        toKey();
        if (!atName) {
            readOddKey();
            return Names.OTHER;
        }
        int number = readName();
        if (number >= 0) return known.find(data, number, names);
        int found = names.find(data, keyFrom, keyTo);
        if (found < 0 && !Utf8.isAscii(data, keyFrom, keyTo)) checkText(keyFrom, keyTo);
        return found;
    }

    // ---------------------------------------------------------------------------------------------------- more than a value

    private static byte behind(byte due) {
        switch (due) {
            case ITEM:
                return KEY_DUE;
            case ODD_KEY:
                return ITEM;
            case DOCUMENT:
                return NOTHING;
            default:
                return due;
        }
    }

    @Override
    public void skip() {
        if (at >= last) {
            study().skip();
        } else if (atName) {
            skipName();
        } else {
            byte now = DOCUMENT;
            while (now != NOTHING) now = now == KEY_DUE ? skipKey() : skipValue(now);
        }
    }

    private void skipName() {
        if (readName() < 0 && !Utf8.isAscii(data, keyFrom, keyTo)) checkText(keyFrom, keyTo);
    }

    /** A key, or a map's end; what is due then. */
    private byte skipKey() {
        if (at >= last) throw cut(at);
        if (data[at] == (byte) END) {
            at++;
            return outer[--depth];
        }
        toKey();
        if (!atName) return ODD_KEY;
        skipName();
        return ITEM;
    }

    /** A scalar, a container's header, or an array's end; what is due then. */
    private byte skipValue(byte now) {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c < NAME) {
            at++;
        } else if (c == ARRAY || c == MAP) {
            open(behind(now));
            return c == MAP ? KEY_DUE : ELEMENT;
        } else if (c == END && now == ELEMENT) {
            at++;
            return outer[--depth];
        } else {
            skipScalar();
        }
        return behind(now);
    }

    private void skipScalar() {
        switch (kind()) {
            case STR: {
                int from = pass();
                if (!Utf8.isAscii(data, from, at)) checkText(from, at);
                return;
            }
            case BIG:
                passNumber();
                return;
            case TIME:
                time();
                return;
            case EXT:
                ext();
                return;
            default:
                pass();
        }
    }

    @Override
    public void feed(Sink to) {
        if (inStudy) {
            study.feed(to);
            return;
        }
        int start = at;
        byte now = DOCUMENT;
        try {
            if (atName) {
                to.str(key());
                return;
            }
            while (now != NOTHING) {
                start = at;
                now = now == KEY_DUE ? feedKey(to) : feedValue(to, now);
            }
        } catch (DataException e) {
            throw refused(e, start);
        }
    }

    /** A key, or a map's end; what is due then. */
    private byte feedKey(Sink to) {
        if (at >= last) throw cut(at);
        if (data[at] == (byte) END) {
            at++;
            to.end();
            return outer[--depth];
        }
        toKey();
        if (!atName) {
            to.keyIsNext();
            return ODD_KEY;
        }
        int number = readName();
        boolean ascii = number >= 0 ? known.isAscii(number) : Utf8.isAscii(data, keyFrom, keyTo);
        if (!ascii && number < 0) checkText(keyFrom, keyTo);
        to.key(data, keyFrom, keyTo, ascii);
        return ITEM;
    }

    /** A scalar, a container's header, or an array's end; what is due then. */
    private byte feedValue(Sink to, byte now) {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c == ARRAY || c == MAP) {
            open(behind(now));
            if (c == MAP) to.map(Sink.UNKNOWN);
            else to.array(Sink.UNKNOWN);
            return c == MAP ? KEY_DUE : ELEMENT;
        }
        if (c == END && now == ELEMENT) {
            at++;
            to.end();
            return outer[--depth];
        }
        feedScalar(to);
        return behind(now);
    }

    private void feedScalar(Sink to) {
        switch (kind()) {
            case I64:
                to.i64(i64());
                return;
            case STR: {
                int from = pass();
                boolean ascii = Utf8.isAscii(data, from, at);
                if (!ascii) checkText(from, at);
                to.str(data, from, at, ascii);
                return;
            }
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
            default:
                feedRare(to);
        }
    }

    private void feedRare(Sink to) {
        switch (kind()) {
            case BIG:
                to.big(number());
                return;
            case BIN:
                to.bin(data, pass(), at);
                return;
            case TIME:
                to.time(time());
                return;
            default: {
                int type = ext();
                to.ext(type, data, extFrom, at);
            }
        }
    }

    private static final class Here extends Mark {
        final int at;
        final int depth;
        final byte due;
        final boolean atName;
        final int names;

        Here(TaggedReader from) {
            at = from.at;
            depth = from.depth;
            due = from.due;
            atName = from.atName;
            names = from.known.size();
        }
    }

    @Override
    public Mark mark() {
        return inStudy ? study.mark() : new Here(this);
    }

    @Override
    public void rewind(Mark mark) {
        if (inStudy) {
            study.rewind(mark);
            return;
        }
        Here here = (Here) mark;
        at = here.at;
        depth = here.depth;
        due = here.due;
        atName = here.atName;
        known.cut(here.names);
    }
}
