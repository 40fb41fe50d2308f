package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.cbor.CborReadDialect.Embedded;
import kumihimo.cbor.CborReadDialect.Insist;
import kumihimo.cbor.CborReadDialect.InvalidText;
import kumihimo.cbor.CborReadDialect.Undefined;
import kumihimo.cbor.CborReadDialect.UnknownTag;

/**
 * Which item comes next where a reader of CBOR stands.
 *
 * <p>What the first byte says at once is a look into a table. Everything else, tags above all, is <i>settled</i> by
 * {@link #kind}: tags that say nothing are passed, those with a meaning and values without one are taken apart, and
 * what they are waits in the fields beginning with {@code settled} until it is asked for.
 */
abstract class CborItems extends CborLevels {
    private static final int NOWHERE = -1;
    private static final Kind[] KINDS = new Kind[256];

    static {
        Arrays.fill(KINDS, 0x00, 0x1b, Kind.I64);
        Arrays.fill(KINDS, 0x20, 0x3b, Kind.I64);
        Arrays.fill(KINDS, 0x40, 0x5c, Kind.BIN);
        KINDS[0x5f] = Kind.BIN;
        Arrays.fill(KINDS, 0x60, 0x7c, Kind.STR);
        KINDS[0x7f] = Kind.STR;
        Arrays.fill(KINDS, 0x80, 0x9c, Kind.ARRAY);
        KINDS[0x9f] = Kind.ARRAY;
        Arrays.fill(KINDS, 0xa0, 0xbc, Kind.MAP);
        KINDS[0xbf] = Kind.MAP;
        KINDS[0xf4] = KINDS[0xf5] = Kind.BOOL;
        KINDS[0xf6] = Kind.NIL;
        Arrays.fill(KINDS, 0xf9, 0xfc, Kind.F64);
    }

    /** Where text may be bytes, no first byte says that it is text. */
    private final Kind[] kinds;

    private final CborPieces pieces = new CborPieces();
    private final CborTagged tagged = new CborTagged();

    /** The place whose item was taken apart. */
    private int settledAt;
    private Kind settledKind;
    /** Of an extension: its type, and its bytes. */
    int settledType;
    int settledFrom;
    int settledTo;
    /** Where it ends. */
    private int settledEnd;
    /** The place of the last item that was found in a byte string. */
    private int embeddedAt;

    // The string that was taken last.
    byte[] textData;
    int textFrom;
    int textTo;

    CborItems(CborReadDialect granted, Limits limits) {
        super(granted, limits);
        if (granted.invalid == InvalidText.BIN) {
            kinds = KINDS.clone();
            Arrays.fill(kinds, 0x60, 0x80, null);
        } else {
            kinds = KINDS;
        }
    }

    @Override
    protected final void restart() {
        super.restart();
        settledAt = embeddedAt = NOWHERE;
        pieces.forget();
        textData = null;
    }

    @Override
    public final void rewind(Mark mark) {
        super.rewind(mark);
        settledAt = NOWHERE;
    }

    @Override
    public final Kind kind() {
        if (at < last) {
            Kind kind = kinds[data[at] & 0xff];
            if (kind != null) return kind;
        }
        return settle();
    }

    /** Whether the item at hand was taken apart, and is not what its first byte says. */
    final boolean isSettled() {
        return settledAt == at;
    }

    /** Whether the item at hand was found in a byte string. */
    final boolean isEmbedded() {
        return embeddedAt == at;
    }

    /** The bits of a settled number. */
    final long settledBits() {
        return tagged.bits;
    }

    /** The digits of a settled number. */
    final String settledDigits() {
        return tagged.digits();
    }

    final Moment settledMoment() {
        return tagged.moment;
    }

    /** Goes on behind the settled item. */
    final void passSettled() {
        at = settledEnd;
        settledAt = NOWHERE;
    }

    private Kind settle() {
        if (lookAhead()) return kind();
        if (settledAt == at) return settledKind;
        for (;;) {
            if (at >= last) throw ended(at);
            int c = data[at] & 0xff;
            if (c < 0xc0 || c >= 0xe0) return plain(c);
            if (tag()) return settledKind;
        }
    }

    /** An item that is no tag. */
    private Kind plain(int c) {
        Kind kind = kinds[c];
        if (kind == null) kind = rare(c);
        if ((is & EMBEDS) != 0 && kind != Kind.ARRAY && kind != Kind.MAP) {
            boolean text = granted.invalid == InvalidText.REFUSE;
            if (!check.item(data, at, last, Insist.ANYTHING, text, mostDepth)) throw stop(check.fault, at);
            closeEmbedded(check.behind);
        }
        return kind;
    }

