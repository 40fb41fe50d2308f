package kumihimo;

/** The kinds of value, one for each verb of {@link Sink} that gives a value. */
public enum Kind {
    NIL("null"),
    BOOL("a boolean"),
    I64("an integer"),
    U64("an integer of 64 bits without sign"),
    F64("a double"),
    BIG("a number in its digits"),
    STR("text"),
    BIN("bytes"),
    TIME("a moment"),
    EXT("an extension"),
    ARRAY("an array"),
    MAP("a map");

    private final String text;

    Kind(String text) {
        this.text = text;
    }

    /** The kind in words, for a sentence: {@code an integer}. */
    public String text() {
        return text;
    }
}
