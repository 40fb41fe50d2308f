package kumihimo.scalar;

import java.math.BigDecimal;
import java.math.BigInteger;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.ExponentDigits;
import kumihimo.Limits;

/**
 * Numbers of any size out of their digits, by JSON's grammar. The JDK's own constructors take time by the square of
 * the length; here the digits are halved until they are few, which leaves the work to its multiplication of large
 * numbers. Errors have no place; the caller knows it.
 */
public final class BigNumbers {
    /** Up to so many digits the JDK is as fast. */
    private static final int FEW = 600;

    /** Zeros at the end of a fraction that may be divided away without a thought. */
    private static final int FEW_ZEROS = 32;

    /** Digits of a number that a long has for sure. */
    private static final int LONG_DIGITS = 18;

    /** The powers of ten that are kept are those of multiples of this, and all below it. */
    private static final int STEP = 64;

    private static final BigInteger[] SMALL_POWERS = new BigInteger[STEP];
    /** Made when they are first needed. Threads may make the same one: it is immutable. */
    private static final BigInteger[] LARGE_POWERS = new BigInteger[Limits.NUMBER_BYTES_DIGITS / STEP + 1];

    static {
        SMALL_POWERS[0] = BigInteger.ONE;
        for (int i = 1; i < STEP; i++) SMALL_POWERS[i] = SMALL_POWERS[i - 1].multiply(BigInteger.TEN);
    }

    private BigNumbers() {}

    /**
     * A BigInteger where the number has neither a fraction nor an exponent, else a BigDecimal.
     *
     * @throws NumberFormatException for text that is no number by JSON's grammar
     * @throws DataException {@link Code#SIZE} for more digits than the limits say, {@link Code#RANGE} for a larger
     *     exponent
     */
    public static Number number(String text, Limits limits) {
        Parts parts = new Parts(text, limits.numberDigits());
        return parts.plain ? parts.unscaled() : parts.decimal(limits);
    }

    /**
     * A number in decimal digits, all of which are kept, and its exponent as it stands; errors as in {@link #number}.
     */
    public static BigDecimal decimal(String text, Limits limits) {
        return new Parts(text, limits.numberDigits()).decimal(limits);
    }

    /**
     * A number without a fraction; one with an exponent or a fraction of zeros, 1e3 or 1.0, is one. It has no more
     * digits than the limits say, and where an exponent gives it some of them, no more than {@link
     * Limits#NUMBER_BYTES_DIGITS}.
     *
     * @param count of the document
     * @throws NumberFormatException for text that is no number by JSON's grammar
     * @throws DataException {@link Code#TYPE} where it has a fraction, {@link Code#SIZE} where it has too many digits,
     *     or the document has too many by exponents
     */
    public static BigInteger integer(String text, Limits limits, ExponentDigits count) {
        Parts parts = new Parts(text, limits.numberDigits());
        parts.dropZeros();
        if (parts.digits.isEmpty()) return BigInteger.ZERO;
        if (parts.scale > 0) throw new DataException(Code.TYPE, "expected an integer, found a fraction");
        if (parts.scale == 0) return parts.unscaled();
        int limit = Math.min(limits.numberDigits(), Limits.NUMBER_BYTES_DIGITS);
        if (parts.digits.length() - parts.scale > limit) throw tooLong(limit);
        count.take(-parts.scale, text.length());
        return parts.unscaled().multiply(power((int) -parts.scale));
    }

    /**
     * Whoever writes a number asks whether it could be read again.
     *
     * @throws DataException as {@link #number}
     */
    public static void check(BigDecimal value, Limits limits) {
        int digits = value.precision();
        if (digits > limits.numberDigits()) throw tooLong(limits.numberDigits());
        checkExponent(value.scale(), digits, limits.numberExponent());
    }

    /**
     * The digits of an integer; errors as in {@link #check(BigDecimal, Limits)}, before the digits are made where
     * these would be far too many.
     */
    public static String digits(BigInteger value, Limits limits) {
        int most = limits.numberDigits();
        // A digit has less than 10 / 3 bits.
        if (value.bitLength() > most * 10L / 3 + 1) throw tooLong(most);
        String text = value.toString();
        if (text.length() - (value.signum() < 0 ? 1 : 0) > most) throw tooLong(most);
        return text;
    }

