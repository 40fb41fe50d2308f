package kumihimo.plain;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.HashBudget;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.scalar.BigNumbers;

/**
 * Builds maps and lists of a document's verbs:
 *
 * <pre>
 *   null, boolean    null, Boolean          big     BigInteger, BigDecimal
 *   i64              Long                   bin     byte[]; as a key a ByteBuffer
 *   u64              BigInteger             time    Instant, OffsetDateTime, LocalDate, LocalDateTime
 *   f64              Double                 ext     Extension
 *   str              String                 array   ArrayList
 *   key              String, or any value   map     a Map: see below
 * </pre>
 *
 * <p>It keeps the order; of a key that comes twice the last value counts. A map whose keys have all come before, as
 * those of documents mostly have, shares them ({@link KeyPath}). A LinkedHashMap is made of the others: without a key,
 * with too many ({@link SharedKeys#MOST}), with one of more than 64 bytes or no text, that comes twice or for the
 * first time; and of maps that begin as no other does, once a document has many of them ({@link KeyPath.Tree}).
 *
 * <p>Values wait on one stack until their container ends, so that it is made in the size it has. For one thread; can
 * be used again after {@link #take} or {@link #reset}. No recursion, however deep the document.
 */
final class Builder implements Sink {
    private static final int MAP = 1 << 31;
    private static final int KEY = 1 << 30;
    /** A key's hash is asked for at each key around it, so deep ones would cost time by the square. */
    private static final int KEYS_IN_KEYS = 8;

    /** Places for values that are kept for the next document. */
    private static final int KEPT = 1 << 16;

    private final Limits limits;
    /** Of the document whose verbs come. */
    private HashBudget hashBudget = new HashBudget();
    private final KeyCache keys = new KeyCache();
    private final KeyPath.Tree paths = new KeyPath.Tree();
    /** Finished values of open containers; keys and values of a map alternate where it does not share its keys. */
    Object[] values = new Object[64];
    private int size;
    /** So many places may hold something. */
    private int used;
    /** The keys of the innermost container so far, if it is a map that shares them, and of those around it; or null. */
    private KeyPath at;
    private KeyPath root = paths.begin();
    KeyPath[] around = new KeyPath[16];
    /** Of each open container: where its values begin, and whether it is a map, and a key. */
    private int[] open = new int[16];
    private int depth;
    private int keyDepth;

    /** Numbers beyond 64 bits are no larger than the limits say. */
    Builder(Limits limits) {
        this.limits = limits;
    }

    /** What is built from now on is of the document that has this budget. */
    void countIn(HashBudget hashBudget) {
        this.hashBudget = hashBudget;
    }

    /** The value of the whole document; the builder forgets it. */
    public Object take() {
        Object value = values[0];
        reset();
        return value;
    }

    /** Forgets what has arrived: to be called after a failure, too, since a builder is kept longer than a document. */
    public void reset() {
        if (values.length > KEPT) values = new Object[64];
        else Arrays.fill(values, 0, Math.max(size, used), null);
        size = 0;
        used = 0;
        at = null;
        // A path holds its whole tree, which may be one that is forgotten.
        Arrays.fill(around, 0, depth, null);
        root = paths.begin();
        depth = 0;
        keyDepth = 0;
    }

    private void add(Object value) {
        if (size == values.length) values = Arrays.copyOf(values, size * 2);
        values[size++] = value;
    }

    @Override
    public void nil() {
        add(null);
    }

    @Override
    public void bool(boolean value) {
        add(value);
    }

    @Override
    public void i64(long value) {
        add(value);
    }

    @Override
    public void u64(long bits) {
        add(unsigned(bits));
    }

    static BigInteger unsigned(long bits) {
        return BigInteger.valueOf(bits >>> 1).shiftLeft(1).add(BigInteger.valueOf(bits & 1));
    }

    @Override
    public void f64(double value) {
        add(value);
    }

    @Override
    public void big(String digits) {
        add(BigNumbers.number(digits, limits));
    }

