package kumihimo.json;

import kumihimo.scalar.IntRead;

/**
 * Where the parts of a document end, for those who must know more than {@link JsonEnds} says: comments, what is in a
 * string, and what a number lacks. As {@code engine/json/scan.hpp}.
 */
final class JsonScan {
    /** In what {@link #string} returns: the string holds an escape. */
    static final long ESCAPED = 1L << 32;
    /** The string holds a byte above 0x7F. */
    static final long WIDE = 1L << 33;
    /** No string of RFC 8259. */
    static final long BROKEN = -1;

    /** In what {@link #number} returns: the part whose digits are missing at the end that it tells. */
    static final long NO_WHOLE = 1L << 32;
    static final long NO_FRACTION = 2L << 32;
    static final long NO_EXPONENT = 3L << 32;

    /** By the letter behind a backslash: the character it means; 0 for u, and for what is no escape. */
    private static final byte[] ESCAPES = new byte[256];
    /** By an ASCII character: the value of the hexadecimal digit, or -1. */
    private static final byte[] HEX = new byte[256];

    static {
        String names = "\"\\/bfnrt";
        String meant = "\"\\/\b\f\n\r\t";
        for (int i = 0; i < names.length(); i++) ESCAPES[names.charAt(i)] = (byte) meant.charAt(i);
        for (int i = 0; i < HEX.length; i++) HEX[i] = (byte) (i < 0x80 ? Character.digit(i, 16) : -1);
    }

    private JsonScan() {}

    // White space, comments, words.

    /**
     * Behind the comment whose slash is at {@code at}; -1 where none begins, or where it is not closed. Whether its
     * text is UTF-8 is the caller's to check. The line feed behind a line comment is not part of it.
     */
    static int commentEnd(byte[] data, int at, int end, JsonReadDialect granted) {
        if (end - at < 2) return -1;
        if (data[at + 1] == '/') {
            boolean anyBreak = granted.lineEnd() == JsonReadDialect.LineEnd.ANY_BREAK;
            while (at < end && data[at] != '\n' && !(anyBreak && data[at] == '\r')) at++;
            return at == end && granted.lineEnd() == JsonReadDialect.LineEnd.CLOSED ? -1 : at;
        }
        if (data[at + 1] != '*') return -1;
        for (at += 2; end - at >= 2; at++) {
            if (data[at] == '*' && data[at + 1] == '/') return at + 2;
        }
        return -1;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$';
    }

    /** What cannot follow a number or a word, not even between the documents of a stream. */
    static boolean runsOn(int c) {
        return isLetter(c) || isDigit(c) || c == '.' || c == '+' || c == '-';
    }

    /** Whether this word stands at {@code at}. What follows it is the caller's to check. */
    static boolean isWord(byte[] data, int at, int end, String word) {
        int n = word.length();
        if (end - at < n) return false;
        for (int i = 0; i < n; i++) {
            if (data[at + i] != word.charAt(i)) return false;
        }
        return true;
    }

    // Strings.

    /** The character that the letter behind a backslash means; 0 for u, and for what is no escape. */
    static int escape(int letter) {
        return ESCAPES[letter & 0xff];
    }

    /** The 16 bits of four hexadecimal digits, or something negative; there must be four bytes. */
    static int fourHex(byte[] data, int at) {
        int a = HEX[data[at] & 0xff];
        int b = HEX[data[at + 1] & 0xff];
        int c = HEX[data[at + 2] & 0xff];
        int d = HEX[data[at + 3] & 0xff];
        return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
    }

    static int hex(int c) {
        return HEX[c & 0xff];
    }

    /**
     * The closing quote of the string of RFC 8259 whose opening quote is before {@code at}, with {@link #ESCAPED} and
     * {@link #WIDE}; {@link #BROKEN} where there is none.
     */
    static long string(byte[] data, int at, int end) {
        int last = end - 8;
        while (at <= last) {
            long stops = JsonWords.notPlain(JsonWords.at(data, at));
            if (stops != 0) {
                at += Long.numberOfTrailingZeros(stops) >>> 3;
                return data[at] == '"' ? at : rest(data, at, end);
            }
            at += 8;
        }
        return rest(data, at, end);
    }

    private static long rest(byte[] data, int at, int end) {
        long found = 0;
        int last = end - 8;
        while (at < end) {
            int c = data[at];
            if (c == '"') return at | found;
            if (c == '\\') {
                found |= ESCAPED;
                at = JsonEnds.escape(data, at, end);
                if (at == JsonEnds.NONE) return BROKEN;
            } else if (c < 0) {
                found |= WIDE;
                at = JsonEnds.character(data, at, end);
                if (at == JsonEnds.NONE) return BROKEN;
            } else if (c < 0x20) {
                return BROKEN;
            } else {
                at++;
                while (at <= last) {
                    long stops = JsonWords.notPlain(JsonWords.at(data, at));
                    at += Long.numberOfTrailingZeros(stops) >>> 3;
                    if (stops != 0) break;
                }
            }
        }
        return BROKEN;
    }

    // Numbers: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?

    /**
     * Behind the number at {@code at}; or, with the part that is missing, where it breaks off. What follows is not
     * looked at.
     */
    static long number(byte[] data, int at, int end) {
        if (at < end && data[at] == '-') at++;
        int digits = at;
        at = at < end && data[at] == '0' ? at + 1 : digits(data, at, end);
        if (at == digits) return at | NO_WHOLE;
        if (at < end && data[at] == '.') {
            int fraction = ++at;
            at = digits(data, at, end);
            if (at == fraction) return at | NO_FRACTION;
        }
        if (at < end && (data[at] | 0x20) == 'e') {
            at++;
            if (at < end && (data[at] == '+' || data[at] == '-')) at++;
            int exponent = at;
            at = digits(data, at, end);
            if (at == exponent) return at | NO_EXPONENT;
        }
        return at;
    }

    /** Behind the digits at {@code at}. */
    static int digits(byte[] data, int at, int end) {
        int n = 8;
        while (n == 8 && at <= end - 8) {
            n = IntRead.count(JsonWords.at(data, at));
            at += n;
        }
        if (n == 8) {
            while (at < end && isDigit(data[at])) at++;
        }
        return at;
    }
}
