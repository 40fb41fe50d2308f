package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Sink;
import kumihimo.cbor.CborReadDialect.Insist;
import kumihimo.cbor.CborReadDialect.InvalidText;
import kumihimo.cbor.CborReadDialect.KeyTwice;
import kumihimo.format.BinaryReader;

/**
 * Which containers are open where a reader of CBOR stands, and how much of each is still to come. Byte strings whose
 * content is read as an item (tag 24) are levels of their own, which end with their one item.
 */
abstract class CborLevels extends BinaryReader {
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

    final CborReadDialect granted;
    /** Of keys that come twice only the last is passed on. */
    final boolean drops;
    final int mostDepth;

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
    final CborCheck check = new CborCheck();

    CborLevels(CborReadDialect granted, Limits limits) {
        super(limits);
        this.granted = granted;
        drops = granted.duplicates == KeyTwice.LAST;
        mostDepth = limits.depth();
    }

    @Override
    protected void restart() {
        check.forget();
        if (twice != null) twice.forget();
        whole = last;
        unseen = granted.looksAhead();
        if (unseen) last = at;
        left = 0;
        is = 0;
        depth = 0;
    }

    /** Looks at what the dialect wants to know before the first value; false where that was done, or nothing is. */
    final boolean lookAhead() {
        if (!unseen) return false;
        unseen = false;
        last = whole;
        if (!check.item(data, at, last, granted.insist, granted.invalid == InvalidText.REFUSE, mostDepth)) {
            throw stop(check.fault, at);
        }
        if (granted.duplicates == KeyTwice.KEEP) return true;
        if (twice == null) twice = new CborDuplicates();
        twice.find(data, at, check.behind);
        if (granted.duplicates == KeyTwice.ERROR && twice.firstAgain() >= 0) {
            throw stop(Code.DUPLICATE, twice.firstAgain(), "a key comes twice in a map");
        }
        return true;
    }

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

    /** Goes into the byte string at a place, whose header was read; the tag before it begins at start. */
    final void embed(int start, int content) {
        if (depth >= mostDepth) throw tooDeep(start);
        push(1, EMBEDS);
        notes[depth] = last;
        at = content + header.size;
        last = at + (int) header.argument;
    }

    /** The item in a byte string ends at a place, and with it those that are nothing else. */
    final void closeEmbedded(int behind) {
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
        if (depth == 0) throw noContainer();
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

    private static final class Here extends Mark {
        final int at;
        final int last;
        final int depth;
        final int left;
        final int is;
        final int note;

        Here(CborLevels from) {
            super(from);
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
        lookAhead();
        return new Here(this);
    }

    @Override
    public void rewind(Mark mark) {
        check(mark);
        Here here = (Here) mark;
        at = here.at;
        last = here.last;
        depth = here.depth;
        left = here.left;
        is = here.is;
        notes[depth] = here.note;
    }
}
