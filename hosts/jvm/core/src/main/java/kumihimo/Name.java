package kumihimo;

/**
 * The name of a field, prepared once: what each format needs of it, so that writing a key copies bytes and reading one compares
 * them. Immutable.
 */
public final class Name {
    private final String text;
    private final byte[] utf8;
    private final boolean plain;

    /** @throws DataException {@link Code#ENCODING} for half a surrogate pair */
    public Name(String text) {
        this.text = text;
        this.utf8 = Utf8.bytes(text);
        boolean plain = utf8.length == text.length();
        for (byte b : utf8) plain &= b >= 0x20 && b < 0x7f && b != '"' && b != '\\' && b != '/' && b != '<' && b != '>' && b != '&';
        this.plain = plain;
    }

    public String text() {
        return text;
    }

    /** The bytes of the name in UTF-8; not to be changed. */
    public byte[] utf8() {
        return utf8;
    }

    /** All of it is printable ASCII that no dialect of JSON escapes. */
    public boolean isPlain() {
        return plain;
    }

    @Override
    public String toString() {
        return text;
    }

}
