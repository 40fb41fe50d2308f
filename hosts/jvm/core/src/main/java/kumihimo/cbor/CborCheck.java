package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.Utf8;
import kumihimo.cbor.CborHeader.Kind;
import kumihimo.cbor.CborReadDialect.Insist;

/**
 * Whether bytes are well-formed CBOR, and, where asked, in the form that RFC 8949 prefers or its deterministic one;
 * and where an item ends. No values are made. The reader runs it over what it passes on unread (ext), and before the
 * first value where its dialect insists on a form; the writer over what it takes in as it is.
 */
final class CborCheck {
    /** As deep as there are bytes. */
    static final int ANY_DEPTH = Integer.MAX_VALUE;

    /** Even, and never reached by counting down. */
    private static final long ENDLESS = Long.MAX_VALUE - 1;
    private static final int NONE = -1;
    private static final int PLACES = 4;

    /** What the last walk found wrong. */
    final CborFault fault = new CborFault();
    /** Where the item ends that the last walk was over. */
    int behind;

    private final CborHeader header = new CborHeader();
    private final CborHeader content = new CborHeader();
    private final CborPieces pieces = new CborPieces();

    // The rules of this walk.
    private byte[] data;
    private int end;
    private Insist insist;
    private boolean text;

    // The container under way.
    private long left; // items to come
    private int key; // of the pair under way: where it begins
    private int lastKey; // the key before it, to compare with
    private int lastSize;
    private boolean map;
    private boolean open; // of indefinite length

    // Those around it, PLACES numbers each beside what is left.
    private long[] lefts = new long[16];
    private int[] places = new int[16 * PLACES];
    private int depth;

    /** Lets go of the last document. */
    void forget() {
        data = null;
        pieces.forget();
    }

    /**
     * Walks over one item.
     *
     * @param text text must be UTF-8
     * @param most containers open at once
     * @return false where it is broken: {@link #fault} says syntax, truncated, encoding, depth, or duplicate
     */
    boolean item(byte[] data, int at, int end, Insist insist, boolean text, int most) {
        this.data = data;
        this.end = end;
        this.insist = insist;
        this.text = text;
        fault.clear();
        depth = 0;
        enter(1, false, false);
        int tagged = NONE; // where the content of a tag must begin
        for (;;) {
            header.read(data, at, end);
            int start = at;
            if (header.kind == Kind.CUT) {
                return fault.set(Code.TRUNCATED, at,
                        at == end ? "the input ends where a value is due" : "the input ends inside a value");
            }
            if (header.kind == Kind.RESERVED) return fault.set(Code.SYNTAX, at, "these bytes begin no CBOR item");
            at += header.size;
            if (header.kind == Kind.STOP) {
                if (!stop(start, tagged == start)) return false;
            } else {
                if (map && tagged != start && !member(start)) return false;
                if (insist != Insist.ANYTHING && !form(start)) return false;
                if (header.kind == Kind.TAG) {
                    tagged = at;
                    continue;
                }
                left--;
                if (header.isString()) {
                    if (!string(start)) return false;
                    at = pieces.at;
                } else if (header.isContainer() && !container(start, most)) {
                    return false;
                }
            }
            while (left == 0) {
                if (depth == 0) {
                    behind = at;
                    return true;
                }
                leave();
            }
        }
    }

    private boolean stop(int start, boolean tagged) {
        if (!open || tagged) {
            return fault.set(Code.SYNTAX, start, "a break where no container of indefinite length can end");
        }
        if (map && (left & 1) != 0) return fault.set(Code.SYNTAX, start, "a map ends after a key without a value");
        left = 0;
        return true;
    }

    /** An item of a map begins: a key, or the value behind one that is now whole. */
    private boolean member(int start) {
        if ((left & 1) == 0) {
            key = start;
            return true;
        }
        if (insist != Insist.DETERMINISTIC) return true;
        int size = start - key;
        if (lastKey != NONE) {
            int order = Arrays.compareUnsigned(data, lastKey, lastKey + lastSize, data, key, key + size);
            if (order == 0) return fault.set(Code.DUPLICATE, key, "a key comes twice in a map");
            if (order > 0) return fault.set(Code.SYNTAX, key, "a map's keys are not in ascending order");
        }
        lastKey = key;
        lastSize = size;
        return true;
    }

