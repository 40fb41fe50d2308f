package kumihimo.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** XXH32 with the seed 0, in pieces: the check sum of lz4. */
final class XxHash32 {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int P1 = 0x9e3779b1;
    private static final int P2 = 0x85ebca77;
    private static final int P3 = 0xc2b2ae3d;
    private static final int P4 = 0x27d4eb2f;
    private static final int P5 = 0x165667b1;

    private final byte[] held = new byte[16];
    private int filled;
    private long length;
    private int a;
    private int b;
    private int c;
    private int d;

    XxHash32() {
        reset();
    }

    /** The hash of a part of an array. */
    static int of(byte[] data, int from, int to) {
        XxHash32 hash = new XxHash32();
        hash.update(data, from, to);
        return hash.value();
    }

    void reset() {
        filled = 0;
        length = 0;
        a = P1 + P2;
        b = P2;
        c = 0;
        d = -P1;
    }

    void update(byte[] data, int from, int to) {
        length += to - from;
        if (filled > 0) {
            int n = Math.min(16 - filled, to - from);
            System.arraycopy(data, from, held, filled, n);
            filled += n;
            from += n;
            if (filled < 16) return;
            stripes(held, 0, 16);
            filled = 0;
        }
        int whole = from + (to - from & ~15);
        stripes(data, from, whole);
        filled = to - whole;
        System.arraycopy(data, whole, held, 0, filled);
    }

    private void stripes(byte[] data, int from, int to) {
        int a = this.a;
        int b = this.b;
        int c = this.c;
        int d = this.d;
        for (int p = from; p < to; p += 16) {
            a = round(a, (int) INT.get(data, p));
            b = round(b, (int) INT.get(data, p + 4));
            c = round(c, (int) INT.get(data, p + 8));
            d = round(d, (int) INT.get(data, p + 12));
        }
        this.a = a;
        this.b = b;
        this.c = c;
        this.d = d;
    }

    private static int round(int lane, int word) {
        return Integer.rotateLeft(lane + word * P2, 13) * P1;
    }

    /** The hash of all bytes so far. */
    int value() {
        int lanes = Integer.rotateLeft(a, 1) + Integer.rotateLeft(b, 7) + Integer.rotateLeft(c, 12)
                + Integer.rotateLeft(d, 18);
        int h = (length < 16 ? P5 : lanes) + (int) length;
        int p = 0;
        for (; p + 4 <= filled; p += 4) h = Integer.rotateLeft(h + (int) INT.get(held, p) * P3, 17) * P4;
        for (; p < filled; p++) h = Integer.rotateLeft(h + (held[p] & 0xff) * P5, 11) * P1;
        h = (h ^ h >>> 15) * P2;
        h = (h ^ h >>> 13) * P3;
        return h ^ h >>> 16;
    }
}
