package kumihimo.cbor;

import java.util.Map;
import kumihimo.format.Dialects;

/** What a reader of CBOR grants or insists on; {@code read_dialect} of {@code engine/cbor/dialect.hpp}. Immutable. */
public final class CborReadDialect {
    /** Text that is not UTF-8. */
    public enum InvalidText {
        /** {@link kumihimo.Code#ENCODING}. */
        REFUSE,
        /** Goes on as bytes, nothing lost. */
        BIN,
        /** Stays text; its receiver must take bytes that are no text. */
        KEEP
    }

    /** A tag that the reader gives no meaning. */
    public enum UnknownTag {
        /** Tag and content arrive as extension 24: the encoded bytes, as they stood. */
        EXT,
        /** The content arrives as if the tag were not there. */
        DROP,
        /** {@link kumihimo.Code#UNSUPPORTED}. */
        REFUSE
    }

    /** The simple value undefined. */
    public enum Undefined {
        NULL,
        /** As extension 24, as simple values without a meaning always do. */
        EXT,
        /** {@link kumihimo.Code#UNSUPPORTED}. */
        REFUSE
    }

    /** Tag 24: a byte string that holds an encoded item. */
    public enum Embedded {
        /** As a tag without a meaning. */
        EXT,
        /** The item inside arrives in its place. */
        OPEN
    }

    /** Keys that come twice in one map, equal as values, whatever their encodings. */
    public enum KeyTwice {
        /** Both are passed on. */
        KEEP,
        /** Only the last one and its value. */
        LAST,
        /** {@link kumihimo.Code#DUPLICATE}. */
        ERROR
    }

    /** Which encodings of a value are taken. */
    public enum Insist {
        /** Every well-formed one. */
        ANYTHING,
        /** RFC 8949 4.1: the shortest integers, lengths, floats and bignums. */
        PREFERRED,
        /** 4.2.1: that, no indefinite lengths, keys ascending as bytes, none twice. */
        DETERMINISTIC
    }

    public static final CborReadDialect STANDARD = new CborReadDialect();
    /** Nothing is lost on the way to a writer of CBOR: undefined stays what it is. */
    public static final CborReadDialect EXACT = new CborReadDialect().with(Undefined.EXT);
    /** Values without what their writer said about them. */
    public static final CborReadDialect PLAIN = new CborReadDialect().with(UnknownTag.DROP).with(Embedded.OPEN);
    public static final CborReadDialect UNIQUE_KEYS = new CborReadDialect().with(KeyTwice.ERROR);
    public static final CborReadDialect LAST_KEY = new CborReadDialect().with(KeyTwice.LAST);
    /** Refuses what another implementation of preferred serialization would have written otherwise. */
    public static final CborReadDialect PREFERRED = new CborReadDialect().with(Insist.PREFERRED);
    public static final CborReadDialect DETERMINISTIC = new CborReadDialect().with(Insist.DETERMINISTIC);
    /** Documents of writers that put bytes of any kind into text strings. */
    public static final CborReadDialect RAW = new CborReadDialect().with(InvalidText.BIN);
    /** The same for receivers whose text may hold any bytes. */
    public static final CborReadDialect ANY_TEXT = new CborReadDialect().with(InvalidText.KEEP);
    /** Everything that a document says, for comparing keys. */
    static final CborReadDialect ALL = new CborReadDialect().with(InvalidText.KEEP).with(Undefined.EXT);

    private static final Dialects<CborReadDialect> NAMED = new Dialects<CborReadDialect>("CBOR has no read dialect")
            .with("standard_read", STANDARD)
            .with("exact_read", EXACT)
            .with("plain_read", PLAIN)
            .with("unique_keys", UNIQUE_KEYS)
            .with("last_key", LAST_KEY)
            .with("preferred_read", PREFERRED)
            .with("deterministic_read", DETERMINISTIC)
            .with("raw_read", RAW)
            .with("any_text_read", ANY_TEXT);

    final InvalidText invalid;
    final UnknownTag tags;
    final Undefined undefined;
    final Embedded embedded;
    /** Other than KEEP it costs a pass over the document before the first value. */
    final KeyTwice duplicates;
    /** Other than ANYTHING it costs a pass over the document before the first value. */
    final Insist insist;

    private CborReadDialect() {
        this(InvalidText.REFUSE, UnknownTag.EXT, Undefined.NULL, Embedded.EXT, KeyTwice.KEEP, Insist.ANYTHING);
    }

    /** A dialect that has no name. */
    public CborReadDialect(InvalidText invalid, UnknownTag tags, Undefined undefined, Embedded embedded,
            KeyTwice duplicates, Insist insist) {
        this.invalid = invalid;
        this.tags = tags;
        this.undefined = undefined;
        this.embedded = embedded;
        this.duplicates = duplicates;
        this.insist = insist;
    }

    /** The dialects by name, the default first. */
    public static Map<String, CborReadDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static CborReadDialect parse(String name) {
        return NAMED.parse(name);
    }

    /** Whether the whole document is looked at before its first value. */
    boolean looksAhead() {
        return insist != Insist.ANYTHING || duplicates != KeyTwice.KEEP;
    }

    private CborReadDialect with(InvalidText to) {
        return new CborReadDialect(to, tags, undefined, embedded, duplicates, insist);
    }

    private CborReadDialect with(UnknownTag to) {
        return new CborReadDialect(invalid, to, undefined, embedded, duplicates, insist);
    }

    private CborReadDialect with(Undefined to) {
        return new CborReadDialect(invalid, tags, to, embedded, duplicates, insist);
    }

    private CborReadDialect with(Embedded to) {
        return new CborReadDialect(invalid, tags, undefined, to, duplicates, insist);
    }

    private CborReadDialect with(KeyTwice to) {
        return new CborReadDialect(invalid, tags, undefined, embedded, to, insist);
    }

    private CborReadDialect with(Insist to) {
        return new CborReadDialect(invalid, tags, undefined, embedded, duplicates, to);
    }
}
