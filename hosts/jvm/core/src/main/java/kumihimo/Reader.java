package kumihimo;

import kumihimo.scalar.FloatNarrow;
import kumihimo.scalar.Unsigned;

/**
 * A document of a format, read by asking for its values one after the other.
 *
 * <p>A value is asked for by its kind ({@link #i64}, {@link #str}, ...) or without knowing it ({@link #kind} first).
 * Containers:
 *
 * <pre>
 *   reader.array();                          reader.map();
 *   while (reader.hasNext()) {               while (reader.hasNext()) {
 *       ... read one value ...                   String key = reader.key();    // or any value, where kind() is not STR
 *   }                                            ... read one value ...
 *                                            }
 * </pre>
 *
 * <p>{@code hasNext} answers false once, and has then passed the container's end. What is left over by the caller is
 * an error of his; {@link #skip} passes a value over and checks it as if it had been read. {@link #finish} says that
 * nothing stands behind the document. Nothing recurses over the input, and no level of it costs stack.
 *
 * <p>A reader is for one thread, and can be used again: {@link #reset}. It never writes to the bytes it reads, and
 * holds them until the next reset, or {@link #release}. After an exception it must be reset.
 *
 * <p>Offsets count from the document's first byte ({@code from} of reset).
 */
public abstract class Reader {
    private static final byte[] NO_BYTES = {};

    private final ExponentDigits exponentDigits = new ExponentDigits();
    private final HashBudget hashBudget = new HashBudget();
    /** What is read are parts of one document, whose counts go on from each to the next. */
    private boolean readsParts;
    /** Counts the documents, so that a mark knows its own. */
    private long document;

    protected Reader() {}

    /** Reads the document that stands in data from {@code from} to {@code to}; what was read before is forgotten. */
    public abstract Reader reset(byte[] data, int from, int to);

    /** Reads another document. */
    public final Reader reset(byte[] data) {
        return reset(data, 0, data.length);
    }

    /** Lets go of the document: no value is at hand until the next reset. */
    public void release() {
        reset(NO_BYTES, 0, 0);
    }

    /** The kind of the value that comes next, which may be a map's key. Consumes nothing of it. */
    public abstract Kind kind();

    /** The offset of the first byte of the value that comes next; call it after {@link #kind}. */
    public abstract int position();

    /** The offset behind the last byte that was read. */
    public abstract int consumed();

    /** What the reader refuses to go beyond; whoever makes numbers of {@link #number} asks for their limits here. */
    public abstract Limits limits();

    /**
     * Counts what exponents have made of this document's integers, for whoever makes them of {@link #number}. Each
     * reset begins it.
     */
    public ExponentDigits exponentDigits() {
        return exponentDigits;
    }

    /** Counts what equal hashes cost in the sets and maps that are made of this document. Each reset begins it. */
    public HashBudget hashBudget() {
        return hashBudget;
    }

    /**
     * What is read from now on are parts of one document: {@link #exponentDigits} and {@link #hashBudget} begin here,
     * and go on over the resets that follow.
     */
    public final void beginParts() {
        readsParts = true;
        beginCounts();
    }

    /** A document begins: every reset says so. */
    protected final void beginDocument() {
        document++;
        if (!readsParts) beginCounts();
    }

    /** Instead of {@link #beginDocument}: one place of a document is read, and shares its budgets with the others. */
    protected final void beginPlace(SharedBudget hashes, SharedBudget digits, int place) {
        document++;
        if (readsParts) return;
        hashBudget.begin(hashes, place);
        exponentDigits.begin(digits, place);
    }

    private void beginCounts() {
        exponentDigits.begin();
        hashBudget.begin();
    }

    /** Passes null over. */
    public abstract void nil();

    /** Whether the next value is null; if so, it is passed over. */
    public boolean tryNil() {
        if (kind() != Kind.NIL) return false;
        nil();
        return true;
    }

    public abstract boolean bool();

    /**
     * An integer of 64 bits.
     *
     * @throws DataException {@link Code#RANGE} for an integer beyond that, {@link Code#TYPE} for everything else
     */
    public abstract long i64();

    /** An integer of 32 bits; errors as in {@link #i64}. */
    public int i32() {
        kind();
        int at = position();
        long value = i64();
        if (value != (int) value) throw new DataException(Code.RANGE, value + " does not fit an int", at);
        return (int) value;
    }

