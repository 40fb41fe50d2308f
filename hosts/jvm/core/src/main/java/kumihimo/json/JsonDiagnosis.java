package kumihimo.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.PathText;
import kumihimo.Utf8;

/**
 * The slow and exact pass after a reader said no: it walks the document once more, byte by byte, and finds what broke,
 * where, and under which path; as {@code engine/json/diagnose.cpp}. All sentences about JSON's syntax stand here, and
 * no correct document pays for it.
 *
 * <p>The walk stops at the first byte that breaks a rule, or, when it was given a target, at the value or key that
 * holds it, so that the open containers say the path.
 */
final class JsonDiagnosis {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final JsonReadDialect ANY = JsonReadDialect.parse("+non_finite+comments+trailing_commas"
            + "+byte_order_mark+control_characters+unknown_escapes+any_bytes+surrogates=replace");

    private final byte[] data;
    private final int from;
    private final int end;
    private final JsonReadDialect granted;
    private final Limits limits;
    private final int target;

    private int at;
    private int string; // opening quote of the string at hand
    private int again = -1; // the key that makes the document refused for a duplicate
    private boolean fresh; // a container was just opened
    private boolean stopped;
    private DataException why;

    // The open containers.
    private int depth;
    private boolean[] map = new boolean[16];
    private int[] index = new int[16]; // of the value at hand, in an array
    private int[] key = new int[16]; // first byte of the current key, in a map
    private int[] keyEnd = new int[16]; // -1: no key yet

    private JsonDiagnosis(byte[] data, int from, int end, JsonReadDialect granted, Limits limits, int target) {
        this.data = data;
        this.from = from;
        this.end = end;
        this.granted = granted;
        this.limits = limits;
        this.target = target;
        at = from;
        if (granted.duplicates() == JsonReadDialect.Duplicates.ERROR && target == NEVER) {
            again = JsonDuplicates.find(data, from, end, granted).firstAgain;
        }
    }

    /** What is wrong with the document in data[from, end), with its place in words; null where nothing is. */
    static DataException of(byte[] data, int from, int end, JsonReadDialect granted, Limits limits) {
        JsonDiagnosis walk = new JsonDiagnosis(data, from, end, granted, limits, NEVER);
        return walk.document() ? null : placed(data, from, end, walk.why, walk.path());
    }

    /**
     * A failure at a byte of a document with its line, its column and the path of the value that the byte belongs to;
     * one of {@link #of} has them already.
     */
    static DataException locate(byte[] data, int from, int end, DataException failure) {
        if (failure.path() != null) return failure;
        int target = (int) Math.min(from + failure.offset(), NEVER - 1);
        // The dialect is not known, and need not be: what it has let in before the failure is let in here.
        Limits any = Limits.DEFAULT.withDepth(Integer.MAX_VALUE);
        JsonDiagnosis walk = new JsonDiagnosis(data, from, end, ANY, any, target);
        walk.document();
        return placed(data, from, end, failure, walk.path());
    }

    private static DataException placed(byte[] data, int from, int end, DataException failure, String path) {
        long line = 1;
        int start = from; // of the line
        int stop = (int) Math.min(end, from + failure.offset());
        for (int i = from; i < stop; i++) {
            boolean pair = data[i] == '\r' && i + 1 < end && data[i + 1] == '\n';
            if (data[i] == '\n' || data[i] == '\r' && !pair) {
                line++;
                start = i + 1;
            }
        }
        return failure.at(line, stop - start + 1, path);
    }

    private boolean document() {
        if (end - from > limits.size()) {
            return fail(Code.SIZE, from + (int) limits.size(), "the document is larger than the size limit");
        }
        if (startsWithMark()) {
            if (!granted.byteOrderMark()) {
                return fail(Code.SYNTAX, at, "a byte order mark before the document: remove these three bytes");
            }
            at += 3;
        }
        if (looksLikeUtf16()) return fail(Code.ENCODING, at, "this looks like UTF-16 or UTF-32: JSON is UTF-8");
        if (!space()) return false;
        if (at == end) return fail(Code.TRUNCATED, at, "the document is empty");
        if (!value()) return false;
        while (depth != 0) {
            if (!step()) return false;
            if (stopped) return true;
        }
        if (stopped) return true;
        if (!space()) return false;
        if (at == end) return true;
        int c = peek(0);
        if (c == ']' || c == '}') return fail(Code.TRAILING, at, "a closing bracket that nothing opened");
        if (c == ',') return fail(Code.TRAILING, at, "a comma after the document");
        return fail(Code.TRAILING, at, "something follows the document");
    }

