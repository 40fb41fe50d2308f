package kumihimo.json;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.Base64;
import kumihimo.scalar.FloatNarrow;
import kumihimo.scalar.FloatRead;
import kumihimo.scalar.IntRead;
import kumihimo.scalar.TimeText;

/**
 * The values of {@link JsonReader} that are no containers. Each call has a short way for what documents are full of,
 * which a compiler takes into its callers, and leaves the rest to a longer one.
 */
abstract class JsonScalars extends JsonBytes {
    /** The next string is a key, with a colon behind it. */
    boolean keyIsNext;

    final JsonText text;
    private final JsonNumber number = new JsonNumber();

    JsonScalars(JsonReadDialect granted, Limits limits) {
        super(granted, limits);
        text = new JsonText(granted);
    }

    @Override
    public final Kind kind() {
        int c = token();
        switch (c) {
            case '"':
                return Kind.STR;
            case '{':
                return Kind.MAP;
            case '[':
                return Kind.ARRAY;
            case 't':
            case 'f':
                return Kind.BOOL;
            case 'n':
                return Kind.NIL;
            default:
                if (c == '-' || JsonScan.isDigit(c)) return isInfinity(c) ? Kind.F64 : readNumber().kind;
                if (isNonFinite(c)) return Kind.F64;
                throw broken();
        }
    }

    // Words.

    @Override
    public final void nil() {
        if (token() != 'n') throw mismatch("null");
        word("null");
    }

    @Override
    public final boolean tryNil() {
        if (token() != 'n') return false;
        word("null");
        return true;
    }

    @Override
    public final boolean bool() {
        int c = token();
        int p = at;
        if (c == 't' && p <= end - 4 && LittleEndian.i32(data, p) == 0x65757274) {
            at = p + 4;
            return true;
        }
        if (c == 'f' && p <= end - 5 && LittleEndian.i32(data, p + 1) == 0x65736c61) {
            at = p + 5;
            return false;
        }
        throw c == 't' || c == 'f' ? broken() : mismatch("a boolean");
    }

    // Numbers.

    /** -0 is the integer 0 here, whatever it is by the dialect. */
    @Override
    public final long i64() {
        int c = token();
        int p = c == '-' ? at + 1 : at;
        if (p <= end - 8) {
            long word = JsonWords.at(data, p);
            int n = IntRead.count(word);
            // Up to seven digits, no zero before others, and neither fraction nor exponent.
            if (n < 8 && ends(word, n)) {
                at = p + n;
                int value = (int) IntRead.some(word, n);
                return c == '-' ? -value : value;
            }
        }
        return longer(p, c == '-');
    }

    /**
     * The first n characters are an integer's digits, and the one behind them begins neither fraction nor exponent.
     */
    private static boolean ends(long word, int n) {
        int next = (int) (word >>> n * 8) & 0xff;
        return n > 0 && next != '.' && (next | 0x20) != 'e' && ((byte) word != '0' || n == 1);
    }

    /** Integers of 8 to 18 digits, with the 24 bytes behind them that this looks at. */
    private long longer(int p, boolean negative) {
        if (p <= end - 24) {
            long word = JsonWords.at(data, p);
            if (IntRead.count(word) == 8 && (byte) word != '0') {
                long value = IntRead.eight(word);
                p += 8;
                word = JsonWords.at(data, p);
                int n = IntRead.count(word);
                if (n == 8) {
                    value = value * 100_000_000 + IntRead.eight(word);
                    p += 8;
                    word = JsonWords.at(data, p);
                    n = IntRead.count(word);
                    if (n > 2) return anyInteger();
                }
                int next = (int) (word >>> n * 8) & 0xff;
                if (next != '.' && (next | 0x20) != 'e') {
                    value = value * IntRead.power(n) + IntRead.some(word, n);
                    at = p + n;
                    return negative ? -value : value;
                }
            }
        }
        return anyInteger();
    }

    private long anyInteger() {
        JsonNumber n = wanted("an integer");
        if (!n.integer) throw noInteger();
        if (n.kind == Kind.U64 || n.kind == Kind.BIG) throw refuse(Code.RANGE, at, "an integer does not fit 64 bits");
        at = n.end;
        return n.whole;
    }

    private DataException noInteger() {
        return refuse(Code.TYPE, at, "expected an integer, found a number with a fraction or an exponent");
    }

    @Override
    public final int i32() {
        int c = token();
        int p = c == '-' ? at + 1 : at;
        if (p <= end - 8) {
            long word = JsonWords.at(data, p);
            int n = IntRead.count(word);
            if (n < 8 && ends(word, n)) {
                at = p + n;
                int value = (int) IntRead.some(word, n);
                return c == '-' ? -value : value;
            }
        }
        return narrow(at, longer(p, c == '-'));
    }

