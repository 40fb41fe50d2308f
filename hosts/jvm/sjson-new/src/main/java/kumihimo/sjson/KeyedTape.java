package kumihimo.sjson;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.ExpectsKeys;
import kumihimo.HashBudget;
import kumihimo.Kind;
import kumihimo.Located;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.scalar.FloatRead;
import kumihimo.scalar.FloatWrite;
import kumihimo.scalar.NumberText;

/**
 * One document's verbs as nodes of two words, for codecs that ask for fields by name: a value carries the number of
 * its key ({@link KeyTable}), so that a look at a field compares numbers, and each map knows whether a key comes
 * twice.
 *
 * <pre>
 *   63               33 32        8 7     6       5       4       3    0
 *   +------------------+-----------+-------+-------+-------+-------+------+
 *   | length           | key       | keyed | twice | where | ascii | kind |   head
 *   +------------------+-----------+-------+-------+-------+-------+------+
 *   | payload                                                             |
 *   +---------------------------------------------------------------------+
 *
 *   kind             length    payload
 *   NIL
 *   BOOL                       0 or 1
 *   I64 U64                    its 64 bits
 *   F64              place     its 64 bits
 *   BIG STR          bytes     offset of the bytes in the document; if "where" is set, the number of a String
 *   BIN TIME EXT               the number of an object
 *   ARRAY MAP        values    the node behind its last
 * </pre>
 *
 * <p>The core's tape ({@code kumihimo.tape.Tape}) is another one: a key is a node of its own there, as text, and every
 * value knows its place, for whoever looks at a few of a document's values and at any time. Here every field of every
 * map is asked for once, in the order of the document, and where it stands is found when something is wrong.
 *
 * <p>Text points into the document, which must not change. Keys that are no text become text as in JSON. For one
 * thread, and used again: {@link #reset}.
 */
final class KeyedTape implements Sink, ExpectsKeys, Located {
    static final int MOST_KEYS = (1 << 25) - 1;

    /** There is room for so many at first. */
    static final int FEW_NAMES = 64;

    private static final Kind[] KINDS = Kind.values();
    private static final int ASCII = 1 << 4;
    private static final int ELSEWHERE = 1 << 5;
    private static final int TWICE = 1 << 6;
    private static final int KEYED = 1 << 7;
    private static final int KEY = 8;
    private static final int LENGTH = 33;

    private static final int ARRAY = Kind.ARRAY.ordinal();
    private static final int MAP = Kind.MAP.ordinal();

    private final KeyTable keys = new KeyTable();
    private long[] nodes = new long[256];
    private int filled;
    private byte[] document = new byte[0];
    private int documentLength;
    /** Whether doubles know where their digits stand in the document. */
    private boolean hasDigits;
    private int place;
    private final List<Object> objects = new ArrayList<>();

    private int[] open = new int[64];
    private int depth;
    // Of the innermost container:
    private int count;
    /** How many of its values are containers. */
    private int containers;
    /** The highest number of a name, while each is higher than the one before; else the greatest int. */
    private int highest;

    private long key;
    private boolean keyIsNext;

    /** For each name the number of the map that had it last, to see keys that come twice. */
    private int[] seen = new int[FEW_NAMES];
    /** Maps are numbered over all documents, so that a document has nothing to wipe. */
    private int maps;
    private final HashGuard guard = new HashGuard(this);

    /**
     * Forgets the last document; the next one stands in these bytes, as far as the length says.
     *
     * @param hasDigits its doubles are the nearest to digits that stand in it
     */
    KeyedTape reset(byte[] document, int length, boolean hasDigits) {
        this.document = document;
        documentLength = length;
        this.hasDigits = hasDigits;
        guard.begin();
        if (keys.reset()) seen = new int[FEW_NAMES];
        objects.clear();
        filled = 0;
        depth = 0;
        count = 0;
        containers = 0;
        highest = -1;
        key = 0;
        keyIsNext = false;
        place = 0;
        return this;
    }

    /** Bytes that keeping the tape costs, the names left out ({@link KeyTable} forgets them itself). */
    long memory() {
        return nodes.length * 8L + open.length * 4L;
    }

    /** For how many names there is room. */
    int memoryForNames() {
        return seen.length;
    }

    // ---- what is on the tape: node 0 is the document ----

    /** The document's bytes. */
    byte[] document() {
        return document;
    }

    KeyTable keys() {
        return keys;
    }

    /** How many nodes there are. */
    int size() {
        return filled >> 1;
    }

    Kind kind(int node) {
        return KINDS[code(node)];
    }