    private String path() {
        PathText out = new PathText();
        for (int i = 0; i < depth; i++) {
            if (!map[i]) {
                out.index(index[i]);
            } else if (keyEnd[i] >= 0) {
                // Half of a surrogate pair, which only a dialect lets in here, has no other spelling than U+FFFD.
                byte[] text = new byte[keyEnd[i] - key[i]];
                long n = JsonUnescape.bytes(data, key[i], keyEnd[i], text, JsonReadDialect.Surrogates.REPLACE,
                        JsonUnescape.Unknown.of(granted));
                out.key(new String(text, 0, n == JsonScan.BROKEN ? 0 : (int) n, StandardCharsets.UTF_8));
            }
        }
        return out.toString();
    }

    private int peek(int ahead) {
        return at + ahead < end ? data[at + ahead] & 0xff : -1;
    }

    private boolean startsWithMark() {
        return peek(0) == 0xef && peek(1) == 0xbb && peek(2) == 0xbf;
    }

    private boolean looksLikeUtf16() {
        int a = peek(0);
        int b = peek(1);
        int c = peek(2);
        int d = peek(3);
        boolean marked = a == 0xff && b == 0xfe || a == 0xfe && b == 0xff;
        return marked || a > 0 && b == 0 && c > 0 && d == 0 || a == 0 && b > 0 && c == 0 && d > 0;
    }

    private boolean fail(Code code, int place, String what) {
        why = new DataException(code, what, place - from);
        return false;
    }

