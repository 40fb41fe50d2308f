package kumihimo.path;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import kumihimo.json.JsonEnds;

/** The keys of JSON's objects among those that a state wants. */
final class JsonKey {
    private JsonKey() {}

    /**
     * The number of the wanted key whose text begins at p, or {@link Plan#NOWHERE}.
     *
     * @param end what {@link JsonEnds#string} said of it, which was not that there is none
     */
    static int find(Plan.State s, byte[] data, int p, int end) {
        int to = Math.abs(end) - 1;
        boolean escaped = false;
        for (int i = p; end < 0 && i < to && !escaped; i++) escaped = data[i] == '\\';
        if (!escaped) return s.find(data, p, to);
        byte[] text = unescape(data, p, to);
        return s.find(text, 0, text.length);
    }

    /** The text of a string whose escapes are known to be well-formed. */
    static byte[] unescape(byte[] data, int p, int to) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (p < to) {
            if (data[p] != '\\') {
                out.write(data[p++]);
                continue;
            }
            int named = "\"\\/bfnrt".indexOf(data[p + 1]);
            if (named >= 0) {
                out.write("\"\\/\b\f\n\r\t".charAt(named));
                p += 2;
                continue;
            }
            char[] units = {unit(data, p), 0};
            boolean pair = Character.isHighSurrogate(units[0]);
            if (pair) units[1] = unit(data, p + 6);
            byte[] utf8 = new String(units, 0, pair ? 2 : 1).getBytes(StandardCharsets.UTF_8);
            out.write(utf8, 0, utf8.length);
            p += pair ? 12 : 6;
        }
        return out.toByteArray();
    }

    private static char unit(byte[] data, int p) {
        return (char) Integer.parseInt(new String(data, p + 2, 4, StandardCharsets.ISO_8859_1), 16);
    }
}
