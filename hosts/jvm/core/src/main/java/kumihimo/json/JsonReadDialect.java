package kumihimo.json;

import java.util.Map;
import kumihimo.format.Dialects;

/**
 * What a reader grants beyond RFC 8259, and how it decides what RFC 8259 leaves open; immutable. The fields, the
 * constants and their names are those of {@code read_dialect} in {@code engine/json/dialect.hpp}.
 */
public final class JsonReadDialect {
    /** What happens when an object holds a key twice. */
    public enum Duplicates {
        /** Every pair is passed on in order; who reads decides. */
        KEEP,
        /** Only the last pair of a key is passed on, at its own place; costs a pass over the document first. */
        LAST,
        /** {@link kumihimo.Code#DUPLICATE} at the second key; costs the same pass. */
        ERROR
    }

    /** What happens to an escape for half a surrogate pair, such as \ud800 alone. */
    public enum Surrogates {
        /** {@link kumihimo.Code#ENCODING}. */
        REFUSE,
        /** Becomes U+FFFD. */
        REPLACE,
        /** Arrives as it is; only UTF-16 can say it. */
        KEEP,
        /**
         * Half a pair from U+DC00 on arrives as the three bytes that UTF-8 would give it, which are no UTF-8; from
         * U+D800 on it is refused.
         */
        LOW,
        /**
         * Like LOW, but a half from U+D800 on takes what follows for its other half: any escape of four digits; before
         * six or more other bytes it becomes a question mark and swallows the first of them.
         */
        GREEDY
    }

    /** What happens to a number with a fraction or an exponent that is beyond the largest double, such as 1e400. */
    public enum Overflows {
        /** Arrives as its digits. */
        DIGITS,
        /** {@link kumihimo.Code#RANGE}. */
        REFUSE
    }

    /** Where a comment of two slashes ends, and whether the document may end in it. */
    public enum LineEnd {
        /** At a line feed or a carriage return, or with the document. */
        ANY_BREAK,
        /** At a line feed, or with the document. */
        LINE_FEED,
        /** At a line feed, which must come. */
        CLOSED
    }

    /** Grants nothing: the default. */
    public static final JsonReadDialect RFC8259 = new JsonReadDialect(new Fields());
    /** A key may not come twice in one object (RFC 7493's rule). */
    public static final JsonReadDialect UNIQUE_KEYS = RFC8259.with("duplicates=error");
    /** Every number with a fraction or an exponent is a double. */
    public static final JsonReadDialect DOUBLES = RFC8259.with("overflows=refuse");
    /** Decimals as their own digits: for money and other decimal types. */
    public static final JsonReadDialect EXACT_DECIMALS = RFC8259.with("decimal_digits");
    /** What Python's json.loads takes by default. */
    public static final JsonReadDialect PYTHON_READ = RFC8259.with("non_finite+integer_zero+surrogates=keep");
    /** What Ruby's JSON.parse takes by default, as of json 2.17: comments, and text that is not UTF-8. */
    public static final JsonReadDialect RUBY_READ =
            RFC8259.with("comments+integer_zero+any_bytes+flat_empty+line_end=line_feed+surrogates=low");
    /** The same before json 2.10, whose strings are laxer still and whose line comments must have their line feed. */
    public static final JsonReadDialect OLD_RUBY_READ =
            RFC8259.with("comments+integer_zero+unknown_escapes+any_bytes+line_end=closed+surrogates=greedy");
    /** Configuration files: comments, trailing commas, a byte order mark. */
    public static final JsonReadDialect RELAXED = RFC8259.with("comments+trailing_commas+byte_order_mark");

    private static final Dialects<JsonReadDialect> NAMED = new Dialects<JsonReadDialect>("JSON has no read dialect")
            .with("rfc8259", RFC8259)
            .with("unique_keys", UNIQUE_KEYS)
            .with("doubles", DOUBLES)
            .with("relaxed", RELAXED)
            .with("exact_decimals", EXACT_DECIMALS)
            .with("python_read", PYTHON_READ)
            .with("ruby_read", RUBY_READ)
            .with("old_ruby_read", OLD_RUBY_READ);

    private final Fields fields;

    private JsonReadDialect(Fields fields) {
        this.fields = fields;
    }

    /** The dialects that have a name, the default first. */
    public static Map<String, JsonReadDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default; or, by {@code +comments+line_end=closed}, RFC 8259 with these
     * fields, as {@code tests/vectors/README.md} spells them.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static JsonReadDialect parse(String name) {
        if (name.startsWith("+")) return RFC8259.with(name.substring(1));
        return NAMED.parse(name);
    }

    /**
     * This dialect with these fields changed: {@code comments+line_end=closed}. A field without a value is granted.
     *
     * @throws IllegalArgumentException for a field or value that is none
     */
    public JsonReadDialect with(String changes) {
        Fields changed = new Fields(fields);
        changed.change(changes);
        return new JsonReadDialect(changed);
    }