    /** Whether the header at a place is in the form that is insisted on. */
    private boolean form(int start) {
        String what = longerThanNeeded(start);
        if (what != null) return fault.set(Code.SYNTAX, start, what);
        if (insist == Insist.DETERMINISTIC && header.indefinite) {
            return fault.set(Code.SYNTAX, start, "an indefinite length, which the dialect refuses");
        }
        return true;
    }

    /** What keeps this header from being the preferred one, or null. */
    private String longerThanNeeded(int start) {
        if (header.kind == Kind.FLOATING) {
            int width = header.size - 1;
            double x = CborFloats.value(header.argument, width);
            boolean shortest = CborFloats.width(x) == width && CborFloats.bits(x, width) == header.argument;
            return shortest ? null : "a float is not in its shortest form";
        }
        if (header.kind == Kind.SIMPLE || header.indefinite) return null;
        if (header.size != 1 + CborHeader.width(header.argument)) {
            return "an integer, length or tag is not in its shortest form";
        }
        boolean bignum = header.kind == Kind.TAG
                && (header.argument == CborHeader.TAG_NATURAL || header.argument == CborHeader.TAG_NEGATIVE);
        if (!bignum || !needless(start + header.size)) return null;
        return "a bignum has leading zeros, or is an integer that needs no bignum";
    }

    /** Whether a bignum's content has a zero too many, or is an integer of 64 bits. */
    private boolean needless(int at) {
        content.read(data, at, end);
        if (content.kind != Kind.BYTES || content.indefinite) return false;
        if (content.argument == 0) return true;
        boolean small = Long.compareUnsigned(content.argument, 8) <= 0;
        return content.size < end - at && (small || data[at + content.size] == 0);
    }

    private boolean string(int start) {
        boolean checked = text && header.kind == Kind.TEXT;
        pieces.begin(data, start, end, header);
        while (pieces.next()) {
            if (!checked) continue;
            int good = Utf8.validPrefix(data, pieces.from, pieces.to);
            if (good != pieces.to) return fault.set(Code.ENCODING, good, "a text string is not valid UTF-8");
        }
        CborFault broken = pieces.fault;
        return broken.code == null || fault.set(broken.code, broken.at, broken.what);
    }

    private boolean container(int start, int most) {
        if (depth >= most) return fault.set(Code.DEPTH, start, "containers are nested deeper than the limit");
        boolean isMap = header.kind == Kind.MAP;
        int times = isMap ? 2 : 1;
        if (!header.fits(start, end, times)) {
            return fault.set(Code.TRUNCATED, start, "a container announces more values than there are bytes left");
        }
        push();
        enter(header.indefinite ? ENDLESS : header.argument * times, isMap, header.indefinite);
        return true;
    }

    private void enter(long values, boolean isMap, boolean isOpen) {
        left = values;
        key = NONE;
        lastKey = NONE;
        lastSize = 0;
        map = isMap;
        open = isOpen;
    }

    private void push() {
        if (depth == lefts.length) {
            lefts = Arrays.copyOf(lefts, depth * 2);
            places = Arrays.copyOf(places, depth * 2 * PLACES);
        }
        lefts[depth] = left;
        int at = depth++ * PLACES;
        places[at] = key;
        places[at + 1] = lastKey;
        places[at + 2] = lastSize;
        places[at + 3] = (map ? 1 : 0) | (open ? 2 : 0);
    }

    private void leave() {
        int at = --depth * PLACES;
        left = lefts[depth];
        key = places[at];
        lastKey = places[at + 1];
        lastSize = places[at + 2];
        map = (places[at + 3] & 1) != 0;
        open = (places[at + 3] & 2) != 0;
    }
}
