package kumihimo.cbor;

import java.math.BigInteger;
import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * A number in its own digits as a CBOR item: an integer, a bignum, or a decimal fraction that keeps every digit.
 *
 * <pre>
 *   123                   18 7b                    12345678901234567890123    c2 4a ...
 *   1.50                  c4 82 21 18 96           1e400                      c4 82 19 0190 01
 * </pre>
 */
final class CborNumeral {
    /** Characters that are always enough for a number of that many bytes. */
    private static final int LONGEST = Limits.NUMBER_BYTES * 5 / 2 + 64;

    private final byte[] bytes = new byte[Limits.NUMBER_BYTES + 64];
    private final String digits;
    private int at;

    private CborNumeral(String digits) {
        this.digits = digits;
    }

    /**
     * The item's bytes. Minus zero, which no integer says, becomes the float of that name; the number of
     * its zeros is lost.
     *
     * @throws DataException syntax: not a number of JSON; size: more digits than the limit; range: the exponent is
     *     beyond 64 bits
     */
    static byte[] item(String digits, boolean shortestFloats) {
        if (digits.length() > LONGEST) throw tooLong();
        return new CborNumeral(digits).item(shortestFloats);
    }

    private byte[] item(boolean shortestFloats) {
        boolean negative = digits.startsWith("-");
        at = negative ? 1 : 0;
        int from = at;
        skipDigits();
        boolean good = at != from && (digits.charAt(from) != '0' || at == from + 1);
        String coefficient = digits.substring(from, at);
        long exponent = 0;
        boolean whole = true;
        if (is('.')) {
            int fraction = ++at;
            skipDigits();
            good &= at != fraction;
            coefficient += digits.substring(fraction, at);
            exponent = fraction - at;
            whole = false;
        }
        boolean fits = true;
        if (is('e') || is('E')) {
            whole = false;
            at++;
            boolean minus = is('-');
            if (minus || is('+')) at++;
            int first = at;
            skipDigits();
            good &= at != first;
            if (good) {
                BigInteger written = new BigInteger(digits.substring(first, at));
                BigInteger sum = (minus ? written.negate() : written).add(BigInteger.valueOf(exponent));
                fits = written.bitLength() <= 63 && sum.bitLength() <= 63;
                exponent = sum.longValue();
            }
        }
        if (!good || at != digits.length()) {
            throw new DataException(Code.SYNTAX, "a number's digits break JSON's grammar");
        }
        BigInteger n = new BigInteger(coefficient);
        if (n.bitLength() > 8 * Limits.NUMBER_BYTES) throw tooLong();
        return put(n, negative, whole, exponent, fits, shortestFloats);
    }

    private byte[] put(BigInteger n, boolean negative, boolean whole, long exponent, boolean fits,
            boolean shortestFloats) {
        int to = 0;
        if (n.signum() == 0 && negative) {
            to = CborFloats.put(bytes, to, -0.0, shortestFloats);
        } else if (whole) {
            to = putInteger(to, n, negative);
        } else {
            if (!fits) throw new DataException(Code.RANGE, "a number's exponent is beyond 64 bits");
            to = CborHeader.put(bytes, to, CborHeader.TAG, CborHeader.TAG_DECIMAL);
            to = CborHeader.put(bytes, to, CborHeader.ARRAY, 2);
            to = CborHeader.putInteger(bytes, to, exponent);
            to = putInteger(to, n, negative);
        }
        return Arrays.copyOf(bytes, to);
    }

    /** The integer, in the shortest form that holds it. */
    private int putInteger(int to, BigInteger n, boolean negative) {
        if (negative) n = n.subtract(BigInteger.ONE);
        if (n.bitLength() <= 64) return CborHeader.put(bytes, to, negative ? CborHeader.NEGATIVE : 0, n.longValue());
        to = CborHeader.put(bytes, to, CborHeader.TAG, negative ? CborHeader.TAG_NEGATIVE : CborHeader.TAG_NATURAL);
        byte[] big = n.toByteArray();
        int zeros = big[0] == 0 ? 1 : 0; // the sign's
        to = CborHeader.put(bytes, to, CborHeader.BYTES, big.length - zeros);
        System.arraycopy(big, zeros, bytes, to, big.length - zeros);
        return to + big.length - zeros;
    }

    private void skipDigits() {
        while (at < digits.length() && digits.charAt(at) >= '0' && digits.charAt(at) <= '9') at++;
    }

    private boolean is(char c) {
        return at < digits.length() && digits.charAt(at) == c;
    }

    private static DataException tooLong() {
        return new DataException(Code.SIZE, "a number has more digits than the limit");
    }
}
