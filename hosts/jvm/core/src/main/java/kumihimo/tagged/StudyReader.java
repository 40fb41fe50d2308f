package kumihimo.tagged;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Names;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.NumberText;

/**
 * The layout {@code study} becomes values ({@link StudyHeader} has its bytes). The names come last, so the document's
 * outermost fields are skipped to find them before the first value.
 *
 * <p>Elements must come in the order of their numbers. Fields are passed on in the order they stand in, whatever it
 * is, and a tag that comes twice is passed on twice. Booleans arrive as the integers they were written as, NaN as
 * null.
 */
final class StudyReader extends StudyDocument {
    /** In the place of an element's number. */
    private static final int MAP = -1;

    private final int mostDepth;

    /** The value at hand is behind its header, which {@link #header} is. */
    private boolean atValue;
    /** A map's key is due: the name of the tag at hand. */
    private boolean keyDue;
    private int name;
    /** Where the value at hand begins, with its tag. */
    private int start;

    /** What {@link #digitsKind} has read. */
    private long integer;

    /**
     * Of each open container where it ends, and of the innermost the number of the element that comes next, or MAP.
     */
    private int[] ends = new int[16];
    private int[] indexes = new int[16];
    private int depth;

    StudyReader(TaggedReadDialect granted, Limits limits) {
        super(granted, limits);
        mostDepth = limits.depth();
    }

    @Override
    protected void restart() {
        begun = atValue = keyDue = false;
        depth = 0;
    }

    // --------------------------------------------------------------------------------------------------- where we are

    /** The value at hand, of which {@link #header} is the first thing; it is no key. */
    private void toValue() {
        if (atValue) return;
        if (!begun) begin();
        start = at;
        if (depth == 0 && isMap) {
            atValue = true;
            return;
        }
        int limit = depth == 0 ? bodyEnd : ends[depth - 1];
        if (at >= limit) throw at >= last ? cut(at) : stop(Code.MISUSE, at, "no value follows here");
        readHeader(at, limit, true);
        atValue = true;
    }

    private boolean isRoot() {
        return depth == 0 && isMap;
    }

    /** The value at hand has been read; it was a scalar. */
    private void passed() {
        at = start + header.size + (int) header.payload;
        atValue = false;
        if (depth == 0) at = documentEnd;
    }

    private int payload() {
        return start + header.size;
    }

    @Override
    public int position() {
        return (atValue ? start : at) - begin;
    }

    @Override
    public boolean hasNext() {
        if (depth == 0) throw noContainer();
        int limit = ends[depth - 1];
        start = at;
        if (at == limit) {
            if (--depth == 0) at = documentEnd;
            return false;
        }
        readHeader(at, limit, true);
        atValue = true;
        int index = indexes[depth - 1];
        if (index == MAP) {
            name = names.find(header.tag);
            // The names of a document that is no map may be what the input ends before.
            if (name < 0 && cutShort) throw cut(last);
            if (name < 0) throw stop(Code.SYNTAX, at, "a field's name is not in the table of names");
            keyDue = true;
        } else if (header.tag == StudyHeader.elementTag(index, header.type())) {
            indexes[depth - 1]++;
        } else {
            throw stop(Code.SYNTAX, at, "an array's elements are not numbered one by one");
        }
        return true;
    }

    @Override
    public Kind kind() {
        if (keyDue) return Kind.STR;
        toValue();
        if (isRoot()) return Kind.MAP;
        switch (header.type()) {
            case StudyHeader.NULL:
                return Kind.NIL;
            case StudyHeader.REAL:
                return Kind.F64;
            case StudyHeader.STRING:
                return Kind.STR;
            case StudyHeader.MESSAGE:
                return Kind.MAP;
            case StudyHeader.ARRAY:
                return Kind.ARRAY;
            case StudyHeader.DIGITS:
                return digitsKind();
            case StudyHeader.TABLE:
                throw stop(Code.SYNTAX, start, "the names stand at the document's end, and once");
            default:
                return Kind.I64;
        }
    }

    /** An integer that 64 bits hold arrives as one; all else keeps its digits. */
    private Kind digitsKind() {
        int from = payload();
        int to = from + (int) header.payload;
        if (!NumberText.isNumber(data, from, to)) throw noNumber(start);
        boolean negative = data[from] == '-';
        if (to - from > 20 || negative && data[from + 1] == '0') return Kind.BIG;
        String text = Utf8.string(data, from, to, true);
        for (int i = negative ? 1 : 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') return Kind.BIG;
        }
        try {
            integer = negative ? Long.parseLong(text) : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            return Kind.BIG;
        }
        return negative || integer >= 0 ? Kind.I64 : Kind.U64;
    }

    // -------------------------------------------------------------------------------------------------------- scalars

    @Override
    public void nil() {
        if (kind() != Kind.NIL) throw wrong("null");
        if (header.number != 0) throw stop(Code.SYNTAX, start, "null is followed by 0");
        passed();
    }

    @Override
    public boolean bool() {
        if (kind() == Kind.I64) {
            long value = i64();
            if (value == 0 || value == 1) return value == 1;
        }
        throw new DataException(Code.TYPE, "expected a boolean, which is the number 0 or 1", start - begin);
    }

