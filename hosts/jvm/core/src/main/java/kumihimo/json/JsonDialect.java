package kumihimo.json;

import java.util.Map;
import kumihimo.format.Dialects;
import kumihimo.scalar.FloatLayout;
import kumihimo.scalar.TimeLayout;

/**
 * How a writer spells JSON, and lowers what it cannot say; immutable. The fields, the constants and their names are
 * those of {@code dialect} in {@code engine/json/dialect.hpp}.
 */
public final class JsonDialect {
    /** NaN and the infinities, which JSON does not have. */
    public enum NonFinite {
        /** {@link kumihimo.Code#UNSUPPORTED}. */
        REFUSE,
        NULL,
        /** NaN, Infinity, -Infinity: not JSON, but what several libraries write and read. */
        LITERAL,
        /** "NaN", "Infinity", "-Infinity". */
        TEXT
    }

    /** Bytes that are not text. */
    public enum Binary {
        REFUSE,
        BASE64,
        BASE64URL
    }

    /** MessagePack's typed extensions. */
    public enum Extension {
        REFUSE,
        /** The bytes alone; the type is lost. */
        DATA,
        /** {"type":5,"data":"..."}. */
        OBJECT
    }

    /** Numbers that arrive as their own digits. */
    public enum BigNumber {
        /** The digits as they are: JSON has no limit. */
        NUMBER,
        /** In quotes, for readers that know doubles only. */
        TEXT
    }

    /** Moments. */
    public enum Time {
        REFUSE,
        /** "2026-11-20T07:30:00.5Z". */
        TEXT,
        /** Seconds since 1970 as a number, with a fraction of up to 9 digits. */
        EPOCH
    }

    /** Text that is not valid in its own encoding. */
    public enum InvalidText {
        /** {@link kumihimo.Code#ENCODING}. */
        REFUSE,
        /** U+FFFD for each broken sequence. */
        REPLACE,
        /** Bytes go out as they are, where the escapes are not ASCII. Half a surrogate pair has none, and is U+FFFD. */
        KEEP
    }

    /** Keys that are no text. */
    public enum OtherKeys {
        REFUSE,
        /** A scalar as the text it would be as a value: "1", "true", "null"; a container is refused. */
        TEXT
    }

    /**
     * The default: no white space, only what RFC 8259 requires escaped, doubles with a point or an exponent,
     * shortest.
     */
    public static final JsonDialect COMPACT = new JsonDialect(new Fields());
    /** The bytes of JavaScript's JSON.stringify(x), whose only number is the double. */
    public static final JsonDialect JAVASCRIPT = COMPACT.with("floats=ecmascript+non_finite=null");
    /** Two spaces per level, one value per line. */
    public static final JsonDialect PRETTY = COMPACT.with(JsonLayout.PRETTY);
    public static final JsonDialect SCRIPT_SAFE = COMPACT.with("escapes=script_safe");
    public static final JsonDialect HTML_SAFE = COMPACT.with("escapes=html_safe");
    public static final JsonDialect ASCII_ONLY = COMPACT.with("escapes=ascii");
    public static final JsonDialect ESCAPE_SLASH = COMPACT.with("escapes=slash");
    /** The bytes of Python's json.dumps(x). */
    public static final JsonDialect PYTHON_DEFAULT =
            COMPACT.with("escapes=python+non_finite=literal").with(JsonLayout.SPACED);
    /** The bytes of Python's json.dumps(x, ensure_ascii=False, separators=(",", ":")). */
    public static final JsonDialect PYTHON_COMPACT = COMPACT.with("non_finite=literal");
    /** The bytes of Python's orjson.dumps(x). */
    public static final JsonDialect ORJSON = COMPACT.with("floats=orjson+non_finite=null+binary=refuse");
    /** The bytes of Ruby's JSON.generate, with json before 2.11. */
    public static final JsonDialect RUBY_GENERATE = COMPACT.with("floats=ruby");
    /** The bytes of Ruby's JSON.pretty_generate. */
    public static final JsonDialect RUBY_PRETTY = RUBY_GENERATE.with(JsonLayout.PRETTY);
    /** What comes nearest to a copy: never fails on a value. */
    public static final JsonDialect LENIENT = COMPACT.with("non_finite=null+extension=object+invalid=replace");

    private static final Dialects<JsonDialect> NAMED = new Dialects<JsonDialect>("JSON has no write dialect")
            .with("compact", COMPACT)
            .with("javascript", JAVASCRIPT)
            .with("pretty", PRETTY)
            .with("script_safe", SCRIPT_SAFE)
            .with("html_safe", HTML_SAFE)
            .with("ascii_only", ASCII_ONLY)
            .with("escape_slash", ESCAPE_SLASH)
            .with("python_default", PYTHON_DEFAULT)
            .with("python_compact", PYTHON_COMPACT)
            .with("orjson", ORJSON)
            .with("ruby_generate", RUBY_GENERATE)
            .with("ruby_pretty", RUBY_PRETTY)
            .with("lenient", LENIENT);

