package kumihimo.cbor;

import kumihimo.format.BigEndian;

/**
 * The first bytes of a CBOR item, taken apart and put together.
 *
 * <pre>
 *   45 | 64 49 45 54 46      byte string, argument 5        initial byte: 3 bits major type, 5 bits
 *   1a 000f4240              integer 1000000                0-23   the argument itself
 *   83 | 01 02 03            array of 3                     24-27  it follows in 1, 2, 4, 8 bytes
 *   c1 | 1a 514b67b0         tag 1, one item follows        31     no length: ended by a break (ff)
 * </pre>
 *
 * <p>The reader has its own, faster look at the same bytes; this class serves whoever skips or locates.
 */
final class CborHeader {
    static final int LONGEST = 9;

    // Major types, in their place of the initial byte.
    static final int NATURAL = 0x00;
    static final int NEGATIVE = 0x20;
    static final int BYTES = 0x40;
    static final int TEXT = 0x60;
    static final int ARRAY = 0x80;
    static final int MAP = 0xa0;
    static final int TAG = 0xc0;

    // Tags that have a meaning here (https://www.iana.org/assignments/cbor-tags).
    /** RFC 3339 text. */
    static final int TAG_DATE_TIME = 0;
    /** Seconds, a number. */
    static final int TAG_EPOCH = 1;
    /** A bignum n. */
    static final int TAG_NATURAL = 2;
    /** A bignum -1 - n. */
    static final int TAG_NEGATIVE = 3;
    /** [exponent, mantissa], to the base 10. */
    static final int TAG_DECIMAL = 4;
    /** To the base 2. */
    static final int TAG_BIGFLOAT = 5;
    /** An encoded item in a byte string. */
    static final int TAG_EMBEDDED = 24;
    /** Days since 1970-01-01, RFC 8943. */
    static final int TAG_DAYS = 100;
    /** A map, RFC 9581. */
    static final int TAG_EXTENDED_TIME = 1001;
    /** YYYY-MM-DD, RFC 8943. */
    static final int TAG_DATE = 1004;
    static final int TAG_SELF_DESCRIBED = 55799;
    /**
     * Ours: ext of the types -128 to 127, the lowest byte being the type, the content a byte string. "km" and zero
     * bytes.
     */
    static final int TAG_TYPED = 0x6b6d0000;

    /** The type of an ext that carries one encoded item which has no verb: a tag or simple value without a meaning. */
    static final int EXT_ITEM = 24;

    /** What a header begins. */
    enum Kind {
        INTEGER,
        BYTES,
        TEXT,
        ARRAY,
        MAP,
        TAG,
        SIMPLE,
        FLOATING,
        /** A break. */
        STOP,
        /** Begins nothing. */
        RESERVED,
        /** The input ends inside the header. */
        CUT
    }

    private static final Kind[] KINDS = {Kind.INTEGER, Kind.INTEGER, Kind.BYTES, Kind.TEXT, Kind.ARRAY, Kind.MAP,
        Kind.TAG, Kind.SIMPLE};

    Kind kind;
    boolean indefinite;
    /** Bytes of the header; numbers and simple values are nothing else. */
    int size;
    /** Of indefinite lengths 0; 64 bits without a sign. */
    long argument;

    boolean isString() {
        return kind == Kind.BYTES || kind == Kind.TEXT;
    }

    boolean isContainer() {
        return kind == Kind.ARRAY || kind == Kind.MAP;
    }

    /** Whether so many bytes or values fit behind the header at a place. */
    boolean fits(int at, int end, int times) {
        return Long.compareUnsigned(argument, (end - at - size) / times) <= 0;
    }

    /** Reads the header at data[at]. */
    CborHeader read(byte[] data, int at, int end) {
        if (at == end) return set(Kind.CUT, false, 0, 0);
        int c = data[at] & 0xff;
        int info = c & 31;
        Kind is = KINDS[c >> 5];
        if (info < 24) return set(is, false, 1, info);
        if (info < 28) {
            int width = 1 << (info - 24);
            if (end - at <= width) return set(Kind.CUT, false, 0, 0);
            long n = load(data, at + 1, width);
            if (is != Kind.SIMPLE) return set(is, false, 1 + width, n);
            if (width > 1) return set(Kind.FLOATING, false, 1 + width, n);
            // f8 00 to f8 1f: one spelling is enough.
            return set(n < 32 ? Kind.RESERVED : Kind.SIMPLE, false, 2, n);
        }
        if (info < 31 || is == Kind.INTEGER || is == Kind.TAG) return set(Kind.RESERVED, false, 1, 0);
        if (is == Kind.SIMPLE) return set(Kind.STOP, false, 1, 0);
        return set(is, true, 1, 0);
    }

    private CborHeader set(Kind kind, boolean indefinite, int size, long argument) {
        this.kind = kind;
        this.indefinite = indefinite;
        this.size = size;
        this.argument = argument;
        return this;
    }

    /** The 1, 2, 4 or 8 bytes at a place. */
    static long load(byte[] data, int at, int width) {
        switch (width) {
            case 1:
                return data[at] & 0xff;
            case 2:
                return BigEndian.u16(data, at);
            case 4:
                return BigEndian.u32(data, at);
            default:
                return BigEndian.i64(data, at);
        }
    }

    /** How many bytes follow the initial byte of this argument's shortest form. */
    static int width(long n) {
        if (n >>> 32 != 0) return 8;
        return n < 24 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : 4;
    }

    /**
     * Writes a head in its shortest form and returns its end; there must be {@link #LONGEST} bytes, which all may be
     * written.
     */
    static int put(byte[] to, int at, int major, long n) {
        if (n >= 0 && n < 24) {
            to[at] = (byte) (major | (int) n);
            return at + 1;
        }
        return putLong(to, at, major, n);
    }

    private static int putLong(byte[] to, int at, int major, long n) {
        int power = n >>> 8 == 0 ? 0 : n >>> 16 == 0 ? 1 : n >>> 32 == 0 ? 2 : 3;
        to[at] = (byte) (major | 24 + power);
        BigEndian.put64(to, at + 1, n << 64 - (8 << power));
        return at + 1 + (1 << power);
    }

    /** Writes an integer of 64 bits with sign, as {@link #put}. */
    static int putInteger(byte[] to, int at, long n) {
        long sign = n >> 63;
        return put(to, at, (int) sign & NEGATIVE, n ^ sign);
    }
}
