package kumihimo.cbor;

import static kumihimo.cbor.CborHeader.Kind.ARRAY;
import static kumihimo.cbor.CborHeader.Kind.BYTES;
import static kumihimo.cbor.CborHeader.Kind.CUT;
import static kumihimo.cbor.CborHeader.Kind.FLOATING;
import static kumihimo.cbor.CborHeader.Kind.INTEGER;
import static kumihimo.cbor.CborHeader.Kind.MAP;
import static kumihimo.cbor.CborHeader.Kind.RESERVED;
import static kumihimo.cbor.CborHeader.Kind.SIMPLE;
import static kumihimo.cbor.CborHeader.Kind.TAG;
import static kumihimo.cbor.CborHeader.Kind.TEXT;

import java.math.BigInteger;
import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.scalar.TimeText;

/**
 * What the tags that have a meaning here say: moments, days, and numbers beyond 64 bits. The value is left in the
 * fields; the kind is one of I64, U64, F64, BIG (ask for its {@link #digits}) and TIME.
 */
final class CborTagged {
    /** The tag has no meaning here, or not with this content. */
    static final int UNKNOWN = 0;
    static final int KNOWN = 1;
    /** The content is not what the tag demands: {@link #fault} says why. */
    static final int BROKEN = -1;

    private static final String CUT_SHORT = "the input ends inside a value";
    private static final String MANY_DIGITS = "a number has more digits than the limit";
    private static final String FRACTION = "a fraction is no array of an exponent and a mantissa";
    private static final long SECONDS_OF_DAY = 86400;
    private static final int MOST_BITS = 8 * Limits.NUMBER_BYTES;
    /** With 40 bits behind the point; exact enough for every power that the limit lets in. */
    private static final long LOG2_OF_5 = 2552986939188L;

    final CborFault fault = new CborFault();
    Kind kind;
    /** Of I64, U64 and F64. */
    long bits;
    /** Of TIME. */
    Moment moment;
    /** The next byte; at the end the one behind the content. */
    int at;

    private final CborHeader header = new CborHeader();
    private final CborHeader value = new CborHeader();
    private final CborPieces pieces = new CborPieces();
    private byte[] data;
    private int end;

    private BigInteger natural;
    private long integer;

    // Of BIG: its digits cost time by the square of their number, and are made when they are asked for.
    private boolean bigIsNegative;
    /** They stand as an integer. */
    private boolean bigIsWhole;
    /** To the base 10. */
    private long bigExponent;
    /** The number is still to be multiplied by 5 to this power. */
    private int bigFives;

    /** Reads the content of a tag, which begins at data[from]. */
    int read(long tag, byte[] data, int from, int end) {
        if (tag >>> 11 != 0) return UNKNOWN;
        this.data = data;
        this.end = end;
        at = from;
        switch ((int) tag) {
            case CborHeader.TAG_NATURAL:
            case CborHeader.TAG_NEGATIVE:
                return known(bignum(tag == CborHeader.TAG_NEGATIVE));
            case CborHeader.TAG_DECIMAL:
            case CborHeader.TAG_BIGFLOAT:
                return known(fraction(tag == CborHeader.TAG_DECIMAL));
            case CborHeader.TAG_DATE_TIME:
                return known(dateTime());
            case CborHeader.TAG_EPOCH:
                return known(epoch());
            case CborHeader.TAG_DAYS:
                return known(days());
            case CborHeader.TAG_DATE:
                return known(date());
            case CborHeader.TAG_EXTENDED_TIME:
                return extendedTime();
            default:
                return UNKNOWN;
        }
    }

    /**
     * Whether a reader that grants nothing more than {@code exact_read} gives this well-formed item as ext 24: a tag
     * or simple value without a meaning.
     */
    boolean isCarried(byte[] data, int from, int to) {
        CborHeader.Kind is = header.read(data, from, to).kind;
        if (is == SIMPLE) return header.argument < 20 || header.argument > 22;
        if (is != TAG) return false;
        long tag = header.argument;
        int content = from + header.size;
        if (tag == CborHeader.TAG_EXTENDED_TIME) return read(tag, data, content, to) == UNKNOWN;
        if (tag >>> 8 == CborHeader.TAG_TYPED >>> 8) {
            header.read(data, content, to);
            return header.kind != BYTES || header.indefinite;
        }
        boolean numbered = tag >= 0 && tag <= CborHeader.TAG_BIGFLOAT;
        boolean day = tag == CborHeader.TAG_DAYS || tag == CborHeader.TAG_DATE;
        return !numbered && !day && tag != CborHeader.TAG_SELF_DESCRIBED;
    }

