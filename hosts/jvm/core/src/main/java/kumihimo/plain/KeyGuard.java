package kumihimo.plain;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.HashBudget;
import kumihimo.HashRuns;

/**
 * Against documents whose keys all have one hash, which would make a HashMap slow by the square of their number. Keys
 * that are text, and numbers, are safe in the JDK's HashMap and what is made of it: among equal hashes it puts them
 * into a tree by their order. For all other keys, and in other maps for all keys, equal hashes are counted here, and
 * what they cost ({@link HashRuns}). Trees compare decimal numbers, which costs more where these are long.
 */
final class KeyGuard {
    private final HashBudget budget;
    private final HashRuns runs;

    /** @param budget of the document */
    KeyGuard(HashBudget budget, String what) {
        this.budget = budget;
        runs = new HashRuns(budget, what);
    }

    static boolean isSafe(Object key) {
        if (key == null) return true;
        Class<?> c = key.getClass();
        return c == String.class || c == Long.class || c == Integer.class || c == Double.class || c == Boolean.class
                || c == BigInteger.class || key instanceof Enum;
    }

    /**
     * The key is about to be looked for.
     *
     * @throws DataException {@link Code#SIZE} where keys with equal hashes have cost too much
     */
    void look(Object key) {
        if (key instanceof BigDecimal) budget.decimal(digits((BigDecimal) key), 0);
        if (runs.find(key == null ? 0 : key.hashCode()) != HashRuns.NONE) runs.look(weight(key));
    }

    /** No fewer than it has. */
    private static int digits(BigDecimal number) {
        return (int) (number.unscaledValue().bitLength() * 3L / 10) + 1;
    }

    /** The key that was looked for last was not there, and is now. */
    void added() {
        runs.add();
    }

    /** What it costs, at most, to see that another key equals it. */
    private long weight(Object key) {
        long sum = 1;
        if (key instanceof BigDecimal) return sum + budget.comparison();
        if (key instanceof String) return sum + (((String) key).length() >> 4);
        if (key instanceof ByteBuffer) return sum + (((ByteBuffer) key).remaining() >> 4);
        if (key instanceof Collection) {
            for (Object element : (Collection<?>) key) sum += weight(element);
        } else if (key instanceof Map) {
            for (Map.Entry<?, ?> pair : ((Map<?, ?>) key).entrySet()) {
                sum += weight(pair.getKey()) + weight(pair.getValue());
            }
        }
        return sum;
    }
}
