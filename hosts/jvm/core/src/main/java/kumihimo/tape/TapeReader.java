package kumihimo.tape;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Format;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Names;
import kumihimo.Reader;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.scalar.Base64;
import kumihimo.scalar.FloatNarrow;
import kumihimo.scalar.FloatWrite;
import kumihimo.scalar.NumberText;
import kumihimo.scalar.TimeText;
import kumihimo.scalar.Unsigned;

/**
 * Reads a {@link Tape}, or one value of it, as if it were a document: what reads from a format reads from any value
 * that was recorded, as often as it likes. Positions are those of the document that was recorded, and -1 where there
 * was none. Only the end of a value that has been read costs a pass over the document ({@link #consumed}).
 */
public final class TapeReader extends Reader {
    private Recorder recorder;
    private Format format;
    private String dialect;

    private Tape tape;
    /** The node that comes next, and the one behind the value that is read. */
    private int at;
    private int end;
    private int start;
    /** The nodes that were found last: of {@link #field} the key, of {@link #ext} the extension. */
    private int keyNode;
    private int extNode = -1;
    private int charsFrom;
    private int charsTo;

    /** A reader of values on tapes: {@link #reset(Cursor)}. */
    public TapeReader() {}

    /** A reader of documents, each of which is recorded first: for codecs that must look at fields out of order. */
    public TapeReader(Format format, String dialect, Limits limits) {
        recorder = new Recorder(limits);
        this.format = format;
        this.dialect = dialect;
    }

    @Override
    public TapeReader reset(byte[] data, int from, int to) {
        if (recorder == null) throw new IllegalStateException("a reader without a format reads tapes only");
        Tape on = tape == null ? new Tape() : tape;
        tape = null;
        at = end = start = 0;
        begin(recorder.record(on, format, dialect, data, from, to), 0);
        beginDocument();
        return this;
    }

    /** Reads the value at a place, whose costs count together with those of all other places on its tape. */
    public TapeReader reset(Cursor value) {
        return reset(value.tape(), value.node());
    }

    TapeReader reset(Tape tape, int node) {
        begin(tape, node);
        beginPlace(tape.hashes, tape.exponents, node);
        return this;
    }

    @Override
    public void release() {
        begin(new Tape(), 0);
        end = 0;
        if (recorder != null) recorder.forget();
        beginDocument();
    }

    private void begin(Tape tape, int node) {
        this.tape = tape;
        at = start = node;
        end = tape.behind(node);
        extNode = -1;
    }

    @Override
    public Limits limits() {
        return tape == null ? Limits.DEFAULT : tape.limits;
    }

    /** The tape that is read. */
    public Tape tape() {
        return tape;
    }

    /** The place of the value that comes next. */
    public Cursor cursor() {
        return new Cursor(tape, at);
    }

    int node() {
        return at;
    }

    @Override
    public Kind kind() {
        if (at >= end || tape.is(at, Tape.END)) throw new DataException(Code.MISUSE, "no value comes next", -1);
        return tape.kind(at);
    }

    @Override
    public int position() {
        return tape == null ? 0 : tape.position(at);
    }

    /**
     * An offset inside of what was read last: of a value or key its last byte, of a container that was opened its
     * first; where nothing was read, that of the value that comes. It may cost a pass over the document.
     */
    public int lastPosition() {
        if (tape == null) return 0;
        if (at == start || tape.format == null) return tape.position(at);
        if (tape.isContainer(at - 1)) return tape.position(at - 1);
        return tape.end(lastValue()) - 1;
    }

    /**
     * {@inheritDoc} Behind the header of a container, of which the tape knows the first byte, it is behind that one.
     */
    @Override
    public int consumed() {
        if (at == 0) return 0;
        if (tape.format != null && tape.isContainer(at - 1)) return tape.position(at - 1) + 1;
        return at == end ? tape.end(lastValue()) : tape.position(at);
    }

    /** The value that ends where the reader stands. */
    private int lastValue() {
        return tape.is(at - 1, Tape.END) ? tape.ref(at - 1) : at - 1;
    }

    private DataException wrong(String wanted) {
        return new DataException(Code.TYPE, "expected " + wanted + ", found " + kind().text(), position());
    }

    private DataException refuse(Code code, String what) {
        return new DataException(code, what, position());
    }

    /** The node that comes next, which must be of a kind; it is passed. */
    private int take(int kind, String wanted) {
        int node = at;
        if (node >= end || !tape.is(node, kind)) throw wrong(wanted);
        at = node + 1;
        return node;
    }

