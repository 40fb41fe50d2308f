package kumihimo.tagged;

import static kumihimo.tagged.TaggedHeader.ARRAY;
import static kumihimo.tagged.TaggedHeader.END;
import static kumihimo.tagged.TaggedHeader.LONE_NAME;
import static kumihimo.tagged.TaggedHeader.MAP;
import static kumihimo.tagged.TaggedHeader.NAME;
import static kumihimo.tagged.TaggedHeader.NEW_NAME;
import static kumihimo.tagged.TaggedHeader.NULL;
import static kumihimo.tagged.TaggedHeader.STR;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Located;
import kumihimo.Names;
import kumihimo.Sink;
import kumihimo.Utf8;

/**
 * Tagged becomes values. {@link TaggedHeader} has the bytes of the layout {@code safe}, {@link StudyHeader} those of
 * {@code study}, which {@link StudyReader} reads; a document's first byte says which it is: c1 begins no tag of the
 * other.
 *
 * <p>Counts are unknown, and nothing is believed before it is seen.
 */
public final class TaggedReader extends TaggedScalars {
    // What the next piece must be.
    /** A value, and behind it another one. */
    private static final byte ELEMENT = 0;
    private static final byte KEY_DUE = 1;
    /** A key's value. */
    private static final byte ITEM = 2;
    /** A value that is a key. */
    private static final byte ODD_KEY = 3;
    /** The one value that is asked for. */
    private static final byte DOCUMENT = 4;
    private static final byte NOTHING = 5;

    private final int mostDepth;
    private final KnownNames known = new KnownNames();

    /** What is due in the innermost container, ELEMENT or KEY_DUE; {@link #feed} and {@link #skip} know the rest. */
    private byte due;
    /** The same of the containers around it. */
    private byte[] outer = new byte[16];
    private int depth;

    public TaggedReader(TaggedReadDialect granted, Limits limits) {
        super(granted, limits);
        mostDepth = limits.depth();
    }

    @Override
    protected void restart() {
        super.restart();
        depth = 0;
        due = ELEMENT;
        known.cut(0);
    }

    // ----------------------------------------------------------------------------------------------------- containers

    @Override
    public long array() {
        if (at >= last) return study().array();
        if (data[at] != (byte) ARRAY) throw wrong("an array");
        open(due);
        due = ELEMENT;
        return Sink.UNKNOWN;
    }

    @Override
    public long map() {
        if (at >= last) return study().map();
        if (data[at] != (byte) MAP) throw wrong("a map");
        open(due);
        due = KEY_DUE;
        return Sink.UNKNOWN;
    }

