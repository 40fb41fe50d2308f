package kumihimo;

import java.nio.charset.StandardCharsets;

/**
 * How a path is spelled, in every error of every format: {@code $}, then a step for each level; as
 * {@code engine/core/path_text.hpp}.
 *
 * <pre>
 *   $.asks[0][1]   $["a b"].x   $["quote \" and \n"]   ${1}
 * </pre>
 *
 * A key stands bare where it reads as one word, else in brackets as a JSON string; a key that is no text as the number
 * of its pair.
 */
public final class PathText {
    private static final int LONGEST = 200;
    private static final int HEAD = 120;
    private static final int TAIL = 60;
    private static final String NAMED = "\b\t\n\f\r";
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder path = new StringBuilder("$");

    /** The path of the document itself. */
    public PathText() {}

    /** Appends an element's step, counted from 0. */
    public void index(long index) {
        path.append('[').append(Long.toUnsignedString(index)).append(']');
    }

    /** Appends the step of a pair whose key is no text, counted from 0. */
    public void pair(long index) {
        path.append('{').append(index).append('}');
    }

    /** Appends a member's step. */
    public void key(String key) {
        if (isBare(key)) {
            path.append('.').append(key);
            return;
        }
        path.append("[\"");
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c == '"' || c == '\\') path.append('\\').append(c);
            else if (c >= 0x20 && c != 0x7f) path.append(c);
            else if (NAMED.indexOf(c) >= 0) path.append('\\').append("btnfr".charAt(NAMED.indexOf(c)));
            else path.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
        }
        path.append("\"]");
    }

    /** All of it is ASCII letters, digits, {@code _ $ -} or beyond ASCII, with no digit first. */
    private static boolean isBare(String key) {
        if (key.isEmpty() || key.charAt(0) >= '0' && key.charAt(0) <= '9') return false;
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            boolean digit = c >= '0' && c <= '9';
            if (!letter && !digit && c != '_' && c != '$' && c != '-' && c < 0x80) return false;
        }
        return true;
    }

    /** The step of every element. */
    public void each() {
        path.append("[*]");
    }

    /** All of the path, however long. */
    public String whole() {
        return path.toString();
    }

    /**
     * The path; of one of more than 200 bytes the beginning and the end, cut between characters, and {@code ...}
     * between them.
     */
    @Override
    public String toString() {
        byte[] utf8 = path.toString().getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= LONGEST) return path.toString();
        int from = HEAD;
        int to = utf8.length - TAIL;
        while (from != 0 && isInside(utf8[from])) from--;
        while (to < utf8.length && isInside(utf8[to])) to++;
        return new String(utf8, 0, from, StandardCharsets.UTF_8) + "..."
                + new String(utf8, to, utf8.length - to, StandardCharsets.UTF_8);
    }

    private static boolean isInside(byte b) {
        return (b & 0xc0) == 0x80;
    }
}
