package kumihimo.cbor;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Located;
import kumihimo.Names;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.cbor.CborReadDialect.InvalidText;

/**
 * CBOR (RFC 8949) becomes values. The layout is in {@link CborHeader}.
 *
 * <p>What an item arrives as: integers as I64 where they fit, then U64, then BIG, whatever width they were written in;
 * floats of all widths as F64; strings of indefinite length in one piece; undefined as null. Tags 0, 1, 100, 1001 and
 * 1004 as TIME, 2 and 3 as integers, 4 as BIG, 5 as F64 or BIG; tag 55799 says nothing. All other tags, and simple
 * values without a meaning, as EXT 24: the encoded item, as it stands. Those of our writer's own tag as the EXT that
 * it was. {@link #time} takes RFC 3339 text too, and {@link #number} text that is a number, since that is what writers
 * make of clocks without a zone, and by some dialects of numbers.
 *
 * <p>Nothing is believed before it is seen: a count or length beyond the bytes that are left is {@link Code#TRUNCATED}
 * at its header.
 */
public final class CborReader extends CborScalars {
    private static final Nobody NOBODY = new Nobody();

    /** The item that a sink was given last. */
    private int sent;

    public CborReader(CborReadDialect granted, Limits limits) {
        super(granted, limits);
    }

    @Override
    public long array() {
        if (at >= last || data[at] < (byte) 0x80 || data[at] >= (byte) 0x98) {
            if (kind() != Kind.ARRAY) throw wrong("an array");
        }
        return open(0);
    }

    @Override
    public long map() {
        if (at >= last || data[at] < (byte) 0xa0 || data[at] >= (byte) 0xb8) {
            if (kind() != Kind.MAP) throw wrong("a map");
        }
        return open(MAP);
    }

    @Override
    public int field(Names names, int expected) {
        if (left <= 0) {
            if (!hasNext()) return Names.END;
        } else {
            left--;
        }
        if (expected >= 0 && expected < names.size()) {
            int end = names.get(expected).match(data, at + 1, last);
            if (end >= 0 && data[at] == 0x60 + end - at - 1 && end - at <= 24) {
                setKey(at + 1, end);
                at = end;
                return expected;
            }
        }
        return otherField(names);
    }

    private int otherField(Names names) {
        if (kind() != Kind.STR) {
            readOddKey();
            return Names.OTHER;
        }
        readHeader();
        at = takeString(at);
        int found = names.find(textData, textFrom, textTo);
        boolean good = found >= 0 || Utf8.validPrefix(textData, textFrom, textTo) == textTo;
        if (!good && granted.invalid == InvalidText.REFUSE) checkText(textFrom, textTo);
        setKey(textFrom, textTo);
        if (textData != data) keyText = good ? Utf8.string(textData, textFrom, textTo, false) : "";
        return found;
    }

    // ---------------------------------------------------------------------------------------------- more than a value

    @Override
    public void skip() {
        if (drops) {
            feed(NOBODY);
            return;
        }
        int base = depth;
        for (;;) {
            skipOne();
            for (;;) {
                if (depth <= base) return;
                if (left > 0) {
                    left--;
                    break;
                }
                if (left < 0 && !breaks()) break;
                close();
            }
        }
    }

    /**
     * Whether the container of indefinite length that is passed over has ended; passes its break. What is left says
     * then whether the next item of a map is a key (-1) or a value (-2).
     */
    private boolean breaks() {
        if (at >= last) throw ended(at);
        if (data[at] == (byte) 0xff) {
            if (left != LOOK) throw stop(Code.SYNTAX, at, "a map ends after a key without a value");
            at++;
            return true;
        }
        if ((is & MAP) != 0) left = -3 - left;
        return false;
    }

    /** A scalar, or a container's header; of a map keys and values are then counted as items. */
    private void skipOne() {
        int from = passText();
        if (from >= 0) {
            if (!Utf8.isAscii(data, from, at)) skipWide(from, at);
            return;
        }
        if (at < last) {
            int c = data[at] & 0xff;
            if ((c & ~0x20) < 24 || c >= 0xf4 && c < 0xf7) {
                at++;
                return;
            }
        }
        skipRare();
    }

