package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.cbor.CborHeader.Kind;
import kumihimo.cbor.CborReadDialect.Insist;

/**
 * Keys that come twice in one map. CBOR calls such a map invalid and lets a decoder pass it on; this pass finds them
 * before anything is handed on. By sorting, not hashing: no choice of keys makes it slow.
 *
 * <p>Keys are equal when their deterministic encodings are: 1 in one byte or two, text in one piece or in chunks, 0.5
 * as half or double. Those of scalars are compared. Containers as keys, and all that is in them, get numbers instead
 * ({@link CborIdentities}), so that keys within keys within keys are looked at once.
 */
final class CborDuplicates {
    private static final int NONE = -1;
    /** Even, and never reached by counting down. */
    private static final long ENDLESS = Long.MAX_VALUE - 1;
    /** Begins the name of a key that is a container: no item begins so. */
    private static final byte NUMBERED = (byte) 0xff;

    private final CborHeader header = new CborHeader();
    private final CborCheck check = new CborCheck();
    private final CborPieces pieces = new CborPieces();
    private final CborIdentities identities = new CborIdentities();

    private byte[] data;
    private int end;

    /** Where keys begin that come again later in their map, ascending. */
    private int[] overridden = new int[8];
    private int overriddenCount;
    private int firstAgain;

    private Level[] levels = new Level[16];
    private int depth;

    /** The keys of all open maps. */
    private Key[] keys = new Key[64];
    private int keyCount;
    /** Their names. */
    private byte[] names = new byte[256];
    private int namesSize;

    /** A container under way. */
    private static final class Level {
        /** Items to come. */
        long left;
        boolean map;
        /** It is a key, or in one: what it is equal to is asked for. */
        boolean numbered;
        /** Where it begins, with tags that say nothing, and where its header ends. */
        int start;
        int content;
        /** Of this map's keys among those of all open maps the first, and where the names begin. */
        int firstKey;
        int firstName;
        /** A key comes twice in it. */
        boolean twice;
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

    /** Lets go of the last document. */
    void forget() {
        data = null;
        identities.forget();
        pieces.forget();
        check.forget();
    }

    /** Looks at the document from a place on, which was checked to be well-formed. */
    void find(byte[] data, int at, int end) {
        this.data = data;
        this.end = end;
        overriddenCount = 0;
        firstAgain = NONE;
        keyCount = namesSize = depth = 0;
        identities.reset(data);
        open(at, at, 1, false, false);
        // Within a tag, whose item is known as a whole already.
        boolean within = false;
        while (depth != 0) {
            Level now = levels[depth - 1];
            header.read(data, at, end);
            int start = at;
            if (header.kind == Kind.STOP) {
                now.left = 0;
                at++;
            } else {
                if (!within) now.left--;
                boolean key = now.map && !within && (now.left & 1) != 0;
                while (header.kind == Kind.TAG && header.argument == CborHeader.TAG_SELF_DESCRIBED) {
                    at += header.size;
                    header.read(data, at, end);
                }
                boolean tag = header.kind == Kind.TAG;
                boolean container = header.isContainer();
                if (!within && !container && (key || now.numbered)) scalar(now, key, start, at);
                at = into(at, start, !within && (key || now.numbered));
                within = tag;
                if (tag || container && levels[depth - 1].left != 0) continue;
            }
            while (depth != 0 && levels[depth - 1].left == 0) close();
        }
        forget();
        Arrays.sort(overridden, 0, overriddenCount);
    }

    /** Behind the header of the item at a place, or behind all of it where it holds no items. */
    private int into(int at, int start, boolean numbered) {
        header.read(data, at, end);
        if (header.isString()) {
            pieces.begin(data, at, end, header);
            pieces.skip();
            return pieces.at;
        }
        int content = at + header.size;
        if (header.isContainer()) {
            boolean map = header.kind == Kind.MAP;
            open(start, content, header.indefinite ? ENDLESS : header.argument * (map ? 2 : 1), map, numbered);
        }
        return content;
    }