    @Override
    public long i64() {
        Kind kind = kind();
        if (kind == Kind.BIG) return integerOf(number(), start);
        if (kind == Kind.U64) throw tooLarge(integer, start);
        if (kind != Kind.I64) throw wrong("an integer");
        long value = header.type() == StudyHeader.DIGITS ? integer : stored();
        passed();
        return value;
    }

    private long stored() {
        switch (header.type()) {
            case StudyHeader.FIXED32:
                return LittleEndian.i32(data, payload());
            case StudyHeader.FIXED64:
                return LittleEndian.i64(data, payload());
            case StudyHeader.INT64:
                return Varint.unzigzag(header.number);
            default:
                if (header.number >>> 32 != 0) {
                    throw stop(Code.RANGE, start, "a number of 32 bits is larger than that");
                }
                return header.type() == StudyHeader.INT32 ? Varint.unzigzag(header.number) : header.number;
        }
    }

    @Override
    public long u64() {
        if (kind() == Kind.U64) {
            passed();
            return integer;
        }
        return naturalOf(i64(), start);
    }

    @Override
    public double f64() {
        Kind kind = kind();
        if (kind == Kind.I64) return i64();
        if (kind != Kind.F64) return rareDouble(kind, start);
        double value = Double.longBitsToDouble(LittleEndian.i64(data, payload()));
        passed();
        return value;
    }

    @Override
    public String number() {
        Kind kind = kind();
        if (kind != Kind.BIG) return digitsOf(kind, start);
        int from = payload();
        passed();
        return Utf8.string(data, from, from + (int) header.payload, true);
    }

    @Override
    public String str() {
        if (keyDue) return key();
        if (kind() != Kind.STR) throw wrong("text");
        int from = payload();
        passed();
        return text(from, from + (int) header.payload);
    }

    @Override
    public String key() {
        if (!keyDue) return str();
        keyDue = false;
        return text(names.from(name), names.to(name));
    }

    @Override
    public int field(Names wanted, int expected) {
        if (!hasNext()) return Names.END;
        keyDue = false;
        setKey(names.from(name), names.to(name));
        return wanted.find(data, keyFrom, keyTo);
    }

    @Override
    public byte[] bin() {
        throw wrong("bytes");
    }

    @Override
    public Moment time() {
        if (kind() != Kind.STR) throw wrong("a moment");
        return momentOf(str(), start);
    }

    @Override
    public int ext() {
        throw wrong("an extension");
    }

    @Override
    public byte[] extData() {
        throw new DataException(Code.MISUSE, "no extension was read");
    }

    // ----------------------------------------------------------------------------------------------------- containers

    @Override
    public long array() {
        if (kind() != Kind.ARRAY) throw wrong("an array");
        open(payload(), 0);
        return Sink.UNKNOWN;
    }

    @Override
    public long map() {
        if (kind() != Kind.MAP) throw wrong("a map");
        open(isRoot() ? start : payload(), MAP);
        return Sink.UNKNOWN;
    }

    private void open(int inside, int index) {
        if (depth >= mostDepth) throw tooDeep(start);
        if (depth == ends.length) {
            ends = Arrays.copyOf(ends, 2 * depth);
            indexes = Arrays.copyOf(indexes, 2 * depth);
        }
        ends[depth] = isRoot() ? bodyEnd : inside + (int) header.payload;
        indexes[depth++] = index;
        at = inside;
        atValue = false;
    }

    @Override
    public void skip() {
        if (keyDue) {
            keyDue = false;
            return;
        }
        int base = depth;
        do {
            keyDue = false;
            skipOne();
            while (depth > base && !hasNext()) {}
        } while (depth > base);
    }

    private void skipOne() {
        switch (kind()) {
            case ARRAY:
                array();
                return;
            case MAP:
                map();
                return;
            case STR:
                checkText(payload(), payload() + (int) header.payload);
                passed();
                return;
            case NIL:
                nil();
                return;
            case I64:
                i64();
                return;
            default:
                passed();
        }
    }

    @Override
    public void feed(Sink to) {
        try {
            super.feed(to);
        } catch (DataException e) {
            throw refused(e, start);
        }
    }

    private static final class Here extends Mark {
        final int at;
        final int depth;
        final int index;
        final boolean atValue;
        final boolean keyDue;
        final int name;

        Here(StudyReader from) {
            super(from);
            at = from.at;
            depth = from.depth;
            index = depth == 0 ? 0 : from.indexes[depth - 1];
            atValue = from.atValue;
            keyDue = from.keyDue;
            name = from.name;
        }
    }

    @Override
    public Mark mark() {
        return new Here(this);
    }

    @Override
    public void rewind(Mark mark) {
        check(mark);
        Here here = (Here) mark;
        at = start = here.at;
        depth = here.depth;
        if (depth != 0) indexes[depth - 1] = here.index;
        atValue = here.atValue;
        keyDue = here.keyDue;
        name = here.name;
        if (atValue && !isRoot()) readHeader(at, depth == 0 ? bodyEnd : ends[depth - 1], true);
    }
}