    /** The 64 bits of an integer from 2^63 to 2^64-1: after {@link #kind} said U64. */
    public abstract long u64();

    /** Any number as the nearest double; a number too large for one is an error of {@link Code#RANGE}. */
    public abstract double f64();

    /**
     * Any number as the nearest float: of the number as it is written, not of its double. NaN and the infinities,
     * where the document can say them, are themselves; a finite number too large for a float is an error of {@link
     * Code#RANGE}.
     */
    public float f32() {
        Kind kind = kind();
        int at = position();
        if (kind == Kind.I64) return i64();
        if (kind == Kind.U64) return Unsigned.toFloat(u64());
        if (kind != Kind.BIG) return narrow(f64(), at);
        float value = Float.parseFloat(number());
        if (Float.isInfinite(value)) throw beyondFloat(at);
        return value;
    }

    /** The float of a double that is the number as it is written; its offset is for the failure. */
    protected static float narrow(double value, int offset) {
        float nearest = (float) value;
        if (FloatNarrow.overflows(value, nearest)) throw beyondFloat(offset);
        return nearest;
    }

    /** The number at an offset has no float. */
    protected static DataException beyondFloat(int offset) {
        return new DataException(Code.RANGE, "a number is larger than a float can hold", offset);
    }

    /** Any number in its own digits, by JSON's grammar; of a double the shortest digits. */
    public abstract String number();

    /** Text. */
    public abstract String str();

    /** A map's key that is text: what {@link #str} gives, where a key stands. */
    public String key() {
        return str();
    }

    /**
     * The next key of a map, looked up: {@link #hasNext} and {@link #key} in one.
     *
     * @param expected the index of the name that comes next if fields stand in the order of names; any number is
     *     allowed
     * @return the index of the name, {@link Names#END} where the map has ended (its end is passed), {@link
     *     Names#OTHER} for a key that is none of the names: its value is still to be read or skipped, and {@link
     *     #lastKey} has its text
     */
    public abstract int field(Names names, int expected);

    /**
     * The key that {@link #field} found last, as text; of a key that is no text what {@link #number} or JSON would
     * write.
     */
    public abstract String lastKey();

    /** Whether the key that {@link #field} found last is text; in JSON every key is. */
    public boolean lastKeyIsText() {
        return true;
    }

    /** Bytes; where the format has no such type (JSON), base64 text. */
    public abstract byte[] bin();

    /** A moment; where the format has no such type (JSON), RFC 3339 text. */
    public abstract Moment time();

    /** An extension: its type; its bytes then in {@link #extData}. */
    public abstract int ext();

    /** The bytes of the extension that {@link #ext} has read. */
    public abstract byte[] extData();

    /** Opens an array, and says how many values it has, or {@link Sink#UNKNOWN}. */
    public abstract long array();

    /** Opens a map, and says how many pairs it has, or {@link Sink#UNKNOWN}. */
    public abstract long map();

    /** Whether another value (of an array) or key (of a map) follows; if not, the end of the container is passed. */
    public abstract boolean hasNext();

    /** Passes the next value over, whatever it is, and checks it as if it had been read. */
    public abstract void skip();

    /**
     * Where the reader stands, to come back to by {@link #rewind}: between two values, for fields that come in any
     * order.
     */
    public abstract Mark mark();

    /**
     * Back to a mark, at the same or an outer level.
     *
     * @throws DataException {@link Code#MISUSE} for a mark of another reader, or of a document that it read before
     */
    public abstract void rewind(Mark mark);

    /** First thing in {@link #rewind}. */
    protected final void check(Mark mark) {
        if (mark.reader == this && mark.document == document) return;
        String whose = mark.reader == this ? "a document that was read before" : "another reader";
        throw new DataException(Code.MISUSE, "the mark is of " + whose, consumed());
    }

    /** The document has been read; throws {@link Code#TRAILING} where something stands behind it. */
    public abstract void finish();

    /** Reads the next value, with all that is in it, into a sink. Formats have faster ways. */
    public void feed(Sink sink) {
        Feed.value(this, sink);
    }

    /** A place to come back to, of one reader and one document; each format has its own class. */
    public abstract static class Mark {
        private final Reader reader;
        private final long document;

        protected Mark(Reader reader) {
            this.reader = reader;
            document = reader.document;
        }
    }
}
