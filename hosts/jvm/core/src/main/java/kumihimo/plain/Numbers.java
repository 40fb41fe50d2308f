package kumihimo.plain;

import java.math.BigDecimal;
import java.math.BigInteger;
import kumihimo.Code;
import kumihimo.DataException;

/**
 * Numbers of any size out of their digits, by JSON's grammar. The JDK's own constructors take time by the square of
 * the length; here the digits are halved until they are few, which leaves the work to its multiplication of large
 * numbers.
 */
final class Numbers {
    /** Up to so many digits the JDK is as fast. */
    private static final int FEW = 600;

    private Numbers() {}

    /**
     * A BigInteger where the number has neither a fraction nor an exponent, else a BigDecimal.
     *
     * @throws DataException {@link Code#SIZE} for more digits than most, {@link Code#RANGE} for an exponent that a
     *     BigDecimal cannot have
     */
    static Number number(String text, int most) {
        Parts parts = new Parts(text, most);
        return parts.scale == 0 && parts.plain ? parts.unscaled() : parts.decimal();
    }

    /**
     * A number without a fraction; one with an exponent or a fraction of zeros, 1e3 or 1.0, is one.
     *
     * @throws DataException {@link Code#TYPE} where it is none, {@link Code#SIZE} where it has more digits than most
     */
    static BigInteger whole(String text, int most) {
        Parts parts = new Parts(text, most);
        parts.dropZeros();
        if (parts.digits.isEmpty()) return BigInteger.ZERO;
        if (parts.scale > 0) throw new DataException(Code.TYPE, "expected an integer, found a fraction");
        if (parts.digits.length() - parts.scale > most) throw tooLong(most);
        return parts.decimal().toBigIntegerExact();
    }

    /** A number in decimal digits, all of which are kept; errors as in {@link #number}. */
    static BigDecimal decimal(String text, int most) {
        return new Parts(text, most).decimal();
    }

    private static DataException tooLong(int most) {
        return new DataException(Code.SIZE, "a number has more than " + most + " digits");
    }

    /** A number taken apart: digits * 10^-scale. */
    private static final class Parts {
        final boolean negative;
        /** Without an exponent and without a fraction. */
        final boolean plain;
        String digits;
        long scale;

        Parts(String text, int most) {
            negative = text.charAt(0) == '-';
            int from = negative ? 1 : 0;
            int end = text.length();
            int point = -1;
            for (int i = from; i < end; i++) {
                char c = text.charAt(i);
                if (c == '.') point = i;
                if (c == 'e' || c == 'E') end = i;
            }
            if (end - from > most) throw tooLong(most);
            plain = point < 0 && end == text.length();
            if (point < 0) {
                digits = text.substring(from, end);
            } else {
                digits = text.substring(from, point) + text.substring(point + 1, end);
                scale = end - point - 1;
            }
            if (end < text.length()) scale -= exponent(text, end + 1);
        }

        /** The number behind the e; of one that is beyond all bounds some other that is. */
        private static long exponent(String text, int at) {
            boolean below = text.charAt(at) == '-';
            if (below || text.charAt(at) == '+') at++;
            long value = 0;
            for (; at < text.length(); at++) value = Math.min(value * 10 + text.charAt(at) - '0', 1L << 40);
            return below ? -value : value;
        }

        /** The same number without zeros at the end of its fraction; zero has no digits then. */
        void dropZeros() {
            int first = 0;
            while (first < digits.length() && digits.charAt(first) == '0') first++;
            int end = digits.length();
            while (end > first && scale > 0 && digits.charAt(end - 1) == '0') {
                end--;
                scale--;
            }
            digits = digits.substring(first, end);
        }

        BigInteger unscaled() {
            BigInteger value = halved(digits, 0, digits.length(), new BigInteger[24]);
            return negative ? value.negate() : value;
        }

        BigDecimal decimal() {
            if (scale != (int) scale) throw new DataException(Code.RANGE, "an exponent that no BigDecimal has");
            return new BigDecimal(unscaled(), (int) scale);
        }

        /** Right halves have FEW * 2^k digits, so that the powers of ten are few and shared. */
        private static BigInteger halved(String digits, int from, int to, BigInteger[] powers) {
            if (to - from <= FEW) return new BigInteger(digits.substring(from, to));
            int k = 0;
            while ((long) FEW << k + 1 < to - from) k++;
            int middle = to - (FEW << k);
            for (int i = 0; i <= k; i++) {
                if (powers[i] != null) continue;
                powers[i] = i == 0 ? BigInteger.TEN.pow(FEW) : powers[i - 1].multiply(powers[i - 1]);
            }
            return halved(digits, from, middle, powers).multiply(powers[k]).add(halved(digits, middle, to, powers));
        }
    }
}
