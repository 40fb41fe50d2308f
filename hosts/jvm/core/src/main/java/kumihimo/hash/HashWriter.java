package kumihimo.hash;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.Writer;
import kumihimo.format.LittleEndian;
import kumihimo.format.Order;

/**
 * A sink whose document is a hash of the verbs that it was given: what codecs write to get the key of a cache. Whoever
 * writes the same verbs gets the same hash, by whatever format the values came; counts of containers have no say. Each
 * verb becomes a byte that names it and its argument, in a length that is told before it, so that no two documents are
 * the same bytes.
 *
 * <p>The integer 1 and the double 1.0 are different values. NaN is one value, 0.0 and -0.0 are two.
 *
 * <p>The pairs of a map count in the order in which they come; {@link #unordered} makes a hash that is the same in
 * every order: a map is then the sorted hashes of its pairs, and a {@link #set} those of its elements. Two pairs that
 * are equal count twice.
 */
public final class HashWriter extends Writer {
    private static final int NIL = 0;
    private static final int FALSE = 1;
    private static final int TRUE = 2;
    private static final int I64 = 3;
    private static final int U64 = 4;
    private static final int F64 = 5;
    private static final int BIG = 6;
    private static final int STR = 7;
    private static final int BIN = 8;
    private static final int TIME = 9;
    private static final int EXT = 10;
    private static final int ARRAY = 11;
    private static final int MAP = 12;
    private static final int END = 13;
    private static final int KEY = 14;
    private static final int KEY_IS_NEXT = 15;
    private static final int PAIRS = 16;
    private static final int SET = 17;

    private static final int PIECE = 4096;

    private final Digest whole;
    private final Digest ofPairs;
    private final boolean ordered;
    private final Order order;

    /** Of open maps and sets whose pairs or elements are hashed one by one; null for all other containers. */
    private Pairs[] open = new Pairs[16];
    private int depth;
    private int openMaps; // and sets

    private HashWriter(Digest whole, Digest ofPairs, boolean ordered) {
        this.whole = whole;
        this.ofPairs = ofPairs;
        this.ordered = ordered;
        order = new Order(Limits.DEFAULT);
    }

    /** SHA-256: 32 bytes that nobody can find a second document for. */
    public static HashWriter hash256() {
        return new HashWriter(new Sha256(), new Sha256(), true);
    }

    /**
     * SipHash-2-4 with the key 0: 16 bytes that do not meet by chance. Against somebody who wants them to meet, give a
     * key.
     */
    public static HashWriter hash128() {
        return hash128(new byte[16]);
    }

    /**
     * SipHash-2-4: 16 bytes that meet neither by chance nor by the wish of somebody who does not know the key of 16
     * bytes.
     */
    public static HashWriter hash128(byte[] key) {
        return new HashWriter(new SipHash128(key), new SipHash128(key), true);
    }

    /**
     * The same hash for maps and sets whose pairs and elements come in another order. Another hash than that of this
     * writer.
     */
    public HashWriter unordered() {
        reset();
        return new HashWriter(whole, ofPairs, false);
    }

    @Override
    public HashWriter reset() {
        whole.reset();
        ofPairs.reset();
        order.clear();
        size = 0;
        depth = 0;
        openMaps = 0;
        return this;
    }

    /** The hash is the document's bytes. */
    @Override
    public void finish() {
        order.finish();
        whole.update(buffer, 0, size);
        byte[] hash = whole.digest();
        System.arraycopy(hash, 0, buffer, 0, hash.length);
        size = hash.length;
    }

    @Override
    public Limits limits() {
        return Limits.DEFAULT;
    }

    @Override
    protected long sizeLimit() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void nil() {
        value(NIL);
    }

    @Override
    public void bool(boolean value) {
        value(value ? TRUE : FALSE);
    }

    @Override
    public void i64(long value) {
        begin();
        word(I64, value);
    }

    @Override
    public void u64(long bits) {
        begin();
        word(U64, bits);
    }

    @Override
    public void f64(double value) {
        begin();
        word(F64, Double.doubleToLongBits(value));
    }

    @Override
    public void big(String digits) {
        begin();
        text(BIG, digits);
    }

    @Override
    public void str(String text) {
        begin();
        text(STR, text);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        begin();
        bytes(STR, data, from, to);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        begin();
        bytes(BIN, data, from, to);
    }

    @Override
    public void time(Moment moment) {
        begin();
        byte[] to = room(18);
        to[size] = TIME;
        to[size + 1] = (byte) moment.clock().ordinal();
        LittleEndian.put64(to, size + 2, moment.seconds());
        LittleEndian.put32(to, size + 10, moment.nanoseconds());
        LittleEndian.put32(to, size + 14, moment.offset());
        written(18);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        begin();
        LittleEndian.put32(room(5), size + 1, type);
        buffer[size] = EXT;
        size += 5;
        bytes(EXT, data, from, to);
    }

