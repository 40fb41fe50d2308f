package kumihimo.path;

import kumihimo.Utf8;

/** One step of a {@link Path}; immutable. */
public final class Step {
    /** Where a step leads. */
    public enum Kind {
        /** The member {@link Step#key} of a map. */
        KEY,
        /** The element {@link Step#index} of an array. */
        INDEX,
        /** Every element of an array. */
        EACH,
        /** KEY in a map, INDEX in an array: a JSON Pointer's token of digits. */
        EITHER
    }

    static final Step EACH = new Step(Kind.EACH, null, 0);

    private final Kind kind;
    private final byte[] utf8;
    private final String key;
    private final long index;

    private Step(Kind kind, byte[] utf8, long index) {
        this.kind = kind;
        this.utf8 = utf8;
        this.key = utf8 == null ? null : Utf8.string(utf8, 0, utf8.length, false);
        this.index = index;
    }

    static Step key(byte[] utf8) {
        return new Step(Kind.KEY, utf8, 0);
    }

    static Step index(long index) {
        return new Step(Kind.INDEX, null, index);
    }

    static Step either(byte[] utf8, long index) {
        return new Step(Kind.EITHER, utf8, index);
    }

    public Kind kind() {
        return kind;
    }

    /** The member's name of KEY and EITHER, else null. */
    public String key() {
        return key;
    }

    /** The element's number of INDEX and EITHER, counted from 0: 64 bits without a sign. */
    public long index() {
        return index;
    }

    /** The name in UTF-8, not to be changed; null where there is none. */
    public byte[] utf8() {
        return utf8;
    }

    boolean named() {
        return kind == Kind.KEY || kind == Kind.EITHER;
    }

    boolean numbered() {
        return kind == Kind.INDEX || kind == Kind.EITHER;
    }
}
