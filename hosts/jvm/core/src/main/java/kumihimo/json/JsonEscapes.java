package kumihimo.json;

/**
 * Which characters of a string are escaped beyond those that RFC 8259 requires (control characters, quote, backslash).
 * {@link #action} is the exact answer for each byte; what eight bytes are tested for at once is in {@link #stops}.
 */
public enum JsonEscapes {
    /** No others. */
    RFC8259("", false, false),
    /**
     * "/" as well, so that no end tag of a script can appear, and U+2028 and U+2029, which old JavaScript takes for
     * line ends.
     */
    SCRIPT_SAFE("/", true, false),
    /** &lt; &gt; &amp;, U+2028 and U+2029: safe inside an HTML page. */
    HTML_SAFE("<>&", true, false),
    /** Everything above U+007F. */
    ASCII("", false, true),
    /** "/". */
    SLASH("/", false, false),
    /** Everything above U+007E, as Python's json module. */
    PYTHON("\u007f", false, true);

    /** In {@link #action}: the byte goes out as it is. */
    static final byte COPY = 0;
    /** Four hexadecimal digits behind a backslash and the letter u. */
    static final byte UNICODE = 1;
    /** The first byte of U+2028 and U+2029: escaped if it is one of these. */
    static final byte SEPARATORS = 2;

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    /** What becomes of each byte of UTF-8; any value that is no constant above: a backslash and this character. */
    final byte[] action = new byte[256];
    /** U+2028 and U+2029 are escaped. */
    final boolean separators;
    /** Everything above U+007F is escaped, beyond U+FFFF as a pair. */
    final boolean ascii;
    /** More ASCII characters are escaped than RFC 8259 requires. */
    final boolean more;
    /** These, eight times over; filled up with the quote. */
    private final long first;
    private final long second;
    private final long third;

    JsonEscapes(String characters, boolean separators, boolean ascii) {
        this.separators = separators;
        this.ascii = ascii;
        java.util.Arrays.fill(action, 0, 0x20, UNICODE);
        action['\b'] = 'b';
        action['\f'] = 'f';
        action['\n'] = 'n';
        action['\r'] = 'r';
        action['\t'] = 't';
        action['"'] = '"';
        action['\\'] = '\\';
        long[] tests = {'"', '"', '"'};
        for (int i = 0; i < characters.length(); i++) {
            char c = characters.charAt(i);
            action[c] = c == '/' ? (byte) '/' : UNICODE;
            tests[i] = c;
        }
        if (separators) action[0xe2] = SEPARATORS;
        more = !characters.isEmpty();
        first = tests[0] * ONES;
        second = tests[1] * ONES;
        third = tests[2] * ONES;
    }

    /**
     * The high bits of the bytes that do not simply stand in a string, those beyond ASCII among them; only the lowest
     * one that is set means something.
     */
    long stops(long word) {
        long stops = JsonWords.notPlain(word);
        return more ? stops | stopsOfMore(word) : stops;
    }

    /** The same, but bytes beyond ASCII simply stand in a string, unless they may begin a separator that is escaped. */
    long stopsOfUtf8(long word) {
        long stops = JsonWords.notPlain(word) & ~word;
        if (more) stops |= stopsOfMore(word) & ~word;
        if (separators) stops |= ~(((word ^ 0xe2 * ONES) & ~HIGHS) + 0x7f * ONES) & word & HIGHS;
        return stops;
    }

    private long stopsOfMore(long word) {
        return ((word ^ first) - ONES | (word ^ second) - ONES | (word ^ third) - ONES) & HIGHS;
    }
}
