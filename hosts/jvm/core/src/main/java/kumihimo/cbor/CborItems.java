package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.BigEndian;
import kumihimo.BinaryReader;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.cbor.CborReadDialect.Embedded;
import kumihimo.cbor.CborReadDialect.Insist;
import kumihimo.cbor.CborReadDialect.InvalidText;
import kumihimo.cbor.CborReadDialect.KeyTwice;
import kumihimo.cbor.CborReadDialect.Undefined;
import kumihimo.cbor.CborReadDialect.UnknownTag;

/**
 * Where a reader of CBOR stands: which item comes next, and which containers are open. {@link CborReader} takes the
 * values.
 *
 * <p>What the first byte says at once is a look into a table. Everything else, tags above all, is <i>settled</i> by
 * {@link #kind}: tags that say nothing are passed, those with a meaning and values without one are taken apart, and
 * what they are waits in the fields beginning with {@code settled} until it is asked for.
 */
abstract class CborItems extends BinaryReader {
    /** The one item is in a byte string (tag 24). */
    static final int EMBEDS = 1;
    static final int MAP = 2;
    /** Of indefinite length, ended by a break. */
    static final int OPEN = 4;
    /** Keys of this map that come again are passed over. */
    static final int DROPS = 8;
    /** The container that is open in this map is a key. */
    static final int KEY = 16;

    /** Where {@link #left} is not a number of values. */
    static final int LOOK = -1;

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

    final CborReadDialect granted;
    /** Of keys that come twice only the last is passed on. */
    final boolean drops;
    private final int mostDepth;
    /** Where text may be bytes, no first byte says that it is text. */
    private final Kind[] kinds;

    /** Where the document ends, whatever is embedded in it. */
    private int whole;
    /** The dialect wants to see the document before anything of it is read; until then {@link #last} hides it. */
    private boolean unseen;
    private CborDuplicates twice;

    /** Values or pairs still to come in the innermost container, or {@link #LOOK}. */
    int left;
    /** A set of the bits above. */
    int is;
    /** The same of the containers around it. */
    private int[] outer = new int[32];
    /** Of embedding containers: where what is around them ends. Of maps that drop keys: the pairs still to come. */
    private int[] notes = new int[17];
    int depth;

