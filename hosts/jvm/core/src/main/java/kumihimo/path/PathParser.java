package kumihimo.path;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kumihimo.Code;
import kumihimo.DataException;

/** Reads the two notations of {@link Path} from UTF-8 that is known to be valid. */
final class PathParser {
    private final byte[] s;
    private final List<Step> steps = new ArrayList<>();
    private int at;

    PathParser(byte[] s) {
        this.s = s;
    }

    Path parse() {
        if (s.length != 0) {
            if (s[0] == '/') pointer();
            else dotted();
        }
        return new Path(steps);
    }

    private DataException fail(String what) {
        return new DataException(Code.SYNTAX, what, at);
    }

    private void pointer() {
        while (at < s.length) {
            at++; // the slash
            int from = at;
            ByteArrayOutputStream key = new ByteArrayOutputStream();
            while (at < s.length && s[at] != '/') {
                if (s[at] != '~') {
                    key.write(s[at++]);
                    continue;
                }
                if (at + 1 == s.length || s[at + 1] != '0' && s[at + 1] != '1')
                    throw fail("~ in a JSON Pointer is followed by 0 (for ~) or 1 (for /)");
                key.write(s[at + 1] == '0' ? '~' : '/');
                at += 2;
            }
            byte[] name = key.toByteArray();
            boolean number = isIndex(from, at);
            steps.add(number ? Step.either(name, index(from, at)) : Step.key(name));
        }
    }

    private void dotted() {
        boolean first = true;
        if (s[0] == '$' && (s.length == 1 || s[1] == '.' || s[1] == '[')) {
            at = 1;
            first = false;
        }
        for (; at < s.length; first = false) {
            if (s[at] == '[') {
                bracket();
            } else if (first) {
                name();
            } else if (s[at] == '.') {
                at++;
                name();
            } else {
                throw fail("a step of a path begins with . or [");
            }
        }
    }

    private void bracket() {
        at++;
        if (at == s.length) throw fail("a path ends inside brackets");
        if (s[at] == '"' || s[at] == '\'') {
            quoted();
        } else if (s[at] == '*') {
            steps.add(Step.EACH);
            at++;
        } else {
            int from = at;
            while (at < s.length && isDigit(s[at])) at++;
            if (at == from) throw fail("brackets in a path hold a number from 0, *, or a quoted name");
            if (!isIndex(from, at)) {
                at = from;
                throw fail("an index in a path has a leading zero or is too large");
            }
            steps.add(Step.index(index(from, at)));
        }
        if (at == s.length || s[at] != ']') throw fail("a bracket in a path is not closed");
        at++;
    }

    private void name() {
        if (at < s.length && s[at] == '"') {
            quoted();
            return;
        }
        int from = at;
        for (; at < s.length && s[at] != '.' && s[at] != '['; at++)
            if (s[at] == ']' || s[at] == '"') throw fail("a name with ] or \" in a path must be quoted: [\"...\"]");
        if (at == from) throw fail("an empty name in a path must be quoted: [\"\"]");
        if (at == from + 1 && s[from] == '*') {
            at = from;
            throw fail("* in a path stands in brackets, [*]; a member of that name must be quoted: [\"*\"]");
        }
        steps.add(Step.key(Arrays.copyOfRange(s, from, at)));
    }

    /** s[at] is the opening quote; leaves {@code at} behind the closing one. */
    private void quoted() {
        byte quote = s[at++];
        ByteArrayOutputStream key = new ByteArrayOutputStream();
        for (;;) {
            if (at == s.length) throw fail("a quoted name in a path is not closed");
            byte c = s[at];
            if (c == quote) break;
            if (c == '\\') {
                escape(key);
            } else {
                key.write(c);
                at++;
            }
        }
        at++;
        steps.add(Step.key(key.toByteArray()));
    }

    private void escape(ByteArrayOutputStream to) {
        if (at + 1 == s.length) throw fail("a path ends inside an escape");
        int named = "\"'\\/bfnrt".indexOf(s[at + 1]);
        if (named >= 0) {
            to.write("\"'\\/\b\f\n\r\t".charAt(named));
            at += 2;
            return;
        }
        if (s[at + 1] != 'u') throw fail("an unknown escape in a path");
        int unit = unit(at);
        if (unit < 0) throw fail("\\u in a path needs four hexadecimal digits");
        int size = 6;
        int c = unit;
        if ((unit & 0xf800) == 0xd800) {
            int low = unit(at + 6);
            if (unit >= 0xdc00 || low < 0xdc00 || low > 0xdfff) throw fail("half a surrogate pair in a path");
            c = Character.toCodePoint((char) unit, (char) low);
            size = 12;
        }
        byte[] utf8 = new String(Character.toChars(c)).getBytes(StandardCharsets.UTF_8);
        to.write(utf8, 0, utf8.length);
        at += size;
    }

    /** What the escape \\uXXXX at i says, or something negative. */
    private int unit(int i) {
        if (i + 6 > s.length || s[i] != '\\' || s[i + 1] != 'u') return -1;
        int unit = 0;
        for (int k = i + 2; k < i + 6; k++) {
            int digit = s[k] < 0 ? -1 : Character.digit((char) s[k], 16);
            if (digit < 0) return -1;
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    /** Digits alone without a leading zero, up to 2^64-1. */
    private boolean isIndex(int from, int to) {
        int n = to - from;
        if (n == 0 || n > 20 || n > 1 && s[from] == '0') return false;
        for (int i = from; i < to; i++) if (!isDigit(s[i])) return false;
        return n < 20 || new String(s, from, n, StandardCharsets.US_ASCII).compareTo("18446744073709551615") <= 0;
    }

    private long index(int from, int to) {
        return Long.parseUnsignedLong(new String(s, from, to - from, StandardCharsets.US_ASCII));
    }
}
