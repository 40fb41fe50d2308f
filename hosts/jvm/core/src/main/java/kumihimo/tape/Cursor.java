package kumihimo.tape;

import java.util.Iterator;
import java.util.NoSuchElementException;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Moment;
import kumihimo.Reader;
import kumihimo.Utf8;

/**
 * A place on a tape; immutable, and for many threads. Asking for what is not there gives a place that does not exist,
 * so that {@code tape.root().get("asks").get(0).get("price")} needs one test at its end.
 *
 * <p>Scalars throw {@link Code#TYPE} for a value of another kind, and where there is none; else what {@link
 * Reader} says.
 */
public final class Cursor implements Iterable<Cursor> {
    private final Tape tape;
    private final int recording;
    private final int node;

    Cursor(Tape tape, int node) {
        this.tape = tape;
        recording = tape.recording;
        this.node = node;
    }

    /** The tape, on which no other document was recorded since. */
    Tape tape() {
        if (tape.recording == recording) return tape;
        throw new DataException(Code.MISUSE, "the place is of a document that its tape no longer has");
    }

    int node() {
        return node;
    }

    private static Cursor absent(Tape tape) {
        return new Cursor(tape, -1);
    }

    public boolean exists() {
        return node >= 0;
    }

    /** What the value is; null where there is none. */
    public Kind kind() {
        return node < 0 ? null : tape().kind(node);
    }

    private boolean is(int kind) {
        return node >= 0 && tape().is(node, kind);
    }

    /** Values of an array, pairs of a map; 0 of all others. */
    public int size() {
        return is(Tape.ARRAY) || is(Tape.MAP) ? tape.length(node) : 0;
    }

    /** The value of a text key; of a key that comes twice the last one. Of a large map by hash. */
    public Cursor get(String key) {
        if (!is(Tape.MAP)) return absent(tape());
        byte[] utf8 = Utf8.looseBytes(key);
        return new Cursor(tape, tape.lookup().member(node, utf8, 0, utf8.length));
    }

    /** The i-th value of an array. Of a large array at once, but for the first time. */
    public Cursor get(int i) {
        if (!is(Tape.ARRAY) || i < 0 || i >= size()) return absent(tape());
        return new Cursor(tape, tape.lookup().element(node, i));
    }

    /** The values of an array, or of a map, each of which then knows its {@link #key}; nothing of all others. */
    @Override
    public Iterator<Cursor> iterator() {
        boolean map = is(Tape.MAP);
        int first = map || is(Tape.ARRAY) ? node + 1 : 0;
        int end = first == 0 ? 0 : tape.ref(node);
        return new Iterator<Cursor>() {
            private int at = first;

            @Override
            public boolean hasNext() {
                return at != end;
            }

            @Override
            public Cursor next() {
                if (at == end) throw new NoSuchElementException();
                Tape on = tape();
                int value = map ? on.behind(at) : at;
                at = on.behind(value);
                return new Cursor(on, value);
            }
        };
    }

    /** Of a map's value its key as text; null of all others. A key that is no text is what JSON would write for it. */
    public String key() {
        Tape tape = tape();
        int before = node - 1;
        if (before < 0 || tape.isContainer(before)) return null;
        if (tape.is(before, Tape.END)) before = tape.ref(before);
        return tape.has(before, Tape.KEY) ? KeyText.of(tape, before) : null;
    }

    public boolean isNull() {
        return is(Tape.NIL);
    }

    public boolean bool() {
        return read().bool();
    }

    public long i64() {
        return read().i64();
    }

    public int i32() {
        return read().i32();
    }

    public double f64() {
        return read().f64();
    }

    /** Any number in its own digits. */
    public String number() {
        return read().number();
    }

    public String str() {
        return read().str();
    }

    public byte[] bin() {
        return read().bin();
    }

    public Moment time() {
        return read().time();
    }

    /** A reader of the value, for a codec. */
    public TapeReader read() {
        if (node < 0) throw new DataException(Code.TYPE, "the value is not there");
        return new TapeReader().reset(tape(), node);
    }

    /**
     * Where the value's first byte is in the document, counted from its first one; -1 where the tape is of no
     * document.
     */
    public int begin() {
        return node < 0 ? -1 : tape().position(node);
    }

    /** The byte behind the value in the document; else as {@link #begin}. Costs a pass over the document. */
    public int end() {
        return node < 0 ? -1 : tape().end(node);
    }
}
