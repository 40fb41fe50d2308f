package kumihimo;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import kumihimo.format.Order;

/**
 * Verbs as text, one line each: the notation of the conformance vectors ({@code tests/vectors/README.md} defines it).
 * For tests, and for whoever wants to see what a document says:
 *
 * <pre>
 *   {"id": 7, "tags": ["a"]}   is   map | key "id" | i64 7 | key "tags" | array | str "a" | end | end
 * </pre>
 */
public final class Trace implements Sink {
    private static final long NAN_BITS = 0x7ff8000000000000L;
    /** How deep a document may be is a question to whoever feeds the trace. */
    static final Limits ANY_DEPTH = Limits.DEFAULT.withDepth(Integer.MAX_VALUE);
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();
    private final Order order = new Order(ANY_DEPTH);
    private final boolean counts;

    /** @param counts known counts of containers are written; documents are compared without them */
    public Trace(boolean counts) {
        this.counts = counts;
    }

    /** The lines of the document so far, whole or not. */
    @Override
    public String toString() {
        return out.toString();
    }

    /** The lines of the whole document; {@link Code#MISUSE} where something is missing. */
    public String finish() {
        order.finish();
        return out.toString();
    }

    /** Forgets the document. */
    public void reset() {
        order.clear();
        out.setLength(0);
    }

    @Override
    public void nil() {
        value("null");
    }

    @Override
    public void bool(boolean value) {
        value(value ? "boolean true" : "boolean false");
    }

    @Override
    public void i64(long value) {
        value("i64 " + value);
    }

    @Override
    public void u64(long bits) {
        value("u64 " + Long.toUnsignedString(bits));
    }

    @Override
    public void f64(double value) {
        long bits = value != value ? NAN_BITS : Double.doubleToRawLongBits(value);
        StringBuilder line = new StringBuilder("f64 0x");
        for (int shift = 60; shift >= 0; shift -= 4) line.append(HEX.charAt((int) (bits >>> shift) & 15));
        value(line.append(' ').append(number(value)).toString());
    }

    @Override
    public void big(String digits) {
        value("big " + digits);
    }

    @Override
    public void str(String text) {
        order.value();
        out.append("str \"");
        text(text);
        out.append("\"\n");
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        out.append("str \"");
        text(data, from, to);
        out.append("\"\n");
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        out.append("bin 0x");
        hex(data, from, to);
    }

    @Override
    public void time(Moment moment) {
        value("time " + moment.clock().name().toLowerCase(java.util.Locale.ROOT) + " " + moment.seconds() + " "
                + moment.nanoseconds() + " " + moment.offset());
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        out.append("ext ").append(type).append(" 0x");
        hex(data, from, to);
    }

    @Override
    public void array(long count) {
        open("array", false, count);
    }

    @Override
    public void map(long count) {
        open("map", true, count);
    }

    @Override
    public void key(String text) {
        order.key();
        out.append("key \"");
        text(text);
        out.append("\"\n");
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        out.append("key \"");
        text(data, from, to);
        out.append("\"\n");
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        out.append("key\n");
    }

    @Override
    public void end() {
        order.end();
        out.append("end\n");
    }

    private void value(String line) {
        order.value();
        out.append(line).append('\n');
    }

    private void open(String verb, boolean map, long count) {
        order.value();
        order.open(map, count);
        out.append(verb);
        if (counts && count >= 0) out.append(' ').append(count);
        out.append('\n');
    }

    private void hex(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) out.append(HEX.charAt(data[i] >> 4 & 15)).append(HEX.charAt(data[i] & 15));
        out.append('\n');
    }

    private void text(String text) {
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (c >= 0xd800 && c < 0xe000) {
                raw(0xed);
                raw(0x80 | c >> 6 & 0x3f);
                raw(0x80 | c & 0x3f);
            } else {
                codePoint(c);
            }
        }
    }

    private void text(byte[] data, int from, int to) {
        for (int i = from; i < to; ) {
            int n = sequence(data, i, to);
            if (n == 0) {
                raw(data[i++] & 0xff);
                continue;
            }
            int c = n == 1 ? data[i] : data[i] & 0x7f >> n;
            for (int k = 1; k < n; k++) c = c << 6 | data[i + k] & 0x3f;
            codePoint(c);
            i += n;
        }
    }

    /** How many bytes the code point at a place takes; 0 if the bytes there are not UTF-8. */
    private static int sequence(byte[] data, int at, int to) {
        int first = data[at] & 0xff;
        if (first < 0x80) return 1;
        int n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4 || to - at < n) return 0;
        for (int k = 1; k < n; k++) {
            if ((data[at + k] & 0xc0) != 0x80) return 0;
        }
        int second = data[at + 1] & 0xff;
        boolean wrong = first == 0xe0 && second < 0xa0 || first == 0xed && second > 0x9f
                || first == 0xf0 && second < 0x90 || first == 0xf4 && second > 0x8f;
        return wrong ? 0 : n;
    }

    private void codePoint(int c) {
        if (c == '"' || c == '\\') {
            out.append('\\').append((char) c);
        } else if (c >= 0x20 && c < 0x7f) {
            out.append((char) c);
        } else {
            out.append("\\u{").append(Integer.toHexString(c)).append('}');
        }
    }

    private void raw(int b) {
        out.append("\\x").append(HEX.charAt(b >> 4)).append(HEX.charAt(b & 15));
    }

    /**
     * ECMAScript's Number::toString, with -0 kept apart. Slow and independent of the library's own digits on purpose:
     * a reference that shared them could not find their faults.
     */
    static String number(double x) {
        if (x != x) return "nan";
        String sign = Double.doubleToRawLongBits(x) < 0 ? "-" : "";
        x = Math.abs(x);
        if (x == 0) return sign + "0";
        if (x == Double.POSITIVE_INFINITY) return sign + "inf";
        BigDecimal shortest = shortest(x).stripTrailingZeros();
        String d = shortest.unscaledValue().toString();
        int k = d.length();
        int n = k - shortest.scale(); // the value is 0.ddd * 10^n
        if (k <= n && n <= 21) return sign + d + "0".repeat(n - k);
        if (0 < n && n <= 21) return sign + d.substring(0, n) + "." + d.substring(n);
        if (-6 < n && n <= 0) return sign + "0." + "0".repeat(-n) + d;
        String fraction = k > 1 ? "." + d.substring(1) : "";
        return sign + d.charAt(0) + fraction + (n > 0 ? "e+" + (n - 1) : "e-" + (1 - n));
    }

    private static BigDecimal shortest(double x) {
        BigDecimal exact = new BigDecimal(x);
        for (int digits = 1; ; digits++) {
            BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
            BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
            boolean low = below.doubleValue() == x;
            boolean high = above.doubleValue() == x;
            if (low && high) return exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (low || high) return low ? below : above;
        }
    }
}
