package kumihimo.msgpack;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a reader of MessagePack grants; {@code read_dialect} of {@code engine/msgpack/dialect.hpp}. */
public enum MsgpackReadDialect {
    /** A str that is not UTF-8 is {@link kumihimo.Code#ENCODING}: the default. */
    STANDARD,
    /** Documents by writers from before the bin type: a str that is not text arrives as bytes. */
    RAW,
    /** What Ruby's msgpack gem takes: a str is whatever it is. Its receiver must bear bytes that are no text. */
    RUBY_READ;

    private static final Map<String, MsgpackReadDialect> NAMED;

    static {
        Map<String, MsgpackReadDialect> named = new LinkedHashMap<>();
        named.put("standard", STANDARD);
        named.put("raw", RAW);
        named.put("ruby_read", RUBY_READ);
        NAMED = Collections.unmodifiableMap(named);
    }

    /** The dialects by name, the default first. */
    public static Map<String, MsgpackReadDialect> named() {
        return NAMED;
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static MsgpackReadDialect parse(String name) {
        if (name.isEmpty()) return STANDARD;
        MsgpackReadDialect found = NAMED.get(name);
        if (found != null) return found;
        throw new IllegalArgumentException(
                "MessagePack has no read dialect " + name + "; it has " + String.join(", ", NAMED.keySet()));
    }
}
