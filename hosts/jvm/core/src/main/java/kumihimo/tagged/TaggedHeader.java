package kumihimo.tagged;

import kumihimo.format.LittleEndian;

/**
 * The layout {@code safe}: c1 fe 54, then one value. The first byte of each piece says what it is:
 *
 * <pre>
 *   00-3f  the integer 0 to 63           c0  null     c2  false    c3  true     c1  reserved: begins a document
 *   40-7f  the name of number 0 to 63    c4  an array begins       c5  a map begins       c6  the innermost ends
 *   80-9f  a str of 0 to 31 bytes        c7  a double, 8 bytes
 *   a0-bf  a name of 0 to 31 bytes       c8-cb  an integer from 0, in 1, 2, 4, 8 bytes
 *   e0-ef  the integer -16 to -1         cc-cf  an integer below 0, in 1, 2, 4, 8 bytes
 *   f0-ff, n  the name of number         d0-d3  a str, its length in 1, 2, 4, 8 bytes      d4-d7  a bin, the same
 *          64 + 256 * (c - f0) + n       d8  a number as digits, d9  an ext, da  a time
 *   de, df  reserved                     db  a name that gets a number, dc  one that does not, dd  the next value
 *                                            is the key
 *
 *   {"id":7,"tags":["a",null],"up":{"id":8}}
 *   c1 fe 54  c5  db 02 i d 07  a4 t a g s c4 81 a c0 c6  a2 u p c5 40 08 c6  c6
 * </pre>
 *
 * <p>db takes the next number, from 0, and from there on the number can stand for the name; a document has 4160 of
 * them at most. Numbers of fixed width are little-endian. Varints ({@link Varint}): the lengths of d8, db, dc; the
 * type and the length of d9; of da, behind a byte for the kind, the seconds, the nanoseconds and, of the kinds 1 and
 * 2, the offset.
 *
 * <p>An object is one piece, taken apart. The reader has its own, faster look at the same bytes; this serves whoever
 * skips or locates.
 */
final class TaggedHeader {
    static final int MOST_NAMES = 64 + 16 * 256;
    /** A kind and three numbers: a time is all header. */
    static final int LONGEST = 2 + 3 * Varint.LONGEST;

    static final int NAME = 0x40;
    static final int STR = 0x80;
    static final int LONE_NAME = 0xa0;
    static final int NULL = 0xc0;
    static final int FALSE = 0xc2;
    static final int TRUE = 0xc3;
    static final int ARRAY = 0xc4;
    static final int MAP = 0xc5;
    static final int END = 0xc6;
    static final int F64 = 0xc7;
    static final int ABOVE = 0xc8;
    static final int BELOW = 0xcc;
    static final int LONG_STR = 0xd0;
    static final int BIN = 0xd4;
    static final int BIG = 0xd8;
    static final int EXT = 0xd9;
    static final int TIME = 0xda;
    static final int NEW_NAME = 0xdb;
    static final int LONG_NAME = 0xdc;
    static final int KEY = 0xdd;
    static final int MINUS = 0xe0;
    static final int FAR_NAME = 0xf0;

    /** What a piece is. */
    enum Kind {
        SCALAR,
        STR,
        ARRAY,
        MAP,
        END,
        /** A known name; {@link #number} says which. */
        NAME,
        /** A name that takes the next number. */
        NEW_NAME,
        LONE_NAME,
        /** The next value is the key. */
        KEY,
        /** No piece begins with this byte, or with a varint of more than 64 bits. */
        RESERVED,
        /** The bytes end inside the header. */
        CUT
    }

    Kind kind;
    /** Bytes of the header. */
    int size;
    /** Bytes behind it. */
    long payload;
    int number;
    private final Varint varint = new Varint();

    /** A document of this layout begins here. */
    static boolean isMark(byte[] data, int at, int end) {
        return end - at >= 3 && data[at] == (byte) 0xc1 && data[at + 1] == (byte) 0xfe && data[at + 2] == 0x54;
    }

    /** The byte i of a document's mark. */
    static byte mark(int i) {
        return (byte) (i == 0 ? 0xc1 : i == 1 ? 0xfe : 0x54);
    }

