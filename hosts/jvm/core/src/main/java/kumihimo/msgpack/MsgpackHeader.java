package kumihimo.msgpack;

import kumihimo.format.BigEndian;

/**
 * The first bytes of a MessagePack value, taken apart: what it is, how long its header is, how many bytes or values
 * follow; as {@code engine/msgpack/header.hpp}.
 *
 * <pre>
 *   c4 05 | 61 62 63 64 65         header 2, payload 5            93 | 01 02 03      header 1, payload 0, 3 values
 * </pre>
 *
 * <p>The reader has its own, faster look at the same bytes; this class serves whoever skips or locates.
 */
final class MsgpackHeader {
    static final int LONGEST = 6;

    /** What a header begins. */
    enum Kind {
        SCALAR,
        STR,
        BIN,
        EXT,
        ARRAY,
        MAP,
        /** No value begins so. */
        RESERVED,
        /** The bytes end inside the header. */
        CUT
    }

    Kind kind;
    /** Bytes of the header; an extension's type is its last. */
    int size;
    /** Bytes behind it; a number's own bytes too. */
    long payload;
    /** Values behind it: of a map keys and values. */
    long values;

    /** Takes the header at data[at] apart. */
    void read(byte[] data, int at, int end) {
        if (at == end) {
            set(Kind.CUT, 0, 0, 0);
            return;
        }
        int c = data[at] & 0xff;
        if (c < 0x80 || c >= 0xe0) set(Kind.SCALAR, 1, 0, 0);
        else if (c < 0x90) set(Kind.MAP, 1, 0, 2 * (c & 15));
        else if (c < 0xa0) set(Kind.ARRAY, 1, 0, c & 15);
        else if (c < 0xc0) set(Kind.STR, 1, c & 31, 0);
        else if (c == 0xc1) set(Kind.RESERVED, 1, 0, 0);
        else if (c < 0xc4) set(Kind.SCALAR, 1, 0, 0);
        else if (c >= 0xca && c <= 0xd3) set(Kind.SCALAR, 1, c < 0xcc ? 4 << (c & 1) : 1 << (c & 3), 0);
        else if (c >= 0xd4 && c <= 0xd8) set(end - at < 2 ? Kind.CUT : Kind.EXT, 2, 1 << (c - 0xd4), 0);
        else sized(data, at, end, c);
    }

    /** c4-c6 bin, c7-c9 ext, d9-db str: a length of 1, 2, 4 bytes. dc-dd array, de-df map: a count of 2, 4 bytes. */
    private void sized(byte[] data, int at, int end, int c) {
        int width;
        if (c >= 0xdc) width = 2 << (c & 1);
        else if (c >= 0xd9) width = 1 << (c - 0xd9);
        else width = 1 << (c - 0xc4) % 3;
        boolean ext = c >= 0xc7 && c <= 0xc9;
        int bytes = 1 + width + (ext ? 1 : 0);
        if (end - at < bytes) {
            set(Kind.CUT, 0, 0, 0);
            return;
        }
        long n = width == 1 ? data[at + 1] & 0xff
                : width == 2 ? BigEndian.u16(data, at + 1) : BigEndian.u32(data, at + 1);
        if (c >= 0xde) set(Kind.MAP, bytes, 0, 2 * n);
        else if (c >= 0xdc) set(Kind.ARRAY, bytes, 0, n);
        else set(c >= 0xd9 ? Kind.STR : ext ? Kind.EXT : Kind.BIN, bytes, n, 0);
    }

    private void set(Kind kind, int size, long payload, long values) {
        this.kind = kind;
        this.size = size;
        this.payload = payload;
        this.values = values;
    }
}
