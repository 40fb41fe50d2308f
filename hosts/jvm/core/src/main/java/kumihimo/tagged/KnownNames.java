package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.Names;
import kumihimo.Utf8;

/** The names of a document that have numbers: where they stand, and what they were found to be. */
final class KnownNames {
    /** From and to of name n at 2n. */
    private int[] places = new int[32];
    private boolean[] ascii = new boolean[16];
    /** The same as text, once it is asked for. */
    private String[] texts = new String[16];
    /** The index of each among the names that it was looked up in last. */
    private int[] found = new int[16];
    private Names[] asked = new Names[16];
    private int size;

    int size() {
        return size;
    }

    /** Forgets all names from this number on. */
    void cut(int size) {
        this.size = size;
    }

    /** The next number stands for the name in data from {@code from} to {@code to}, which is UTF-8. */
    void add(int from, int to, boolean isAscii) {
        int n = size++;
        if (n == ascii.length) {
            places = Arrays.copyOf(places, 4 * n);
            ascii = Arrays.copyOf(ascii, 2 * n);
            texts = Arrays.copyOf(texts, 2 * n);
            found = Arrays.copyOf(found, 2 * n);
            asked = Arrays.copyOf(asked, 2 * n);
        }
        places[2 * n] = from;
        places[2 * n + 1] = to;
        ascii[n] = isAscii;
        texts[n] = null;
        asked[n] = null;
    }

    int from(int n) {
        return places[2 * n];
    }

    int to(int n) {
        return places[2 * n + 1];
    }

    boolean isAscii(int n) {
        return ascii[n];
    }

    String text(byte[] data, int n) {
        String text = texts[n];
        if (text == null) texts[n] = text = Utf8.string(data, from(n), to(n), ascii[n]);
        return text;
    }

    /** The index of name n among names, or {@link Names#OTHER}. */
    int find(byte[] data, int n, Names names) {
        if (asked[n] != names) {
            asked[n] = names;
            found[n] = names.find(data, from(n), to(n));
        }
        return found[n];
    }
}