    /** The number of 1, 2, 4 or 8 bytes, as width is 0, 1, 2 or 3; of eight bytes it is the bits. */
    static long loadWide(byte[] data, int at, int width) {
        switch (width) {
            case 0:
                return data[at] & 0xff;
            case 1:
                return LittleEndian.u16(data, at);
            case 2:
                return LittleEndian.u32(data, at);
            default:
                return LittleEndian.i64(data, at);
        }
    }

    /** Takes the header at data[at] apart. */
    void read(byte[] data, int at, int end) {
        if (at >= end) {
            set(Kind.CUT, 0, 0);
            return;
        }
        int c = data[at] & 0xff;
        if (c < NAME) set(Kind.SCALAR, 1, 0);
        else if (c < STR) named(c - NAME, 1);
        else if (c < LONE_NAME) set(Kind.STR, 1, c & 31);
        else if (c < NULL) set(Kind.LONE_NAME, 1, c & 31);
        else if (c >= FAR_NAME && end - at < 2) set(Kind.CUT, 0, 0);
        else if (c >= FAR_NAME) named(64 + 256 * (c & 15) + (data[at + 1] & 0xff), 2);
        else if (c >= MINUS) set(Kind.SCALAR, 1, 0);
        else if (c >= ABOVE && c < LONG_STR) set(Kind.SCALAR, 1, 1 << (c & 3));
        else if (c >= LONG_STR && c < BIG) sized(data, at, end, c);
        else other(data, at, end, c);
    }

    private void sized(byte[] data, int at, int end, int c) {
        int bytes = 1 + (1 << (c & 3));
        if (end - at < bytes) {
            set(Kind.CUT, 0, 0);
            return;
        }
        long n = loadWide(data, at + 1, c & 3);
        set(c < BIN ? Kind.STR : Kind.SCALAR, bytes, n < 0 ? Long.MAX_VALUE : n);
    }

    private void other(byte[] data, int at, int end, int c) {
        switch (c) {
            case NULL:
            case FALSE:
            case TRUE:
                set(Kind.SCALAR, 1, 0);
                return;
            case ARRAY:
                set(Kind.ARRAY, 1, 0);
                return;
            case MAP:
                set(Kind.MAP, 1, 0);
                return;
            case END:
                set(Kind.END, 1, 0);
                return;
            case F64:
                set(Kind.SCALAR, 1, 8);
                return;
            case KEY:
                set(Kind.KEY, 1, 0);
                return;
            case BIG:
            case NEW_NAME:
            case LONG_NAME:
                varints(data, at, at + 1, end, c, 1);
                return;
            case EXT:
                varints(data, at, at + 1, end, c, 2);
                return;
            case TIME:
                if (at + 1 >= end) set(Kind.CUT, 0, 0);
                else varints(data, at, at + 2, end, c, data[at + 1] == 1 || data[at + 1] == 2 ? 3 : 2);
                return;
            default:
                set(Kind.RESERVED, 1, 0);
        }
    }

    /**
     * The numbers of the header that begins at {@code first}; the last one is the length of what follows, but for a
     * time.
     */
    private void varints(byte[] data, int first, int at, int end, int c, int count) {
        for (; count != 0; count--) {
            if (!varint.load(data, at, end)) {
                // Up to the byte that breaks it, so that it is as long wherever a stream was cut.
                if (varint.broken) set(Kind.RESERVED, at + Varint.LONGEST - first, 0);
                else set(Kind.CUT, 0, 0);
                return;
            }
            at = varint.end;
        }
        Kind kind = c == NEW_NAME ? Kind.NEW_NAME : c == LONG_NAME ? Kind.LONE_NAME : Kind.SCALAR;
        set(kind, at - first, c == TIME ? 0 : varint.length());
    }

    private void named(int number, int size) {
        set(Kind.NAME, size, 0);
        this.number = number;
    }

    private void set(Kind kind, int size, long payload) {
        this.kind = kind;
        this.size = size;
        this.payload = payload;
    }
}