    private static int known(boolean good) {
        return good ? KNOWN : BROKEN;
    }

    private boolean fail(Code code, int at, String what) {
        return fault.set(code, at, what);
    }

    /** A header that must be there. */
    private boolean next() {
        header.read(data, at, end);
        if (header.kind == CUT) return fail(Code.TRUNCATED, at, CUT_SHORT);
        if (header.kind == RESERVED) return fail(Code.SYNTAX, at, "these bytes begin no CBOR item");
        return true;
    }

    /** An integer of 64 bits with sign. */
    private boolean integer(String what) {
        if (!next()) return false;
        if (header.kind != INTEGER) return fail(Code.SYNTAX, at, what);
        if (header.argument < 0) return fail(Code.RANGE, at, "an integer within a tag is beyond 64 bits with sign");
        integer = isNegative(at) ? ~header.argument : header.argument;
        at += header.size;
        return true;
    }

    private boolean isNegative(int at) {
        return data[at] >= CborHeader.NEGATIVE;
    }

    private boolean moment(long seconds, int nanoseconds, Moment.Clock clock) {
        kind = Kind.TIME;
        moment = new Moment(seconds, nanoseconds, 0, clock);
        return true;
    }

    // Numbers.

    private boolean bignum(boolean negative) {
        int start = at;
        if (!natural()) return false;
        if (negative && !increase(start)) return false;
        settle(negative);
        return true;
    }

    /** A byte string as a number without sign. */
    private boolean natural() {
        if (!next()) return false;
        int start = at;
        if (header.kind != BYTES) return fail(Code.SYNTAX, start, "a bignum is no byte string");
        // Chunks are joined; leading zeros may be any number.
        byte[] joined = new byte[16];
        int size = 0;
        pieces.begin(data, start, end, header);
        while (pieces.next()) {
            int from = pieces.from;
            if (size == 0) {
                while (from < pieces.to && data[from] == 0) from++;
            }
            int n = pieces.to - from;
            if (n > Limits.NUMBER_BYTES - size) return fail(Code.SIZE, start, MANY_DIGITS);
            if (n > joined.length - size) joined = Arrays.copyOf(joined, Math.max(size + n, size * 2));
            System.arraycopy(data, from, joined, size, n);
            size += n;
        }
        if (pieces.fault.code != null) return fail(pieces.fault.code, pieces.fault.at, pieces.fault.what);
        at = pieces.at;
        natural = new BigInteger(1, joined, 0, size);
        return true;
    }

    /** Of -1 - n the digits are those of n + 1. */
    private boolean increase(int start) {
        natural = natural.add(BigInteger.ONE);
        return natural.bitLength() <= MOST_BITS || fail(Code.SIZE, start, MANY_DIGITS);
    }

    /** The number and its sign as the kind that holds it. */
    private void settle(boolean negative) {
        BigInteger signed = negative ? natural.negate() : natural;
        if (signed.bitLength() <= 63) {
            kind = Kind.I64;
            bits = signed.longValue();
        } else if (!negative && natural.bitLength() == 64) {
            kind = Kind.U64;
            bits = natural.longValue();
        } else {
            big(negative, true, 0, 0);
        }
    }

    /** An integer of any size: its magnitude in {@link #natural}, and in {@link #integer} 1 where it is negative. */
    private boolean mantissa() {
        if (!next()) return false;
        boolean negative;
        if (header.kind == INTEGER) {
            negative = isNegative(at);
            natural = unsigned(header.argument);
            at += header.size;
        } else if (header.kind == TAG
                && (header.argument == CborHeader.TAG_NATURAL || header.argument == CborHeader.TAG_NEGATIVE)) {
            negative = header.argument == CborHeader.TAG_NEGATIVE;
            at += header.size;
            if (!natural()) return false;
        } else {
            return fail(Code.SYNTAX, at, "a fraction's mantissa is no integer");
        }
        integer = negative ? 1 : 0;
        return !negative || increase(at);
    }

    private static BigInteger unsigned(long n) {
        BigInteger low = BigInteger.valueOf(n & Long.MAX_VALUE);
        return n < 0 ? low.setBit(63) : low;
    }