    /** A key, or an item within one, that is no container: known by its deterministic encoding. */
    private void scalar(Level now, boolean key, int start, int at) {
        int behind = at + header.size;
        if (header.isString() || header.kind == Kind.TAG) {
            check.item(data, at, end, Insist.ANYTHING, false, CborCheck.ANY_DEPTH);
            behind = check.behind;
        }
        byte[] encoded = isPlain() ? null : identities.encoded(at, behind);
        if (key) {
            int before = namesSize;
            if (encoded != null) append(encoded, 0, encoded.length);
            else if (isPlain()) append(data, at, behind);
            else append(data, start, behind); // what has no value is equal to its own bytes only
            addKey(start, before);
        }
        if (now.numbered) identities.scalar(start, at, behind, isPlain(), encoded);
    }

    /** The usual keys are as they should be: short text, and integers in their shortest form. */
    private boolean isPlain() {
        boolean plain = header.kind == Kind.TEXT && !header.indefinite || header.kind == Kind.INTEGER;
        return plain && header.size == 1 + CborHeader.width(header.argument);
    }

    private void addKey(int at, int name) {
        if (keyCount == keys.length) keys = Arrays.copyOf(keys, keyCount * 2);
        keys[keyCount++] = new Key(at, name, namesSize - name);
    }

    private void append(byte[] from, int at, int to) {
        int n = to - at;
        if (n > names.length - namesSize) names = Arrays.copyOf(names, Math.max(namesSize + n, namesSize * 2));
        System.arraycopy(from, at, names, namesSize, n);
        namesSize += n;
    }

    private void open(int start, int content, long values, boolean map, boolean numbered) {
        if (depth == levels.length) levels = Arrays.copyOf(levels, depth * 2);
        Level level = levels[depth];
        if (level == null) level = levels[depth] = new Level();
        depth++;
        level.left = values;
        level.map = map;
        level.numbered = numbered;
        level.start = start;
        level.content = content;
        level.firstKey = keyCount;
        level.firstName = namesSize;
        level.twice = false;
        if (numbered) identities.open();
    }

    /** The innermost container ends. */
    private void close() {
        Level level = levels[--depth];
        if (level.map) compareKeys(level);
        if (!level.numbered) return;
        Level around = levels[depth - 1];
        boolean key = around.map && (around.left & 1) != 0;
        long number = identities.close(level.start, level.content, level.map, level.twice, around.numbered);
        if (!key) return;
        int before = namesSize;
        append(new byte[] {NUMBERED}, 0, 1);
        for (int shift = 0; shift < 64; shift += 8) append(new byte[] {(byte) (number >> shift)}, 0, 1);
        addKey(level.start, before);
    }

    /** All keys of a map have come. */
    private void compareKeys(Level level) {
        int first = level.firstKey;
        if (keyCount - first > 1) {
            Arrays.sort(keys, first, keyCount, this::compare);
            for (int i = first; i < keyCount - 1; i++) {
                if (!isSame(keys[i], keys[i + 1])) continue;
                level.twice = true;
                if (firstAgain == NONE || keys[i + 1].at < firstAgain) firstAgain = keys[i + 1].at;
                if (overriddenCount == overridden.length) overridden = Arrays.copyOf(overridden, overriddenCount * 2);
                overridden[overriddenCount++] = keys[i].at;
            }
        }
        Arrays.fill(keys, first, keyCount, null);
        keyCount = first;
        namesSize = level.firstName;
    }

    private int compare(Key a, Key b) {
        int order = Arrays.compareUnsigned(names, a.name, a.name + a.size, names, b.name, b.name + b.size);
        return order != 0 ? order : Integer.compare(a.at, b.at);
    }

    private boolean isSame(Key a, Key b) {
        return Arrays.equals(names, a.name, a.name + a.size, names, b.name, b.name + b.size);
    }
}