    final CborHeader header = new CborHeader();
    final CborPieces pieces = new CborPieces();
    private final CborCheck check = new CborCheck();
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
        super(limits);
        this.granted = granted;
        drops = granted.duplicates == KeyTwice.LAST;
        mostDepth = limits.depth();
        if (granted.invalid == InvalidText.BIN) {
            kinds = KINDS.clone();
            Arrays.fill(kinds, 0x60, 0x80, null);
        } else {
            kinds = KINDS;
        }
    }

    @Override
    protected void restart() {
        whole = last;
        unseen = granted.looksAhead();
        if (unseen) last = at;
        left = 0;
        is = 0;
        depth = 0;
        settledAt = embeddedAt = NOWHERE;
    }

    /** What the dialect wants to know before the first value. */
    private void lookAhead() {
        unseen = false;
        last = whole;
        if (!check.item(data, at, last, granted.insist, granted.invalid == InvalidText.REFUSE, mostDepth)) {
            throw stop(check.fault, at);
        }
        if (granted.duplicates == KeyTwice.KEEP) return;
        if (twice == null) twice = new CborDuplicates();
        twice.find(data, at, check.behind);
        if (granted.duplicates == KeyTwice.ERROR && twice.firstAgain() >= 0) {
            throw stop(Code.DUPLICATE, twice.firstAgain(), "a key comes twice in a map");
        }
    }

    // ------------------------------------------------------------------------------------------------------------
    // failures

    /** The input ends in the item that begins here. */
    final DataException ended(int at) {
        if (last != whole) return stop(Code.SYNTAX, at, "an embedded item is longer than the string that holds it");
        return cut(at);
    }

    /** What was found in the item that begins here. */
    final DataException stop(CborFault found, int start) {
        if (found.code == Code.TRUNCATED && (last != whole || last != end)) return ended(start);
        return stop(found.code, found.at, found.what);
    }

    private DataException noItem(int at) {
        return stop(Code.SYNTAX, at, "these bytes begin no CBOR item");
    }

    // ---------------------------------------------------------------------------------------------------------------
    // kinds

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
        return tagged.digits;
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
        if (unseen) {
            lookAhead();
            return kind();
        }
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
            return false;
        } else if (granted.tags == UnknownTag.DROP) {
            return passTag(content);
        } else {
            boolean text = granted.invalid == InvalidText.REFUSE;
            if (!check.item(data, content, last, Insist.ANYTHING, text, mostDepth - depth)) {
                throw stop(check.fault, start);
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

    // ----------------------------------------------------------------------------------------------------------
    // containers

    /** Goes into the byte string at a place, whose header was read. */
    private void embed(int start, int content) {
        if (depth >= mostDepth) throw tooDeep(start);
        push(1, EMBEDS);
        notes[depth] = last;
        at = embeddedAt = content + header.size;
        last = at + (int) header.argument;
    }

    /** The item in a byte string ends at a place, and with it those that are nothing else. */
    private void closeEmbedded(int behind) {
        while ((is & EMBEDS) != 0) {
            if (behind != last) throw stop(Code.SYNTAX, behind, "there are bytes after an embedded item");
            last = notes[depth];
            pop();
        }
    }

    /** Opens a container of the form that its first byte says, and returns the count that it announces. */
    final long open(int map) {
        int start = at;
        int n = data[start] & 31;
        if (n < 24 && depth < mostDepth && n << (map >> 1) < last - start && !drops) {
            at = start + 1;
            push(n, map);
            return n;
        }
        return openLong(start, map);
    }

    private long openLong(int start, int map) {
        header.read(data, start, last);
        if (header.kind == CborHeader.Kind.CUT) throw ended(start);
        if (depth >= mostDepth) throw tooDeep(start);
        if (header.indefinite) {
            at = start + 1;
            push(LOOK, map | OPEN | (map != 0 && drops ? DROPS : 0));
            return Sink.UNKNOWN;
        }
        if (!header.fits(start, last, map != 0 ? 2 : 1)) throw last != whole ? ended(start) : tooMany(start);
        at = start + header.size;
        int n = (int) header.argument;
        if (map == 0 || !drops) {
            push(n, map);
            return n;
        }
        push(LOOK, map | DROPS);
        notes[depth] = n;
        return Sink.UNKNOWN;
    }

    private void push(int values, int set) {
        int top = 2 * depth++;
        if (top == outer.length) grow();
        outer[top] = left;
        outer[top + 1] = is;
        left = values;
        is = set;
    }

    private void grow() {
        outer = Arrays.copyOf(outer, outer.length * 2);
        notes = Arrays.copyOf(notes, outer.length / 2 + 1);
    }

    private void pop() {
        int top = 2 * --depth;
        left = outer[top];
        is = outer[top + 1];
    }

    /** The innermost container ends here, and with it the byte strings whose one item it was. */
    final void close() {
        if (depth == 0) throw new DataException(Code.MISUSE, "no container is open");
        pop();
        if ((is & EMBEDS) != 0) closeEmbedded(at);
    }

    @Override
    public final boolean hasNext() {
        if (left > 0) {
            left--;
            return true;
        }
        return look();
    }

    private boolean look() {
        if (left == 0) {
            close();
            return false;
        }
        while (!atEnd()) {
            if ((is & DROPS) == 0 || !twice.isOverridden(at)) return true;
            passOver();
            passOver();
        }
        close();
        return false;
    }

    /** Whether the innermost container, whose count is not known, has ended; passes its break. */
    private boolean atEnd() {
        if ((is & OPEN) == 0) return notes[depth]-- == 0;
        if (at >= last) throw ended(at);
        if (data[at] != (byte) 0xff) return false;
        at++;
        return true;
    }

    /** An item of a document that was checked. */
    private void passOver() {
        check.item(data, at, last, Insist.ANYTHING, false, CborCheck.ANY_DEPTH);
        at = check.behind;
    }

    // ---------------------------------------------------------------------------------------------------------------
    // marks

    private static final class Here extends Mark {
        final int at;
        final int last;
        final int depth;
        final int left;
        final int is;
        final int note;

        Here(CborItems from) {
            at = from.at;
            last = from.last;
            depth = from.depth;
            left = from.left;
            is = from.is;
            note = from.notes[depth];
        }
    }

    @Override
    public final Mark mark() {
        if (unseen) lookAhead();
        return new Here(this);
    }

    @Override
    public final void rewind(Mark mark) {
        Here here = (Here) mark;
        at = here.at;
        last = here.last;
        depth = here.depth;
        left = here.left;
        is = here.is;
        notes[depth] = here.note;
        settledAt = NOWHERE;
    }

    /** An argument of 1, 2, 4 or 8 bytes where there are nine to look at. */
    static long argument(byte[] data, int at, int power) {
        return BigEndian.i64(data, at + 1) >>> 64 - (8 << power);
    }
}