    @Override
    public void str(String text) {
        add(text);
    }

    @Override
    public boolean wantsStrings() {
        return true;
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        add(Utf8.string(data, from, to, ascii));
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        add(Arrays.copyOfRange(data, from, to));
    }

    @Override
    public void time(Moment moment) {
        add(Moments.value(moment));
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        add(new Extension(type, data, from, to));
    }

    @Override
    public void array(long count) {
        open(0);
    }

    @Override
    public void map(long count) {
        open(MAP);
        at = root;
    }

    private void open(int kind) {
        if (depth == open.length) {
            open = Arrays.copyOf(open, depth * 2);
            around = Arrays.copyOf(around, depth * 2);
        }
        if (at == null && isKey()) {
            if (++keyDepth > KEYS_IN_KEYS) throw new DataException(Code.DEPTH, "keys within keys are nested too deep");
            kind |= KEY;
        }
        around[depth] = at;
        open[depth++] = size | kind;
        at = null;
    }

    /** Whether the next value is a key; the innermost container shares none. */
    private boolean isKey() {
        int start = depth == 0 ? 0 : open[depth - 1];
        return start < 0 && (size - start & 1) == 0;
    }

    @Override
    public void key(String text) {
        if (at != null) alternate();
        add(text);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        String text = keys.text(data, from, to, ascii);
        if (keys.isKnown()) known(text);
        else key(text);
    }

    @Override
    public void key(Name name) {
        known(name.text());
    }

    /** A key that has come before. */
    private void known(String text) {
        if (at != null) {
            KeyPath way = paths.way(at, text);
            if (way != null) {
                at = way;
                return;
            }
            alternate();
        }
        add(text);
    }

    /** Keys are values here. */
    @Override
    public void keyIsNext() {
        if (at != null) alternate();
    }

    /** A key is next: those of the innermost map, which are shared no longer, go between its values. */
    private void alternate() {
        KeyPath path = at;
        at = null;
        int n = path.size();
        if (size + n > values.length) values = Arrays.copyOf(values, Math.max(size + n, size * 2));
        int start = size - n;
        size += n;
        for (int i = n - 1; i >= 0; i--) {
            values[start + 2 * i + 1] = values[start + i];
            values[start + 2 * i] = path.key();
            path = path.before();
        }
    }

    @Override
    public void end() {
        if (depth == 0) throw new DataException(Code.MISUSE, "an end without its start");
        int start = open[--depth];
        KeyPath path = at;
        at = around[depth];
        around[depth] = null;
        if (size > used) used = size;
        if ((start & KEY) != 0) keyDepth--;
        if (start >= 0) list(start & ~KEY);
        else if (path != null && path.size() > 0) sharing(start & ~(MAP | KEY), path.keys());
        else map(start & ~(MAP | KEY));
    }

    private void list(int start) {
        ArrayList<Object> list = new ArrayList<>(size - start);
        for (int i = start; i < size; i++) list.add(values[i]);
        size = start;
        add(list);
    }

    private void sharing(int start, SharedKeys keys) {
        Object[] own = Arrays.copyOfRange(values, start, size);
        size = start;
        add(new SharedKeysMap(keys, own));
    }

    private void map(int start) {
        int pairs = size - start >> 1;
        Map<Object, Object> map = new LinkedHashMap<>((int) Math.min((pairs * 4L + 2) / 3, 1 << 30));
        KeyGuard guard = null;
        for (int i = start; i < size; i += 2) {
            Object key = values[i];
            boolean counted = false;
            if (!(key instanceof String)) {
                if (key instanceof byte[]) key = ByteBuffer.wrap((byte[]) key).asReadOnlyBuffer();
                counted = !KeyGuard.isSafe(key);
                if (counted) {
                    if (guard == null) guard = new KeyGuard(hashBudget, "keys of a map", false);
                    guard.look(key);
                }
            }
            int before = map.size();
            map.put(key, values[i + 1]);
            if (counted && map.size() != before) guard.added();
        }
        size = start;
        add(map);
    }
}
