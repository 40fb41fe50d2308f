package kumihimo;

/** The kinds of value, one for each verb of {@link Sink} that gives a value. */
public enum Kind {
    NIL,
    BOOL,
    I64,
    U64,
    F64,
    BIG,
    STR,
    BIN,
    TIME,
    EXT,
    ARRAY,
    MAP
}
