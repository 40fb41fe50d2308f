package kumihimo.plain;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import kumihimo.Code;
import kumihimo.DataException;

/**
 * Against documents whose keys all have one hash, which would make a HashMap slow by the square of their number. Keys
 * that are text, and numbers, are safe in the JDK's HashMap and what is made of it: among equal hashes it puts them
 * into a tree by their order. For all other keys, and in other maps for all keys, equal hashes are counted here.
 */
final class KeyGuard {
    /** By chance so many do not come together. */
    private static final int MOST = 64;

    private final Map<Integer, Integer> hashes = new HashMap<>();

    static boolean isSafe(Object key) {
        if (key == null) return true;
        Class<?> c = key.getClass();
        return c == String.class || c == Long.class || c == Integer.class || c == Double.class || c == Boolean.class
                || c == BigInteger.class || key instanceof Enum;
    }

    /** @throws DataException {@link Code#SIZE} for one key too many with the same hash */
    void add(Object key) {
        if (key != null && hashes.merge(key.hashCode(), 1, Integer::sum) > MOST) {
            throw new DataException(Code.SIZE, "more than " + MOST + " keys of a map have the same hash");
        }
    }
}
