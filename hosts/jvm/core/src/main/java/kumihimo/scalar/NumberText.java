package kumihimo.scalar;

/** Whether text is a number by JSON's grammar: {@code -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?}. */
public final class NumberText {
    private NumberText() {}

    /** All of these bytes are one number. */
    public static boolean isNumber(byte[] data, int from, int to) {
        int at = from < to && data[from] == '-' ? from + 1 : from;
        int whole = digits(data, at, to);
        if (whole == at || data[at] == '0' && whole > at + 1) return false;
        at = whole;
        if (at < to && data[at] == '.') {
            int fraction = digits(data, ++at, to);
            if (fraction == at) return false;
            at = fraction;
        }
        if (at < to && (data[at] | 0x20) == 'e') {
            at++;
            if (at < to && (data[at] == '+' || data[at] == '-')) at++;
            int exponent = digits(data, at, to);
            if (exponent == at) return false;
            at = exponent;
        }
        return at == to;
    }

    /** Where the number that begins at a place, and is one, ends. */
    public static int end(byte[] data, int from, int to) {
        int at = from;
        while (at < to && isPart(data[at])) at++;
        return at;
    }

    private static boolean isPart(byte c) {
        return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
    }

    private static int digits(byte[] data, int at, int to) {
        while (at < to && data[at] >= '0' && data[at] <= '9') at++;
        return at;
    }
}
