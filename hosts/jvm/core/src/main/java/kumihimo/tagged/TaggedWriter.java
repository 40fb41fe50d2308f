package kumihimo.tagged;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.format.BinaryWriter;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.NumberText;

/**
 * Values become tagged, in the layout {@code safe} ({@link TaggedHeader} has its bytes), as the verbs come.
 *
 * <p>Which names get numbers is the writer's choice, a reader takes any. Here: those from a document's fourth map on,
 * so that a small message costs nothing; and where hardly any comes again (a dictionary, maps by id) one in seventeen.
 */
public final class TaggedWriter extends BinaryWriter {
    /** The first map whose names may have numbers. */
    private static final int FIRST_MAPS = 4;
    private static final long NO_SEARCH = Long.MAX_VALUE;
    /** Names that are not searched for, after many in vain. */
    private static final int PAUSE = 256;
    /** A header and nine bytes behind it, or a header and a varint. */
    private static final int HEADER = 1 + Varint.LONGEST;

    private final TaggedNames names = new TaggedNames();
    /** Maps to open before names may have numbers; 0: no more. */
    private int plainMaps;
    /** Names to come that are not searched for. */
    private long unsearched;

    public TaggedWriter(Limits limits) {
        super(limits);
        reset();
    }

    @Override
    public TaggedWriter reset() {
        for (size = 0; size < 3; size++) buffer[size] = TaggedHeader.mark(size);
        order.clear();
        plainMaps = FIRST_MAPS;
        unsearched = NO_SEARCH;
        names.forgetRecent();
        return this;
    }

    @Override
    public void finish() {
        order.finish();
        checkSize();
    }

    @Override
    public void nil() {
        putValue(TaggedHeader.NULL);
    }

    @Override
    public void bool(boolean value) {
        putValue(value ? TaggedHeader.TRUE : TaggedHeader.FALSE);
    }

    @Override
    public void i32(int value) {
        order.value();
        byte[] to = room(9);
        if (value >= -16 && value < 64) to[size++] = (byte) (value < 0 ? TaggedHeader.FAR_NAME + value : value);
        else size = value < 0 ? putBelow(to, size, value) : putSized(to, size, TaggedHeader.ABOVE, value);
    }

    @Override
    public void i64(long value) {
        order.value();
        byte[] to = room(9);
        if (value >= -16 && value < 64) to[size++] = (byte) (value < 0 ? TaggedHeader.FAR_NAME + value : value);
        else size = value < 0 ? putBelow(to, size, value) : putSized(to, size, TaggedHeader.ABOVE, value);
    }

    @Override
    public void u64(long bits) {
        order.value();
        byte[] to = room(9);
        if (bits >= 0 && bits < 64) to[size++] = (byte) bits;
        else size = putSized(to, size, TaggedHeader.ABOVE, bits);
    }

    /** An integer below -16. */
    private static int putBelow(byte[] to, int at, long n) {
        if (n == (byte) n) return put8(to, at, TaggedHeader.BELOW, (int) n);
        if (n == (short) n) return put16(to, at, TaggedHeader.BELOW + 1, (int) n);
        if (n == (int) n) return put32(to, at, TaggedHeader.BELOW + 2, (int) n);
        return put64(to, at, TaggedHeader.BELOW + 3, n);
    }

    /** n, without sign, behind c, c + 1, c + 2 or c + 3, in as few bytes as it needs. */
    private static int putSized(byte[] to, int at, int c, long n) {
        if (n >>> 8 == 0) return put8(to, at, c, (int) n);
        if (n >>> 16 == 0) return put16(to, at, c + 1, (int) n);
        if (n >>> 32 == 0) return put32(to, at, c + 2, (int) n);
        return put64(to, at, c + 3, n);
    }

    private static int put8(byte[] to, int at, int c, int n) {
        to[at] = (byte) c;
        to[at + 1] = (byte) n;
        return at + 2;
    }

    private static int put16(byte[] to, int at, int c, int n) {
        to[at] = (byte) c;
        LittleEndian.put16(to, at + 1, n);
        return at + 3;
    }

    private static int put32(byte[] to, int at, int c, int n) {
        to[at] = (byte) c;
        LittleEndian.put32(to, at + 1, n);
        return at + 5;
    }

    private static int put64(byte[] to, int at, int c, long n) {
        to[at] = (byte) c;
        LittleEndian.put64(to, at + 1, n);
        return at + 9;
    }

    @Override
    public void f64(double value) {
        order.value();
        size = put64(room(9), size, TaggedHeader.F64, Double.doubleToRawLongBits(value));
    }

    @Override
    public void big(String digits) {
        order.value();
        int n = digits.length();
        byte[] to = room(withHeader(n, HEADER));
        int at = Varint.put(to, size + 1, n);
        if (Utf8.putAscii(digits, to, at) != n) throw noNumber();
        endBig(at, at + n);
    }

    @Override
    public void big(byte[] data, int from, int to) {
        order.value();
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        int at = Varint.put(out, size + 1, n);
        System.arraycopy(data, from, out, at, n);
        endBig(at, at + n);
    }

    private void endBig(int from, int to) {
        if (!NumberText.isNumber(buffer, from, to)) throw noNumber();
        buffer[size] = (byte) TaggedHeader.BIG;
        size = to;
    }

    static DataException noNumber() {
        return new DataException(Code.RANGE, "a number's digits break JSON's grammar");
    }

