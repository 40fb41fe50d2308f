package kumihimo.json;

/**
 * Where the parts of a JSON document end by RFC 8259: white space, words, strings and numbers. Ends only, no values;
 * what has to be said about a mistake is the reader's to find.
 *
 * <p>A part that is not well-formed has the end {@link #NONE}, which is 0: no part ends there. An end with a note
 * beside it is negative: {@code -end}.
 *
 * <p>Eight bytes at a time are looked at as one long. Reads stay between {@code p} and {@code to}.
 */
public final class JsonEnds {
    /** Nothing well-formed stands there. */
    public static final int NONE = 0;

    private JsonEnds() {}

    static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    /** The first byte from p on that is no white space, or {@code to}. */
    public static int space(byte[] data, int p, int to) {
        for (int last = to - 9; p <= last; ) {
            if (data[p] == '\n') p++;
            long others = JsonWords.at(data, p) ^ JsonWords.BLANKS; // lines are indented with many blanks
            if (others == 0) { // a branch, so that the next load need not wait for the count
                p += 8;
                continue;
            }
            p += Long.numberOfTrailingZeros(others) >>> 3;
            byte b = data[p];
            if (b > ' ' || !isSpace(b)) return p;
            if (b != '\n') p++;
        }
        while (p < to && isSpace(data[p])) p++;
        return p;
    }

    /**
     * The byte behind the closing quote of the string whose opening quote stands before p; negative where it has an
     * escape, or is not all ASCII.
     */
    public static int string(byte[] data, int p, int to) {
        for (; p <= to - 8; p += 8) {
            long stop = JsonWords.notPlain(JsonWords.at(data, p));
            if (stop == 0) continue;
            p += Long.numberOfTrailingZeros(stop) >>> 3;
            return data[p] == '"' ? p + 1 : oddString(data, p, to, false);
        }
        return oddString(data, p, to, false);
    }

    /** As {@link #string}, but half a surrogate pair is as good as another character. */
    public static int looseString(byte[] data, int p, int to) {
        return oddString(data, p, to, true);
    }

    private static int oddString(byte[] data, int p, int to, boolean halves) {
        boolean plain = true;
        while (p < to) {
            byte c = data[p];
            if (c == '"') return plain ? p + 1 : -(p + 1);
            if (c == '\\') {
                int end = escape(data, p, to);
                if (end == NONE && halves && unit(data, p, to) >= 0) end = p + 6;
                if (end == NONE) return NONE;
                p = end;
                plain = false;
            } else if (c < 0) {
                p = characters(data, p, to);
                if (p == NONE) return NONE;
                plain = false;
            } else if (c < ' ') {
                return NONE;
            } else {
                p++;
            }
            while (p <= to - 8) {
                long stop = JsonWords.notPlain(JsonWords.at(data, p));
                p += stop == 0 ? 8 : Long.numberOfTrailingZeros(stop) >>> 3;
                if (stop != 0) break;
            }
        }
        return NONE;
    }

    /** The byte behind the escape whose backslash is at p, a surrogate pair as one; half a pair is none. */
    static int escape(byte[] data, int p, int to) {
        if (to - p < 2) return NONE;
        byte c = data[p + 1];
        if (c == 'u') {
            int unit = unit(data, p, to);
            if (unit < 0 || (unit & 0xfc00) == 0xdc00) return NONE;
            if ((unit & 0xfc00) != 0xd800) return p + 6;
            int low = unit(data, p + 6, to);
            return (low & 0xfffffc00) == 0xdc00 ? p + 12 : NONE;
        }
        switch (c) {
            case '"':
            case '\\':
            case '/':
            case 'b':
            case 'f':
            case 'n':
            case 'r':
            case 't':
                return p + 2;
            default:
                return NONE;
        }
    }

    /** What the escape \\uXXXX at p says, or something negative. */
    static int unit(byte[] data, int p, int to) {
        if (to - p < 6 || data[p] != '\\' || data[p + 1] != 'u') return -1;
        return hex(data[p + 2]) << 12 | hex(data[p + 3]) << 8 | hex(data[p + 4]) << 4 | hex(data[p + 5]);
    }

