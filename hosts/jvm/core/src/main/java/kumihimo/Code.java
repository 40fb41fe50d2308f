package kumihimo;

import java.util.Locale;

/** What can go wrong; the same codes as in {@code engine/core/errc.hpp}. */
public enum Code {
    /** The bytes break the format's grammar. */
    SYNTAX,
    /** The bytes end inside a value. */
    TRUNCATED,
    /** A whole document, and then something more. */
    TRAILING,
    /** Text that is not valid in its own encoding. */
    ENCODING,
    /** A number, moment or length that the receiver cannot hold. */
    RANGE,
    /** A value of another type than its receiver declared. */
    TYPE,
    /** A key twice, where the dialect forbids it. */
    DUPLICATE,
    /** Nested deeper than the limit. */
    DEPTH,
    /** Larger than a limit. */
    SIZE,
    /** A value that the format cannot say, and its dialect does not lower. */
    UNSUPPORTED,
    /** Verbs in an order that makes no document. */
    MISUSE,
    /** No memory. */
    MEMORY,
    /** An error of the program itself, passed on. */
    HOST;

    /** The code as reports and the vectors spell it: {@code syntax}, {@code truncated}, ... */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
