package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.cbor.CborHeader.Kind;
import kumihimo.cbor.CborReadDialect.Insist;

/**
 * Keys that come twice in one map. CBOR calls such a map invalid and lets a decoder pass it on; this pass finds them
 * before anything is handed on. By sorting, not hashing: no choice of keys makes it slow.
 *
 * <p>Keys are equal when their deterministic encodings are: 1 in one byte or two, text in one piece or in chunks, 0.5
 * as half or double.
 */
final class CborDuplicates {
    private static final int NONE = -1;
    private static final int PLACES = 3;
    /** Even, and never reached by counting down. */
    private static final long ENDLESS = Long.MAX_VALUE - 1;

    private final CborHeader header = new CborHeader();
    private final CborCheck check = new CborCheck();
    private final CborPieces pieces = new CborPieces();
    private final CborReader reader;
    private final CborWriter writer;

    private byte[] data;
    private int end;

    /** Where keys begin that come again later in their map, ascending. */
    private int[] overridden = new int[8];
    private int overriddenCount;
    private int firstAgain;

    // The container under way, and those around it.
    private long left;
    private int first; // of this map's keys among those of all open maps
    private int names; // where their encodings begin
    private boolean map;
    private long[] lefts = new long[16];
    private int[] places = new int[16 * PLACES];
    private int depth;

    /** The keys of all open maps. */
    private Key[] keys = new Key[64];
    private int keyCount;
    /** Their deterministic encodings. */
    private byte[] encoded = new byte[256];
    private int encodedSize;

    CborDuplicates() {
        // What is compared is a part of a document whose depth and size were looked at.
        Limits limits = Limits.DEFAULT.withDepth(Integer.MAX_VALUE);
        reader = new CborReader(CborReadDialect.ALL, limits);
        writer = new CborWriter(CborDialect.COMPARED, limits);
    }

    private static final class Key {
        /** In the document. */
        final int at;
        final int name;
        final int size;

        Key(int at, int name, int size) {
            this.at = at;
            this.name = name;
            this.size = size;
        }
    }

    /** The place of the first key that was there already; negative: there is none. */
    int firstAgain() {
        return firstAgain;
    }

    /** Whether the key at a place comes again later. */
    boolean isOverridden(int at) {
        return Arrays.binarySearch(overridden, 0, overriddenCount, at) >= 0;
    }

    /** Looks at the document from a place on, which was checked to be well-formed. */
    void find(byte[] data, int at, int end) {
        this.data = data;
        this.end = end;
        overriddenCount = 0;
        firstAgain = NONE;
        keyCount = encodedSize = depth = 0;
        enter(1, false);
        int tagged = NONE;
        for (;;) {
            header.read(data, at, end);
            if (header.kind == Kind.STOP) {
                at++;
                left = 0;
            } else {
                if (map && tagged != at && (left & 1) == 0) {
                    addKey(at);
                    header.read(data, at, end);
                }
                if (header.kind == Kind.TAG) {
                    tagged = at += header.size;
                    continue;
                }
                left--;
                at = into(at);
            }
            while (left == 0) {
                if (map) compareKeys();
                if (depth == 0) {
                    Arrays.sort(overridden, 0, overriddenCount);
                    return;
                }
                leave();
            }
        }
    }

    /** The item at a place, which is no tag: behind its header, or behind all of it where it holds no items. */
    private int into(int at) {
        if (header.isString()) {
            pieces.begin(data, at, end, header);
            pieces.skip();
            return pieces.at;
        }
        if (header.isContainer()) {
            push();
            boolean isMap = header.kind == Kind.MAP;
            enter(header.indefinite ? ENDLESS : header.argument * (isMap ? 2 : 1), isMap);
        }
        return at + header.size;
    }

    /** Keys that are containers are walked for maps of their own, and looked at as a whole here. */
    private void addKey(int at) {
        check.item(data, at, end, Insist.ANYTHING, false, CborCheck.ANY_DEPTH);
        int before = encodedSize;
        encode(at, check.behind);
        if (keyCount == keys.length) keys = Arrays.copyOf(keys, keyCount * 2);
        keys[keyCount++] = new Key(at, before, encodedSize - before);
    }

    /** Appends the deterministic encoding of an item. */
    private void encode(int from, int to) {
        header.read(data, from, to);
        // The usual keys are as they should be: short text, and integers in their shortest form.
        boolean plain = header.kind == Kind.TEXT && !header.indefinite || header.kind == Kind.INTEGER;
        if (plain && header.size == 1 + CborHeader.width(header.argument)) {
            append(data, from, to);
            return;
        }
        byte[] name;
        try {
            writer.reset();
            reader.reset(data, from, to).feed(writer);
            reader.finish();
            writer.finish();
            name = writer.toByteArray();
        } catch (DataException e) {
            // What has no value here (a date that is none, a map with a key twice) is equal to its own bytes only.
            append(data, from, to);
            return;
        }
        append(name, 0, name.length);
    }

    private void append(byte[] from, int at, int to) {
        int n = to - at;
        if (n > encoded.length - encodedSize) {
            encoded = Arrays.copyOf(encoded, Math.max(encodedSize + n, encodedSize * 2));
        }
        System.arraycopy(from, at, encoded, encodedSize, n);
        encodedSize += n;
    }

    /** The keys of the container under way, once all have come. */
    private void compareKeys() {
        if (keyCount - first > 1) {
            Arrays.sort(keys, first, keyCount, this::compare);
            for (int i = first; i < keyCount - 1; i++) {
                if (!isSame(keys[i], keys[i + 1])) continue;
                if (firstAgain == NONE || keys[i + 1].at < firstAgain) firstAgain = keys[i + 1].at;
                if (overriddenCount == overridden.length) overridden = Arrays.copyOf(overridden, overriddenCount * 2);
                overridden[overriddenCount++] = keys[i].at;
            }
        }
        Arrays.fill(keys, first, keyCount, null);
        keyCount = first;
        encodedSize = names;
    }

    private int compare(Key a, Key b) {
        int order = Arrays.compareUnsigned(encoded, a.name, a.name + a.size, encoded, b.name, b.name + b.size);
        return order != 0 ? order : Integer.compare(a.at, b.at);
    }

    private boolean isSame(Key a, Key b) {
        return Arrays.equals(encoded, a.name, a.name + a.size, encoded, b.name, b.name + b.size);
    }

    private void enter(long values, boolean isMap) {
        left = values;
        first = keyCount;
        names = encodedSize;
        map = isMap;
    }

    private void push() {
        if (depth == lefts.length) {
            lefts = Arrays.copyOf(lefts, depth * 2);
            places = Arrays.copyOf(places, depth * 2 * PLACES);
        }
        lefts[depth] = left;
        int at = depth++ * PLACES;
        places[at] = first;
        places[at + 1] = names;
        places[at + 2] = map ? 1 : 0;
    }

    private void leave() {
        int at = --depth * PLACES;
        left = lefts[depth];
        first = places[at];
        names = places[at + 1];
        map = places[at + 2] != 0;
    }
}
