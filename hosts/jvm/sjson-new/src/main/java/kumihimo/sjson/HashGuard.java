package kumihimo.sjson;

import java.util.HashSet;
import java.util.Set;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.HashBudget;
import kumihimo.HashRuns;
import kumihimo.Kind;
import kumihimo.Utf8;
import kumihimo.scalar.NumberText;
import scala.runtime.Statics;

/**
 * Against documents that make Scala's sets and maps slow: those keep what has one hash in a list, which costs time by
 * the square of its length, and hashes of texts and numbers are easily made equal. The sets and maps are the codecs'
 * own, so that the document is judged before they see it: the keys of each map as texts and as numbers, the elements
 * of each array that are texts or numbers, since a set is written as one.
 *
 * <p>What counts is the work that equal hashes would make ({@link HashRuns}); values that are equal take one place.
 * Keys and elements of other types (a UUID, a class of the program's) have hashes that only their codec knows.
 */
final class HashGuard {
    private static final int OTHER = -1;
    private static final int TEXTS = 0;
    private static final int NUMBERS = 1;

    private final KeyedTape tape;
    private final HashBudget budget = new HashBudget();

    HashGuard(KeyedTape tape) {
        this.tape = tape;
    }

    /** Another document begins. */
    void begin() {
        budget.begin();
    }

    /** @throws DataException {@link Code#SIZE} where too many keys of this map have equal hashes */
    void keys(int map) {
        check(map, true, TEXTS);
        check(map, true, NUMBERS);
    }

    /** @throws DataException {@link Code#SIZE} where too many elements of this array have equal hashes */
    void elements(int array) {
        check(array, false, TEXTS);
        check(array, false, NUMBERS);
    }

    /** Counts by a part of the hash first, in a table that is small; hardly any document gets further. */
    private void check(int container, boolean keys, int what) {
        int n = tape.length(container);
        int bits = Math.max(1, 32 - Integer.numberOfLeadingZeros(n >> 8));
        int[] counts = new int[1 << bits];
        long looks = 0;
        int end = tape.next(container);
        for (int node = container + 1; node < end; node = tape.next(node)) {
            if (kind(node, keys, what) != OTHER) looks += counts[slot(hash(node, keys, what), bits)]++;
        }
        if (!HashBudget.isLittle(looks, n)) count(container, keys, what);
    }

    private void count(int container, boolean keys, int what) {
        HashRuns runs = new HashRuns(budget, keys ? "keys of a map" : "elements of an array");
        int[] nodes = new int[tape.length(container)];
        // Of the values whose hash is not theirs alone. The JDK's sets put these into a tree, where they have an
        // order.
        Set<Object> met = new HashSet<>();
        int end = tape.next(container);
        for (int node = container + 1; node < end; node = tape.next(node)) {
            if (kind(node, keys, what) == OTHER) continue;
            int last = runs.find(hash(node, keys, what));
            if (last != HashRuns.NONE) {
                runs.look(weight(node, keys, what));
                if (runs.before(last) == HashRuns.NONE) met.add(value(nodes[last], keys, what));
                if (!met.add(value(node, keys, what))) continue;
            }
            nodes[runs.add()] = node;
        }
    }

    /** What a set would compare: keys by their numbers, which are as many as there are texts. */
    private Object value(int node, boolean keys, int what) {
        if (keys) return tape.key(node);
        if (what == TEXTS) return tape.text(node);
        return tape.is(node, Kind.BIG) ? Double.doubleToRawLongBits(tape.real(node)) : tape.bits(node);
    }

    /** What it costs a set, at most, to see that another value equals this one. */
    private long weight(int node, boolean keys, int what) {
        if (keys) return 1 + (tape.keys().text(tape.key(node)).length() >> 4);
        return what == TEXTS ? 1 + (tape.textLength(node) >> 4) : 1;
    }

    private static int slot(int hash, int bits) {
        return hash * 0x9e3779b1 >>> 32 - bits;
    }

    /** What the key or the element is looked at as, or {@link #OTHER}. */
    private int kind(int node, boolean keys, int what) {
        if (keys) return what == TEXTS || isNumber(tape.keys().text(tape.key(node))) ? what : OTHER;
        switch (tape.kind(node)) {
            case STR:
                return what == TEXTS ? what : OTHER;
            case I64:
            case F64:
            case BIG:
                return what == NUMBERS ? what : OTHER;
            default:
                return OTHER;
        }
    }

    private int hash(int node, boolean keys, int what) {
        if (keys) {
            String text = tape.keys().text(tape.key(node));
            return what == TEXTS ? text.hashCode() : numberHash(text);
        }
        switch (tape.kind(node)) {
            case STR:
                return tape.textHash(node);
            case I64:
                return Statics.longHash(tape.bits(node));
            case F64:
                return Statics.doubleHash(tape.f64(node));
            default:
                return Statics.doubleHash(tape.real(node));
        }
    }

    private static boolean isNumber(String text) {
        int n = text.length();
        if (n == 0 || n > 40 || text.charAt(0) > '9') return false;
        byte[] bytes = Utf8.looseBytes(text);
        return NumberText.isNumber(bytes, 0, bytes.length);
    }

    private static int numberHash(String number) {
        try {
            return Statics.longHash(Long.parseLong(number));
        } catch (NumberFormatException e) { // a fraction, an exponent, or more digits than a long has
            return Statics.doubleHash(Double.parseDouble(number));
        }
    }
}
