package kumihimo.hash;

import java.util.Arrays;
import kumihimo.format.LittleEndian;

/**
 * SipHash-2-4 with 128 bits of result (Aumasson and Bernstein): for whoever does not know the key it is as hard to
 * find two inputs with one hash as 128 bits allow. Bytes are given in pieces.
 */
final class SipHash128 implements Digest {
    private final long key0;
    private final long key1;

    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private final byte[] rest = new byte[8];
    private int kept;
    private long length;

    /** @param key 16 bytes */
    SipHash128(byte[] key) {
        if (key.length != 16) throw new IllegalArgumentException("a key has 16 bytes, this one " + key.length);
        key0 = LittleEndian.i64(key, 0);
        key1 = LittleEndian.i64(key, 8);
        reset();
    }

    @Override
    public void reset() {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
        kept = 0;
        length = 0;
    }

    @Override
    public void update(byte[] data, int from, int to) {
        length += to - from;
        int at = from;
        if (kept > 0) {
            int more = Math.min(8 - kept, to - at);
            System.arraycopy(data, at, rest, kept, more);
            kept += more;
            at += more;
            if (kept < 8) return;
            word(LittleEndian.i64(rest, 0));
            kept = 0;
        }
        for (; to - at >= 8; at += 8) word(LittleEndian.i64(data, at));
        System.arraycopy(data, at, rest, 0, to - at);
        kept = to - at;
    }

    @Override
    public byte[] digest() {
        Arrays.fill(rest, kept, 8, (byte) 0);
        word(LittleEndian.i64(rest, 0) | length << 56);
        v2 ^= 0xee;
        rounds(4);
        byte[] out = new byte[16];
        put(out, 0, v0 ^ v1 ^ v2 ^ v3);
        v1 ^= 0xdd;
        rounds(4);
        put(out, 8, v0 ^ v1 ^ v2 ^ v3);
        reset();
        return out;
    }

    private void word(long m) {
        v3 ^= m;
        rounds(2);
        v0 ^= m;
    }

    private void rounds(int count) {
        long a = v0;
        long b = v1;
        long c = v2;
        long d = v3;
        for (int i = 0; i < count; i++) {
            a += b;
            b = Long.rotateLeft(b, 13) ^ a;
            a = Long.rotateLeft(a, 32);
            c += d;
            d = Long.rotateLeft(d, 16) ^ c;
            a += d;
            d = Long.rotateLeft(d, 21) ^ a;
            c += b;
            b = Long.rotateLeft(b, 17) ^ c;
            c = Long.rotateLeft(c, 32);
        }
        v0 = a;
        v1 = b;
        v2 = c;
        v3 = d;
    }

    private static void put(byte[] out, int at, long value) {
        for (int i = 0; i < 8; i++) out[at + i] = (byte) (value >>> 8 * i);
    }
}
