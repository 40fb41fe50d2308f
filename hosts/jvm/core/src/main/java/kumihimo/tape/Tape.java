package kumihimo.tape;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.ExponentDigits;
import kumihimo.Format;
import kumihimo.HashBudget;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Reader;
import kumihimo.SharedBudget;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.NumberText;

/**
 * A document's verbs as flat nodes of 16 bytes. What neither push nor pull can do is done here: look at a document
 * twice, from the middle, in any order, or only in part ({@link Cursor}), or read it again ({@link TapeReader}).
 *
 * <pre>
 *   {"id": 7, "tags": ["a"]}          a node   63            24 23  16 15   8 7    0
 *                                              +---------------+------+------+------+
 *   0  map    length 2  ref 7                  | length        |      | flags| kind |  head
 *   1  str    "id", key                        +---------------+-+----+------+------+
 *   2  i64    payload 7                        | place           | ref              |  payload
 *   3  str    "tags", key                      +-----------------+------------------+
 *   4  array  length 1  ref 6
 *   5  str    "a"                     one node per verb, in the order of the verbs
 *   6  end    ref 4
 *   7  end    ref 0
 *
 *   kind         length              payload
 *   null         place               0
 *   boolean      place               0 or 1
 *   i64 u64 f64  place               its 64 bits
 *   f64 (as written), big, str, bin
 *                bytes               ref: offset of the bytes, in the input, or in the arena where flags say so
 *   ext          bytes               the same, in the arena; the four bytes of the type stand before them
 *   time                             ref: offset in the arena of the seconds (eight bytes), nanoseconds and offset in
 *                                    seconds (four bytes each). The kind of clock in flags 5 to 7
 *   array map    values, pairs       ref: index of its end node
 *   end                              ref: index of the node it closes
 * </pre>
 *
 * <p>The place is where the value's first byte is in the document, counted from the document's first one.
 *
 * <p>Strings point into the input where the text lies there, so a document without escapes copies nothing. What is
 * costly to read and may never be asked for stays as it was written: of JSON strings with escapes, and numbers with a
 * fraction.
 *
 * <p>The input must not change as long as the tape is used. What was recorded may be looked at by many threads;
 * recording again on a tape is for one, when the others are done.
 */
public final class Tape {
    /** In the place of a kind: a container ends. */
    static final int END = 12;

    static final int NIL = Kind.NIL.ordinal();
    static final int BOOL = Kind.BOOL.ordinal();
    static final int I64 = Kind.I64.ordinal();
    static final int U64 = Kind.U64.ordinal();
    static final int F64 = Kind.F64.ordinal();
    static final int BIG = Kind.BIG.ordinal();
    static final int STR = Kind.STR.ordinal();
    static final int BIN = Kind.BIN.ordinal();
    static final int TIME = Kind.TIME.ordinal();
    static final int EXT = Kind.EXT.ordinal();
    static final int ARRAY = Kind.ARRAY.ordinal();
    static final int MAP = Kind.MAP.ordinal();

    /** Flag: of the next value. */
    static final int KEY = 1 << 8;
    /** Flag: the bytes are in the arena, not in the input. */
    static final int IN_ARENA = 2 << 8;
    /** Flag: known to be ASCII. */
    static final int ASCII = 4 << 8;
    /** Flag: the bytes are those of the document, with quotes and escapes, or a number's characters. */
    static final int AS_WRITTEN = 8 << 8;
    /** Flag of a map: no key comes twice. */
    static final int UNIQUE = 16 << 8;

    /** Flag: text with half a surrogate pair in it, as the three bytes that UTF-8 would give it if it could. */
    static final int HALVES = 32 << 8;

    static final int LENGTH = 24;
    static final int PLACE = 32;

    private static final Kind[] KINDS = Kind.values();

    /** A power of two of places. */
    long[] nodes = new long[64];
    /** Nodes in use; each has two places. */
    int size;
    /** Counts the documents that were recorded here, so that a place knows its own. */
    int recording;
    byte[] input = {};
    int from;
    int to;
    byte[] arena = {};

    /** What the input was read by; null where it did not come from a document. */
    Format format;
    String dialect = "";
    Limits limits = Limits.DEFAULT;
    /** What the values of the document may cost together, from whatever places they are read. */
    final SharedBudget hashes = HashBudget.ofPlaces();
    final SharedBudget exponents = ExponentDigits.ofPlaces();
    private Own own;
    private Lookup lookup;

    Tape() {}

    /** Forgets what was recorded, and keeps the memory. */
    void clear() {
        size = 0;
        recording++;
        hashes.begin();
        exponents.begin();
        lookup = null;
    }

    /** Two threads may make one each: either will do, and other threads see it whole. */
    Lookup lookup() {
        Lookup known = lookup;
        if (known == null) lookup = known = new Lookup(this);
        return known;
    }

    void readBy(Format format, String dialect, Limits limits) {
        if (this.format != format || !this.dialect.equals(dialect) || this.limits != limits) own = null;
        this.format = format;
        this.dialect = dialect;
        this.limits = limits;
    }

    /**
     * Records a document.
     *
     * @param dialect one of the format's read dialects, or "" for the default
     * @throws DataException for a document that the format's reader refuses
     */
    public static Tape of(Format format, String dialect, Limits limits, byte[] data, int from, int to) {
        return new Recorder(limits).record(format, dialect, data, from, to);
    }

    /** The document's outermost value. */
    public Cursor root() {
        return new Cursor(this, 0);
    }

