package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.cbor.CborReadDialect.InvalidText;
import kumihimo.format.BigEndian;

/** The values of a document of CBOR, without the containers that hold them. */
abstract class CborScalars extends CborItems {
    /** The last extension's bytes. */
    int extFrom;
    int extTo;

    CborScalars(CborReadDialect granted, Limits limits) {
        super(granted, limits);
    }

    @Override
    public final boolean tryNil() {
        if (at >= last || data[at] != (byte) 0xf6) {
            if (kind() != Kind.NIL) return false;
        }
        at++;
        return true;
    }

    @Override
    public final boolean bool() {
        if (at >= last || (data[at] & 0xfe) != 0xf4) {
            if (kind() != Kind.BOOL) throw wrong("a boolean");
        }
        return (data[at++] & 1) != 0;
    }

    @Override
    public final long i64() {
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
    public final int i32() {
        int at = this.at;
        if (at < last) {
            int c = data[at];
            int n = c & ~0x20;
            if (n >= 0 && n < 24) {
                this.at = at + 1;
                return n ^ -(c >> 5);
            }
        }
        return intOf(wideInteger(), at);
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

    /** An argument of 1, 2, 4 or 8 bytes where there are nine to look at. */
    private static long argument(byte[] data, int at, int power) {
        return BigEndian.i64(data, at + 1) >>> 64 - (8 << power);
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
    final void readHeader() {
        if (header.read(data, at, last).kind == CborHeader.Kind.CUT) throw ended(at);
    }

    @Override
    public final long u64() {
        if (kind() == Kind.U64) {
            if (isSettled()) {
                passSettled();
                return settledBits();
            }
            at += CborHeader.LONGEST;
            return BigEndian.i64(data, at - 8);
        }
        int start = at;
        return naturalOf(i64(), start);
    }

    @Override
    public final double f64() {
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

    @Override
    public final float f32() {
        int from = at;
        if (last - from >= CborHeader.LONGEST && data[from] >= (byte) 0xf9 && data[from] <= (byte) 0xfb) {
            return narrow(f64(), from - begin);
        }
        return super.f32();
    }

    private double rareDouble() {
        Kind kind = kind();
        if (kind == Kind.I64) return i64();
        if (kind != Kind.F64) return rareDouble(kind, at);
        if (isSettled()) {
            passSettled();
            return Double.longBitsToDouble(settledBits());
        }
        readHeader();
        at += header.size;
        return CborFloats.value(header.argument, header.size - 1);
    }

    @Override
    public final String number() {
        Kind kind = kind();
        return kind == Kind.BIG ? big() : digitsOf(kind, at);
    }

    /** A number that no 64 bits hold. */
    final String big() {
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
    public final Moment time() {
        Kind kind = kind();
        int start = at;
        if (kind == Kind.STR) return momentOf(str(), start);
        if (kind != Kind.TIME) throw wrong("a moment");
        passSettled();
        return settledMoment();
    }

    // ------------------------------------------------------------------------------------------------- text and bytes

    @Override
    public final String str() {
        int start = at;
        int from = passText();
        return from >= 0 ? string(start, from, at) : longText();
    }

    /**
     * Passes text of up to 255 bytes over, if that is at hand: where its bytes begin, which end at {@link #at}; else
     * -1.
     */
    final int passText() {
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
        int start = at;
        readHeader();
        at = takeString(start);
        if (textData == data) return string(start, textFrom, textTo);
        if (granted.invalid == InvalidText.REFUSE || Utf8.validPrefix(textData, textFrom, textTo) == textTo) {
            return Utf8.string(textData, textFrom, textTo, false);
        }
        throw stop(Code.ENCODING, start, "a text string is not valid UTF-8");
    }

    private String string(int start, int from, int to) {
        return Utf8.isAscii(data, from, to) ? Utf8.string(data, from, to, true) : wideString(start, from, to);
    }

    private String wideString(int start, int from, int to) {
        int good = Utf8.validPrefix(data, from, to);
        if (good == to) return Utf8.string(data, from, to, false);
        if (granted.invalid == InvalidText.BIN) throw stop(Code.TYPE, start, "expected text, found bytes");
        throw stop(Code.ENCODING, good, "a text string is not valid UTF-8");
    }

    @Override
    public final byte[] bin() {
        if (kind() != Kind.BIN) throw wrong("bytes");
        readHeader();
        at = takeString(at);
        return Arrays.copyOfRange(textData, textFrom, textTo);
    }

    @Override
    public final int ext() {
        if (kind() != Kind.EXT) throw wrong("an extension");
        extFrom = settledFrom;
        extTo = settledTo;
        passSettled();
        return settledType;
    }

    @Override
    public final byte[] extData() {
        return Arrays.copyOfRange(data, extFrom, extTo);
    }
}