    private static int hex(byte c) {
        if (c >= '0' && c <= '9') return c - '0';
        int letter = c | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    /** The byte behind the characters beyond ASCII from p on, of which there is one at least. */
    private static int characters(byte[] data, int p, int to) {
        do {
            // Two characters of three bytes, as East Asia's are; not of the first bytes that have rules of their own.
            for (; p <= to - 8; p += 6) {
                long word = JsonWords.at(data, p);
                if (!JsonWords.isTwoOfThreeBytes(word)) break;
                if (isOdd((int) word) || isOdd((int) (word >>> 24))) break;
            }
            if (p < to && data[p] < 0) p = character(data, p, to);
        } while (p != NONE && p < to && data[p] < 0);
        return p;
    }

    private static boolean isOdd(int first) {
        return (first & 0xff) == 0xe0 || (first & 0xff) == 0xed;
    }

    /** The byte behind the character beyond ASCII at p, by UTF-8. */
    public static int character(byte[] data, int p, int to) {
        int a = data[p] & 0xff;
        if (a < 0xc2) return NONE;
        if (a < 0xe0) return to - p >= 2 && data[p + 1] < -64 ? p + 2 : NONE;
        if (a < 0xf0) {
            if (to - p < 3 || data[p + 1] >= -64 || data[p + 2] >= -64) return NONE;
            int b = data[p + 1] & 0xff;
            return a == 0xe0 && b < 0xa0 || a == 0xed && b >= 0xa0 ? NONE : p + 3;
        }
        if (a > 0xf4 || to - p < 4 || data[p + 1] >= -64 || data[p + 2] >= -64 || data[p + 3] >= -64) return NONE;
        int b = data[p + 1] & 0xff;
        return a == 0xf0 && b < 0x90 || a == 0xf4 && b >= 0x90 ? NONE : p + 4;
    }

    /**
     * The byte behind the number at p; negative where it may be beyond the largest double: with three digits in its
     * exponent, or more than 63 bytes. What follows the number is the caller's to check.
     */
    public static int number(byte[] data, int p, int to) {
        if (p > to - 17) return anyNumber(data, p, to);
        int q = data[p] == '-' ? p + 1 : p;
        long word = JsonWords.at(data, q);
        long stops = JsonWords.notDigits(word);
        if (stops == 0) return longWhole(data, p, q + 8, to);
        int first = Long.numberOfTrailingZeros(stops);
        // A digit at least, and no zero before others. One jump: which numbers begin with a zero nobody can foretell.
        if (((int) (word & 0xff) - ('0' + 1) & ~((first ^ 15) - 1) | first - 8) < 0) return NONE;
        int c = (int) (word >>> (first & 56)) & 0xff;
        if (c == '.') {
            stops &= stops - 1;
            if (stops == 0) return longFraction(data, p, q + (first >>> 3) + 1, q + 8, to);
            int last = Long.numberOfTrailingZeros(stops);
            if (last == first + 8) return NONE;
            c = (int) (word >>> (last & 56)) & 0xff;
            first = last;
        }
        return (c | 0x20) == 'e' ? anyNumber(data, p, to) : q + (first >>> 3);
    }

    /** Of a number at p that has eight digits before q, and eight more bytes are there. */
    private static int longWhole(byte[] data, int p, int q, int to) {
        long word = JsonWords.at(data, q);
        long stops = JsonWords.notDigits(word);
        int last = Long.numberOfTrailingZeros(stops);
        int c = (int) (word >>> (last & 56)) & 0xff;
        if (stops == 0 || data[q - 8] == '0' || c == '.' || (c | 0x20) == 'e') return anyNumber(data, p, to);
        return behind(q, last);
    }

    /**
     * Of a number at p whose fraction begins at {@code fraction}: all its bytes before q are digits, and eight more
     * are there.
     */
    private static int longFraction(byte[] data, int p, int fraction, int q, int to) {
        long word = JsonWords.at(data, q);
        long stops = JsonWords.notDigits(word);
        if (stops == 0) return anyNumber(data, p, to);
        int last = Long.numberOfTrailingZeros(stops);
        if (q == fraction && last == 7) return NONE;
        return ((int) (word >>> (last & 56)) & 0xdf) == 'E' ? anyNumber(data, p, to) : behind(q, last);
    }

    /**
     * The byte of the word at q that this bit is in. Long numbers of one place mostly have the same length, so that a
     * processor guesses the way through here, and need not wait for the word to know where the next thing begins.
     */
    private static int behind(int q, int bit) {
        switch (bit >>> 3) {
            case 0:
                return q;
            case 1:
                return q + 1;
            case 2:
                return q + 2;
            case 3:
                return q + 3;
            case 4:
                return q + 4;
            default:
                return q + (bit >>> 3);
        }
    }

    private static int anyNumber(byte[] data, int p, int to) {
        int q = p < to && data[p] == '-' ? p + 1 : p;
        int digits = q;
        q = digits(data, q, to);
        if (q == digits || data[digits] == '0' && q != digits + 1) return NONE;
        if (q < to && data[q] == '.') {
            digits = q + 1;
            q = digits(data, digits, to);
            if (q == digits) return NONE;
        }
        boolean large = false;
        if (q < to && (data[q] | 0x20) == 'e') {
            q++;
            if (q < to && (data[q] == '+' || data[q] == '-')) q++;
            digits = q;
            q = digits(data, q, to);
            if (q == digits) return NONE;
            large = q - digits > 2;
        }
        return large || q - p > 63 ? -q : q;
    }

    private static int digits(byte[] data, int p, int to) {
        for (; p <= to - 8; p += 8) {
            long stops = JsonWords.notDigits(JsonWords.at(data, p));
            if (stops != 0) return p + (Long.numberOfTrailingZeros(stops) >>> 3);
        }
        while (p < to && data[p] >= '0' && data[p] <= '9') p++;
        return p;
    }

    /** The byte behind the word that begins at p: null, true or false. */
    public static int word(byte[] data, int p, int to) {
        switch (data[p]) {
            case 'n':
                return to - p >= 4 && data[p + 1] == 'u' && data[p + 2] == 'l' && data[p + 3] == 'l' ? p + 4 : NONE;
            case 't':
                return to - p >= 4 && data[p + 1] == 'r' && data[p + 2] == 'u' && data[p + 3] == 'e' ? p + 4 : NONE;
            case 'f':
                if (to - p < 5 || data[p + 1] != 'a' || data[p + 2] != 'l' || data[p + 3] != 's') return NONE;
                return data[p + 4] == 'e' ? p + 5 : NONE;
            default:
                return NONE;
        }
    }

    /** The byte behind the value at p that is no container; negative as for {@link #number}. */
    public static int scalar(byte[] data, int p, int to) {
        byte c = data[p];
        if (c == '"') return Math.abs(string(data, p + 1, to));
        return c == '-' || c >= '0' && c <= '9' ? number(data, p, to) : word(data, p, to);
    }
}
