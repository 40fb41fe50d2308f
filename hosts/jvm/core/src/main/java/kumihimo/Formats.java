package kumihimo;

import java.util.ArrayList;
import java.util.List;
import kumihimo.cbor.Cbor;
import kumihimo.json.Json;
import kumihimo.msgpack.Msgpack;
import kumihimo.tagged.Tagged;

/** The table of formats: one row each. Here, and nowhere else, a new format is named. */
public final class Formats {
    /** In the order in which a document without a mark is tried. */
    private static final List<Format> ALL = List.of(new Json(), new Msgpack(), new Tagged(), new Cbor());

    private Formats() {}

    /** Every format, in the order in which a document without a mark is tried. */
    public static List<Format> all() {
        return ALL;
    }

    /** The names of all formats. */
    public static List<String> names() {
        List<String> names = new ArrayList<>();
        for (Format f : ALL) names.add(f.name());
        return names;
    }

    /** @throws IllegalArgumentException for a name that is none; the message has all names */
    public static Format named(String name) {
        for (Format f : ALL) {
            if (f.name().equals(name)) return f;
        }
        throw new IllegalArgumentException("there is no format " + name + "; there are " + String.join(", ", names()));
    }

    /** The format that a document's first bytes tell, or null. */
    public static Format of(byte[] data, int from, int to) {
        Format possible = null;
        for (Format f : ALL) {
            Format.Likeness like = f.resembles(data, from, to);
            if (like == Format.Likeness.CERTAIN) return f;
            if (like == Format.Likeness.POSSIBLE && possible == null) possible = f;
        }
        return possible;
    }

    /** The same for the whole array. */
    public static Format of(byte[] document) {
        return of(document, 0, document.length);
    }

    /** The format with this media type, whatever its case, its parameters and the white space around it; or null. */
    public static Format ofMediaType(String type) {
        int parameters = type.indexOf(';');
        String wanted = lower(trim(parameters < 0 ? type : type.substring(0, parameters)));
        for (Format f : ALL) {
            if (f.mediaTypes().contains(wanted)) return f;
        }
        return null;
    }

    /** The format whose ending the name of a file has, in any case and with something before it; or null. */
    public static Format ofName(String name) {
        String wanted = lower(name);
        for (Format f : ALL) {
            for (String ending : f.endings()) {
                if (wanted.length() > ending.length() && wanted.endsWith(ending)) return f;
            }
        }
        return null;
    }

    /** ASCII letters alone: no other character becomes one of them. */
    private static String lower(String text) {
        char[] chars = text.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') chars[i] += 32;
        }
        return new String(chars);
    }

    /** Without HTTP's white space: blanks and tabs. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) from++;
        while (to > from && isBlank(text.charAt(to - 1))) to--;
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