    @Override
    public void array(long count) {
        begin();
        order.open(false, count);
        push(null);
        tag(ARRAY);
    }

    /** An array whose elements count in no order where the pairs of maps do not; an array else. */
    public void set(long count) {
        if (ordered) {
            array(count);
            return;
        }
        begin();
        order.open(false, count);
        push(new Pairs(size, SET));
        openMaps++;
    }

    @Override
    public void map(long count) {
        begin();
        order.open(true, count);
        if (ordered) {
            push(null);
            tag(MAP);
        } else {
            push(new Pairs(size, PAIRS));
            openMaps++;
        }
    }

    @Override
    public void key(String text) {
        order.key();
        pair();
        text(KEY, text);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        pair();
        bytes(KEY, data, from, to);
    }

    @Override
    public void key(Name name) {
        order.key();
        pair();
        bytes(KEY, name.utf8(), 0, name.utf8().length);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        pair();
        tag(KEY_IS_NEXT);
    }

    @Override
    public void end() {
        order.end();
        Pairs pairs = open[--depth];
        open[depth] = null;
        if (pairs == null) {
            tag(END);
            return;
        }
        close(pairs);
        openMaps--;
        byte[][] hashes = pairs.sorted();
        LittleEndian.put32(room(5), size + 1, hashes.length);
        buffer[size] = (byte) pairs.tag;
        size += 5;
        for (byte[] hash : hashes) {
            System.arraycopy(hash, 0, room(hash.length), size, hash.length);
            size += hash.length;
        }
        written(0);
    }

    private void push(Pairs pairs) {
        if (depth == open.length) open = Arrays.copyOf(open, depth * 2);
        open[depth++] = pairs;
    }

    /** A value begins, which may be an element of a set. */
    private void begin() {
        order.value();
        if (depth != 0 && open[depth - 1] != null && open[depth - 1].tag == SET) pair();
    }

    /** Another pair of the innermost map, or element of the innermost set, begins. */
    private void pair() {
        Pairs pairs = open[depth - 1];
        if (pairs == null) return;
        close(pairs);
        pairs.inside = true;
    }

    /** The last pair has ended: its hash takes the place of its bytes. */
    private void close(Pairs pairs) {
        if (!pairs.inside) return;
        ofPairs.update(buffer, pairs.from, size);
        pairs.add(ofPairs.digest());
        size = pairs.from;
    }

    private void value(int tag) {
        begin();
        tag(tag);
    }

    private void tag(int tag) {
        room(1)[size] = (byte) tag;
        written(1);
    }

    private void word(int tag, long value) {
        byte[] to = room(9);
        to[size] = (byte) tag;
        LittleEndian.put64(to, size + 1, value);
        written(9);
    }

    private void text(int tag, String text) {
        int n = Utf8.putAscii(text, room(text.length() + 5), size + 5);
        if (n == text.length()) {
            buffer[size] = (byte) tag;
            LittleEndian.put32(buffer, size + 1, n);
            written(n + 5);
        } else {
            byte[] bytes = Utf8.bytes(text);
            bytes(tag, bytes, 0, bytes.length);
        }
    }

    private void bytes(int tag, byte[] data, int from, int to) {
        int n = to - from;
        if (n > Integer.MAX_VALUE - 64) throw new DataException(Code.SIZE, "more bytes than an array may have");
        byte[] out = room(n + 5);
        out[size] = (byte) tag;
        LittleEndian.put32(out, size + 1, n);
        System.arraycopy(data, from, out, size + 5, n);
        written(n + 5);
    }

    /** So many bytes stand behind size. What belongs to no open pair goes into the hash. */
    private void written(int bytes) {
        size += bytes;
        if (size >= PIECE && openMaps == 0) {
            whole.update(buffer, 0, size);
            size = 0;
        }
    }

    /** A map whose pairs are hashed one by one, or a set. */
    private static final class Pairs {
        /** Where the bytes of its pairs begin. */
        final int from;
        final int tag;
        boolean inside;
        private byte[][] hashes = new byte[8][];
        private int count;

        Pairs(int from, int tag) {
            this.from = from;
            this.tag = tag;
        }

        void add(byte[] hash) {
            if (count == hashes.length) hashes = Arrays.copyOf(hashes, count * 2);
            hashes[count++] = hash;
        }

        byte[][] sorted() {
            byte[][] sorted = Arrays.copyOf(hashes, count);
            Arrays.sort(sorted, Arrays::compareUnsigned);
            return sorted;
        }
    }
}
