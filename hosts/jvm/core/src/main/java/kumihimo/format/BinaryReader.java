package kumihimo.format;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Reader;
import kumihimo.Utf8;
import kumihimo.scalar.FloatWrite;
import kumihimo.scalar.NumberText;
import kumihimo.scalar.TimeText;
import kumihimo.scalar.Unsigned;

/**
 * What the readers of binary formats share: the bytes, the limit of size, the key that was found last, and how a
 * failure is told. Offsets are made here: subclasses speak of places in {@link #data}.
 */
public abstract class BinaryReader extends Reader {
    protected final Limits limits;

    protected byte[] data = {};
    /** Where the document begins. */
    protected int begin;
    /** The next byte that is to be read. */
    protected int at;
    /** Where the input ends, or the limit of size ends the document before. */
    protected int last;
    /** Where the input ends. */
    protected int end;

    /** The bytes of the key that {@link #field} found last, where it is text. */
    protected int keyFrom;
    protected int keyTo;
    /** The same as text, once it is known. */
    protected String keyText;
    private boolean keyIsText = true;
    /** Why that key has no text; null where it has one. */
    private String keyless;

    protected BinaryReader(Limits limits) {
        this.limits = limits;
    }

    @Override
    public final Reader reset(byte[] data, int from, int to) {
        Objects.checkFromToIndex(from, to, data.length);
        this.data = data;
        begin = at = from;
        end = to;
        last = to - from > limits.size() ? from + (int) limits.size() : to;
        setKey(from, from);
        beginDocument();
        restart();
        return this;
    }

    @Override
    public final Limits limits() {
        return limits;
    }

    /** Forgets what was read before; {@link #at} and its neighbours are set. Reads nothing. */
    protected abstract void restart();

    @Override
    public int position() {
        return at - begin;
    }

    @Override
    public int consumed() {
        return at - begin;
    }

    @Override
    public void finish() {
        if (at != end) throw stop(Code.TRAILING, at, "there are bytes after the document");
    }

    @Override
    public String lastKey() {
        if (keyText == null) {
            if (keyless != null) throw stop(Code.TYPE, keyFrom, keyless);
            keyText = text(keyFrom, keyTo);
        }
        return keyText;
    }

    @Override
    public boolean lastKeyIsText() {
        return keyIsText;
    }

    /** Whoever keeps {@link Reader#tryNil}, which asks for this one, has its own. */
    @Override
    public void nil() {
        if (!tryNil()) throw wrong("null");
    }

    /** The key that was found is this text. */
    protected final void setKey(int from, int to) {
        keyFrom = from;
        keyTo = to;
        keyText = null;
        keyless = null;
        keyIsText = true;
    }

    /** Reads a key that is no text; {@link #lastKey} is then what JSON would write. */
    protected final void readOddKey() {
        int from = at;
        setKey(from, from);
        Kind kind = kind();
        keyIsText = kind == Kind.STR;
        switch (kind) {
            case NIL:
                nil();
                keyText = "null";
                return;
            case BOOL:
                keyText = Boolean.toString(bool());
                return;
            case I64:
            case U64:
            case BIG:
                keyText = number();
                return;
            case F64:
                keyText = digits(f64());
                return;
            case BIN:
                keyText = Base64.getEncoder().encodeToString(bin());
                return;
            case TIME:
                keyOf(time());
                return;
            case EXT:
                ext();
                keyText = Base64.getEncoder().encodeToString(extData());
                return;
            case STR:
                keyText = str();
                return;
            default:
                skip();
                keyIsText = false; // a key in this one may have been text
                keyless = "a key that is a container has no text";
        }
    }

    private void keyOf(Moment moment) {
        try {
            keyText = TimeText.text(moment);
        } catch (DataException e) {
            keyless = e.reason();
        }
    }

    /** The bytes of a number behind its first byte are there; passes them over, and returns where they are. */
    protected final int fixed(int width) {
        int from = at + 1;
        if (width > last - from) throw cut(at);
        at = from + width;
        return from;
    }

    /** The integer that stands at a place, as an int. */
    protected final int intOf(long value, int at) {
        if (value != (int) value) throw stop(Code.RANGE, at, value + " does not fit an int");
        return (int) value;
    }

    /** The integer that stands at a place, if it is not below 0. */
    protected final long naturalOf(long value, int at) {
        if (value < 0) throw stop(Code.RANGE, at, value + " is below 0");
        return value;
    }

    /** The integer of 64 bits without sign that stands at a place, if it is one with sign too. */
    protected final long signedOf(long bits, int at) {
        if (bits < 0) throw tooLarge(bits, at);
        return bits;
    }

