package kumihimo.msgpack;

import java.util.Map;
import kumihimo.format.Dialects;

/**
 * How a writer spells MessagePack, and lowers what it cannot say; {@code dialect} of {@code
 * engine/msgpack/dialect.hpp}. Immutable. Every value takes its smallest encoding, but a double stays a double.
 */
public final class MsgpackDialect {
    /** Numbers that arrive as their own digits, which no MessagePack type holds. */
    public enum BigNumber {
        /** {@link kumihimo.Code#UNSUPPORTED}. */
        REFUSE,
        /** The digits as a str. */
        TEXT
    }

    /** Moments with an offset from UTC; MessagePack's timestamp knows UTC only. */
    public enum ZonedTime {
        /** The moment as a timestamp; the offset is lost. */
        TIMESTAMP,
        /** RFC 3339 with the offset, as a str. */
        TEXT,
        REFUSE
    }

    /** Dates and wall-clock readings, which are no moments at all. */
    public enum UnzonedTime {
        /** 2016-12-25, 2016-12-25T01:53:10.602955, as a str. */
        TEXT,
        REFUSE
    }

    /** Text that is not valid in its own encoding. */
    public enum InvalidText {
        /** {@link kumihimo.Code#ENCODING}. */
        REFUSE,
        /** Goes out as bin, nothing lost. */
        BIN,
        /** Stays a str. */
        KEEP
    }

    /** The default: what no type holds is refused. */
    public static final MsgpackDialect STANDARD = new MsgpackDialect(BigNumber.REFUSE, ZonedTime.TIMESTAMP,
            UnzonedTime.TEXT, InvalidText.REFUSE);
    /** Whatever would change on the way is refused. */
    public static final MsgpackDialect EXACT = new MsgpackDialect(BigNumber.REFUSE, ZonedTime.REFUSE,
            UnzonedTime.REFUSE, InvalidText.REFUSE);
    /** Numbers that no type holds are kept, as text. */
    public static final MsgpackDialect BIG_TEXT = new MsgpackDialect(BigNumber.TEXT, ZonedTime.TIMESTAMP,
            UnzonedTime.TEXT, InvalidText.REFUSE);
    /** Offsets are kept, as text. */
    public static final MsgpackDialect TIME_TEXT = new MsgpackDialect(BigNumber.REFUSE, ZonedTime.TEXT,
            UnzonedTime.TEXT, InvalidText.REFUSE);
    /**
     * Never fails on text or on a number: text that is not Unicode goes out as bin, a number that no type holds as
     * text.
     */
    public static final MsgpackDialect LENIENT = new MsgpackDialect(BigNumber.TEXT, ZonedTime.TIMESTAMP,
            UnzonedTime.TEXT, InvalidText.BIN);
    /** As Ruby's msgpack gem: text goes out as str, whatever it is. */
    public static final MsgpackDialect RUBY = new MsgpackDialect(BigNumber.REFUSE, ZonedTime.TIMESTAMP,
            UnzonedTime.TEXT, InvalidText.KEEP);

    private static final Dialects<MsgpackDialect> NAMED =
            new Dialects<MsgpackDialect>("MessagePack has no write dialect")
                    .with("standard", STANDARD)
                    .with("exact", EXACT)
                    .with("big_text", BIG_TEXT)
                    .with("time_text", TIME_TEXT)
                    .with("lenient", LENIENT)
                    .with("ruby", RUBY);

    final BigNumber big;
    final ZonedTime zoned;
    final UnzonedTime unzoned;
    final InvalidText invalid;

    /** A dialect that has no name. */
    public MsgpackDialect(BigNumber big, ZonedTime zoned, UnzonedTime unzoned, InvalidText invalid) {
        this.big = big;
        this.zoned = zoned;
        this.unzoned = unzoned;
        this.invalid = invalid;
    }

    /** The dialects by name, the default first. */
    public static Map<String, MsgpackDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static MsgpackDialect parse(String name) {
        return NAMED.parse(name);
    }
}