    @Override
    public void nil() {
        take(Tape.NIL, "null");
    }

    @Override
    public boolean tryNil() {
        if (kind() != Kind.NIL) return false;
        at++;
        return true;
    }

    @Override
    public boolean bool() {
        return tape.payload(take(Tape.BOOL, "a boolean")) != 0;
    }

    // Numbers.

    @Override
    public long i64() {
        int node = at;
        if (node >= end || !tape.is(node, Tape.I64)) return oddInteger();
        at = node + 1;
        return tape.payload(node);
    }

    private long oddInteger() {
        Kind kind = kind();
        // JSON's -0 is a double for who asks what it is, and an integer for who asks for one.
        if (kind == Kind.F64 && isText() && isMinusZero() || kind == Kind.BIG && tape.str(at).equals("-0")) {
            at++;
            return 0;
        }
        if (kind == Kind.U64 || kind == Kind.BIG && isInteger(tape.str(at))) {
            throw refuse(Code.RANGE, "an integer does not fit 64 bits");
        }
        if (isText() && (kind == Kind.F64 || kind == Kind.BIG))
            throw refuse(Code.TYPE, "expected an integer, found a number with a fraction or an exponent");
        throw wrong("an integer");
    }

    private boolean isMinusZero() {
        // Of the numbers with a sign and one digit only this one is a double.
        return tape.has(at, Tape.AS_WRITTEN) ? tape.length(at) == 2 : tape.payload(at) == Long.MIN_VALUE;
    }