    /** What to call a byte that ought not be there: the end of the input is a code of its own. */
    private boolean unexpected(String what, String atEnd) {
        if (at >= end) return fail(Code.TRUNCATED, end, atEnd);
        int c = peek(0);
        if (c >= 0x80 && Utf8.sequence(data, at, end, c) == 0) return notUtf8(at);
        if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
            String comment = granted.comments() ? "a comment that is not closed" : "a comment: JSON has none";
            return fail(Code.SYNTAX, at, comment);
        }
        if (c == 0) return fail(Code.SYNTAX, at, "a zero byte outside a string");
        if (c < 0x20) return fail(Code.SYNTAX, at, "a control character outside a string");
        return fail(Code.SYNTAX, at, what);
    }

    private boolean notUtf8(int place) {
        return fail(Code.ENCODING, place, "a byte that is not valid UTF-8");
    }

    private boolean space() {
        for (;;) {
            at = JsonEnds.space(data, at, end);
            if (!granted.comments() || peek(0) != '/' || peek(1) != '/' && peek(1) != '*') return true;
            int until = JsonScan.commentEnd(data, at, end, granted);
            if (!granted.anyBytes()) { // in a comment that is not closed, too, a broken byte is the earlier fault
                int stop = until < 0 ? end : until;
                int valid = Utf8.validPrefix(data, at, stop);
                if (valid != stop) return notUtf8(valid);
            }
            if (until < 0) {
                return fail(Code.TRUNCATED, at, peek(1) == '/'
                        ? "a comment is not closed: it needs a line feed behind it" : "a comment is not closed");
            }
            at = until;
        }
    }

    private boolean character() {
        int c = peek(0);
        int n = c < 0x80 ? 1 : Utf8.sequence(data, at, end, c);
        if (n == 0 && !granted.anyBytes()) return notUtf8(at);
        at += n == 0 ? 1 : n;
        return true;
    }

    /** Reads a scalar whole, or an opening bracket. */
    private boolean value() {
        if (at >= target) {
            stopped = true;
            return true;
        }
        int c = peek(0);
        boolean opens = c == '{' || c == '[';
        fresh = opens;
        if (opens) return open(c == '{');
        if (c == '"') return string();
        if (c == 't') return word("true");
        if (c == 'f') return word("false");
        if (c == 'n') return word("null");
        if (c == '-' || JsonScan.isDigit(c)) return number();
        if (granted.nonFinite()) {
            if (c == 'N') return word("NaN");
            if (c == 'I') return word("Infinity");
        }
        return noValue(c);
    }

    private boolean noValue(int c) {
        if (c == 'N' || c == 'I') {
            return fail(Code.SYNTAX, at, "a word that JSON does not have: there is no NaN and no Infinity");
        }
        if (c == '\'') return fail(Code.SYNTAX, at, "a single quote: strings are written in double quotes");
        if (c == '+') return fail(Code.SYNTAX, at, "a number cannot start with '+'");
        if (c == '.') return fail(Code.SYNTAX, at, "a number cannot start with '.': write 0 before it");
        if (JsonScan.isLetter(c)) return noWord();
        if (depth != 0 && (c == ',' || c == ']' || c == '}')) {
            if (map[depth - 1]) return fail(Code.SYNTAX, at, "the value of a key is missing");
            return fail(Code.SYNTAX, at, c == ',' ? "a value is missing before the comma" : "a value was expected");
        }
        return unexpected("a value was expected", "the document ends where a value was expected");
    }

    private boolean noWord() {
        return fail(Code.SYNTAX, at, "a word that is not true, false or null: text needs double quotes");
    }

    private boolean open(boolean isMap) {
        if (depth >= limits.depth() && !flat(isMap ? '}' : ']')) {
            return fail(Code.DEPTH, at, "nested deeper than the depth limit");
        }
        if (depth == map.length) {
            map = Arrays.copyOf(map, depth * 2);
            index = Arrays.copyOf(index, depth * 2);
            key = Arrays.copyOf(key, depth * 2);
            keyEnd = Arrays.copyOf(keyEnd, depth * 2);
        }
        map[depth] = isMap;
        index[depth] = 0;
        keyEnd[depth++] = -1;
        at++;
        return true;
    }

    /** Whether the container that opens here is one that the depth does not count. */
    private boolean flat(int closer) {
        if (!granted.flatEmpty()) return false;
        int open = at++;
        // A broken comment is the earlier fault.
        boolean empty = !space() || peek(0) == closer || granted.comments() && peek(0) == '/';
        at = open;
        return empty;
    }

    private boolean word(String word) {
        boolean is = JsonScan.isWord(data, at, end, word);
        if (!is && JsonScan.isWord(data, at, end, word.substring(0, Math.min(end - at, word.length())))) {
            return fail(Code.TRUNCATED, end, "the document ends inside a word");
        }
        if (!is || JsonScan.runsOn(peek(word.length()))) return noWord();
        at += word.length();
        return true;
    }

    private boolean number() {
        if (peek(0) == '-') {
            if (granted.nonFinite() && peek(1) == 'I') {
                at++;
                return word("Infinity");
            }
            if (peek(1) == 'I' || peek(1) == 'N') {
                return fail(Code.SYNTAX, at + 1, "a word that JSON does not have: there is no NaN and no Infinity");
            }
        }
        int start = at;
        int first = at + (peek(0) == '-' ? 1 : 0);
        long n = JsonScan.number(data, at, end);
        at = (int) n;
        long missing = n - at;
        String cut = "the document ends inside a number";
        if (missing == JsonScan.NO_WHOLE) return unexpected("a number needs a digit after its sign", cut);
        if (missing == JsonScan.NO_FRACTION) return unexpected("a number needs a digit after its point", cut);
        if (missing == JsonScan.NO_EXPONENT) return unexpected("a number needs a digit in its exponent", cut);
        if (granted.overflows() == JsonReadDialect.Overflows.REFUSE
                && JsonNumber.overflows(data, start, at, granted)) {
            return fail(Code.RANGE, start, JsonNumber.BEYOND_DOUBLE);
        }
        if (data[first] == '0' && at == first + 1) {
            if (JsonScan.isDigit(peek(0))) {
                return fail(Code.SYNTAX, at, "a number cannot start with 0 and another digit");
            }
            if (peek(0) == 'x' || peek(0) == 'X') {
                return fail(Code.SYNTAX, at, "a hexadecimal number: JSON has decimal numbers only");
            }
        }
        if (JsonScan.runsOn(peek(0))) return fail(Code.SYNTAX, at, "a character that does not belong in a number");
        return true;
    }

    /** The value of the four digits of the escape whose backslash is at i, or -1 with a failure. */
    private int unit(int i) {
        int v = 0;
        for (int k = i + 2; k < i + 6; k++) {
            int h = k < end ? JsonScan.hex(data[k]) : -1;
            if (h < 0) {
                if (k >= end) fail(Code.TRUNCATED, string, "a string is not closed");
                else fail(Code.SYNTAX, i, "\\u needs four hexadecimal digits");
                return -1;
            }
            v = v * 16 + h;
        }
        return v;
    }

    private boolean string() {
        string = at++;
        for (;;) {
            int c = peek(0);
            if (c < 0) return fail(Code.TRUNCATED, string, "a string is not closed");
            if (c == '"') {
                at++;
                return true;
            }
            if (c == '\\') {
                if (!escape()) return false;
            } else if (c < 0x20 && !granted.controlCharacters()) {
                return controlCharacter();
            } else if (!character()) {
                return false;
            }
        }
    }

    private boolean controlCharacter() {
        return fail(Code.SYNTAX, at, peek(0) == '\n' || peek(0) == '\r'
                ? "a line break inside a string: close the string or write \\n"
                : "a control character inside a string: write it as \\u00XX");
    }

    private boolean escape() {
        int c = peek(1);
        if (c < 0) return fail(Code.TRUNCATED, string, "a string is not closed");
        if (c != 'u') {
            boolean known = JsonScan.escape(c) != 0;
            if (!known && granted.unknownEscapes() && (c >= 0x20 || granted.controlCharacters() && c != 0)) {
                at++;
                if (c >= 0x20) return character();
                at++;
                return true;
            }
            if (!known) {
                return fail(Code.SYNTAX, at,
                        "an unknown escape: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
            }
            at += 2;
            return true;
        }
        int first = unit(at);
        if (first < 0) return false;
        boolean any = first < 0xd800 || first > 0xdfff;
        switch (granted.surrogates()) {
            case REPLACE:
            case KEEP:
                any = true;
                break;
            case LOW:
            case GREEDY:
                any |= first >= 0xdc00;
                break;
            default:
        }
        if (any) {
            at += 6;
            return true;
        }
        if (granted.surrogates() == JsonReadDialect.Surrogates.GREEDY) return otherHalf();
        if (first < 0xdc00 && peek(6) == '\\' && peek(7) == 'u') {
            int second = unit(at + 6);
            if (second < 0) return false;
            if (second >= 0xdc00 && second <= 0xdfff) {
                at += 12;
                return true;
            }
        }
        return halfPair(at);
    }

    private boolean halfPair(int place) {
        return fail(Code.ENCODING, place, "an escape for half a surrogate pair: U+D800 to U+DFFF are no characters");
    }

    /** What {@link JsonReadDialect.Surrogates#GREEDY} takes behind the escape for a first half. */
    private boolean otherHalf() {
        int half = at;
        at += 6;
        for (int i = 0; i < 6; i++) {
            // The closing quote is the first that is not escaped.
            int c = peek(i);
            if (c < 0 || c == '"') return halfPair(half);
            if (c == '\\') i++;
        }
        if (peek(0) != '\\') {
            // Its first byte is swallowed, but it must be one that may stand in a string.
            return peek(0) < 0x20 && !granted.controlCharacters() ? controlCharacter() : character();
        }
        if (peek(1) == 'u') {
            if (unit(at) < 0) return false;
            at += 6;
        } else if (peek(1) == '\\') {
            at++; // of two backslashes the first is swallowed, so that the second begins an escape
        }
        return true;
    }

    /** One step inside the innermost container: the next value with its key, or the closer. */
    private boolean step() {
        if (!space()) return false;
        int top = depth - 1;
        boolean isMap = map[top];
        int closer = isMap ? '}' : ']';
        boolean first = fresh;
        fresh = false;
        if (at >= target) {
            stopped = true;
            return true;
        }
        if (peek(0) == closer) {
            at++;
            depth--;
            return true;
        }
        if (!first) {
            if (peek(0) != ',') return noComma(isMap);
            at++;
            if (!isMap) index[top]++;
            if (!space()) return false;
            if (peek(0) == closer) {
                if (!granted.trailingCommas()) {
                    return fail(Code.SYNTAX, at,
                            isMap ? "a trailing comma before '}'" : "a trailing comma before ']'");
                }
                at++;
                depth--;
                return true;
            }
        }
        if (isMap) return member(top);
        if (first && at >= end) return fail(Code.TRUNCATED, at, "the document ends inside an array");
        return value();
    }

    private boolean noComma(boolean isMap) {
        int c = peek(0);
        if (c == ']' || c == '}') {
            return fail(Code.SYNTAX, at, isMap ? "'{' is closed by ']'" : "'[' is closed by '}'");
        }
        if (isMap) return unexpected("',' or '}' was expected after a value", "the document ends inside an object");
        return unexpected("',' or ']' was expected after a value", "the document ends inside an array");
    }

    private boolean member(int top) {
        keyEnd[top] = -1;
        if (peek(0) != '"') {
            if (peek(0) == ']') return fail(Code.SYNTAX, at, "'{' is closed by ']'");
            if (peek(0) == '\'') return fail(Code.SYNTAX, at, "a single quote: keys are written in double quotes");
            return unexpected("a key in double quotes was expected", "the document ends inside an object");
        }
        if (at == again) return fail(Code.DUPLICATE, at, "a key that this object has already");
        int open = at;
        if (!string()) return false;
        key[top] = open + 1;
        keyEnd[top] = at - 1;
        if (target < at) {
            stopped = true;
            return true;
        }
        if (!space()) return false;
        if (peek(0) != ':') return unexpected("':' was expected after a key", "the document ends after a key");
        at++;
        return space() && value();
    }
}