    // ------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public void str(String text) {
        order.value();
        int n = text.length();
        int body = n > SHORT ? -1 : putAscii(text, n, HEADER);
        if (body < 0) {
            putLong(text);
            return;
        }
        putTextHeader(buffer, size, n);
        size = body + n;
    }

    /** Text that is long or no ASCII. */
    private void putLong(String text) {
        int n = sizeOf(text);
        byte[] to = room(withHeader(n, HEADER));
        size = Utf8.put(text, 0, to, putTextHeader(to, size, n));
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        if (!ascii) checkText(data, from, to);
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        putBytes(putTextHeader(out, size, n), data, from, n);
    }

    private static int putTextHeader(byte[] to, int at, int n) {
        if (n >= 32) return putSized(to, at, TaggedHeader.LONG_STR, n);
        to[at] = (byte) (TaggedHeader.STR | n);
        return at + 1;
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        putBytes(putSized(out, size, TaggedHeader.BIN, n), data, from, n);
    }

    @Override
    public void time(Moment moment) {
        order.value();
        byte[] to = room(TaggedHeader.LONGEST);
        Moment.Clock clock = moment.clock();
        to[size] = (byte) TaggedHeader.TIME;
        to[size + 1] = (byte) clock.ordinal();
        int at = Varint.put(to, size + 2, Varint.zigzag(moment.seconds()));
        at = Varint.put(to, at, moment.nanoseconds());
        if (clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL) {
            at = Varint.put(to, at, Varint.zigzag(moment.offset()));
        }
        size = at;
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER) + Varint.LONGEST);
        out[size] = (byte) TaggedHeader.EXT;
        int at = Varint.put(out, size + 1, Varint.zigzag(type));
        putBytes(Varint.put(out, at, n), data, from, n);
    }

    // ------------------------------------------------------------------------------------------- containers and names

    @Override
    public void array(long count) {
        order.value();
        order.open(false, count);
        putByte(TaggedHeader.ARRAY);
    }

    @Override
    public void map(long count) {
        order.value();
        order.open(true, count);
        if (plainMaps != 0 && --plainMaps == 0) {
            names.clear();
            unsearched = 0;
        }
        putByte(TaggedHeader.MAP);
    }

    @Override
    public void end() {
        order.end();
        putByte(TaggedHeader.END);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        putByte(TaggedHeader.KEY);
    }

    @Override
    public void key(Name name) {
        order.key();
        int code = names.recent(name);
        if (code != 0) putByte(code);
        else putRareName(name);
    }

    /** A prepared name that is not remembered. */
    private void putRareName(Name name) {
        byte[] utf8 = name.utf8();
        int n = utf8.length;
        if (isUnsearched()) {
            putLoneName(utf8, 0, n);
            return;
        }
        int number = names.find(buffer, utf8, 0, n);
        if (number == TaggedNames.NONE) {
            putNewName(utf8, 0, n);
            return;
        }
        names.remember(name, number);
        putNumber(number);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        if (!isUnsearched()) {
            putName(data, from, to, ascii);
            return;
        }
        if (!ascii) checkText(data, from, to);
        putLoneName(data, from, to);
    }

    @Override
    public void key(String text) {
        order.key();
        boolean lone = isUnsearched();
        int n = text.length();
        if (n > SHORT) {
            putLongName(text, lone);
            return;
        }
        // Behind the longest header: there it is searched for, and moved if it is known or lone.
        byte[] to = room(n + 2 * HEADER);
        int body = size + HEADER;
        if (Utf8.putAscii(text, to, body) != n) putLongName(text, lone);
        else if (lone) putLoneName(to, body, body + n);
        else putName(to, body, body + n, true);
    }

    private void putLongName(String text, boolean lone) {
        byte[] utf8 = new byte[sizeOf(text)];
        Utf8.put(text, 0, utf8, 0);
        if (lone) putLoneName(utf8, 0, utf8.length);
        else putName(utf8, 0, utf8.length, true);
    }

    /** Whether the name that comes is one of those that are not searched for. */
    private boolean isUnsearched() {
        if (unsearched == 0) return false;
        unsearched--;
        return true;
    }

    /** @param checked the name is UTF-8 */
    private void putName(byte[] data, int from, int to, boolean checked) {
        int n = to - from;
        int number = names.find(buffer, data, from, n);
        if (number != TaggedNames.NONE) {
            putNumber(number);
            return;
        }
        if (!checked) checkText(data, from, to);
        putNewName(data, from, n);
    }

    /** A name that has a number. */
    private void putNumber(int number) {
        byte[] to = room(2);
        if (number < 64) {
            to[size++] = (byte) (TaggedHeader.NAME | number);
            return;
        }
        number -= 64;
        to[size] = (byte) (TaggedHeader.FAR_NAME | number >> 8);
        to[size + 1] = (byte) number;
        size += 2;
    }

    /** A name that has no number yet. */
    private void putNewName(byte[] data, int from, int n) {
        if (names.takes()) {
            byte[] to = room(withHeader(n, HEADER));
            to[size] = (byte) TaggedHeader.NEW_NAME;
            int at = size + 1 + Varint.size(n);
            System.arraycopy(data, from, to, at, n);
            Varint.put(to, size + 1, n);
            names.add(at, n);
            size = at + n;
        } else {
            putLoneName(data, from, from + n);
        }
        if (names.inVain()) {
            unsearched = PAUSE;
            names.forgetRecent();
        }
    }

    /** A name without a number; it may stand in the buffer, behind the place where it goes. */
    private void putLoneName(byte[] data, int from, int to) {
        int n = to - from;
        byte[] out = room(withHeader(n, HEADER));
        int at = size + (n < 32 ? 1 : 1 + Varint.size(n));
        System.arraycopy(data, from, out, at, n);
        if (n < 32) {
            out[size] = (byte) (TaggedHeader.LONE_NAME | n);
        } else {
            out[size] = (byte) TaggedHeader.LONG_NAME;
            Varint.put(out, size + 1, n);
        }
        size = at + n;
    }
}
