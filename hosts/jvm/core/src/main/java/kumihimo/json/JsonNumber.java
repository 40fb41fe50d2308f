package kumihimo.json;

import kumihimo.Kind;
import kumihimo.scalar.FloatRead;
import kumihimo.scalar.IntRead;

/**
 * A number of JSON, of any kind: its text to a value in one go, the grammar checked while the digits are gathered.
 * Reused.
 */
final class JsonNumber {
    /** The sentence for a number that {@link JsonReadDialect.Overflows#REFUSE} refuses. */
    static final String BEYOND_DOUBLE = "a number is larger than a double can hold";

    private static final long TEN_TO_19 = -8446744073709551616L; // as 64 bits without sign
    private static final long FAR = 100_000_000_000_000_000L;

    /** I64, U64, F64 or BIG. */
    Kind kind;
    /** The value of I64 and U64. */
    long whole;
    /** The value of F64; of BIG with a fraction or an exponent, infinity where it is beyond the largest double. */
    double real;
    /** It has neither fraction nor exponent. */
    boolean integer;
    /** Behind its last byte. */
    int end;

    private long mantissa;

    /**
     * Reads the number at data[at], a minus or digit. What follows it is the caller's to check.
     *
     * @return false where there is none
     */
    boolean read(byte[] data, int at, int stop, JsonReadDialect granted) {
        boolean negative = data[at] == '-';
        int digits = negative ? at + 1 : at;
        mantissa = 0;
        int p = take(data, digits, stop);
        int count = p - digits;
        if (count == 0 || count > 1 && data[digits] == '0') return false;
        int c = p < stop ? data[p] : 0;
        integer = c != '.' && (c | 0x20) != 'e';
        if (integer) {
            end = p;
            integer(negative, count, data[digits]);
            if (kind == Kind.F64 && granted.integerZero()) kind = Kind.I64;
            return true;
        }
        int behindPoint = 0;
        if (c == '.') {
            int fraction = p + 1;
            p = take(data, fraction, stop);
            behindPoint = p - fraction;
            if (behindPoint == 0) return false;
            count += behindPoint;
        }
        int digitsEnd = p;
        long exponent = 0;
        if (p < stop && (data[p] | 0x20) == 'e') {
            p++;
            boolean down = p < stop && data[p] == '-';
            if (down || p < stop && data[p] == '+') p++;
            int first = p;
            long e = 0;
            for (; p < stop && JsonScan.isDigit(data[p]); p++) {
                if (e < FAR) e = e * 10 + data[p] - '0';
            }
            if (p == first) return false;
            exponent = down ? -e : e;
        }
        end = p;
        double magnitude = count > 19
                ? FloatRead.many(data, digits, digitsEnd, exponent) : compose(exponent - behindPoint);
        fraction(negative, magnitude, granted);
        return true;
    }

    private double compose(long exponent) {
        return mantissa == 0 ? 0 : FloatRead.compose(mantissa, (int) Math.max(-100_000, Math.min(100_000, exponent)));
    }

    private void fraction(boolean negative, double magnitude, JsonReadDialect granted) {
        real = negative ? -magnitude : magnitude;
        kind = granted.decimalDigits() || magnitude == Double.POSITIVE_INFINITY ? Kind.BIG : Kind.F64;
    }

    /** By the digits in the mantissa, which wraps beyond 19 of them. */
    private void integer(boolean negative, int count, int first) {
        long m = mantissa;
        if (negative && m == 0 && count == 1) { // an integer by its spelling, and a double by its value
            kind = Kind.F64;
            real = -0.0;
            whole = 0;
            return;
        }
        if (count > 18) {
            boolean fits = count == 19 || count == 20 && first == '1' && Long.compareUnsigned(m, TEN_TO_19) >= 0;
            if (!fits || negative && Long.compareUnsigned(m, Long.MIN_VALUE) > 0) {
                kind = Kind.BIG;
                return;
            }
            if (!negative && m < 0) {
                kind = Kind.U64;
                whole = m;
                return;
            }
        }
        kind = Kind.I64;
        whole = negative ? -m : m;
    }

    /** Appends the digits at p to the mantissa (modulo 2^64), and returns where they end. */
    private int take(byte[] data, int p, int stop) {
        long m = mantissa;
        int n = 8;
        while (n == 8 && p <= stop - 8) {
            long word = JsonWords.at(data, p);
            n = IntRead.count(word);
            m = n == 8 ? m * 100_000_000 + IntRead.eight(word) : m * IntRead.power(n) + IntRead.some(word, n);
            p += n;
        }
        if (n == 8) {
            for (; p < stop && JsonScan.isDigit(data[p]); p++) m = m * 10 + data[p] - '0';
        }
        mantissa = m;
        return p;
    }

    /**
     * The nearest double of the number that was read last, an integer beyond 64 bits too; infinity where it is too
     * large.
     */
    double toDouble(byte[] data, int at) {
        switch (kind) {
            case I64:
                return whole;
            case U64:
                return FloatRead.compose(whole, 0);
            case F64:
                return real;
            default:
        }
        if (!integer) return real;
        boolean negative = data[at] == '-';
        double magnitude = FloatRead.many(data, negative ? at + 1 : at, end, 0);
        return negative ? -magnitude : magnitude;
    }

    /** Whether the number in data[at, stop) is one that {@link JsonReadDialect.Overflows#REFUSE} refuses. */
    static boolean overflows(byte[] data, int at, int stop, JsonReadDialect granted) {
        if (granted.decimalDigits()) return false;
        JsonNumber number = new JsonNumber();
        return number.read(data, at, stop, granted) && number.kind == Kind.BIG && !number.integer;
    }
}