    boolean is(int node, Kind kind) {
        return code(node) == kind.ordinal();
    }

    private int code(int node) {
        return (int) nodes[node << 1] & 15;
    }

    /** The number of the key whose value this is. */
    int key(int node) {
        return (int) (nodes[node << 1] >>> KEY) & MOST_KEYS;
    }

    /** Of an array or map: its values; of text its bytes. */
    int length(int node) {
        return (int) (nodes[node << 1] >>> LENGTH);
    }

    /** The value behind this one. */
    int next(int node) {
        return code(node) >= ARRAY ? (int) nodes[(node << 1) + 1] : node + 1;
    }

    /** Whether a key stands in this map more than once. */
    boolean hasTwice(int node) {
        return (nodes[node << 1] & TWICE) != 0;
    }

    /** The 64 bits of a number or truth value. */
    long bits(int node) {
        return nodes[(node << 1) + 1];
    }

    double f64(int node) {
        return Double.longBitsToDouble(bits(node));
    }

    /** The digits that a double was made of, or null where the document has none. */
    String digits(int node) {
        if (!hasDigits) return null;
        int from = length(node);
        return Utf8.string(document, from, NumberText.end(document, from, documentLength), true);
    }

    /** The text of a STR, or the digits of a BIG. */
    String text(int node) {
        long head = nodes[node << 1];
        int payload = (int) nodes[(node << 1) + 1];
        if ((head & ELSEWHERE) != 0) return (String) objects.get(payload);
        return Utf8.string(document, payload, payload + (int) (head >>> LENGTH), (head & ASCII) != 0);
    }

    /** Of a STR: bytes in the document, or characters of one that is not there. */
    int textLength(int node) {
        return (nodes[node << 1] & ELSEWHERE) != 0 ? text(node).length() : length(node);
    }

    /** {@link String#hashCode} of a STR. */
    int textHash(int node) {
        long head = nodes[node << 1];
        if ((head & (ELSEWHERE | ASCII)) != ASCII) return text(node).hashCode();
        int from = (int) nodes[(node << 1) + 1];
        int to = from + (int) (head >>> LENGTH);
        int hash = 0;
        for (int i = from; i < to; i++) hash = 31 * hash + document[i];
        return hash;
    }

    /** The double nearest to a BIG, or infinity. */
    double real(int node) {
        long head = nodes[node << 1];
        if ((head & ELSEWHERE) != 0) return Double.parseDouble(text(node));
        int from = (int) nodes[(node << 1) + 1];
        return real(from, from + (int) (head >>> LENGTH));
    }

    /** Numbers of up to 18 digits without an exponent, as most are, are read here; the JDK reads all others. */
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    private double real(int from, int to) {
        int at = document[from] == '-' ? from + 1 : from;
        long digits = 0;
        int point = to;
        int i = to - at > 19 ? to : at;
        for (; i < to; i++) {
            int c = document[i] - '0';
            if (c >= 0 && c <= 9) digits = digits * 10 + c;
            else if (document[i] == '.') point = i + 1;
            else break;
        }
        if (i < to || to - at > 19) return Double.parseDouble(new String(document, 0, from, to - from));
        double x = FloatRead.compose(digits, point - to);
        return at == from ? x : -x;
    }

    /** What a BIN, TIME or EXT holds. */
    Object object(int node) {
        return objects.get((int) nodes[(node << 1) + 1]);
    }

    /** Whether the value has a key. */
    boolean isKeyed(int node) {
        return (nodes[node << 1] & KEYED) != 0;
    }

    /** What an EXT holds. */
    static final class Extension {
        final int type;
        final byte[] data;

        Extension(int type, byte[] data) {
            this.type = type;
            this.data = data;
        }
    }

    // ---- recording ----

    @Override
    public boolean wantsPlaces() {
        return hasDigits;
    }

    @Override
    public void place(int offset) {
        place = offset;
    }

    @Override
    public void nil() {
        if (keyIsNext) keyOf("null");
        else put(Kind.NIL.ordinal(), 0);
    }

    @Override
    public void bool(boolean value) {
        if (keyIsNext) keyOf(String.valueOf(value));
        else put(Kind.BOOL.ordinal(), value ? 1 : 0);
    }

    @Override
    public void i64(long value) {
        if (keyIsNext) keyOf(Long.toString(value));
        else put(Kind.I64.ordinal(), value);
    }

    @Override
    public void u64(long bits) {
        if (keyIsNext) keyOf(Long.toUnsignedString(bits));
        else put(Kind.U64.ordinal(), bits);
    }

