package kumihimo.cbor;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.cbor.CborReadDialect.Insist;
import kumihimo.cbor.CborReadDialect.InvalidText;
import kumihimo.format.BinaryWriter;
import kumihimo.format.Holes;

/**
 * Values become CBOR (RFC 8949). The layout is in {@link CborHeader}. Integers, lengths and tags always take their
 * shortest form; floats, moments, keys and counts as the dialect says.
 *
 * <p>A count that is not known yet is a hole of one byte, settled in {@link #finish} ({@link Holes}); where keys are
 * sorted, it is widened at the container's end ({@link CborSorter}), since sorted keys are compared as they will be.
 */
public final class CborWriter extends BinaryWriter {
    /** Containers of fewer values or pairs have a header of one byte. */
    private static final int SMALL = 24;
    /** Characters of text that gets room before its size in UTF-8 is known. */
    private static final int ROOMY = 1 << 16;
    /** Bytes that two headers need. */
    private static final int HEADERS = 2 * CborHeader.LONGEST;
    /** A name of fewer bytes has its length in the first byte. */
    private static final int SHORT_NAME = 24;

    private final CborDialect as;
    private final boolean shortest;
    private final boolean sorts;
    /** Containers whose count is not known begin as ones of indefinite length; sorted, they do not end so. */
    private final boolean marksEnds;
    private final Limits limits;
    private final Holes holes = new Holes(SMALL, CborWriter::putCount);
    private final CborSorter sorter;
    private CborCheck check;
    private CborTagged tagged;

    public CborWriter(CborDialect as, Limits limits) {
        super(limits);
        this.as = as;
        this.limits = limits;
        shortest = as.floats == CborDialect.FloatWidth.SHORTEST;
        sorts = as.sorts();
        marksEnds = sorts || as.counts == CborDialect.LateCount.INDEFINITE;
        sorter = sorts ? new CborSorter() : null;
    }

    @Override
    public CborWriter reset() {
        size = 0;
        order.clear();
        holes.clear();
        if (sorts) sorter.clear();
        return this;
    }

    @Override
    public void finish() {
        order.finish();
        settle(holes);
        checkSize();
    }

    private static int putCount(byte[] to, int at, boolean map, int count) {
        return CborHeader.put(to, at, map ? CborHeader.MAP : CborHeader.ARRAY, count);
    }

    @Override
    public void nil() {
        putValue(0xf6);
    }

    @Override
    public void bool(boolean value) {
        putValue(value ? 0xf5 : 0xf4);
    }

    @Override
    public void i64(long value) {
        order.value();
        size = CborHeader.putInteger(room(CborHeader.LONGEST), size, value);
    }

    @Override
    public void u64(long bits) {
        order.value();
        size = CborHeader.put(room(CborHeader.LONGEST), size, CborHeader.NATURAL, bits);
    }

    @Override
    public void f64(double value) {
        order.value();
        size = CborFloats.put(room(CborHeader.LONGEST), size, value, shortest);
    }

    @Override
    public void big(String digits) {
        if (as.big == CborDialect.BigNumber.TEXT) {
            str(digits);
            return;
        }
        if (as.big == CborDialect.BigNumber.REFUSE) {
            throw new DataException(Code.UNSUPPORTED, "a number beyond 64 bits, which the dialect refuses");
        }
        byte[] item = CborNumeral.item(digits, shortest);
        order.value();
        putRaw(item, 0, item.length);
    }