    private void skipWide(int from, int to) {
        if (granted.invalid == InvalidText.REFUSE) checkText(from, to);
    }

    private void skipRare() {
        Kind kind = kind();
        if (isSettled()) {
            passSettled();
            return;
        }
        switch (kind) {
            case ARRAY:
                open(0);
                return;
            case MAP:
                open(MAP);
                if (left > 0) left *= 2;
                return;
            case STR:
            case BIN:
                readHeader();
                boolean text = header.kind == CborHeader.Kind.TEXT && !header.indefinite;
                at = takeString(at);
                if (text) skipWide(textFrom, textTo);
                return;
            default:
                readHeader();
                at += header.size;
        }
    }

    @Override
    public void feed(Sink to) {
        Located located = Located.of(to);
        int base = depth;
        sent = at;
        try {
            send(to, located);
            while (depth > base) {
                boolean open = (is & OPEN) != 0;
                if (!hasNext()) {
                    if (open) sent = at - 1;
                    if (located != null) located.place((open ? sent : at) - begin);
                    to.end();
                    if ((is & KEY) == 0 || depth <= base) continue;
                    // The container that has ended was a key, and its value is due.
                    is &= ~KEY;
                } else if ((is & MAP) != 0 && !sendKey(to, located)) {
                    continue;
                }
                send(to, located);
            }
        } catch (DataException e) {
            throw refused(e, sent);
        }
    }

    /** A key; false where it is a container, which is then open. */
    private boolean sendKey(Sink to, Located located) {
        int base = depth;
        is |= KEY;
        if (kind() == Kind.STR && !isEmbedded()) {
            is &= ~KEY;
            sent = at;
            if (located != null) located.place(at - begin);
            boolean ascii = takeText();
            to.key(textData, textFrom, textTo, ascii);
            return true;
        }
        sent = at;
        to.keyIsNext();
        send(to, located);
        if (depth > base) return false;
        is &= ~KEY;
        return true;
    }

    private void sendText(Sink to) {
        boolean ascii = takeText();
        to.str(textData, textFrom, textTo, ascii);
    }

    /** Passes the text at hand over; whether all of it is ASCII. */
    private boolean takeText() {
        int from = passText();
        if (from < 0) return takeLongText();
        textData = data;
        textFrom = from;
        textTo = at;
        boolean ascii = Utf8.isAscii(data, from, at);
        if (!ascii) skipWide(from, at);
        return ascii;
    }

    private boolean takeLongText() {
        readHeader();
        at = takeString(at);
        boolean ascii = Utf8.isAscii(textData, textFrom, textTo);
        if (!ascii && textData == data) skipWide(textFrom, textTo);
        return ascii;
    }

    /** Sends the next item; of a container its beginning. */
    private void send(Sink to, Located located) {
        Kind kind = kind();
        sent = at;
        if (located != null) located.place(at - begin);
        switch (kind) {
            case NIL:
                at++;
                to.nil();
                return;
            case BOOL:
                to.bool(bool());
                return;
            case I64:
                to.i64(i64());
                return;
            case U64:
                to.u64(u64());
                return;
            case F64:
                to.f64(f64());
                return;
            case BIG:
                to.big(big());
                return;
            case STR:
                sendText(to);
                return;
            case BIN:
                readHeader();
                at = takeString(at);
                to.bin(textData, textFrom, textTo);
                return;
            case TIME:
                to.time(time());
                return;
            case EXT:
                int type = ext();
                to.ext(type, data, extFrom, extTo);
                return;
            case ARRAY:
                sendArray(to);
                return;
            default:
                sendMap(to);
        }
    }

    private void sendArray(Sink to) {
        to.array(open(0));
    }

    private void sendMap(Sink to) {
        to.map(open(MAP));
    }
}
