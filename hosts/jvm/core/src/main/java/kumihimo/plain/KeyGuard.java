package kumihimo.plain;

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
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
    private final HashBudget.Decimals decimals;

    /**
     * @param budget of the document
     * @param ordered whether the set or map compares numbers by their order, whatever their hashes are
     */
    KeyGuard(HashBudget budget, String what, boolean ordered) {
        this.budget = budget;
        decimals = new HashBudget.Decimals(ordered);
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
        if (key instanceof BigDecimal) budget.decimal(decimals, digits((BigDecimal) key), 0);
        if (runs.find(key == null ? 0 : key.hashCode()) != HashRuns.NONE) runs.look(weight(key));
    }

    /** No fewer than it has. */
    private static int digits(BigDecimal number) {
        return (int) (number.unscaledValue().bitLength() * 1234L >> 12) + 1;
    }

    /** The key that was looked for last was not there, and is now. */
    void added() {
        runs.add();
    }

    /**
     * What it costs, at most, to see that another key equals it: more for whatever may be long. Of classes that a
     * program brings nobody knows.
     */
    private long weight(Object key) {
        return key instanceof BigDecimal ? 1 + decimals.comparison() + bits(key) : part(key);
    }

    private static long bits(Object number) {
        BigInteger whole = number instanceof BigDecimal ? ((BigDecimal) number).unscaledValue() : (BigInteger) number;
        return whole.bitLength() >> 9;
    }

    private static long part(Object key) {
        long sum = 1;
        if (key instanceof CharSequence) return sum + (((CharSequence) key).length() >> 4);
        if (key instanceof ByteBuffer) return sum + (((ByteBuffer) key).remaining() >> 4);
        if (key instanceof Extension) return sum + (((Extension) key).size() >> 4);
        if (key instanceof BigInteger || key instanceof BigDecimal) return sum + bits(key);
        // Two URIs are compared character by character, without heed to the case of some.
        if (key instanceof URI || key instanceof URL) return sum + key.toString().length();
        if (key instanceof Path || key instanceof File) return sum + (key.toString().length() >> 4);
        if (key instanceof Collection) {
            for (Object element : (Collection<?>) key) sum += part(element);
        } else if (key instanceof Map) {
            for (Map.Entry<?, ?> pair : ((Map<?, ?>) key).entrySet()) {
                sum += part(pair.getKey()) + part(pair.getValue());
            }
        } else if (key instanceof Optional) {
            sum += part(((Optional<?>) key).orElse(null));
        }
        return sum;
    }
}