    private int narrow(int place, long value) {
        if (value != (int) value) throw refuse(Code.RANGE, place, value + " does not fit an int");
        return (int) value;
    }

    @Override
    public final long u64() {
        JsonNumber n = wanted("an integer");
        if (!n.integer) throw noInteger();
        if (n.kind == Kind.BIG || n.kind != Kind.U64 && n.whole < 0) {
            throw refuse(Code.RANGE, at, "an integer does not fit 64 bits without sign");
        }
        at = n.end;
        return n.whole;
    }

    @Override
    public final double f64() {
        int c = token();
        int p = c == '-' ? at + 1 : at;
        if (p > end - 40) return anyDouble();
        byte[] data = this.data;
        long word = JsonWords.at(data, p);
        int n = IntRead.count(word);
        if (n == 0 || n == 8 || (byte) word == '0' && n != 1) return anyDouble();
        long mantissa = IntRead.some(word, n);
        p += n;
        if (data[p] != '.') {
            if ((data[p] | 0x20) == 'e' || mantissa == 0) return anyDouble();
            at = p;
            return c == '-' ? -mantissa : mantissa;
        }
        double found = fraction(p + 1, mantissa, n, c == '-');
        return found == found ? found : anyDouble();
    }

    /**
     * Passes the rest of a double from behind its point, with the 24 bytes that this looks at; n digits stand before.
     * NaN, and nothing passed, where it has an exponent or too many digits, or is none.
     */
    final double fraction(int p, long mantissa, int n, boolean negative) {
        byte[] data = this.data;
        int first = p;
        long word = JsonWords.at(data, p);
        int more = IntRead.count(word);
        if (more == 8) {
            mantissa = mantissa * 100_000_000 + IntRead.eight(word);
            p += 8;
            word = JsonWords.at(data, p);
            more = IntRead.count(word);
            if (more == 8) {
                mantissa = mantissa * 100_000_000 + IntRead.eight(word);
                p += 8;
                word = JsonWords.at(data, p);
                more = IntRead.count(word);
            }
        }
        if (more == 8 || n + p - first + more > 19) return Double.NaN;
        mantissa = mantissa * IntRead.power(more) + IntRead.some(word, more);
        p += more;
        if (p == first || (data[p] | 0x20) == 'e') return Double.NaN;
        at = p;
        double value = FloatRead.compose(mantissa, first - p);
        return negative ? -value : value;
    }

    @Override
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    public final float f32() {
        token();
        int place = at;
        double near = f64();
        float nearest = (float) near;
        if (!FloatNarrow.decides(near)) nearest = Float.parseFloat(new String(data, 0, place, at - place));
        if (FloatNarrow.overflows(near, nearest)) throw beyondFloat(place - begin);
        return nearest;
    }

    private double anyDouble() {
        int c = token();
        if (isInfinity(c) || isNonFinite(c)) return nonFinite(c);
        JsonNumber n = wanted("a number");
        double value = n.toDouble(data, at);
        if (Double.isInfinite(value)) throw refuse(Code.RANGE, at, JsonNumber.BEYOND_DOUBLE);
        at = n.end;
        return value;
    }

    @Override
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    public final String number() {
        JsonNumber n = wanted("a number");
        int from = at;
        at = n.end;
        return new String(data, 0, from, at - from);
    }

    /** The number at hand, its kind as the dialect has it; it is not passed. */
    final JsonNumber readNumber() {
        if (!number.read(data, at, end, granted)) throw broken();
        if (number.kind == Kind.BIG && !number.integer && granted.overflows() == JsonReadDialect.Overflows.REFUSE
                && !granted.decimalDigits()) {
            throw broken();
        }
        return number;
    }

    private JsonNumber wanted(String what) {
        int c = token();
        if (c != '-' && !JsonScan.isDigit(c) || isInfinity(c)) throw mismatch(what);
        return readNumber();
    }

    /** Whether the number that begins with this character is the word -Infinity. */
    final boolean isInfinity(int c) {
        return c == '-' && granted.nonFinite() && at + 1 < end && data[at + 1] == 'I';
    }

    final boolean isNonFinite(int c) {
        return granted.nonFinite() && (c == 'N' || c == 'I');
    }

    /** Reads NaN, Infinity or -Infinity, by its first character. */
    final double nonFinite(int c) {
        word(c == 'N' ? "NaN" : c == 'I' ? "Infinity" : "-Infinity");
        return c == 'N' ? Double.NaN : c == 'I' ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }

    // Numbers that are pushed.

