package kumihimo.msgpack;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Located;
import kumihimo.Names;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.format.BigEndian;

/**
 * MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) becomes values. The layout is in {@link
 * MsgpackWriter}.
 *
 * <p>What a type arrives as: integers as I64 where they fit, whatever width they were written in; float 32 and 64 as
 * F64 (float 32 widens exactly); ext -1 of 4, 8 or 12 bytes as TIME, other lengths of it as EXT. Encodings longer than
 * need be are accepted, as the specification says. {@link #time} takes RFC 3339 text too, and {@link #number} text
 * that is a number, since that is what writers make of moments and numbers that MessagePack cannot hold.
 *
 * <p>Nothing is believed before it is seen: a count or length beyond the bytes that are left is {@link Code#TRUNCATED}
 * at its header.
 */
public final class MsgpackReader extends MsgpackScalars {
    /** The first byte of an empty str. */
    private static final byte SHORT_STR = (byte) 0xa0;

    private final int mostDepth;

    /** Values or pairs still to come in the innermost container. */
    private int left;
    /** The same of the containers around it. */
    private int[] outer = new int[16];
    /** In {@link #feed}: whether the container at each depth is a map. */
    private boolean[] maps = new boolean[32];
    private int depth;

    public MsgpackReader(MsgpackReadDialect granted, Limits limits) {
        super(granted, limits);
        mostDepth = limits.depth();
    }

    @Override
    protected void restart() {
        left = 0;
        depth = 0;
    }

    // ----------------------------------------------------------------------------------------------------- containers

    @Override
    public long array() {
        int start = at;
        if (start >= last) throw cut(start);
        int c = data[start] & 0xff;
        long count = c & 15;
        if (c >>> 4 == 9) at = start + 1;
        else if (c == 0xdc || c == 0xdd) count = longCount(c);
        else throw wrong("an array");
        open(start, count, count);
        return count;
    }

    @Override
    public long map() {
        int start = at;
        if (start >= last) throw cut(start);
        int c = data[start] & 0xff;
        long count = c & 15;
        if (c >>> 4 == 8) at = start + 1;
        else if (c == 0xde || c == 0xdf) count = longCount(c);
        else throw wrong("a map");
        open(start, count, 2 * count);
        return count;
    }

    private long longCount(int c) {
        return (c & 1) == 0 ? BigEndian.u16(data, fixed(2)) : BigEndian.u32(data, fixed(4));
    }

    private void open(int start, long count, long values) {
        if (depth >= mostDepth) throw tooDeep(start);
        if (values > last - at) throw tooMany(start);
        if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2);
        outer[depth++] = left;
        left = (int) count;
    }

    @Override
    public boolean hasNext() {
        if (left != 0) {
            left--;
            return true;
        }
        close();
        return false;
    }

    private void close() {
        if (depth == 0) throw noContainer();
        left = outer[--depth];
    }

    @Override
    public int field(Names names, int expected) {
        if (left == 0) {
            close();
            return Names.END;
        }
        left--;
        if (expected >= 0 && expected < names.size()) {
            int end = names.get(expected).match(data, at + 1, last);
            if (end >= 0 && data[at] == (byte) (0xa0 + end - at - 1) && end - at <= 32) {
                setKey(at + 1, end);
                at = end;
                return expected;
            }
        }
        return otherField(names);
    }

    private int otherField(Names names) {
        if (at >= last) throw cut(at);
        if (kinds[data[at] & 0xff] != Kind.STR && kind() != Kind.STR) {
            readOddKey();
            return Names.OTHER;
        }
        int from = openText();
        setKey(from, at);
        int found = names.find(data, from, at);
        if (found < 0 && granted == MsgpackReadDialect.STANDARD) checkLikelyAscii(from, at);
        return found;
    }

    // ---------------------------------------------------------------------------------------------- more than a value

    @Override
    public void skip() {
        int base = depth;
        int before = left;
        left = 1; // values; of a map keys and values
        for (;;) {
            left--;
            skipOne();
            while (left == 0) {
                if (depth == base) {
                    left = before;
                    return;
                }
                left = outer[--depth];
            }
        }
    }

    /** A scalar, or a container's header. */
    private void skipOne() {
        if (at >= last) throw cut(at);
        int c = data[at];
        if (c >= -32) {
            at++;
            return;
        }
        Kind kind = KINDS[c & 0xff];
        if (kind == Kind.STR) {
            int from = openText();
            if (granted == MsgpackReadDialect.STANDARD) checkLikelyAscii(from, at);
        } else if (kind == Kind.MAP) {
            map();
            left *= 2;
        } else if (kind == Kind.ARRAY) {
            array();
        } else if (kind() == Kind.TIME) {
            time();
        } else {
            pass();
        }
    }

    @Override
    public void feed(Sink to) {
        int base = depth;
        int before = left;
        int start = at;
        Located located = Located.of(to);
        left = 1; // values; of a map keys and values
        setMap(false);
        try {
            for (;;) {
                start = at;
                if (located != null) located.place(start - begin);
                boolean key = maps[depth] && (left & 1) == 0;
                left--;
                if (start < last && data[start] >= SHORT_STR && data[start] < SHORT_STR + 32 && kinds == KINDS) {
                    feedText(to, start + 1, data[start] - SHORT_STR, key);
                } else {
                    feedOther(to, key);
                }
                while (left == 0) {
                    if (depth == base) {
                        left = before;
                        return;
                    }
                    left = outer[--depth];
                    if (located != null) located.place(at - begin);
                    to.end();
                }
            }
        } catch (DataException e) {
            throw refused(e, start);
        }
    }

    /** n bytes of text that begin at a place. */
    private void feedText(Sink to, int from, int n, boolean key) {
        if (n > last - from) throw cut(at);
        at = from + n;
        boolean ascii = Utf8.isAscii(data, from, at);
        if (!ascii && granted == MsgpackReadDialect.STANDARD) checkText(from, at);
        if (key) to.key(data, from, at, ascii);
        else to.str(data, from, at, ascii);
    }

    private void feedOther(Sink to, boolean key) {
        Kind kind = kind();
        if (kind == Kind.STR) {
            int from = openText();
            feedText(to, from, at - from, key);
            return;
        }
        if (key) to.keyIsNext();
        if (kind == Kind.ARRAY || kind == Kind.MAP) openLevel(to, kind == Kind.MAP);
        else feedScalar(to, kind);
    }

    private void openLevel(Sink to, boolean map) {
        long count = map ? map() : array();
        setMap(map);
        if (map) {
            left *= 2;
            to.map(count);
        } else {
            to.array(count);
        }
    }

    private void setMap(boolean map) {
        if (maps.length <= depth) maps = Arrays.copyOf(maps, 2 * depth);
        maps[depth] = map;
    }

    private void feedScalar(Sink to, Kind kind) {
        switch (kind) {
            case I64:
                to.i64(i64());
                return;
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
            case TIME:
                to.time(time());
                return;
            default:
                feedBytes(to, kind);
        }
    }

    private void feedBytes(Sink to, Kind kind) {
        int from = pass();
        if (kind == Kind.BIN) to.bin(data, from, at);
        else to.ext(data[from - 1], data, from, at);
    }

    private static final class Here extends Mark {
        final int at;
        final int depth;
        final int left;

        Here(MsgpackReader from) {
            super(from);
            at = from.at;
            depth = from.depth;
            left = from.left;
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
        at = here.at;
        depth = here.depth;
        left = here.left;
    }
}
