package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.BigEndian;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
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
public final class CborReader extends CborItems {
    private static final Nobody NOBODY = new Nobody();

    /** The last extension's bytes. */
    private int extFrom;
    private int extTo;
    /** The item that a sink was given last. */
    private int sent;

    public CborReader(CborReadDialect granted, Limits limits) {
        super(granted, limits);
    }

    // -------------------------------------------------------------------------------------------------------------
    // scalars

    @Override
    public void nil() {
        if (!tryNil()) throw wrong("null");
    }

    @Override
    public boolean tryNil() {
        if (at >= last || data[at] != (byte) 0xf6) {
            if (kind() != Kind.NIL) return false;
        }
        at++;
        return true;
    }

    @Override
    public boolean bool() {
        if (at >= last || (data[at] & 0xfe) != 0xf4) {
            if (kind() != Kind.BOOL) throw wrong("a boolean");
        }
        return (data[at++] & 1) != 0;
    }

    @Override
    public long i64() {
        int at = this.at;
        if (at < last) {
            int c = data[at];
            int n = c & ~0x20; // 0 to 23 for both signs, and nothing else
            if (n >= 0 && n < 24) {
                this.at = at + 1;
                return n ^ -(c >> 5);
            }
        }
        return wideInteger();
    }

    @Override
    public int i32() {
        int at = this.at;
        if (at < last) {
            int c = data[at];
            int n = c & ~0x20;
            if (n >= 0 && n < 24) {
                this.at = at + 1;
                return n ^ -(c >> 5);
            }
        }
        long value = wideInteger();
        if (value != (int) value) throw stop(Code.RANGE, at, value + " does not fit an int");
        return (int) value;
    }

    private long wideInteger() {
        int at = this.at;
        if (last - at >= CborHeader.LONGEST) {
            int c = data[at];
            int power = (c & ~0x20) - 24;
            if (power >= 0 && power < 4) {
                long n = argument(data, at, power);
                if (n >= 0) {
                    this.at = at + 1 + (1 << power);
                    return n ^ -(c >> 5);
                }
            }
        }
        return rareInteger();
    }

    private long rareInteger() {
        Kind kind = kind();
        if (kind == Kind.U64 || kind == Kind.BIG) {
            int start = at;
            return integerOf(number(), start);
        }
        if (kind != Kind.I64) throw wrong("an integer");
        if (isSettled()) {
            passSettled();
            return settledBits();
        }
        readHeader();
        long n = header.argument ^ -(data[at] >> 5);
        at += header.size;
        return n;
    }

    /** The header at hand, which is whole. */
    private void readHeader() {
        if (header.read(data, at, last).kind == CborHeader.Kind.CUT) throw ended(at);
    }

    @Override
    public long u64() {
        if (kind() == Kind.U64) {
            if (isSettled()) {
                passSettled();
                return settledBits();
            }
            at += CborHeader.LONGEST;
            return BigEndian.i64(data, at - 8);
        }
        int start = at;
        long value = i64();
        if (value < 0) throw stop(Code.RANGE, start, value + " is below 0");
        return value;
    }

    @Override
    public double f64() {
        int at = this.at;
        if (last - at >= CborHeader.LONGEST) {
            int c = data[at];
            if (c == (byte) 0xfb) {
                this.at = at + 9;
                return Double.longBitsToDouble(BigEndian.i64(data, at + 1));
            }
            if (c == (byte) 0xfa) {
                this.at = at + 5;
                return CborFloats.single(BigEndian.i32(data, at + 1));
            }
            if (c == (byte) 0xf9) {
                this.at = at + 3;
                return CborFloats.half(BigEndian.u16(data, at + 1));
            }
        }
        return rareDouble();
    }

    private double rareDouble() {
        switch (kind()) {
            case F64:
                if (isSettled()) {
                    passSettled();
                    return Double.longBitsToDouble(settledBits());
                }
                readHeader();
                at += header.size;
                return CborFloats.value(header.argument, header.size - 1);
            case I64:
                return i64();
            case U64:
                return unsigned(u64());
            case BIG: {
                int start = at;
                return doubleOf(big(), start);
            }
            default:
                throw wrong("a number");
        }
    }

