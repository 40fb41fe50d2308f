package kumihimo.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers with their lowest byte first, at any place of an array, and text eight bytes at a time. */
public final class LittleEndian {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    private LittleEndian() {}

    private static VarHandle view(Class<?> of) {
        return MethodHandles.byteArrayViewVarHandle(of, ByteOrder.LITTLE_ENDIAN);
    }

    /** Two bytes, from 0 to 65535. */
    public static int u16(byte[] data, int at) {
        return (short) SHORT.get(data, at) & 0xffff;
    }

    /** Four bytes. */
    public static int i32(byte[] data, int at) {
        return (int) INT.get(data, at);
    }

    /** Four bytes, from 0 to 2^32-1. */
    public static long u32(byte[] data, int at) {
        return (int) INT.get(data, at) & 0xffffffffL;
    }

    /** Eight bytes. */
    public static long i64(byte[] data, int at) {
        return (long) LONG.get(data, at);
    }

    /** Stores the low two bytes. */
    public static void put16(byte[] data, int at, int value) {
        SHORT.set(data, at, (short) value);
    }

    /** Stores four bytes. */
    public static void put32(byte[] data, int at, int value) {
        INT.set(data, at, value);
    }

    /** Stores eight bytes. */
    public static void put64(byte[] data, int at, long value) {
        LONG.set(data, at, value);
    }
}