    /**
     * What it costs to divide away the zeros that a number's fraction ends with, one by one, as Scala's hash of it
     * does and {@link BigDecimal#stripTrailingZeros}: in looks of {@link kumihimo.HashBudget}.
     *
     * @param written the digits that the number was made of
     */
    public static long zerosWork(BigDecimal value, String written) {
        if (value.scale() <= FEW_ZEROS) return 0;
        int end = Math.max(written.indexOf('e'), written.indexOf('E'));
        if (end < 0) end = written.length();
        int at = end;
        while (at > 0 && written.charAt(at - 1) == '0') at--;
        int zeros = end - at;
        return zeros <= FEW_ZEROS ? 0 : (long) zeros * (end >> 5);
    }

    /** Of a number with a fraction only the zeros before its digits count, since the digits are counted themselves. */
    private static void checkExponent(long scale, int digits, int most) {
        long exponent = scale < 0 ? -scale : scale - digits + 1;
        if (exponent > most) throw new DataException(Code.RANGE, "a number has an exponent beyond " + most);
    }

    private static BigInteger power(int exponent) {
        BigInteger small = SMALL_POWERS[exponent % STEP];
        if (exponent < STEP) return small;
        int i = exponent / STEP;
        BigInteger large = LARGE_POWERS[i];
        if (large == null) LARGE_POWERS[i] = large = BigInteger.TEN.pow(i * STEP);
        return large.multiply(small);
    }

    private static DataException tooLong(int most) {
        return new DataException(Code.SIZE, "a number has more than " + most + " digits");
    }

    /** A number taken apart: digits * 10^-scale; only zero begins with a zero. */
    private static final class Parts {
        final boolean negative;
        /** Without an exponent and without a fraction. */
        final boolean plain;
        String digits;
        long scale;

        Parts(String text, int most) {
            int n = text.length();
            negative = n > 0 && text.charAt(0) == '-';
            int from = negative ? 1 : 0;
            int point = digitsEnd(text, from);
            if (point > from + 1 && text.charAt(from) == '0') throw new NumberFormatException("zeros that lead");
            boolean fraction = point < n && text.charAt(point) == '.';
            int end = fraction ? digitsEnd(text, point + 1) : point;
            String all = text.substring(from, point);
            if (fraction) all += text.substring(point + 1, end);
            digits = all.substring(Math.min(zeros(all), all.length() - 1));
            if (digits.length() > most) throw tooLong(most);
            scale = fraction ? end - point - 1 : 0;
            plain = !fraction && end == n;
            if (end < n) scale -= exponent(text, end);
        }

        /** Where the digits end, of which there is one at least. */
        private static int digitsEnd(String text, int from) {
            int at = from;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
            if (at == from) throw new NumberFormatException("a digit is missing");
            return at;
        }

        /** The exponent from its e to the text's end; of one that is beyond all bounds some other that is. */
        private static long exponent(String text, int at) {
            char e = text.charAt(at++);
            if (e != 'e' && e != 'E') throw new NumberFormatException("something stands behind the digits");
            boolean below = at < text.length() && text.charAt(at) == '-';
            if (below || at < text.length() && text.charAt(at) == '+') at++;
            if (digitsEnd(text, at) != text.length()) throw new NumberFormatException("something stands behind it");
            long value = 0;
            for (; at < text.length(); at++) value = Math.min(value * 10 + text.charAt(at) - '0', 1L << 40);
            return below ? -value : value;
        }

        /** The same number without zeros at the end of its fraction; zero has no digits then. */
        void dropZeros() {
            int first = zeros(digits);
            int end = digits.length();
            while (end > first && scale > 0 && digits.charAt(end - 1) == '0') {
                end--;
                scale--;
            }
            digits = digits.substring(first, end);
        }

        /** How many the digits begin with. */
        private static int zeros(String digits) {
            int first = 0;
            while (first < digits.length() && digits.charAt(first) == '0') first++;
            return first;
        }

        BigInteger unscaled() {
            if (digits.length() <= LONG_DIGITS) return BigInteger.valueOf(few());
            BigInteger value = halved(digits, 0, digits.length(), new BigInteger[24]);
            return negative ? value.negate() : value;
        }

        private long few() {
            long value = Long.parseLong(digits);
            return negative ? -value : value;
        }

        BigDecimal decimal(Limits limits) {
            checkExponent(scale, digits.length(), limits.numberExponent());
            if (scale != (int) scale) throw new DataException(Code.RANGE, "an exponent that no BigDecimal has");
            if (digits.length() <= LONG_DIGITS) return BigDecimal.valueOf(few(), (int) scale);
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
