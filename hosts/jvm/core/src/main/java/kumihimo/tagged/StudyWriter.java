package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.format.BinaryWriter;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.NumberText;

/**
 * Values become tagged, in the layout {@code study} ({@link StudyHeader} has its bytes). Fields are sorted and lengths
 * stand before what they count, so nothing can be written before the document is whole. Values are encoded as they
 * come, into {@link #bytes}; what they are is a list of nodes.
 *
 * <pre>
 *   {"b":[1,2],"a":null}    map | b array | element 1 | element 2 | a null    as they arrive, each with its parent
 * </pre>
 *
 * <p>{@link #finish} adds up sizes from the last node to the first, sorts every map's fields and writes from the
 * outside in: linear, but for the sort, whatever the nesting.
 */
final class StudyWriter extends BinaryWriter {
    private static final int NONE = -1;

    private final StudyNodes nodes = new StudyNodes();
    private final StudyNameTable names = new StudyNameTable();

    /** Payloads, and the names. */
    private byte[] bytes = new byte[256];
    private int used;
    /** The innermost open container's node. */
    private int open;
    /** The name of the value that comes next. */
    private int name;
    /** The text that comes next is a name. */
    private boolean naming;

    StudyWriter(Limits limits) {
        super(limits);
        reset();
    }

    @Override
    public StudyWriter reset() {
        size = 0;
        order.clear();
        nodes.clear();
        names.clear();
        used = 0;
        open = name = NONE;
        naming = false;
        return this;
    }

    // --------------------------------------------------------------------------------------------------------- values

    @Override
    public void nil() {
        order.value();
        number(StudyHeader.NULL, 0);
    }

    @Override
    public void bool(boolean value) {
        i64(value ? 1 : 0);
    }

    @Override
    public void i64(long value) {
        order.value();
        number(value == (int) value ? StudyHeader.INT32 : StudyHeader.INT64, Varint.zigzag(value));
    }

    @Override
    public void u64(long bits) {
        if (bits >= 0) i64(bits);
        else big(Long.toUnsignedString(bits));
    }

    @Override
    public void f64(double value) {
        order.value();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            number(StudyHeader.NULL, 0);
            return;
        }
        keyless();
        LittleEndian.put64(more(8), used, Double.doubleToRawLongBits(value));
        used += 8;
        add(StudyHeader.REAL, 8);
    }

    @Override
    public void big(String digits) {
        order.value();
        int n = digits.length();
        byte[] to = more((long) n + Varint.LONGEST);
        int from = Varint.put(to, used, n);
        if (Utf8.putAscii(digits, to, from) != n || !NumberText.isNumber(to, from, from + n)) {
            throw TaggedWriter.noNumber();
        }
        keyless();
        int begin = used;
        used = from + n;
        add(StudyHeader.DIGITS, used - begin);
    }

    @Override
    public void str(String text) {
        order.value();
        int begin = used;
        int n = append(text);
        endText(begin, n);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        if (!ascii) checkText(data, from, to);
        int begin = used;
        append(data, from, to);
        endText(begin, to - from);
    }

    /** The text that was appended last is a value, or the name that was announced. */
    private void endText(int begin, int n) {
        if (naming) {
            naming = false;
            findName(begin);
            return;
        }
        int prefix = Varint.size(n);
        byte[] to = more(prefix);
        System.arraycopy(to, begin, to, begin + prefix, n);
        Varint.put(to, begin, n);
        used += prefix;
        add(StudyHeader.STRING, prefix + n);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        throw none("the layout study has no bytes");
    }

    @Override
    public void time(Moment moment) {
        order.value();
        throw none("the layout study has no moments");
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        throw none("the layout study has no extensions");
    }

    @Override
    public void array(long count) {
        open(false, count);
    }

    @Override
    public void map(long count) {
        open(true, count);
    }

    private void open(boolean map, long count) {
        order.value();
        order.open(map, count);
        keyless();
        add(map ? StudyHeader.MESSAGE : StudyHeader.ARRAY, 0);
        open = nodes.size() - 1;
    }

    @Override
    public void end() {
        order.end();
        open = nodes.parent(open);
    }

    @Override
    public void key(String text) {
        order.key();
        int begin = used;
        append(text);
        findName(begin);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        if (!ascii) checkText(data, from, to);
        int begin = used;
        append(data, from, to);
        findName(begin);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        naming = true;
    }

    // ------------------------------------------------------------------------------------------------------ recording

    private static DataException none(String what) {
        return new DataException(Code.UNSUPPORTED, what);
    }

    /** No value but text can be a name. */
    private void keyless() {
        if (naming) throw none("the layout study has text as names, nothing else");
    }

    /** The bytes, with room for n more. */
    private byte[] more(long n) {
        if (bytes.length - used >= n) return bytes;
        long wanted = used + n;
        if (wanted > Integer.MAX_VALUE - 8) throw tooLarge();
        bytes = Arrays.copyOf(bytes, (int) Math.min(Math.max(wanted, bytes.length * 2L), Integer.MAX_VALUE - 8));
        return bytes;
    }

    private DataException tooLarge() {
        return new DataException(Code.SIZE, "the document is larger than " + sizeLimit() + " bytes");
    }

    private int append(String text) {
        int n = sizeOf(text);
        Utf8.put(text, 0, more(n), used);
        used += n;
        return n;
    }

    private void append(byte[] data, int from, int to) {
        System.arraycopy(data, from, more(to - from), used, to - from);
        used += to - from;
    }

    private void number(int type, long n) {
        keyless();
        int end = Varint.put(more(Varint.LONGEST), used, n);
        int bytes = end - used;
        used = end;
        add(type, bytes);
    }

    /** The node of the value whose payload is the last n bytes. */
    private void add(int type, int n) {
        int tag = type;
        if (name != NONE) {
            tag = names.take(name, type);
            name = NONE;
        }
        if (open != NONE && !nodes.takesOneMore(open)) {
            throw new DataException(Code.SIZE, "an array holds more values than the layout study can number");
        }
        nodes.add(open, tag, type, used - n, n);
    }

    /** The bytes from begin on are the name of the next value. */
    private void findName(int begin) {
        int hash = StudyHeader.hash(bytes, begin, used) & 0xffffff;
        if (hash == 0 && open == 0) {
            throw none("a field whose name's hash is 0 would make the document another value in the layout study");
        }
        name = names.find(bytes, begin, used, hash);
        if (name == StudyNameTable.CLASH) {
            throw none("two names have the same hash of 24 bits, which the layout study cannot tell apart");
        }
        if (names.isOld()) used = begin;
    }

    // -------------------------------------------------------------------------------------------------------- writing

    @Override
    public void finish() {
        order.finish();
        size = 0;
        nodes.settle();
        long table = names.tableSize();
        long whole = nodes.documentSize() + (names.isEmpty() ? 0 : 4 + Varint.size(table) + table);
        if (whole > sizeLimit()) throw tooLarge();
        if (whole == 0) throw none("the layout study has no bytes for an empty map as a document");
        if (whole > Integer.MAX_VALUE - 8) throw tooLarge();
        byte[] to = room((int) whole);
        int at = nodes.write(bytes, to, 0);
        size = names.isEmpty() ? at : names.write(bytes, to, at, table);
    }
}