    @Override
    public String number() {
        Kind kind = kind();
        int start = at;
        switch (kind) {
            case I64:
                return Long.toString(i64());
            case U64:
                return Long.toUnsignedString(u64());
            case F64:
                return digits(f64(), start);
            case BIG:
                return big();
            case STR:
                return numberOf(str(), start);
            default:
                throw wrong("a number");
        }
    }

    /** A number that no 64 bits hold. */
    private String big() {
        if (isSettled()) {
            passSettled();
            return settledDigits();
        }
        // -1 - n, below -2^63.
        long n = BigEndian.i64(data, at + 1);
        at += CborHeader.LONGEST;
        return n == -1 ? "-18446744073709551616" : "-" + Long.toUnsignedString(n + 1);
    }

    @Override
    public Moment time() {
        Kind kind = kind();
        int start = at;
        if (kind == Kind.STR) return momentOf(str(), start);
        if (kind != Kind.TIME) throw wrong("a moment");
        passSettled();
        return settledMoment();
    }

    // ---------------------------------------------------------------------------------------------------- text and
    // bytes

    @Override
    public String str() {
        int from = passText();
        return from >= 0 ? string(from, at) : longText();
    }

    /** Passes text of up to 255 bytes over, if that is at hand: where its bytes begin, which end at {@link #at}; else -1. */
    private int passText() {
        int start = at;
        if (last - start < 2) return -1;
        int n = data[start] - CborHeader.TEXT;
        int from = start + 1;
        if (n == 24) n = data[from++] & 0xff;
        else if (n < 0 || n > 24) return -1;
        if (n > last - from) return -1;
        at = from + n;
        return from;
    }

    private String longText() {
        if (kind() != Kind.STR) throw wrong("text");
        readHeader();
        at = takeString(at);
        if (textData == data) return string(textFrom, textTo);
        if (granted.invalid == InvalidText.REFUSE || Utf8.validPrefix(textData, textFrom, textTo) == textTo) {
            return Utf8.string(textData, textFrom, textTo, false);
        }
        throw stop(Code.ENCODING, at, "a text string is not valid UTF-8");
    }

    private String string(int from, int to) {
        return Utf8.isAscii(data, from, to) ? Utf8.string(data, from, to, true) : wideString(from, to);
    }

    private String wideString(int from, int to) {
        int good = Utf8.validPrefix(data, from, to);
        if (good == to) return Utf8.string(data, from, to, false);
        if (granted.invalid == InvalidText.BIN) throw stop(Code.TYPE, good, "expected text, found bytes");
        throw stop(Code.ENCODING, good, "a text string is not valid UTF-8");
    }

    @Override
    public byte[] bin() {
        if (kind() != Kind.BIN) throw wrong("bytes");
        readHeader();
        at = takeString(at);
        return Arrays.copyOfRange(textData, textFrom, textTo);
    }

    @Override
    public int ext() {
        if (kind() != Kind.EXT) throw wrong("an extension");
        extFrom = settledFrom;
        extTo = settledTo;
        passSettled();
        return settledType;
    }

    @Override
    public byte[] extData() {
        return Arrays.copyOfRange(data, extFrom, extTo);
    }

    // ----------------------------------------------------------------------------------------------------------
    // containers

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

    // ---------------------------------------------------------------------------------------------------- more than a
    // value

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
        int base = depth;
        sent = at;
        try {
            send(to);
            while (depth > base) {
                boolean open = (is & OPEN) != 0;
                if (!hasNext()) {
                    if (open) sent = at - 1;
                    to.end();
                    if ((is & KEY) == 0 || depth <= base) continue;
                    // The container that has ended was a key, and its value is due.
                    is &= ~KEY;
                } else if ((is & MAP) != 0 && !sendKey(to)) {
                    continue;
                }
                send(to);
            }
        } catch (DataException e) {
            throw refused(e, sent);
        }
    }

    /** A key; false where it is a container, which is then open. */
    private boolean sendKey(Sink to) {
        int base = depth;
        is |= KEY;
        if (kind() == Kind.STR && !isEmbedded()) {
            is &= ~KEY;
            sent = at;
            boolean ascii = takeText();
            to.key(textData, textFrom, textTo, ascii);
            return true;
        }
        sent = at;
        to.keyIsNext();
        send(to);
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
    private void send(Sink to) {
        Kind kind = kind();
        sent = at;
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
