package kumihimo.tape;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Format;
import kumihimo.Limits;
import kumihimo.Located;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Reader;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.format.Order;

/**
 * The sink that records a {@link Tape}, of a document or of any verbs. Text that lies in the document is pointed at,
 * all other text is copied. Can be used again, and knows then which keys to expect; for one thread.
 */
public final class Recorder implements Sink, Located {
    private final Limits limits;
    private final Order ownOrder;
    /** Of readers, which have judged the depth by their dialect's rules. */
    private final Order readersOrder = new Order(Limits.DEFAULT.withDepth(Integer.MAX_VALUE));
    private Order order;
    private Tape tape = new Tape();
    private int arenaSize;
    /** Bytes of text that were copied. */
    private long copied;
    /** Of the next verb. */
    private int place;
    /** {@link Tape#KEY} where the next value is a key, else 0. */
    private int key;
    /** Nodes of the open containers. */
    private int[] open = new int[16];
    private int depth;

    /** The reader of the documents, and what it is one of. */
    private Reader reader;
    private Format format;
    private String dialect;
    private JsonRecorder json;

    /** A recorder with the default limits. */
    public Recorder() {
        this(Limits.DEFAULT);
    }

    /** Limits of depth and size hold for each document. */
    public Recorder(Limits limits) {
        this.limits = limits;
        order = ownOrder = new Order(limits);
    }

    /**
     * Records a document.
     *
     * @param dialect one of the format's read dialects, or "" for the default
     * @throws DataException for a document that the format's reader refuses
     */
    public Tape record(Format format, String dialect, byte[] data, int from, int to) {
        return record(new Tape(), format, dialect, data, from, to);
    }

    /** Records a document on a tape that was used before: its memory is, and what was on it is lost. */
    Tape record(Tape on, Format format, String dialect, byte[] data, int from, int to) {
        java.util.Objects.checkFromToIndex(from, to, data.length);
        clear(on);
        on.readBy(format, dialect, limits);
        on.input = data;
        on.from = from;
        on.to = to;
        if (isPlainJson(format, dialect) && to - from <= limits.size()) {
            if (json == null) json = new JsonRecorder(limits);
            if (json.record(on, data, from, to)) return on;
            clear(on); // and the reader says what is wrong
        }
        order = readersOrder;
        order.clear();
        Reader reader = reader(format, dialect).reset(data, from, to);
        reader.feed(this);
        reader.finish();
        return finish();
    }

    private static boolean isPlainJson(Format format, String dialect) {
        return format.name().equals("json") && (dialect.isEmpty() || dialect.equals("rfc8259"));
    }

    private Reader reader(Format format, String dialect) {
        if (reader == null || this.format != format || !this.dialect.equals(dialect)) {
            reader = format.reader(dialect, limits);
            this.format = format;
            this.dialect = dialect;
        }
        return reader;
    }

    /** Forgets what was recorded. */
    public void clear() {
        clear(new Tape());
    }

    /** Lets go of the document that was recorded last, and of its tape. */
    public void forget() {
        clear();
        if (reader != null) reader.release();
    }

    private void clear(Tape on) {
        tape = on;
        on.clear();
        order = ownOrder;
        order.clear();
        arenaSize = 0;
        copied = 0;
        place = 0;
        key = 0;
        depth = 0;
    }

    /** The tape of a whole document; {@link Code#MISUSE} where it is not whole. The next verb begins another one. */
    public Tape finish() {
        order.finish();
        Tape made = tape;
        clear(new Tape());
        return made;
    }

    // The verbs.

    @Override
    public boolean wantsPlaces() {
        return tape.format != null;
    }

    @Override
    public void place(int offset) {
        place = offset;
    }

    private long placed(int ref) {
        return (long) place << Tape.PLACE | ref;
    }

    @Override
    public void nil() {
        value(Tape.NIL, 0);
    }

    @Override
    public void bool(boolean value) {
        value(Tape.BOOL, value ? 1 : 0);
    }

    @Override
    public void i64(long value) {
        value(Tape.I64, value);
    }

    @Override
    public void u64(long bits) {
        value(Tape.U64, bits);
    }

    @Override
    public void f64(double value) {
        value(Tape.F64, Double.doubleToRawLongBits(value));
    }

    private void value(int kind, long payload) {
        order.value();
        tape.put(kind | takeKey() | (long) place << Tape.LENGTH, payload);
    }

    private int takeKey() {
        int was = key;
        key = 0;
        return was;
    }

