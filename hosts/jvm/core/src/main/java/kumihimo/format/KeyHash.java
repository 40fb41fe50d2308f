package kumihimo.format;

/**
 * The hash of a key's UTF-8 that does not depend on the process: {@code hash} of {@code engine/tagged/names.hpp}, to
 * the bit.
 */
public final class KeyHash {
    private KeyHash() {}

    /** Looks at 24 bytes at most. */
    public static int of(byte[] data, int from, int n) {
        long a = 0;
        long b = 0;
        if (n >= 8) {
            a = LittleEndian.i64(data, from);
            b = LittleEndian.i64(data, from + n - 8);
            if (n > 16) a ^= LittleEndian.i64(data, from + n / 2 - 4) * 0x9E3779B97F4A7C15L;
        } else if (n >= 4) {
            a = LittleEndian.u32(data, from);
            b = LittleEndian.u32(data, from + n - 4);
        } else if (n != 0) {
            a = data[from] & 0xff | (data[from + n - 1] & 0xff) << 8;
            b = data[from + n / 2] & 0xff;
        }
        return (int) ((a ^ Long.rotateLeft(b, 23) ^ n) * 0xD6E8FEB86659FD93L >>> 32);
    }
}