    /** The number that comes next, at a place, as a double: of the kinds that seldom become one. */
    protected final double rareDouble(Kind kind, int at) {
        if (kind == Kind.U64) return Unsigned.toDouble(u64());
        if (kind == Kind.BIG) return doubleOf(number(), at);
        throw wrong("a number");
    }

    /** The digits of the number that comes next, at a place; those of {@link Kind#BIG} only the format knows. */
    protected final String digitsOf(Kind kind, int at) {
        switch (kind) {
            case I64:
                return Long.toString(i64());
            case U64:
                return Long.toUnsignedString(u64());
            case F64:
                return digits(f64(), at);
            case STR:
                return numberOf(str(), at);
            default:
                throw wrong("a number");
        }
    }

    /** The shortest digits of a double; of NaN and the infinities their names. */
    private static String digits(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) return Double.toString(value);
        return FloatWrite.text(value);
    }

    /** The digits of the double that stands at a place. */
    protected final String digits(double value, int at) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw stop(Code.RANGE, at, digits(value) + " has no digits");
        }
        return digits(value);
    }

    /** The number that the text at a place is: what writers make of numbers that their format cannot hold. */
    protected final String numberOf(String text, int at) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (NumberText.isNumber(bytes, 0, bytes.length)) return text;
        throw stop(Code.TYPE, at, "expected a number, found text that is none");
    }

    /** The integer that digits at a place are. */
    protected final long integerOf(String digits, int at) {
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c != '-' && (c < '0' || c > '9')) {
                throw stop(Code.TYPE, at, "expected an integer, found a number that is none");
            }
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw stop(Code.RANGE, at, "an integer does not fit 64 bits with sign");
        }
    }

    /** The nearest double to the number whose digits stand at a place. */
    protected final double doubleOf(String digits, int at) {
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value)) throw stop(Code.RANGE, at, "a number is larger than the largest double");
        return value;
    }

    /** The moment that the text at a place is: what writers make of moments that their format cannot hold. */
    protected final Moment momentOf(String text, int at) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            return TimeText.read(bytes, 0, bytes.length);
        } catch (DataException e) {
            throw stop(e.code() == Code.RANGE ? Code.RANGE : Code.TYPE, at, e.reason());
        }
    }

    /** The text of these bytes, checked. */
    protected final String text(int from, int to) {
        boolean ascii = Utf8.isAscii(data, from, to);
        if (!ascii) checkText(from, to);
        return Utf8.string(data, from, to, ascii);
    }

    /** As {@link #checkText}, of text that is nearly always ASCII. */
    protected final void checkLikelyAscii(int from, int to) {
        if (!Utf8.isAscii(data, from, to)) checkText(from, to);
    }

    /** @throws DataException {@link Code#ENCODING}, at the first byte that is no UTF-8 */
    protected final void checkText(int from, int to) {
        int good = Utf8.validPrefix(data, from, to);
        if (good != to) throw stop(Code.ENCODING, good, "a string is not valid UTF-8");
    }

    /** The sink has refused the value at a place; it knows why, but not where. */
    protected final DataException refused(DataException e, int at) {
        return e.offset() >= 0 || e.code() == Code.HOST ? e : e.atByte(at - begin);
    }

    /** The failure at a byte of the input. */
    protected final DataException stop(Code code, int at, String what) {
        return new DataException(code, what, at - begin);
    }

    /** The document ends in the piece that begins here. */
    protected final DataException cut(int at) {
        if (last != end) return stop(Code.SIZE, at, "the document is larger than the limit");
        return stop(Code.TRUNCATED, at,
                at == end ? "the input ends where a value is due" : "the input ends inside a value");
    }

    protected static DataException noContainer() {
        return new DataException(Code.MISUSE, "no container is open");
    }

    protected final DataException tooDeep(int at) {
        return stop(Code.DEPTH, at, "containers are nested deeper than the limit");
    }

    /** The container that begins here says that more values are in it than bytes are left. */
    protected final DataException tooMany(int at) {
        if (last != end) return cut(at);
        return stop(Code.TRUNCATED, at, "a container announces more values than there are bytes left");
    }

    /** The integer of 64 bits without sign that begins here has been asked for with sign. */
    protected final DataException tooLarge(long bits, int at) {
        return stop(Code.RANGE, at, Long.toUnsignedString(bits) + " does not fit 64 bits with sign");
    }

    /** The digits that begin here are no number. */
    protected final DataException noNumber(int at) {
        return stop(Code.SYNTAX, at, "a number's digits break JSON's grammar");
    }

    /** The value that comes next is none of what was asked for. */
    protected final DataException wrong(String wanted) {
        Kind found = kind();
        return new DataException(Code.TYPE, "expected " + wanted + ", found " + found.text(), position());
    }
}
