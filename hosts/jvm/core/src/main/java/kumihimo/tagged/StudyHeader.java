package kumihimo.tagged;

import kumihimo.format.LittleEndian;

/**
 * The layout {@code study}: what sjson-new's author published in 2016. Every value stands behind a tag of four bytes;
 * fields are sorted by it, and the names stand once, in a table at the end.
 *
 * <pre>
 *   type h0 h1 h2 | payload              a field: the low 24 bits of its name's hash; a document that is no map:
 *                                        hash 0
 *   tag = (i + 1) * 16 + type            element i of an array, little-endian, too
 *
 *   {"a":1,"b":2}
 *   01 96 44 87  02     01 41 f9 e8  04     0a 00 00 00 0c     01 96 44 87 01 a   01 41 f9 e8 01 b
 *   a int32      1      b int32      2      names  12 bytes    tag         "a"    tag         "b"
 * </pre>
 *
 * <p>Types: 0 null (a varint 0), 1 int32 and 3 int64 (zigzag varints), 2 uint32 (a varint), 4 a double, 5 int32 and 6
 * int64 of fixed width, 7 text, 8 a map, 9 an array, a the names, b a number as digits. 7 to b have their length in
 * bytes before them, as a varint; but the outermost map has none, it ends with the names. Tags are sorted as signed
 * numbers of 32 bits.
 *
 * <p>An object is a tag and what stands behind it.
 */
final class StudyHeader {
    static final int NULL = 0;
    static final int INT32 = 1;
    static final int UINT32 = 2;
    static final int INT64 = 3;
    static final int REAL = 4;
    static final int FIXED32 = 5;
    static final int FIXED64 = 6;
    static final int STRING = 7;
    static final int MESSAGE = 8;
    static final int ARRAY = 9;
    static final int TABLE = 10;
    static final int DIGITS = 11;

    static final int LONGEST = 4 + Varint.LONGEST;
    /** Elements that tags can number. */
    static final int MOST_ELEMENTS = (1 << 27) - 1;

    private static final int M = 0x5bd1e995;

    /** What a header is. */
    enum Kind {
        VALUE,
        /** No value begins so. */
        RESERVED,
        /** The bytes end inside the header. */
        CUT
    }

    Kind kind;
    /** Bytes of the tag, and of a varint that is a number or a length. */
    int size;
    int tag;
    /** Bytes behind the header. */
    long payload;
    /** The varint, of a type that is one. */
    long number;
    private final Varint varint = new Varint();

    int type() {
        return tag & 15;
    }

    /** Takes the header at data[at] apart. */
    void read(byte[] data, int at, int end) {
        if (end - at < 4) {
            cut();
            return;
        }
        tag = LittleEndian.i32(data, at);
        int type = tag & 15;
        if (type > DIGITS) {
            set(Kind.RESERVED, 4, 0, 0);
        } else if (type == REAL || type == FIXED64) {
            set(Kind.VALUE, 4, 8, 0);
        } else if (type == FIXED32) {
            set(Kind.VALUE, 4, 4, 0);
        } else if (!varint.load(data, at + 4, end)) {
            if (varint.broken) set(Kind.RESERVED, LONGEST, 0, 0);
            else cut();
        } else {
            set(Kind.VALUE, varint.end - at, type < REAL ? 0 : varint.length(), varint.value);
        }
    }

    private void cut() {
        set(Kind.CUT, 0, 0, 0);
        tag = 0;
    }

    private void set(Kind kind, int size, long payload, long number) {
        this.kind = kind;
        this.size = size;
        this.payload = payload;
        this.number = number;
    }

    /** The tag of an array's element i. */
    static int elementTag(long i, int type) {
        return (int) (i + 1) << 4 | type;
    }

    /**
     * The hash of a name's UTF-8, of which tags have the low 24 bits: MurmurHash2 of 32 bits with seed -1, but for the
     * last 1 to 3 bytes, which are taken highest first and with their sign, as the published encoder did.
     */
    static int hash(byte[] data, int from, int to) {
        int h = ~(to - from);
        int at = from;
        for (; at <= to - 4; at += 4) {
            int k = LittleEndian.i32(data, at) * M;
            k ^= k >>> 24;
            h = h * M ^ k * M;
        }
        int left = to - at;
        if (left != 0) {
            if (left >= 3) h ^= data[to - 3] << 16;
            if (left >= 2) h ^= data[to - 2] << 8;
            h ^= data[to - 1];
            h *= M;
        }
        h ^= h >>> 13;
        h *= M;
        return h ^ h >>> 15;
    }
}
