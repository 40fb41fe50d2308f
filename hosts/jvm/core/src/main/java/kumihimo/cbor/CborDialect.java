package kumihimo.cbor;

import java.util.Map;
import kumihimo.format.Dialects;

/**
 * How a writer spells CBOR; {@code dialect} of {@code engine/cbor/dialect.hpp}. Integers and lengths always take their
 * shortest form. Immutable.
 */
public final class CborDialect {
    /** Numbers that arrive as their own digits. */
    public enum BigNumber {
        /** An integer, a bignum (tags 2, 3) or a decimal fraction (tag 4). */
        NUMBER,
        /** The digits as text. */
        TEXT,
        /** {@link kumihimo.Code#UNSUPPORTED}. */
        REFUSE
    }

    /** Doubles. */
    public enum FloatWidth {
        /** Of 16, 32 and 64 bits, whichever keeps the value; every NaN is f97e00. */
        SHORTEST,
        /** Always 64 bits, a NaN's own bits too. */
        DOUBLES
    }

    /** Moments and days. */
    public enum Times {
        /** Tag 1 where a number says it exactly, else as text; days as tag 100. */
        EPOCH,
        /** Tag 0, days as tag 1004. */
        TEXT
    }

    /** Moments with an offset from UTC (the clocks OFFSET and LOCAL). */
    public enum ZonedTime {
        /** Tag 0, with the offset. */
        TEXT,
        /** As the same moment in UTC; the offset is lost. */
        MOMENT,
        REFUSE
    }

    /** Wall-clock readings, which are no moments (the clock NAIVE). */
    public enum NaiveTime {
        /** Text without a tag. */
        TEXT,
        REFUSE
    }

    /** Containers whose count is not known when they open. */
    public enum LateCount {
        /** A definite length, filled in at the end. */
        SETTLED,
        /** Ended by a break. */
        INDEFINITE
    }

    /** The keys of a map. */
    public enum KeyOrder {
        AS_GIVEN,
        /** RFC 8949 4.2.1; a key twice is refused. */
        BYTEWISE,
        /** RFC 8949 4.2.3, RFC 7049's canonical CBOR; a key twice is refused. */
        LENGTH_FIRST
    }

    /** RFC 8949 4.1. */
    public static final CborDialect PREFERRED = new CborDialect();
    /** RFC 8949 4.2.1: the same bytes for the same values, whoever writes them. */
    public static final CborDialect DETERMINISTIC = new CborDialect().with(KeyOrder.BYTEWISE);
    /** What RFC 7049 called canonical, and older implementations still write. */
    public static final CborDialect CANONICAL = new CborDialect().with(KeyOrder.LENGTH_FIRST);
    /** Whatever would change on the way is refused. */
    public static final CborDialect EXACT = new CborDialect().with(NaiveTime.REFUSE);
    /** Doubles stay doubles. */
    public static final CborDialect DOUBLES = new CborDialect().with(FloatWidth.DOUBLES);
    /** Moments and days as text that people read. */
    public static final CborDialect TIME_TEXT = new CborDialect().with(Times.TEXT);
    /** Moments are numbers wherever possible; their offsets are lost. */
    public static final CborDialect MOMENTS = new CborDialect().with(ZonedTime.MOMENT);
    /** Nothing is filled in afterwards. */
    public static final CborDialect STREAMING = new CborDialect().with(LateCount.INDEFINITE);
    /** For receivers without tags 2 to 4. */
    public static final CborDialect BIG_TEXT = new CborDialect().with(BigNumber.TEXT);
    /** Never fails on text: what is not Unicode goes out as bytes. */
    public static final CborDialect LENIENT = new CborDialect().with(CborReadDialect.InvalidText.BIN);
    /** As hosts whose text may hold any bytes. */
    public static final CborDialect ANY_TEXT = new CborDialect().with(CborReadDialect.InvalidText.KEEP);
    /** Equal bytes for equal values, whatever their text holds: for comparing keys. */
    static final CborDialect COMPARED = DETERMINISTIC.with(CborReadDialect.InvalidText.KEEP);

    private static final Dialects<CborDialect> NAMED = new Dialects<CborDialect>("CBOR has no write dialect")
            .with("preferred", PREFERRED)
            .with("deterministic", DETERMINISTIC)
            .with("canonical", CANONICAL)
            .with("exact", EXACT)
            .with("doubles", DOUBLES)
            .with("time_text", TIME_TEXT)
            .with("moments", MOMENTS)
            .with("streaming", STREAMING)
            .with("big_text", BIG_TEXT)
            .with("lenient", LENIENT)
            .with("any_text", ANY_TEXT);

    final BigNumber big;
    final FloatWidth floats;
    final Times times;
    final ZonedTime zoned;
    final NaiveTime naive;
    final LateCount counts;
    final KeyOrder keys;
    final CborReadDialect.InvalidText invalid;

    private CborDialect() {
        this(BigNumber.NUMBER, FloatWidth.SHORTEST, Times.EPOCH, ZonedTime.TEXT, NaiveTime.TEXT, LateCount.SETTLED,
                KeyOrder.AS_GIVEN, CborReadDialect.InvalidText.REFUSE);
    }

    /** A dialect that has no name. */
    public CborDialect(BigNumber big, FloatWidth floats, Times times, ZonedTime zoned, NaiveTime naive,
            LateCount counts, KeyOrder keys, CborReadDialect.InvalidText invalid) {
        this.big = big;
        this.floats = floats;
        this.times = times;
        this.zoned = zoned;
        this.naive = naive;
        this.counts = counts;
        this.keys = keys;
        this.invalid = invalid;
    }

    /** The dialects by name, the default first. */
    public static Map<String, CborDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static CborDialect parse(String name) {
        return NAMED.parse(name);
    }

    boolean sorts() {
        return keys != KeyOrder.AS_GIVEN;
    }

    private CborDialect with(BigNumber to) {
        return new CborDialect(to, floats, times, zoned, naive, counts, keys, invalid);
    }

    private CborDialect with(FloatWidth to) {
        return new CborDialect(big, to, times, zoned, naive, counts, keys, invalid);
    }

    private CborDialect with(Times to) {
        return new CborDialect(big, floats, to, zoned, naive, counts, keys, invalid);
    }

    private CborDialect with(ZonedTime to) {
        return new CborDialect(big, floats, times, to, naive, counts, keys, invalid);
    }

    private CborDialect with(NaiveTime to) {
        return new CborDialect(big, floats, times, zoned, to, counts, keys, invalid);
    }

    private CborDialect with(LateCount to) {
        return new CborDialect(big, floats, times, zoned, naive, to, keys, invalid);
    }

    private CborDialect with(KeyOrder to) {
        return new CborDialect(big, floats, times, zoned, naive, counts, to, invalid);
    }

    private CborDialect with(CborReadDialect.InvalidText to) {
        return new CborDialect(big, floats, times, zoned, naive, counts, keys, to);
    }
}