    // ------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public void str(String text) {
        order.value();
        putText(text);
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        order.value();
        putText(data, from, to, ascii);
    }

    @Override
    public void key(String text) {
        order.key();
        if (sorts) sorter.key(size);
        putText(text);
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        order.key();
        if (sorts) sorter.key(size);
        putText(data, from, to, ascii);
    }

    @Override
    public void key(Name name) {
        order.key();
        if (sorts) sorter.key(size);
        byte[] utf8 = name.utf8();
        int n = utf8.length;
        if (n >= SHORT_NAME) {
            putString(CborHeader.TEXT, utf8, 0, n);
            return;
        }
        int at = size;
        byte[] to = room(n + 1);
        to[at] = (byte) (CborHeader.TEXT | n);
        putBytes(at + 1, utf8, 0, n);
    }

    @Override
    public void keyIsNext() {
        order.keyIsNext();
        if (sorts) sorter.key(size);
    }

    /** Text that is nearly always ASCII: its characters are copied behind a header for as many bytes. */
    private void putText(String text) {
        int n = text.length();
        if (n > ROOMY) {
            putWide(text);
            return;
        }
        byte[] to = roomUpTo(3 * n + CborHeader.LONGEST);
        int at = CborHeader.put(to, size, CborHeader.TEXT, n);
        if (Utf8.putAscii(text, to, at) != n) putWide(text);
        else size = at + n;
    }

    /** Text that is long or no ASCII. */
    private void putWide(String text) {
        int n = Utf8.size(text, 0);
        if (n < 0) {
            putBroken(text);
            return;
        }
        byte[] to = room(withHeader(n, HEADERS));
        size = Utf8.put(text, 0, to, CborHeader.put(to, size, CborHeader.TEXT, n));
    }

    /** Half a surrogate pair; where it is kept, it is the three bytes that UTF-8 would give it if it could. */
    private void putBroken(String text) {
        if (as.invalid == InvalidText.REFUSE) throw halfPair();
        byte[] data = Utf8.looseBytes(text);
        putString(as.invalid == InvalidText.BIN ? CborHeader.BYTES : CborHeader.TEXT, data, 0, data.length);
    }

    private void putText(byte[] data, int from, int to, boolean ascii) {
        int major = CborHeader.TEXT;
        if (!ascii && as.invalid != InvalidText.KEEP && Utf8.validPrefix(data, from, to) != to) {
            if (as.invalid == InvalidText.REFUSE) throw noText();
            major = CborHeader.BYTES;
        }
        putString(major, data, from, to);
    }

    private void putString(int major, byte[] data, int from, int to) {
        int n = to - from;
        byte[] out = room(withHeader(n, HEADERS));
        putBytes(CborHeader.put(out, size, major, n), data, from, n);
    }

    private void putRaw(byte[] data, int from, int to) {
        int n = to - from;
        room(n);
        putBytes(size, data, from, n);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        order.value();
        putString(CborHeader.BYTES, data, from, to);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        order.value();
        checkExtension(type);
        if (type == CborHeader.EXT_ITEM && isItem(data, from, to)) {
            putRaw(data, from, to);
            return;
        }
        byte[] out = room(withHeader(to - from, HEADERS));
        size = CborHeader.put(out, size, CborHeader.TAG, CborHeader.TAG_TYPED | type & 0xff);
        putString(CborHeader.BYTES, data, from, to);
    }

    /** Whether these are one item that a reader gives as ext 24, in the form that the dialect writes. */
    private boolean isItem(byte[] data, int from, int to) {
        if (check == null) {
            check = new CborCheck();
            tagged = new CborTagged();
        }
        if (!tagged.isCarried(data, from, to)) return false;
        Insist form = as.keys == CborDialect.KeyOrder.BYTEWISE ? Insist.DETERMINISTIC
                : as.keys == CborDialect.KeyOrder.LENGTH_FIRST ? Insist.PREFERRED : Insist.ANYTHING;
        boolean text = as.invalid == InvalidText.REFUSE;
        return check.item(data, from, to, form, text, limits.depth() - order.depth()) && check.behind == to;
    }

    // -------------------------------------------------------------------------------------------------------- moments

    @Override
    public void time(Moment moment) {
        Moment.Clock clock = moment.clock();
        boolean zoned = clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL;
        boolean refused = zoned ? as.zoned == CborDialect.ZonedTime.REFUSE
                : clock == Moment.Clock.NAIVE && as.naive == CborDialect.NaiveTime.REFUSE;
        if (refused) {
            throw new DataException(Code.UNSUPPORTED, "a clock other than UTC, which the dialect refuses");
        }
        byte[] to = room(CborTimes.ROOM);
        int end;
        if (clock == Moment.Clock.DATE) end = CborTimes.putDate(to, size, moment, as);
        else if (clock == Moment.Clock.NAIVE) end = CborTimes.putText(to, size, moment, false);
        else if (zoned && as.zoned == CborDialect.ZonedTime.TEXT) end = CborTimes.putText(to, size, moment, true);
        else end = CborTimes.putMoment(to, size, moment, as);
        if (end < 0) throw new DataException(Code.RANGE, "an instant outside the years 0000 to 9999 has no text");
        order.value();
        size = end;
    }

    // ----------------------------------------------------------------------------------------------------- containers

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
        byte[] to = room(CborHeader.LONGEST);
        order.open(map, count);
        if (sorts) sorter.open(size);
        if (count >= 0) {
            size = CborHeader.put(to, size, map ? CborHeader.MAP : CborHeader.ARRAY, count);
        } else if (marksEnds) {
            to[size++] = (byte) (map ? 0xbf : 0x9f);
        } else {
            holes.open(size, map);
            to[size++] = (byte) (map ? CborHeader.MAP : CborHeader.ARRAY);
        }
    }

    @Override
    public void end() {
        long seen = order.end();
        if (sorts) endSorted(seen);
        else if (seen >= 0) endOpen(seen);
    }

    private void endOpen(long seen) {
        if (!marksEnds) holes.close(buffer, seen);
        else putByte(0xff);
    }

    private void endSorted(long seen) {
        if (seen >= 0) {
            int wider = CborHeader.width(seen);
            sorter.widen(room(wider), size, seen, wider);
            size += wider;
        }
        sorter.close(buffer, size, as.keys == CborDialect.KeyOrder.LENGTH_FIRST);
    }
}