    private final Fields fields;

    private JsonDialect(Fields fields) {
        this.fields = fields;
    }

    /** The dialects that have a name, the default first. */
    public static Map<String, JsonDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default; or, by {@code +time=epoch+big=text}, the default with these
     * fields, as {@code tests/vectors/README.md} spells them.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static JsonDialect parse(String name) {
        if (name.startsWith("+")) return COMPACT.with(name.substring(1));
        return NAMED.parse(name);
    }

    /**
     * This dialect with these fields changed: {@code time=epoch+big=text}. The fields are escapes, floats,
     * non_finite, binary, extension, big, time, time_layout, invalid and keys; their values are the constants' names
     * in lower case.
     *
     * @throws IllegalArgumentException for a field or value that is none
     */
    public JsonDialect with(String changes) {
        Fields changed = new Fields(fields);
        changed.change(changes);
        return new JsonDialect(changed);
    }

    /** This dialect with another layout. */
    public JsonDialect with(JsonLayout layout) {
        Fields changed = new Fields(fields);
        changed.layout = layout;
        return new JsonDialect(changed);
    }

    /** This dialect with moments in another layout, as text. */
    public JsonDialect with(TimeLayout layout) {
        Fields changed = new Fields(fields);
        changed.time = Time.TEXT;
        changed.timeLayout = layout;
        return new JsonDialect(changed);
    }

    public JsonEscapes escapes() {
        return fields.escapes;
    }

    public JsonLayout layout() {
        return fields.layout;
    }

    public FloatLayout floats() {
        return fields.floats;
    }

    public NonFinite nonFinite() {
        return fields.nonFinite;
    }

    public Binary binary() {
        return fields.binary;
    }

    public Extension extension() {
        return fields.extension;
    }

    public BigNumber big() {
        return fields.big;
    }

    public Time time() {
        return fields.time;
    }

    public TimeLayout timeLayout() {
        return fields.timeLayout;
    }

    public InvalidText invalid() {
        return fields.invalid;
    }

    public OtherKeys keys() {
        return fields.keys;
    }

    /** What {@link JsonDialect} has; written while one is made, and never after that. */
    private static final class Fields extends DialectFields {
        private static final String WHOSE = "JSON's write dialects";

        JsonEscapes escapes = JsonEscapes.RFC8259;
        JsonLayout layout = JsonLayout.COMPACT;
        // 107910.0 and -0.0, not ECMAScript's 107910 and 0: those come back as integers, and what was a double must
        // stay one.
        FloatLayout floats = FloatLayout.PYTHON;
        NonFinite nonFinite = NonFinite.REFUSE;
        Binary binary = Binary.BASE64;
        Extension extension = Extension.REFUSE;
        BigNumber big = BigNumber.NUMBER;
        Time time = Time.TEXT;
        TimeLayout timeLayout = TimeLayout.RFC3339;
        InvalidText invalid = InvalidText.REFUSE;
        OtherKeys keys = OtherKeys.TEXT;

        Fields() {
            super(WHOSE);
        }

        Fields(Fields from) {
            super(WHOSE);
            escapes = from.escapes;
            layout = from.layout;
            floats = from.floats;
            nonFinite = from.nonFinite;
            binary = from.binary;
            extension = from.extension;
            big = from.big;
            time = from.time;
            timeLayout = from.timeLayout;
            invalid = from.invalid;
            keys = from.keys;
        }

        @Override
        void grant(String field) {
            throw noFieldToGrant(field);
        }

        @Override
        void set(String field, String value) {
            switch (field) {
                case "escapes": escapes = constant(JsonEscapes.class, field, value); return;
                case "floats": floats = constant(FloatLayout.class, field, value); return;
                case "non_finite": nonFinite = constant(NonFinite.class, field, value); return;
                case "binary": binary = constant(Binary.class, field, value); return;
                case "extension": extension = constant(Extension.class, field, value); return;
                case "big": big = constant(BigNumber.class, field, value); return;
                case "time": time = constant(Time.class, field, value); return;
                case "time_layout": timeLayout = timeLayout(value); return;
                case "invalid": invalid = constant(InvalidText.class, field, value); return;
                case "keys": keys = constant(OtherKeys.class, field, value); return;
                default: throw noField(field);
            }
        }

        private TimeLayout timeLayout(String value) {
            switch (value) {
                case "rfc3339": return TimeLayout.RFC3339;
                case "rfc3339_milli": return TimeLayout.RFC3339_MILLI;
                case "space": return TimeLayout.SPACE;
                case "python": return TimeLayout.PYTHON;
                case "rails": return TimeLayout.RAILS;
                default: throw noValue("time_layout", value);
            }
        }
    }
}