    @Override
    public void big(String digits) {
        order.value();
        putText(Tape.BIG | takeKey(), digits);
    }

    @Override
    public void big(byte[] data, int from, int to) {
        order.value();
        putBytes(Tape.BIG | Tape.ASCII | takeKey(), data, from, to);
    }

    @Override
    public void str(String text) {
        order.value();
        putText(Tape.STR | takeKey(), text);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        putBytes(Tape.STR | takeKey() | (ascii ? Tape.ASCII : 0), data, from, to);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        putBytes(Tape.BIN | takeKey(), data, from, to);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        room(to - from + 4L);
        LittleEndian.put32(tape.arena, arenaSize, type);
        arenaSize += 4;
        putInArena(Tape.EXT | takeKey(), data, from, to);
    }

    @Override
    public void time(Moment moment) {
        order.value();
        int at = arenaSize;
        room(16);
        LittleEndian.put64(tape.arena, at, moment.seconds());
        LittleEndian.put32(tape.arena, at + 8, moment.nanoseconds());
        LittleEndian.put32(tape.arena, at + 12, moment.offset());
        arenaSize += 16;
        tape.put(Tape.TIME | Tape.IN_ARENA | takeKey() | moment.clock().ordinal() << 13, placed(at));
    }

    @Override
    public void array(long count) {
        open(Tape.ARRAY, count);
    }

    @Override
    public void map(long count) {
        open(Tape.MAP, count);
    }

    private void open(int kind, long count) {
        order.value();
        order.open(kind == Tape.MAP, count);
        if (depth == open.length) open = Arrays.copyOf(open, depth * 2);
        open[depth++] = tape.size;
        // A count that is more than a tape holds is never reached.
        tape.put(kind | takeKey() | Math.max(0, Math.min(count, Integer.MAX_VALUE)) << Tape.LENGTH, placed(0));
    }

    @Override
    public void end() {
        long count = order.end();
        tape.close(open[--depth], count, place);
    }

    @Override
    public void key(String text) {
        order.key();
        putText(Tape.STR | Tape.KEY, text);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        putBytes(Tape.STR | Tape.KEY | (ascii ? Tape.ASCII : 0), data, from, to);
    }

    @Override
    public void key(Name name) {
        order.key();
        byte[] utf8 = name.utf8();
        putBytes(Tape.STR | Tape.KEY | (name.isPlain() ? Tape.ASCII : 0), utf8, 0, utf8.length);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        key = Tape.KEY;
    }

    // Bytes.

    private void putBytes(int head, byte[] data, int from, int to) {
        if (data == tape.input && from >= tape.from && to <= tape.to) {
            tape.put(head | (long) (to - from) << Tape.LENGTH, placed(from));
            return;
        }
        roomForText(to - from);
        putInArena(head, data, from, to);
    }

    private void putInArena(int head, byte[] data, int from, int to) {
        int at = arenaSize;
        System.arraycopy(data, from, tape.arena, at, to - from);
        arenaSize = at + to - from;
        tape.put(head | Tape.IN_ARENA | (long) (to - from) << Tape.LENGTH, placed(at));
    }

    /** Text into the arena; half a surrogate pair as the three bytes that UTF-8 would give it if it could. */
    private void putText(int head, String text) {
        int size = Utf8.size(text, 0);
        if (size < 0) {
            byte[] loose = Utf8.looseBytes(text);
            putBytes(head | Tape.HALVES, loose, 0, loose.length);
            return;
        }
        int at = arenaSize;
        roomForText(size);
        if (size == text.length()) Utf8.putAscii(text, tape.arena, at);
        else Utf8.put(text, 0, tape.arena, at);
        arenaSize = at + size;
        int ascii = size == text.length() ? Tape.ASCII : 0;
        tape.put(head | ascii | Tape.IN_ARENA | (long) size << Tape.LENGTH, placed(at));
    }

    private void roomForText(int n) {
        copied += n;
        room(n);
    }

    private void room(long n) {
        long wanted = arenaSize + n;
        if (wanted <= tape.arena.length) return;
        if (copied > limits.size()) throw new DataException(Code.SIZE, "a tape's text is larger than the limit");
        int most = Integer.MAX_VALUE - 8;
        if (wanted > most) throw new DataException(Code.SIZE, "a tape's text does not fit an array");
        int doubled = (int) Math.min(Math.max(wanted, tape.arena.length * 2L), most);
        tape.arena = Arrays.copyOf(tape.arena, Math.max(64, doubled));
    }
}