    /** Feeds the number at hand, which begins so. */
    final void feedNumber(Sink to, int c) {
        int p = c == '-' ? at + 1 : at;
        if (p <= end - 40) {
            long word = JsonWords.at(data, p);
            int n = IntRead.count(word);
            if (n > 0 && n < 8 && ((byte) word != '0' || n == 1)) {
                int whole = (int) IntRead.some(word, n);
                int next = data[p + n];
                if (next == '.') {
                    double found = granted.decimalDigits() ? Double.NaN : fraction(p + n + 1, whole, n, c == '-');
                    if (found == found) {
                        to.f64(found);
                        return;
                    }
                } else if ((next | 0x20) != 'e' && (whole != 0 || c != '-')) {
                    at = p + n;
                    to.i64(c == '-' ? -whole : whole);
                    return;
                }
            } else if (n == 8 && (byte) word != '0') {
                long found = longer(p + 8, IntRead.eight(word));
                if (found >= 0) {
                    to.i64(c == '-' ? -found : found);
                    return;
                }
            }
        }
        feedAnyNumber(to);
    }

    /** The integer whose first eight digits have this value, and of which 7 more at most stand at p; else -1. */
    private long longer(int p, long first) {
        long word = JsonWords.at(data, p);
        int n = IntRead.count(word);
        int next = (int) (word >>> n * 8) & 0xff;
        if (n == 8 || next == '.' || (next | 0x20) == 'e') return -1;
        at = p + n;
        return first * IntRead.power(n) + IntRead.some(word, n);
    }

    private void feedAnyNumber(Sink to) {
        JsonNumber n = readNumber();
        int from = at;
        at = n.end;
        if (n.kind == Kind.I64) to.i64(n.whole);
        else if (n.kind == Kind.F64) to.f64(n.real);
        else if (n.kind == Kind.U64) to.u64(n.whole);
        else to.big(data, from, at);
    }

    // Strings.

    @Override
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    public final String str() {
        if (token() != '"') throw mismatch("text");
        byte[] data = this.data;
        int from = at + 1;
        int p = from;
        for (int last = end - 8; p <= last; p += 8) {
            long stops = JsonWords.notPlain(JsonWords.at(data, p));
            if (stops == 0) continue;
            p += Long.numberOfTrailingZeros(stops) >>> 3;
            if (data[p] != '"') break;
            at = p + 1;
            if (keyIsNext) colon();
            return new String(data, 0, from, p - from);
        }
        return otherString(from, p);
    }

    /** The string whose first characters, up to p, are printable ASCII. */
    private String otherString(int from, int p) {
        String found;
        try {
            found = text.string(data, from, p, end);
        } catch (DataException e) { // the document is right, but has bytes in it that no String can hold
            throw e.atByte(at - begin);
        }
        if (found == null) throw broken();
        at = text.end;
        if (keyIsNext) colon();
        return found;
    }

    /** Passes the colon behind a key, and the one blank that is often behind it. */
    final void colon() {
        keyIsNext = false;
        int p = at;
        if (p >= end || data[p] != ':') {
            if (token() != ':') throw broken();
            p = at;
        }
        p++;
        at = p < end && data[p] == ' ' ? p + 1 : p;
    }

    /** The closing quote of the string whose opening quote is before p, with the flags of {@link JsonScan#string}. */
    final long scanString(int p) {
        long found = text.scan(data, p, end);
        if (found == JsonScan.BROKEN) throw broken();
        return found;
    }

    @Override
    public final byte[] bin() {
        int c = token();
        int place = at;
        if (c != '"') throw mismatch("base64 text");
        byte[] chars = asciiString();
        byte[] found = chars == null ? null : Base64.STANDARD.decode(chars, 0, chars.length);
        if (found == null && chars != null) found = Base64.URL.decode(chars, 0, chars.length);
        if (found == null) throw refuse(Code.TYPE, place, "expected bytes, found text that is no base64");
        return found;
    }

    @Override
    public final Moment time() {
        int c = token();
        int place = at;
        if (c != '"') throw mismatch("a moment as text");
        byte[] chars = asciiString();
        if (chars == null) throw refuse(Code.TYPE, place, "expected a moment, found text that is none");
        try {
            return TimeText.read(chars, 0, chars.length);
        } catch (DataException e) {
            throw refuse(e.code() == Code.RANGE ? Code.RANGE : Code.TYPE, place, e.reason());
        }
    }

    /** The characters of the string at hand, or null where not all of them are ASCII. */
    private byte[] asciiString() {
        int from = at + 1;
        long scanned = scanString(from);
        boolean key = keyIsNext;
        byte[] chars = null;
        if ((scanned & (JsonScan.WIDE | JsonScan.ESCAPED)) == 0) {
            chars = Arrays.copyOfRange(data, from, (int) scanned);
            at = (int) scanned + 1;
            if (key) colon();
        } else {
            String string = str();
            if (Utf8.size(string, 0) == string.length()) chars = Utf8.bytes(string);
        }
        return chars;
    }

    @Override
    public final int ext() {
        throw mismatch("an extension");
    }

    @Override
    public final byte[] extData() {
        throw new IllegalStateException("no extension has been read: JSON has none");
    }
}