    private static boolean isInteger(String digits) {
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c == '.' || (c | 0x20) == 'e') return false;
        }
        return true;
    }

    private boolean isText() {
        return tape.format != null && tape.format.isText();
    }

    @Override
    public int i32() {
        long value = i64();
        if (value == (int) value) return (int) value;
        at--;
        throw refuse(Code.RANGE, value + " does not fit an int");
    }

    @Override
    public long u64() {
        if (kind() == Kind.I64 && tape.payload(at) < 0) {
            throw refuse(Code.RANGE, "an integer does not fit 64 bits without sign");
        }
        if (kind() == Kind.U64) return tape.payload(at++);
        return i64();
    }

    @Override
    public double f64() {
        switch (kind()) {
            case F64:
                return tape.f64(at++);
            case I64:
                return tape.payload(at++);
            case U64:
                return Unsigned.toDouble(tape.payload(at++));
            case BIG: {
                double value = Double.parseDouble(tape.str(at));
                if (Double.isInfinite(value)) throw refuse(Code.RANGE, "a number is beyond the largest double");
                at++;
                return value;
            }
            default:
                throw wrong("a number");
        }
    }

    @Override
    public float f32() {
        int node = at;
        double near = f64();
        float nearest = (float) near;
        if (!FloatNarrow.decides(near)) {
            // Of a binary format the double is the number.
            String digits = tape.is(node, Tape.F64) ? tape.digits(node) : digitsAt(node);
            if (digits != null) nearest = Float.parseFloat(digits);
        }
        if (!FloatNarrow.overflows(near, nearest)) return nearest;
        at = node;
        throw beyondFloat(position());
    }

    private String digitsAt(int node) {
        at = node;
        return number();
    }

    @Override
    public String number() {
        String digits = digits(kind());
        at++;
        return digits;
    }

    private String digits(Kind kind) {
        switch (kind) {
            case I64:
                return Long.toString(tape.payload(at));
            case U64:
                return Long.toUnsignedString(tape.payload(at));
            case F64:
                return realDigits();
            case BIG:
                return tape.str(at);
            case STR:
                return numberText();
            default:
                throw wrong("a number");
        }
    }

    /** What writers make of numbers that their format cannot hold. */
    private String numberText() {
        if (isText()) throw wrong("a number");
        byte[] chars = chars();
        boolean good = NumberText.isNumber(chars, charsFrom, charsTo);
        if (!good) throw refuse(Code.TYPE, "expected a number, found text that is none");
        return Utf8.string(chars, charsFrom, charsTo, true);
    }

    private String realDigits() {
        if (tape.has(at, Tape.AS_WRITTEN)) return tape.digits(at);
        double value = tape.f64(at);
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            // In text they are words.
            throw isText() ? wrong("a number") : refuse(Code.RANGE, value + " has no digits");
        }
        String digits = tape.digits(at);
        return digits == null ? FloatWrite.text(value) : digits;
    }

    // Text and bytes.

    @Override
    public String str() {
        return str(take(Tape.STR, "text"));
    }

    private String str(int node) {
        try {
            return tape.str(node);
        } catch (DataException e) { // of a dialect that lets any bytes pass
            int offset = tape.position(node);
            throw offset < 0 ? e : e.atByte(offset);
        }
    }

    @Override
    public byte[] bin() {
        if (kind() == Kind.STR && isText()) return base64();
        return tape.bin(take(Tape.BIN, "bytes"));
    }

    private byte[] base64() {
        byte[] chars = chars();
        int from = charsFrom;
        byte[] found = Base64.STANDARD.decode(chars, from, charsTo);
        if (found == null) found = Base64.URL.decode(chars, from, charsTo);
        if (found == null) throw refuse(Code.TYPE, "expected bytes, found text that is no base64");
        at++;
        return found;
    }

    /** The bytes of the text that comes next: they are from {@link #charsFrom} to {@link #charsTo}. */
    private byte[] chars() {
        if (tape.has(at, Tape.AS_WRITTEN)) {
            byte[] chars = Utf8.looseBytes(tape.str(at));
            charsFrom = 0;
            charsTo = chars.length;
            return chars;
        }
        charsFrom = tape.ref(at);
        charsTo = charsFrom + tape.length(at);
        return tape.bytesOf(at);
    }

    @Override
    public Moment time() {
        if (kind() == Kind.TIME) return tape.time(at++);
        if (kind() != Kind.STR) throw wrong("a moment");
        byte[] chars = chars();
        try {
            Moment moment = TimeText.read(chars, charsFrom, charsTo);
            at++;
            return moment;
        } catch (DataException e) {
            throw refuse(e.code() == Code.RANGE ? Code.RANGE : Code.TYPE, e.reason());
        }
    }

    @Override
    public int ext() {
        extNode = take(Tape.EXT, "an extension");
        return tape.extType(extNode);
    }

    @Override
    public byte[] extData() {
        if (extNode < 0) throw new IllegalStateException("no extension has been read");
        return tape.bin(extNode);
    }

    // Containers.

    @Override
    public long array() {
        return tape.length(take(Tape.ARRAY, "an array"));
    }

    @Override
    public long map() {
        return tape.length(take(Tape.MAP, "a map"));
    }

    @Override
    public boolean hasNext() {
        if (!tape.is(at, Tape.END)) return true;
        at++;
        return false;
    }

    @Override
    public int field(Names names, int expected) {
        int node = at;
        if (tape.is(node, Tape.END)) {
            at = node + 1;
            return Names.END;
        }
        keyNode = node;
        if (!tape.is(node, Tape.STR) || tape.has(node, Tape.AS_WRITTEN | Tape.HALVES)) return oddField(names);
        at = node + 1;
        byte[] data = tape.bytesOf(node);
        int from = tape.ref(node);
        int to = from + tape.length(node);
        if (expected >= 0 && expected < names.size()) {
            Name name = names.get(expected);
            if (name.utf8().length == to - from && name.match(data, from, to) == to) return expected;
        }
        return names.find(data, from, to);
    }

    private int oddField(Names names) {
        int node = at;
        at = tape.behind(node);
        if (!tape.is(node, Tape.STR)) return Names.OTHER;
        byte[] text = Utf8.looseBytes(str(node));
        return names.find(text, 0, text.length);
    }

    @Override
    public String lastKey() {
        return tape.is(keyNode, Tape.STR) ? str(keyNode) : KeyText.of(tape, keyNode);
    }

    @Override
    public boolean lastKeyIsText() {
        return tape.is(keyNode, Tape.STR);
    }

    @Override
    public void skip() {
        kind();
        at = tape.behind(at);
    }

    @Override
    public Mark mark() {
        return new Place(this);
    }

    @Override
    public void rewind(Mark mark) {
        check(mark);
        at = ((Place) mark).at;
    }

    private static final class Place extends Mark {
        final int at;

        Place(TapeReader from) {
            super(from);
            at = from.at;
        }
    }

    @Override
    public void finish() {
        if (at != end) throw new DataException(Code.MISUSE, "the document has not been read to its end", -1);
    }

    @Override
    public void feed(Sink to) {
        kind();
        TapeFeed.value(tape, at, to);
        at = tape.behind(at);
    }
}