    /** The words NaN, Infinity and -Infinity. */
    public boolean nonFinite() {
        return fields.nonFinite;
    }

    /** Two slashes to the end of the line, and what stands between a slash with a star and a star with a slash. */
    public boolean comments() {
        return fields.comments;
    }

    /** A comma behind the last value of an array or map. */
    public boolean trailingCommas() {
        return fields.trailingCommas;
    }

    /** The bytes EF BB BF before the document are skipped. */
    public boolean byteOrderMark() {
        return fields.byteOrderMark;
    }

    /** Bytes below 0x20 inside strings, unescaped. */
    public boolean controlCharacters() {
        return fields.controlCharacters;
    }

    /** Numbers with a fraction or an exponent arrive as their own digits. */
    public boolean decimalDigits() {
        return fields.decimalDigits;
    }

    /** -0 is the integer 0 instead of the double -0.0. */
    public boolean integerZero() {
        return fields.integerZero;
    }

    /** A backslash before a character that JSON gives no meaning is dropped. */
    public boolean unknownEscapes() {
        return fields.unknownEscapes;
    }

    /** Strings and comments may hold what is not UTF-8; such text arrives unchecked. */
    public boolean anyBytes() {
        return fields.anyBytes;
    }

    /** [] and {} do not count as a level of depth. */
    public boolean flatEmpty() {
        return fields.flatEmpty;
    }

    /** What happens to numbers beyond the largest double. */
    public Overflows overflows() {
        return fields.overflows;
    }

    /** Where a comment of two slashes ends. */
    public LineEnd lineEnd() {
        return fields.lineEnd;
    }

    /** What happens to an escape for half a surrogate pair. */
    public Surrogates surrogates() {
        return fields.surrogates;
    }

    /** What happens to a key that comes twice in one object. */
    public Duplicates duplicates() {
        return fields.duplicates;
    }

    /** Strings are those of RFC 8259, whatever else is granted. */
    boolean hasPlainStrings() {
        return !fields.controlCharacters && !fields.unknownEscapes && !fields.anyBytes
                && fields.surrogates == Surrogates.REFUSE;
    }

    /** The grammar is RFC 8259's: what is granted besides is about numbers and keys that come twice. */
    public boolean isPlain() {
        return hasPlainStrings() && !fields.nonFinite && !fields.comments && !fields.trailingCommas
                && !fields.byteOrderMark && !fields.flatEmpty;
    }

    /** What {@link JsonReadDialect} has; written while one is made, and never after that. */
    private static final class Fields extends DialectFields {
        private static final String WHOSE = "JSON's read dialects";

        boolean nonFinite;
        boolean comments;
        boolean trailingCommas;
        boolean byteOrderMark;
        boolean controlCharacters;
        boolean decimalDigits;
        boolean integerZero;
        boolean unknownEscapes;
        boolean anyBytes;
        boolean flatEmpty;
        Overflows overflows = Overflows.DIGITS;
        LineEnd lineEnd = LineEnd.ANY_BREAK;
        Surrogates surrogates = Surrogates.REFUSE;
        Duplicates duplicates = Duplicates.KEEP;

        Fields() {
            super(WHOSE);
        }

        Fields(Fields from) {
            super(WHOSE);
            nonFinite = from.nonFinite;
            comments = from.comments;
            trailingCommas = from.trailingCommas;
            byteOrderMark = from.byteOrderMark;
            controlCharacters = from.controlCharacters;
            decimalDigits = from.decimalDigits;
            integerZero = from.integerZero;
            unknownEscapes = from.unknownEscapes;
            anyBytes = from.anyBytes;
            flatEmpty = from.flatEmpty;
            overflows = from.overflows;
            lineEnd = from.lineEnd;
            surrogates = from.surrogates;
            duplicates = from.duplicates;
        }

        @Override
        void grant(String field) {
            switch (field) {
                case "non_finite": nonFinite = true; return;
                case "comments": comments = true; return;
                case "trailing_commas": trailingCommas = true; return;
                case "byte_order_mark": byteOrderMark = true; return;
                case "control_characters": controlCharacters = true; return;
                case "decimal_digits": decimalDigits = true; return;
                case "integer_zero": integerZero = true; return;
                case "unknown_escapes": unknownEscapes = true; return;
                case "any_bytes": anyBytes = true; return;
                case "flat_empty": flatEmpty = true; return;
                default: throw noFieldToGrant(field);
            }
        }

        @Override
        void set(String field, String value) {
            switch (field) {
                case "overflows": overflows = constant(Overflows.class, field, value); return;
                case "line_end": lineEnd = constant(LineEnd.class, field, value); return;
                case "surrogates": surrogates = constant(Surrogates.class, field, value); return;
                case "duplicates": duplicates = constant(Duplicates.class, field, value); return;
                default: throw noField(field);
            }
        }
    }
}