    /**
     * What the first byte does not say: integers of 64 bits, simple values, text that may be none, and what is
     * nothing.
     */
    private Kind rare(int c) {
        int start = at;
        if (c == 0xff) {
            boolean inMap = (is & (OPEN | MAP)) == (OPEN | MAP);
            throw stop(Code.SYNTAX, start, inMap ? "a map ends after a key without a value"
                    : "a break where no container of indefinite length can end");
        }
        header.read(data, start, last);
        if (header.kind == CborHeader.Kind.RESERVED) throw noItem(start);
        if (header.kind == CborHeader.Kind.CUT) throw ended(start);
        if (c == 0x1b) return header.argument >= 0 ? Kind.I64 : Kind.U64;
        if (c == 0x3b) return header.argument >= 0 ? Kind.I64 : Kind.BIG;
        if (header.kind == CborHeader.Kind.TEXT) return isText(start) ? Kind.STR : Kind.BIN;
        if (c == 0xf7 && granted.undefined == Undefined.NULL) return Kind.NIL;
        if (c == 0xf7 && granted.undefined == Undefined.REFUSE) {
            throw stop(Code.UNSUPPORTED, start, "the value undefined, which the dialect refuses");
        }
        return extension(CborHeader.EXT_ITEM, start, start, start + header.size);
    }

    /** Whether the text at a place, whose header was read, is UTF-8 as a whole. */
    private boolean isText(int start) {
        takeString(start);
        return Utf8.validPrefix(textData, textFrom, textTo) == textTo;
    }

    /**
     * The bytes of the string at a place, whose header was read: from {@code textFrom} to {@code textTo} of {@code
     * textData}, which of a definite length is the document itself. Where text must be UTF-8, the chunks of one are
     * checked, each by itself.
     *
     * @return where it ends
     */
    final int takeString(int start) {
        pieces.begin(data, start, last, header);
        if (header.indefinite) {
            join(start, header.kind == CborHeader.Kind.TEXT && granted.invalid == InvalidText.REFUSE);
        } else {
            if (!pieces.next()) throw stop(pieces.fault, start);
            textData = data;
            textFrom = pieces.from;
            textTo = pieces.to;
        }
        return pieces.at;
    }

    private void join(int start, boolean checked) {
        byte[] joined = new byte[64];
        int size = 0;
        while (pieces.next()) {
            int n = pieces.to - pieces.from;
            if (checked) checkText(pieces.from, pieces.to);
            if (n > joined.length - size) joined = Arrays.copyOf(joined, Math.max(size + n, size * 2));
            System.arraycopy(data, pieces.from, joined, size, n);
            size += n;
        }
        if (pieces.fault.code != null) throw stop(pieces.fault, start);
        textData = joined;
        textFrom = 0;
        textTo = size;
    }

    private Kind extension(int type, int start, int from, int to) {
        settledType = type;
        settledFrom = from;
        settledTo = to;
        return settled(Kind.EXT, start, to);
    }

    private Kind settled(Kind kind, int start, int to) {
        settledAt = start;
        settledKind = kind;
        settledEnd = to;
        return kind;
    }

    /** The tag at hand: true where the item was settled; else the next item is at hand, and the tag said nothing. */
    private boolean tag() {
        int start = at;
        header.read(data, start, last);
        if (header.kind == CborHeader.Kind.RESERVED) throw noItem(start);
        if (header.kind == CborHeader.Kind.CUT) throw ended(start);
        long tag = header.argument;
        int content = start + header.size;
        if (tag == CborHeader.TAG_SELF_DESCRIBED) return passTag(content);
        int known = tagged.read(tag, data, content, last);
        if (known == CborTagged.BROKEN) throw stop(tagged.fault, start);
        if (known == CborTagged.KNOWN) {
            settled(tagged.kind, start, tagged.at);
        } else if (isBytes(content) && tag >>> 8 == CborHeader.TAG_TYPED >>> 8) {
            int from = content + header.size;
            extension((byte) tag, start, from, from + (int) header.argument);
        } else if (isBytes(content) && tag == CborHeader.TAG_EMBEDDED && granted.embedded == Embedded.OPEN) {
            embed(start, content);
            embeddedAt = at;
            return false;
        } else if (granted.tags == UnknownTag.DROP) {
            return passTag(content);
        } else {
            boolean text = granted.invalid == InvalidText.REFUSE;
            if (!check.item(data, content, last, Insist.ANYTHING, text, mostDepth - depth)) {
                throw stop(check.fault, start);
            }
            if (granted.tags == UnknownTag.REFUSE) {
                throw stop(Code.UNSUPPORTED, start, "a tag without a meaning here, which the dialect refuses");
            }
            extension(CborHeader.EXT_ITEM, start, start, check.behind);
        }
        if ((is & EMBEDS) != 0) closeEmbedded(settledEnd);
        return true;
    }

    private boolean passTag(int content) {
        if (embeddedAt == at) embeddedAt = content;
        at = content;
        return false;
    }

    /** Whether a byte string of a definite length is at a place; its header is read then. */
    private boolean isBytes(int at) {
        header.read(data, at, last);
        return header.kind == CborHeader.Kind.BYTES && !header.indefinite && header.fits(at, last, 1);
    }

    private DataException noItem(int at) {
        return stop(Code.SYNTAX, at, "these bytes begin no CBOR item");
    }
}
