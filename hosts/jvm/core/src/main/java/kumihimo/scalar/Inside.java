package kumihimo.scalar;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Arrays;
import kumihimo.format.LittleEndian;

/**
 * The bytes that a String has inside, where the JVM lets them be seen: its public methods give characters one by one
 * or a copy, and do not say whether a character is one byte (Latin-1) or two. To write a short text through them costs
 * several times what it costs to copy its bytes, two words and a look at each.
 *
 * <p>They are read by sun.misc.Unsafe, as other libraries do. JVMs from 24 on print a warning when it is used, so that
 * there, and where a String is something else inside, nothing is seen; also where the property {@code kumihimo.unsafe}
 * is {@code false}.
 */
public final class Inside {
    /** Of a String its byte[]; or null. */
    private static final MethodHandle VALUE = value();
    private static final boolean SEEN = VALUE != null;

    private Inside() {}

    /**
     * As many bytes as the text has characters if each is one of Latin-1, else twice as many; null where the JVM does
     * not let them be seen. Not to be changed.
     */
    public static byte[] of(String text) {
        if (!SEEN) return null;
        try {
            return (byte[]) VALUE.invokeExact(text);
        } catch (Throwable e) { // it throws nothing
            throw new IllegalStateException(e);
        }
    }

    /** The first n bytes, one to seven, as a word; there are no more. */
    public static long few(byte[] text, int n) {
        if (n < 4) return text[0] & 0xff | (text[n >> 1] & 0xff) << 8 * (n >> 1) | (text[n - 1] & 0xff) << 8 * (n - 1);
        return LittleEndian.u32(text, 0) | LittleEndian.u32(text, n - 4) << 8 * (n - 4);
    }

    private static MethodHandle value() {
        if (Runtime.version().feature() >= 24 || "false".equals(System.getProperty("kumihimo.unsafe"))) return null;
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field only = unsafe.getDeclaredField("theUnsafe");
            only.setAccessible(true);
            Field value = String.class.getDeclaredField("value");
            if (value.getType() != byte[].class) return null;
            MethodHandles.Lookup lookup = MethodHandles.publicLookup(); // it need not read the module that has it
            long offset = (long) lookup.findVirtual(unsafe, "objectFieldOffset",
                    MethodType.methodType(long.class, Field.class)).invoke(only.get(null), value);
            MethodHandle get = lookup.findVirtual(unsafe, "getObject",
                    MethodType.methodType(Object.class, Object.class, long.class)).bindTo(only.get(null));
            get = MethodHandles.insertArguments(get, 1, offset);
            return isRight(get = get.asType(MethodType.methodType(byte[].class, String.class))) ? get : null;
        } catch (Throwable e) { // another JVM
            return null;
        }
    }

    private static boolean isRight(MethodHandle get) throws Throwable {
        byte[] latin = (byte[]) get.invokeExact("a\u00e9 ");
        byte[] wide = (byte[]) get.invokeExact("a\u00e9\u4fa1");
        byte[] none = (byte[]) get.invokeExact("");
        return Arrays.equals(latin, new byte[] {'a', (byte) 0xe9, ' '}) && wide.length == 6 && none.length == 0;
    }
}
