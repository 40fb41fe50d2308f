package kumihimo.json;

import java.nio.charset.StandardCharsets;

/** The white space of a document; immutable. */
public final class JsonLayout {
    /** None. */
    public static final JsonLayout COMPACT = new JsonLayout(",", ":", "", "");
    /** Behind each comma and colon, on one line. */
    public static final JsonLayout SPACED = new JsonLayout(", ", ": ", "", "");
    /** One value per line, two spaces per level. */
    public static final JsonLayout PRETTY = new JsonLayout(",", ": ", "\n", "  ");

    final byte[] item;
    final byte[] key;
    final byte[] newline;
    final byte[] indent;
    final boolean compact;

    /**
     * @param item between two values: a comma, with white space around it
     * @param key between a key and its value: a colon, with white space around it
     * @param newline after an opening bracket, after each separator, before a closing bracket: white space
     * @param indent once per level after each newline: white space
     * @throws IllegalArgumentException where there is something else in them
     */
    public JsonLayout(String item, String key, String newline, String indent) {
        this.item = checked(item, ",");
        this.key = checked(key, ":");
        this.newline = checked(newline, "");
        this.indent = checked(indent, "");
        compact = item.length() == 1 && key.length() == 1 && newline.isEmpty() && indent.isEmpty();
    }

    private static byte[] checked(String text, String mark) {
        StringBuilder rest = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (" \t\r\n".indexOf(text.charAt(i)) < 0) rest.append(text.charAt(i));
        }
        if (!mark.contentEquals(rest)) {
            throw new IllegalArgumentException("a layout may have white space only, and its marks");
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
