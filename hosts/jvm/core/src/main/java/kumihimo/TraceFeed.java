package kumihimo;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import kumihimo.format.Order;

/**
 * Reads a trace back: the verbs of one document, which must be the whole text. Only what {@link Trace} writes is
 * taken; but the text behind the bits of an f64 is not looked at. Offsets of errors count the bytes of the trace, and
 * are those of the line's first byte.
 */
public final class TraceFeed {
    private final String trace;
    private final Order order = new Order(Trace.ANY_DEPTH);
    private int line; // where it begins

    private TraceFeed(String trace) {
        this.trace = trace;
    }

    /**
     * Calls the sink's verbs, with the counts that the trace has.
     *
     * @throws DataException of the notation, or what the sink throws
     */
    public static void document(String trace, Sink to) {
        new TraceFeed(trace).run(to);
    }

    private void run(Sink to) {
        do {
            if (line == trace.length()) throw fail(Code.TRUNCATED, "the trace ends inside a document");
            int stop = trace.indexOf('\n', line);
            if (stop < 0) throw fail(Code.TRUNCATED, "the trace's last line is not ended");
            verb(trace.substring(line, stop), to);
            line = stop + 1;
        } while (order.depth() > 0);
        if (line != trace.length()) throw fail(Code.TRAILING, "the trace goes on after its document");
    }

    private void verb(String text, Sink to) {
        int space = text.indexOf(' ');
        String name = space < 0 ? text : text.substring(0, space);
        String rest = space < 0 ? null : text.substring(space + 1);
        if (name.equals("key")) {
            key(rest, to);
            return;
        }
        if (text.equals("end")) {
            order.end();
            to.end();
            return;
        }
        order.value();
        if (name.equals("array") || name.equals("map")) {
            boolean map = name.equals("map");
            long count = rest == null ? Sink.UNKNOWN : number(rest);
            if (rest != null && count < 0) throw broken();
            order.open(map, count);
            if (map) to.map(count);
            else to.array(count);
            return;
        }
        if (text.equals("null")) to.nil();
        else if (text.equals("boolean true")) to.bool(true);
        else if (text.equals("boolean false")) to.bool(false);
        else if (rest == null) throw broken();
        else scalar(name, rest, to);
    }

    private void key(String rest, Sink to) {
        if (rest == null) {
            order.keyIsNext();
            to.keyIsNext();
            return;
        }
        order.key();
        Text key = quoted(rest);
        if (key.string != null) to.key(key.string);
        else to.key(key.bytes, 0, key.bytes.length, false);
    }

    private void scalar(String name, String rest, Sink to) {
        switch (name) {
            case "i64":
                to.i64(number(rest));
                return;
            case "u64": {
                if (!rest.matches("[1-9][0-9]{18,19}")) throw broken();
                to.u64(Long.parseUnsignedLong(rest));
                return;
            }
            case "f64":
                if (!rest.matches("0x[0-9a-f]{16} .*")) throw broken();
                to.f64(Double.longBitsToDouble(Long.parseUnsignedLong(rest.substring(2, 18), 16)));
                return;
            case "big":
                if (!rest.matches("[0-9+\\-.eE]+")) throw broken();
                to.big(rest);
                return;
            case "str": {
                Text text = quoted(rest);
                if (text.string != null) to.str(text.string);
                else to.str(text.bytes, 0, text.bytes.length, false);
                return;
            }
            case "bin": {
                byte[] data = hex(rest);
                to.bin(data, 0, data.length);
                return;
            }
            case "ext": {
                int space = rest.indexOf(' ');
                if (space < 0) throw broken();
                byte[] data = hex(rest.substring(space + 1));
                to.ext((int) number(rest.substring(0, space)), data, 0, data.length);
                return;
            }
            case "time":
                to.time(moment(rest));
                return;
            default:
                throw broken();
        }
    }

    private Moment moment(String rest) {
        String[] parts = rest.split(" ", -1);
        if (parts.length != 4) throw broken();
        for (Moment.Clock clock : Moment.Clock.values()) {
            if (parts[0].equals(clock.name().toLowerCase(java.util.Locale.ROOT))) {
                return new Moment(number(parts[1]), (int) number(parts[2]), (int) number(parts[3]), clock);
            }
        }
        throw broken();
    }

    private long number(String digits) {
        if (!digits.matches("0|-?[1-9][0-9]*")) throw broken();
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw broken();
        }
    }

    private byte[] hex(String text) {
        if (!text.matches("0x([0-9a-f]{2})*+")) throw broken();
        byte[] data = new byte[text.length() / 2 - 1];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) Integer.parseInt(text.substring(2 + 2 * i, 4 + 2 * i), 16);
        }
        return data;
    }

    /** Text as a string, or as bytes where some are not UTF-8. */
    private static final class Text {
        String string;
        byte[] bytes;
    }

    private Text quoted(String text) {
        int end = text.length() - 1;
        if (end < 1 || text.charAt(0) != '"' || text.charAt(end) != '"') throw broken();
        StringBuilder string = new StringBuilder();
        byte[] bytes = null;
        int size = 0;
        for (int i = 1; i < end; ) {
            char c = text.charAt(i++);
            if (c == '"' || c < 0x20 || c > 0x7e) throw broken();
            if (c != '\\') {
                string.append(c);
                continue;
            }
            c = i < end ? text.charAt(i++) : 0;
            if (c == '"' || c == '\\') {
                string.append(c);
            } else if (c == 'x' && text.substring(i, end).matches("(?s)[0-9a-f]{2}.*")) {
                byte[] before = Utf8.bytes(string.toString());
                string.setLength(0);
                if (bytes == null) bytes = new byte[text.length() * 4];
                System.arraycopy(before, 0, bytes, size, before.length);
                size += before.length;
                bytes[size++] = (byte) Integer.parseInt(text.substring(i, i + 2), 16);
                i += 2;
            } else if (c == 'u') {
                int close = text.indexOf('}', i);
                if (close < 0 || !text.substring(i, close).matches("\\{(0|[1-9a-f][0-9a-f]{0,5})")) throw broken();
                int code = Integer.parseInt(text.substring(i + 1, close), 16);
                if (code > 0x10ffff || code >= 0xd800 && code < 0xe000 || code >= 0x20 && code < 0x7f) throw broken();
                string.appendCodePoint(code);
                i = close + 1;
            } else {
                throw broken();
            }
        }
        Text out = new Text();
        if (bytes == null) {
            out.string = string.toString();
        } else {
            byte[] rest = string.toString().getBytes(StandardCharsets.UTF_8);
            System.arraycopy(rest, 0, bytes, size, rest.length);
            out.bytes = Arrays.copyOf(bytes, size + rest.length);
        }
        return out;
    }

    private DataException broken() {
        return fail(Code.SYNTAX, "this line is not a verb of the trace notation");
    }

    private DataException fail(Code code, String what) {
        return new DataException(code, what, line);
    }
}