    private boolean fraction(boolean decimal) {
        int start = at;
        if (!next()) return false;
        boolean open = header.indefinite;
        if (header.kind != ARRAY || !open && header.argument != 2) return fail(Code.SYNTAX, at, FRACTION);
        at += header.size;
        if (!integer("a fraction's exponent is no integer")) return false;
        long exponent = integer;
        if (!mantissa()) return false;
        boolean negative = integer != 0;
        if (open) {
            if (at == end) return fail(Code.TRUNCATED, at, CUT_SHORT);
            if (data[at] != (byte) 0xff) return fail(Code.SYNTAX, at, FRACTION);
            at++;
        }
        if (decimal) {
            big(negative, false, exponent, 0);
            return true;
        }
        return bigfloat(start, negative, exponent);
    }

    /** natural * 2^exponent: a double where it is one, else all its decimal digits. */
    private boolean bigfloat(int start, boolean negative, long exponent) {
        String large = "a bigfloat has more digits than the limit";
        if (natural.signum() == 0) exponent = 0;
        int zeros = Math.max(0, natural.getLowestSetBit());
        natural = natural.shiftRight(zeros);
        int size = natural.bitLength();
        if (exponent > MOST_BITS || exponent < -2 * MOST_BITS) return fail(Code.SIZE, start, large);
        exponent += zeros;
        if (size <= 53 && exponent >= -1074 && exponent + size <= 1024) {
            double magnitude = Math.scalb((double) natural.longValue(), (int) exponent);
            kind = Kind.F64;
            bits = Double.doubleToRawLongBits(negative ? -magnitude : magnitude);
            return true;
        }
        if (exponent >= 0) {
            if (size + exponent > MOST_BITS) return fail(Code.SIZE, start, large);
            natural = natural.shiftLeft((int) exponent);
            big(negative, false, 0, 0);
            return true;
        }
        // n / 2^k is n * 5^k / 10^k. 5^k has one bit more than its logarithm is.
        int k = (int) -exponent;
        int least = size + (int) (k * LOG2_OF_5 >> 40);
        boolean fits = least < MOST_BITS
                || least == MOST_BITS && natural.multiply(BigInteger.valueOf(5).pow(k)).bitLength() <= MOST_BITS;
        if (!fits) return fail(Code.SIZE, start, large);
        big(negative, false, exponent, k);
        return true;
    }

    private void big(boolean negative, boolean whole, long exponent, int fives) {
        kind = Kind.BIG;
        bigIsNegative = negative;
        bigIsWhole = whole;
        bigExponent = exponent;
        bigFives = fives;
    }

    /**
     * The digits of a BIG. Of a fraction they are no integer's text: with a point where that shows no more than six
     * zeros behind it, else with an exponent.
     */
    String digits() {
        if (bigFives != 0) natural = natural.multiply(BigInteger.valueOf(5).pow(bigFives));
        bigFives = 0;
        String text = natural.toString();
        if (bigIsWhole) return bigIsNegative ? "-" + text : text;
        StringBuilder out = new StringBuilder(text.length() + 32);
        if (bigIsNegative) out.append('-');
        int size = text.length();
        if (bigExponent < 0 && bigExponent >= -size - 5) {
            int point = size + (int) bigExponent; // digits before it
            if (point <= 0) {
                out.append("0.");
                for (int i = point; i < 0; i++) out.append('0');
                out.append(text);
            } else {
                out.append(text, 0, point).append('.').append(text, point, size);
            }
        } else {
            out.append(text).append('e').append(bigExponent);
        }
        return out.toString();
    }

    // Moments.

    /** The next item's text; what is longer than the most that is wanted is cut. Null: it is none. */
    private byte[] shortText(int most) {
        if (!next()) return null;
        if (header.kind != TEXT) {
            fail(Code.SYNTAX, at, "a date or time is no text");
            return null;
        }
        byte[] text = new byte[most];
        int size = 0;
        pieces.begin(data, at, end, header);
        while (pieces.next()) {
            int n = Math.min(pieces.to - pieces.from, most - size);
            System.arraycopy(data, pieces.from, text, size, n);
            size += n;
        }
        if (pieces.fault.code != null) {
            fail(pieces.fault.code, pieces.fault.at, pieces.fault.what);
            return null;
        }
        at = pieces.at;
        return Arrays.copyOf(text, size);
    }