    /** How many nodes there are. */
    public int size() {
        return size;
    }

    /** Bytes of memory that the tape holds, without its input. */
    public long memory() {
        return nodes.length * 8L + arena.length;
    }

    void put(long head, long payload) {
        int i = size * 2;
        // One more than is in use, so that looking behind the last one is harmless.
        if (i + 2 == nodes.length) grow();
        nodes[i] = head;
        nodes[i + 1] = payload;
        size++;
    }

    private void grow() {
        if (nodes.length >= 1 << 30) throw new DataException(Code.SIZE, "more values than a tape has room for");
        nodes = java.util.Arrays.copyOf(nodes, nodes.length * 2);
    }

    /**
     * Ends the container that begins at a node; it has so many values or pairs, or as many as it said where that is
     * negative.
     *
     * @param place of the end
     */
    void close(int opener, long count, int place) {
        if (count >= 0) nodes[opener * 2] = nodes[opener * 2] & (1L << LENGTH) - 1 | count << LENGTH;
        nodes[opener * 2 + 1] |= size;
        put(END, opener | (long) place << PLACE);
    }

    int kindAt(int node) {
        return (int) nodes[node * 2] & 0xff;
    }

    /** Not of an end. */
    Kind kind(int node) {
        return KINDS[(int) nodes[node * 2] & 0xff];
    }

    boolean is(int node, int kind) {
        return (nodes[node * 2] & 0xff) == kind;
    }

    boolean has(int node, int flag) {
        return (nodes[node * 2] & flag) != 0;
    }

    boolean isContainer(int node) {
        int kind = kindAt(node);
        return kind == ARRAY || kind == MAP;
    }

    long payload(int node) {
        return nodes[node * 2 + 1];
    }

    /** Of a payload with a place: the offset or the node that it refers to. */
    int ref(int node) {
        return (int) nodes[node * 2 + 1];
    }

    /** The type of an extension. */
    int extType(int node) {
        return LittleEndian.i32(arena, ref(node) - 4);
    }

    int length(int node) {
        return (int) (nodes[node * 2] >>> LENGTH);
    }

    /** The node behind the value that begins at this one. */
    int behind(int node) {
        return isContainer(node) ? (int) nodes[node * 2 + 1] + 1 : node + 1;
    }

    byte[] bytesOf(int node) {
        return has(node, IN_ARENA) ? arena : input;
    }

    /** Text, and digits. */
    String str(int node) {
        if (has(node, AS_WRITTEN)) return written(node).str();
        int at = ref(node);
        if (has(node, HALVES)) return halves(bytesOf(node), at, at + length(node));
        return Utf8.string(bytesOf(node), at, at + length(node), has(node, ASCII));
    }

    private static String halves(byte[] data, int at, int to) {
        StringBuilder text = new StringBuilder();
        while (at < to) {
            int c = data[at] & 0xff;
            boolean half = c == 0xed && (data[at + 1] & 0xff) >= 0xa0;
            int size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
            if (half) text.append((char) (0xd000 | (data[at + 1] & 63) << 6 | data[at + 2] & 63));
            else text.append(Utf8.string(data, at, at + size, false));
            at += size;
        }
        return text.toString();
    }

    byte[] bin(int node) {
        int at = ref(node);
        return java.util.Arrays.copyOfRange(bytesOf(node), at, at + length(node));
    }

    /** The digits of an F64 as the document has them; of a binary format it has none, and then they are null. */
    String digits(int node) {
        if (has(node, AS_WRITTEN)) return written(node).number();
        if (format == null || !format.isText()) return null;
        int begin = from + position(node);
        return Utf8.string(input, begin, NumberText.end(input, begin, to), true);
    }

    double f64(int node) {
        return has(node, AS_WRITTEN) ? written(node).f64() : Double.longBitsToDouble(payload(node));
    }

    Moment time(int node) {
        int at = ref(node);
        Moment.Clock clock = CLOCKS[(int) (nodes[node * 2] >>> 13 & 7)];
        long seconds = LittleEndian.i64(arena, at);
        return new Moment(seconds, LittleEndian.i32(arena, at + 8), LittleEndian.i32(arena, at + 12), clock);
    }

    private static final Moment.Clock[] CLOCKS = Moment.Clock.values();

    /** A reader of what stands in the input for this node. */
    Reader written(int node) {
        int at = ref(node);
        return reader().reset(input, at, at + length(node));
    }

    /** A reader that no other thread uses: of the thread that asked last it is kept. */
    private Reader reader() {
        Own known = own;
        if (known == null || known.thread != Thread.currentThread()) {
            own = known = new Own(format.reader(dialect, limits));
        }
        return known.reader;
    }

    /** A reader and the thread whose it is; of final fields, so that a thread sees both or neither. */
    private static final class Own {
        final Thread thread = Thread.currentThread();
        final Reader reader;

        Own(Reader reader) {
            this.reader = reader;
        }
    }

    /** Where the value of a node begins in the document, counted from its first byte; -1 where there is none. */
    int position(int node) {
        if (format == null || node >= size) return -1;
        boolean small = kindAt(node) <= F64 && !has(node, AS_WRITTEN);
        return small ? length(node) : (int) (payload(node) >>> PLACE);
    }

    /** Where the value of a node ends in the document; -1 where there is none. Reads the document again. */
    int end(int node) {
        return format == null || size == 0 ? -1 : Positions.end(reader().reset(input, from, to), this, node);
    }
}