    /** Passes the byte that opens a container. */
    private void open(byte behind) {
        if (depth >= mostDepth) throw tooDeep(at);
        if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2);
        outer[depth++] = behind;
        at++;
    }

    @Override
    public boolean hasNext() {
        if (at >= last) return study().hasNext();
        if (depth == 0) throw noContainer();
        if (data[at] == (byte) END) {
            close();
            return false;
        }
        if (due == KEY_DUE) toKey();
        return true;
    }

    /** Passes the byte that ends a container. */
    private void close() {
        if (depth == 0) throw noContainer();
        at++;
        due = outer[--depth];
    }

    /** A name is left to {@link #key}; that a value is the key is passed over. */
    private void toKey() {
        int c = data[at] & 0xff;
        atName = c >= NAME && c < STR || c >= LONE_NAME && c < NULL;
        if (!atName) toRareKey();
    }

    private void toRareKey() {
        readHeader();
        switch (header.kind) {
            case NAME:
            case NEW_NAME:
            case LONE_NAME:
                atName = true;
                return;
            case KEY:
                at++;
                return;
            default:
                throw stop(Code.SYNTAX, at, "a value stands where a key is due");
        }
    }

    @Override
    public String key() {
        if (at >= last) return study().key();
        if (!atName) return str();
        int number = readName();
        return number >= 0 ? known.text(data, number) : text(keyFrom, keyTo);
    }

    /** Passes a name over, and returns its number, or -1; its bytes are from {@link #keyFrom} to {@link #keyTo}. */
    private int readName() {
        atName = false;
        int start = at;
        int c = data[start] & 0xff;
        if (c < STR) {
            at = start + 1;
            return numbered(c - NAME, start);
        }
        int from = start + 1;
        if (c >= LONE_NAME && c < NULL) {
            int n = c - LONE_NAME;
            if (n > last - from) throw cut(start);
            at = from + n;
        } else {
            from = pass();
            if (header.kind == TaggedHeader.Kind.NAME) return numbered(header.number, start);
        }
        setKey(from, at);
        return c == NEW_NAME ? learn(start, from) : -1;
    }

    private int numbered(int number, int start) {
        if (number >= known.size()) throw stop(Code.SYNTAX, start, "no name has had this number yet");
        setKey(known.from(number), known.to(number));
        return number;
    }

    /** The name up to {@link #at} takes the next number, which is returned. */
    private int learn(int start, int from) {
        boolean ascii = Utf8.isAscii(data, from, at);
        if (!ascii) checkText(from, at);
        int number = known.size();
        if (number == TaggedHeader.MOST_NAMES) {
            throw stop(Code.SYNTAX, start, "a document has 4160 names with numbers at most");
        }
        known.add(from, at, ascii);
        return number;
    }

    @Override
    public int field(Names names, int expected) {
        if (at >= last) return study().field(names, expected);
        int c = data[at] & 0xff;
        int n = c - LONE_NAME;
        if (n >= 0 && n < 32 && expected >= 0 && expected < names.size()) {
            int end = names.get(expected).match(data, at + 1, last);
            if (end - at - 1 == n) {
                setKey(at + 1, end);
                at = end;
                return expected;
            }
        }
        if (c == END) {
            close();
            return Names.END;
        }
        return otherField(names);
    }

    private int otherField(Names names) {
        toKey();
        if (!atName) {
            readOddKey();
            return Names.OTHER;
        }
        int number = readName();
        if (number >= 0) return known.find(data, number, names);
        int found = names.find(data, keyFrom, keyTo);
        if (found < 0) checkLikelyAscii(keyFrom, keyTo);
        return found;
    }

    // ---------------------------------------------------------------------------------------------- more than a value

    private static byte behind(byte due) {
        switch (due) {
            case ITEM:
                return KEY_DUE;
            case ODD_KEY:
                return ITEM;
            case DOCUMENT:
                return NOTHING;
            default:
                return due;
        }
    }

    @Override
    public void skip() {
        if (at >= last) {
            study().skip();
        } else if (atName) {
            skipName();
        } else {
            byte now = DOCUMENT;
            while (now != NOTHING) now = now == KEY_DUE ? skipKey() : skipValue(now);
        }
    }

    private void skipName() {
        if (readName() < 0) checkLikelyAscii(keyFrom, keyTo);
    }

    /** A key, or a map's end; what is due then. */
    private byte skipKey() {
        if (at >= last) throw cut(at);
        if (data[at] == (byte) END) {
            at++;
            return outer[--depth];
        }
        toKey();
        if (!atName) return ODD_KEY;
        skipName();
        return ITEM;
    }

    /** A scalar, a container's header, or an array's end; what is due then. */
    private byte skipValue(byte now) {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c < NAME) {
            at++;
        } else if (c == ARRAY || c == MAP) {
            open(behind(now));
            return c == MAP ? KEY_DUE : ELEMENT;
        } else if (c == END && now == ELEMENT) {
            at++;
            return outer[--depth];
        } else {
            skipScalar();
        }
        return behind(now);
    }

    private void skipScalar() {
        switch (kind()) {
            case STR:
                checkLikelyAscii(pass(), at);
                return;
            case BIG:
                passNumber();
                return;
            case TIME:
                time();
                return;
            case EXT:
                ext();
                return;
            default:
                pass();
        }
    }

    @Override
    public void feed(Sink to) {
        if (inStudy) {
            study.feed(to);
            return;
        }
        int start = at;
        Located located = Located.of(to);
        byte now = DOCUMENT;
        try {
            if (located != null) located.place(start - begin);
            if (atName) {
                to.str(key());
                return;
            }
            while (now != NOTHING) {
                start = at;
                if (located != null) located.place(start - begin);
                now = now == KEY_DUE ? feedKey(to) : feedValue(to, now);
            }
        } catch (DataException e) {
            throw refused(e, start);
        }
    }

    /** A key, or a map's end; what is due then. */
    private byte feedKey(Sink to) {
        if (at >= last) throw cut(at);
        if (data[at] == (byte) END) {
            at++;
            to.end();
            return outer[--depth];
        }
        toKey();
        if (!atName) {
            to.keyIsNext();
            return ODD_KEY;
        }
        int number = readName();
        boolean ascii = number >= 0 ? known.isAscii(number) : Utf8.isAscii(data, keyFrom, keyTo);
        if (!ascii && number < 0) checkText(keyFrom, keyTo);
        to.key(data, keyFrom, keyTo, ascii);
        return ITEM;
    }

    /** A scalar, a container's header, or an array's end; what is due then. */
    private byte feedValue(Sink to, byte now) {
        if (at >= last) throw cut(at);
        int c = data[at] & 0xff;
        if (c == ARRAY || c == MAP) {
            open(behind(now));
            if (c == MAP) to.map(Sink.UNKNOWN);
            else to.array(Sink.UNKNOWN);
            return c == MAP ? KEY_DUE : ELEMENT;
        }
        if (c == END && now == ELEMENT) {
            at++;
            to.end();
            return outer[--depth];
        }
        feedScalar(to);
        return behind(now);
    }

    private void feedScalar(Sink to) {
        switch (kind()) {
            case I64:
                to.i64(i64());
                return;
            case STR: {
                int from = pass();
                boolean ascii = Utf8.isAscii(data, from, at);
                if (!ascii) checkText(from, at);
                to.str(data, from, at, ascii);
                return;
            }
            case F64:
                to.f64(f64());
                return;
            case BOOL:
                to.bool(bool());
                return;
            case NIL:
                at++;
                to.nil();
                return;
            case U64:
                to.u64(u64());
                return;
            default:
                feedRare(to);
        }
    }

    private void feedRare(Sink to) {
        switch (kind()) {
            case BIG:
                to.big(number());
                return;
            case BIN:
                to.bin(data, pass(), at);
                return;
            case TIME:
                to.time(time());
                return;
            default: {
                int type = ext();
                to.ext(type, data, extFrom, at);
            }
        }
    }

    private static final class Here extends Mark {
        final int at;
        final int depth;
        final byte due;
        final boolean atName;
        final int names;

        Here(TaggedReader from) {
            super(from);
            at = from.at;
            depth = from.depth;
            due = from.due;
            atName = from.atName;
            names = from.known.size();
        }
    }

    @Override
    public Mark mark() {
        return inStudy ? study.mark() : new Here(this);
    }

    @Override
    public void rewind(Mark mark) {
        if (inStudy) {
            study.rewind(mark);
            return;
        }
        check(mark);
        Here here = (Here) mark;
        at = here.at;
        depth = here.depth;
        due = here.due;
        atName = here.atName;
        known.cut(here.names);
    }
}
