package kumihimo.scalar;

import kumihimo.format.LittleEndian;

/**
 * The digits of a double as text: where the point stands and how the exponent is spelled.
 *
 * <p>A number comes as 0.ddddddddddddddddl * 10^point: 16 digits, the first not zero, and a 17th. All of {@link
 * FloatWrite#ROOM} may be written to.
 */
final class FloatText {
    static final long TEN_TO_15 = 1_000_000_000_000_000L;
    static final long TEN_TO_16 = 10 * TEN_TO_15;
    static final long TEN_TO_17 = 100 * TEN_TO_15;

    private static final int TEN_TO_8 = 100_000_000;
    /** The text "0.000000". */
    private static final long POINT_AND_ZEROS = 0x3030303030302e30L;

    private FloatText() {}

    /** Writes the number and returns the end. */
    static int put(byte[] to, int at, long digits, int last, int point, FloatLayout as) {
        int head = (int) (digits / TEN_TO_8);
        long first = Digits.eight(head);
        long second = Digits.eight((int) (digits - (long) head * TEN_TO_8));
        int n = significant(first, second, last);
        return laidOut(to, at, first | Digits.ZEROS, second | Digits.ZEROS, '0' + last, n, point, as);
    }

    /** Writes digits * 10^exponent, where there are 1 to 17 digits or 10^17, and returns the end. */
    static int putShort(byte[] to, int at, long digits, int exponent, FloatLayout as) {
        if (digits < TEN_TO_16) return putFew(to, at, digits, exponent, as);
        if (digits == TEN_TO_17) return put(to, at, TEN_TO_15, 0, exponent + 18, as);
        return put(to, at, digits / 10, (int) (digits % 10), exponent + 17, as);
    }

    /** The same for 1 to 16 digits. */
    static int putFew(byte[] to, int at, long digits, int exponent, FloatLayout as) {
        int length = length(digits);
        return put(to, at, digits * TENS[16 - length], 0, exponent + length, as);
    }

    /** The same for 1 to 9 digits, with half the work. */
    static int putNine(byte[] to, int at, int digits, int exponent, FloatLayout as) {
        int length = length(digits);
        int nine = digits * (int) TENS[9 - length];
        int head = nine / 10;
        int last = nine - head * 10;
        long first = Digits.eight(head);
        int n = 9 - (1 + (Long.numberOfLeadingZeros(first) >>> 3) & (last - 1) >> 31);
        return laidOut(to, at, first | Digits.ZEROS, last | Digits.ZEROS, '0', n, exponent + length, as);
    }

    /** 10^n for n up to 17. */
    static final long[] TENS = new long[18];

    static {
        TENS[0] = 1;
        for (int i = 1; i < TENS.length; i++) TENS[i] = TENS[i - 1] * 10;
    }

    /** How many digits n has, 1 to 17. */
    static int length(long n) {
        int least = (64 - Long.numberOfLeadingZeros(n | 1)) * 1233 >>> 12;
        return least + (n >= TENS[least] ? 1 : 0);
    }

    /** Digits left when trailing zeros are taken off. Without branches: on most data these would be coin tosses. */
    private static int significant(long first, long second, int last) {
        int ofSecond = Long.numberOfLeadingZeros(second) >>> 3;
        int ofFirst = Long.numberOfLeadingZeros(first) >>> 3;
        int zeros = 1 + ofSecond + (ofFirst & -(ofSecond >>> 3));
        return 17 - (zeros & (last - 1) >> 31);
    }

    /** Lays n digits out, the first eight and the second eight as text, and a 17th; what follows the n is zeros. */
    static int laidOut(byte[] to, int at, long first, long second, int last, int n, int point, FloatLayout as) {
        if (point > 0 && point <= as.quickPoint) {
            // The digits one place to the right, then those in front of the point over them, a word at a time.
            LittleEndian.put64(to, at + 9, second);
            to[at + 17] = (byte) last;
            if (point < 8) {
                LittleEndian.put64(to, at + 1, first);
                LittleEndian.put64(to, at, withPoint(first, point));
            } else {
                LittleEndian.put64(to, at, first);
                LittleEndian.put64(to, at + 8, withPoint(second, point - 8));
            }
            return at + Math.max(n + (n > point ? 1 : 0), point + as.wholeTail);
        }
        if (point <= 0 && point >= as.leastPoint) {
            LittleEndian.put64(to, at, POINT_AND_ZEROS);
            LittleEndian.put16(to, at + 8, (int) Digits.ZEROS);
            at += 2 - point;
            LittleEndian.put64(to, at, first);
            LittleEndian.put64(to, at + 8, second);
            to[at + 16] = (byte) last;
            return at + n;
        }
        // Ruby stops at 15 digits, but for a number that has some behind the point.
        boolean stops = as.isRuby() && point == 16 && n <= 16;
        if (point > 0 && point <= as.greatestPoint && !stops) return whole(to, at, first, second, last, n, point, as);
        return withExponent(to, at, first, second, last, n, point, as);
    }

    /**
     * A word of digits with the point after the first n of them, n < 8; what falls out at the end is stored
     * elsewhere.
     */
    private static long withPoint(long word, int n) {
        int bits = n << 3;
        long before = (1L << bits) - 1;
        return (word & before) | (long) '.' << bits | (word & ~before) << 8;
    }

    /** 16 to 24 digits in front of the point. */
    private static int whole(byte[] to, int at, long first, long second, int last, int n, int point, FloatLayout as) {
        LittleEndian.put64(to, at, first);
        LittleEndian.put64(to, at + 8, second);
        at += 16;
        if (point == 16) {
            to[at] = '.';
            to[at + 1] = (byte) last;
            return at + Math.max(n == 17 ? 2 : 0, as.wholeTail);
        }
        to[at] = (byte) last;
        LittleEndian.put64(to, at + 1, Digits.ZEROS);
        at += point - 16;
        if (!as.isJson()) return at;
        to[at] = '.';
        to[at + 1] = '0';
        return at + 2;
    }

    /** As 1.5e+300. */
    static int withExponent(byte[] to, int at, long first, long second, int last, int n, int point, FloatLayout as) {
        LittleEndian.put64(to, at + 1, first);
        LittleEndian.put64(to, at + 9, second);
        to[at + 17] = (byte) last;
        to[at] = (byte) first;
        to[at + 1] = '.';
        at += n > 1 ? n + 1 : as.mantissaZero ? 3 : 1;
        int exponent = point - 1;
        to[at] = 'e';
        to[at + 1] = (byte) (exponent < 0 ? '-' : '+');
        at += 2;
        int a = Math.abs(exponent);
        if (a >= 100) {
            to[at++] = (byte) ('0' + a / 100);
            a %= 100;
        } else if (a < 10 && !as.exponentOfTwo) {
            to[at] = (byte) ('0' + a);
            return at + 1;
        }
        LittleEndian.put16(to, at, Digits.twoTexts(a));
        return at + 2;
    }
}