    private boolean dateTime() {
        int start = at;
        byte[] text = shortText(128);
        if (text == null) return false;
        Code code = Code.SYNTAX;
        if (text.length < 128 && text.length >= 11 && text[4] == '-') {
            code = null;
            try {
                moment = TimeText.read(text, 0, text.length);
            } catch (DataException e) {
                code = e.code();
            }
        }
        kind = Kind.TIME;
        if (code == Code.RANGE) return fail(code, start, "a date and time that no calendar has");
        if (code == null && (moment.clock() == Moment.Clock.UTC || moment.clock() == Moment.Clock.OFFSET)) return true;
        return fail(Code.SYNTAX, start, "tag 0 holds no date and time of RFC 3339");
    }

    private boolean date() {
        int start = at;
        byte[] text = shortText(32);
        if (text == null) return false;
        kind = Kind.TIME;
        if (text.length == 10 && text[4] == '-') {
            try {
                moment = TimeText.read(text, 0, text.length);
                return true;
            } catch (DataException e) {
                if (e.code() == Code.RANGE) return fail(Code.RANGE, start, "a date that no calendar has");
            }
        }
        return fail(Code.SYNTAX, start, "tag 1004 holds no date of RFC 3339");
    }

    private boolean epoch() {
        if (!next()) return false;
        if (header.kind == INTEGER) return integer("") && moment(integer, 0, Moment.Clock.UTC);
        if (header.kind != FLOATING) return fail(Code.SYNTAX, at, "tag 1 holds no number");
        moment = momentOf(CborFloats.value(header.argument, header.size - 1));
        if (moment == null) return fail(Code.RANGE, at, "a time is beyond 64 bits of seconds");
        kind = Kind.TIME;
        at += header.size;
        return true;
    }

    /** Seconds since 1970 as a moment, to the nearest nanosecond; null where 64 bits of seconds do not hold it. */
    static Moment momentOf(double x) {
        if (!(x >= -0x1p63 && x < 0x1p63)) return null;
        double whole = Math.floor(x);
        long seconds = (long) whole;
        int nanoseconds = (int) Math.rint((x - whole) * 1e9);
        if (nanoseconds == 1_000_000_000) return new Moment(seconds + 1, 0, 0, Moment.Clock.UTC);
        return new Moment(seconds, nanoseconds, 0, Moment.Clock.UTC);
    }

    private boolean days() {
        int start = at;
        if (!integer("tag 100 holds no integer")) return false;
        long seconds = integer * SECONDS_OF_DAY;
        if (Math.multiplyHigh(integer, SECONDS_OF_DAY) != seconds >> 63) {
            return fail(Code.RANGE, start, "a date is beyond 64 bits of seconds");
        }
        return moment(seconds, 0, Moment.Clock.DATE);
    }

    /** Unknown where it says more than a moment holds: another clock, a leap second, an uncertainty. */
    private int extendedTime() {
        if (!next()) return BROKEN;
        int q = at + header.size;
        if (header.kind != MAP || header.indefinite || header.argument < 1 || header.argument > 2) return UNKNOWN;
        boolean base = false;
        long seconds = 0;
        int nanoseconds = 0;
        for (long i = header.argument; i > 0; i--) {
            value.read(data, q, end);
            if (value.kind != INTEGER) return UNKNOWN;
            boolean negative = isNegative(q);
            long name = value.argument;
            q += value.size;
            value.read(data, q, end);
            if (value.kind != INTEGER || value.argument < 0) return UNKNOWN;
            boolean below = isNegative(q);
            q += value.size;
            if (!negative && name == 1 && !base) {
                base = true;
                seconds = below ? ~value.argument : value.argument;
            } else if (negative && (name == 2 || name == 5 || name == 8) && !below && nanoseconds == 0) {
                int unit = name == 2 ? 1_000_000 : name == 5 ? 1_000 : 1; // the keys -3, -6, -9
                if (value.argument >= 1_000_000_000 / unit) return UNKNOWN;
                nanoseconds = (int) value.argument * unit;
            } else {
                return UNKNOWN;
            }
        }
        if (!base) return UNKNOWN;
        at = q;
        moment(seconds, nanoseconds, Moment.Clock.UTC);
        return KNOWN;
    }
}