    @Override
    public void f64(double value) {
        if (keyIsNext) keyOf(Double.isFinite(value) ? FloatWrite.text(value) : Double.toString(value));
        else put(Kind.F64.ordinal() | (long) place << LENGTH, Double.doubleToRawLongBits(value));
    }

    @Override
    public void big(String digits) {
        if (keyIsNext) keyOf(digits);
        else keep(Kind.BIG, digits);
    }

    @Override
    public void big(byte[] data, int from, int to) {
        if (data != document || keyIsNext) big(Utf8.string(data, from, to, true));
        else put(Kind.BIG.ordinal() | ASCII | (long) (to - from) << LENGTH, from);
    }

    @Override
    public void str(String text) {
        if (keyIsNext) keyOf(text);
        else keep(Kind.STR, text);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        if (data != document || keyIsNext) {
            str(Utf8.string(data, from, to, ascii));
        } else {
            put(Kind.STR.ordinal() | (ascii ? ASCII : 0) | (long) (to - from) << LENGTH, from);
        }
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        if (keyIsNext) throw new DataException(Code.TYPE, "a key of bytes has no text");
        keep(Kind.BIN, Arrays.copyOfRange(data, from, to));
    }

    @Override
    public void time(Moment moment) {
        if (keyIsNext) throw new DataException(Code.TYPE, "a key that is a moment has no text here");
        keep(Kind.TIME, moment);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        if (keyIsNext) throw new DataException(Code.TYPE, "a key that is an extension has no text");
        keep(Kind.EXT, new Extension(type, Arrays.copyOfRange(data, from, to)));
    }

    @Override
    public void array(long count) {
        open(ARRAY);
    }

    @Override
    public void map(long count) {
        open(MAP);
    }

    @Override
    public void key(String text) {
        keyed(keys.number(text));
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        keyed(keys.number(data, from, to));
    }

    @Override
    public void key(Name name) {
        keyed(keys.number(name));
    }

    @Override
    public Name expectedKey() {
        return keys.expected();
    }

    @Override
    public void keyIsNext() {
        keyIsNext = true;
    }

    @Override
    public void end() {
        int opener = open[--depth];
        nodes[opener] |= (long) count << LENGTH;
        nodes[opener + 1] = filled >> 1;
        // Fields of one kind of record are numbered in their order: most maps need no second look.
        if (highest == Integer.MAX_VALUE) findTwice(opener);
        if (count > HashBudget.FEW) judge(opener >> 1);
        highest = open[--depth];
        containers = open[--depth] + 1;
        count = open[--depth];
    }

    private void keyed(int number) {
        highest = number > highest ? number : Integer.MAX_VALUE;
        key = (long) number << KEY | KEYED;
    }

    private void keyOf(String text) {
        keyIsNext = false;
        keyed(keys.number(text));
    }

    private void put(long head, long payload) {
        if (filled == nodes.length) grow();
        nodes[filled] = head | key;
        nodes[filled + 1] = payload;
        filled += 2;
        key = 0;
        count++;
    }

    private void keep(Kind kind, Object object) {
        put(kind.ordinal() | ELSEWHERE, objects.size());
        objects.add(object);
    }

    private void open(int kind) {
        if (keyIsNext) throw new DataException(Code.TYPE, "a key that is an array or a map has no text");
        put(kind, 0);
        if (depth + 4 > open.length) open = Arrays.copyOf(open, depth * 2);
        open[depth++] = count;
        open[depth++] = containers;
        open[depth++] = highest;
        open[depth++] = filled - 2;
        count = 0;
        containers = 0;
        highest = -1;
    }

    private void grow() {
        nodes = Arrays.copyOf(nodes, (int) Math.min(nodes.length * 2L, Integer.MAX_VALUE - 8));
        if (filled == nodes.length) throw new DataException(Code.SIZE, "a document of a thousand million values");
    }

    private void judge(int container) {
        if (code(container) == MAP) guard.keys(container);
        else if (count - containers > HashBudget.FEW) guard.elements(container);
    }

    /** Marks the map if a key stands in it twice: each name remembers the map that it was seen in last. */
    private void findTwice(int opener) {
        if (seen.length < keys.size()) seen = Arrays.copyOf(seen, keys.size() * 2);
        if (++maps < 0) {
            Arrays.fill(seen, 0);
            maps = 1;
        }
        int end = filled >> 1;
        for (int node = (opener >> 1) + 1; node < end; node = next(node)) {
            int number = key(node);
            if (seen[number] == maps) nodes[opener] |= TWICE;
            seen[number] = maps;
        }
    }
}
