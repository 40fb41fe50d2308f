package kumihimo.msgpack;

import java.util.Map;
import kumihimo.format.Dialects;

/** What a reader of MessagePack grants; {@code read_dialect} of {@code engine/msgpack/dialect.hpp}. */
public enum MsgpackReadDialect {
    /** A str that is not UTF-8 is {@link kumihimo.Code#ENCODING}: the default. */
    STANDARD,
    /** Documents by writers from before the bin type: a str that is not text arrives as bytes. */
    RAW,
    /** What Ruby's msgpack gem takes: a str is whatever it is. Its receiver must take bytes that are no text. */
    RUBY_READ;

    private static final Dialects<MsgpackReadDialect> NAMED =
            new Dialects<MsgpackReadDialect>("MessagePack has no read dialect")
                    .with("standard", STANDARD)
                    .with("raw", RAW)
                    .with("ruby_read", RUBY_READ);

    /** The dialects by name, the default first. */
    public static Map<String, MsgpackReadDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static MsgpackReadDialect parse(String name) {
        return NAMED.parse(name);
    }
}
