package kumihimo.tape;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;

/**
 * Finds the fields of a map by name, in any order, for who asks for one after the other: the first guess is the field
 * behind the one that was found last, so that fields that are asked for in the document's order cost a comparison
 * each. Of a key that comes twice the last one counts. Large maps are looked up by hash from the second miss on.
 *
 * <p>Opened for one map at a time; who goes into maps in maps has one for each level.
 */
public final class Fields {
    /** A field that is not there. */
    public static final int ABSENT = -1;

    /** Pairs up to which a walk over all of them is cheaper than an index. */
    private static final int FEW = 16;

    private Tape tape;
    private int recording;
    private int map;
    /** The key that is guessed, or the map's end; and that end. */
    private int guess;
    private int end;
    /** No key comes twice, so that the first one found is the last. */
    private boolean unique;
    private MapIndex index;
    private long[] signatures = new long[FEW];
    /** Names by the hash of their text. */
    private Name[] names;

    /** Of no map yet: {@link #open}. */
    public Fields() {}

    /** Opens the map at a place; its fields are found by {@link #find}. */
    public Fields open(Cursor map) {
        return open(map.tape(), map.node());
    }

    Fields open(Tape tape, int map) {
        this.tape = tape;
        recording = tape.recording;
        this.map = map;
        guess = map + 1;
        end = tape.ref(map);
        index = null;
        unique = tape.has(map, Tape.UNIQUE) || tape.length(map) <= FEW && allDiffer();
        return this;
    }

    /** How many pairs the map has. */
    public int size() {
        return tape.length(map);
    }

    /** The node of the value of a field, or {@link #ABSENT}. */
    public int find(Name name) {
        checkTape();
        int key = guess;
        if (unique && key != end && matches(key, name)) {
            guess = tape.behind(key + 1);
            return key + 1;
        }
        return search(name);
    }

    /** The same by text; names that are asked for often are prepared once. */
    public int find(String name) {
        if (names == null) names = new Name[256];
        int slot = name.hashCode() & names.length - 1;
        Name prepared = names[slot];
        if (prepared == null || !prepared.text().equals(name)) {
            if (Utf8.size(name, 0) < 0) {
                checkTape();
                return searchHalves(name);
            }
            names[slot] = prepared = new Name(name);
        }
        return find(prepared);
    }

    /** A reader at the value of a node that was found. */
    public Cursor at(int node) {
        checkTape();
        return new Cursor(tape, node);
    }

    private void checkTape() {
        if (tape.recording == recording) return;
        throw new DataException(Code.MISUSE, "the map is of a document that its tape no longer has");
    }

    private boolean matches(int key, Name name) {
        if (!tape.is(key, Tape.STR)) return false;
        byte[] utf8 = name.utf8();
        if (tape.has(key, Tape.AS_WRITTEN)) return MapIndex.equal(tape, key, utf8, 0, utf8.length);
        int from = tape.ref(key);
        return tape.length(key) == utf8.length && name.match(tape.bytesOf(key), from, from + utf8.length) >= 0;
    }

    private int search(Name name) {
        byte[] utf8 = name.utf8();
        if (index != null || tape.length(map) > FEW) {
            if (index == null) index = new MapIndex(tape, map);
            return found(index.find(utf8, 0, utf8.length));
        }
        int value = ABSENT;
        for (int key = map + 1; key != end; key = tape.behind(tape.behind(key))) {
            if (!matches(key, name)) continue;
            value = key + 1;
            if (unique) break;
        }
        return found(value);
    }

    private int found(int value) {
        if (value != ABSENT) guess = tape.behind(value);
        return value;
    }

    /** The value of a key with half a surrogate pair in it, which no {@link Name} has. */
    private int searchHalves(String name) {
        int value = ABSENT;
        for (int key = map + 1; key != end; key = tape.behind(tape.behind(key)))
            if (tape.is(key, Tape.STR) && !tape.has(key, Tape.ASCII) && tape.str(key).equals(name)) value = key + 1;
        return value;
    }

    /** Whether the keys of a map of a few pairs surely differ. */
    private boolean allDiffer() {
        int n = 0;
        for (int key = map + 1; key != end; key = tape.behind(tape.behind(key))) {
            if (tape.has(key, Tape.AS_WRITTEN)) return false;
            signatures[n++] = tape.is(key, Tape.STR) ? signature(key) : ~n;
        }
        for (int i = 1; i < n; i++)
            for (int k = 0; k < i; k++) if (signatures[i] == signatures[k]) return false;
        return true;
    }

    private long signature(int key) {
        byte[] data = tape.bytesOf(key);
        int from = tape.ref(key);
        int size = tape.length(key);
        if (size >= 8) {
            long last = LittleEndian.i64(data, from + size - 8);
            return (LittleEndian.i64(data, from) * 31 + last) * 31 + size & Long.MAX_VALUE;
        }
        long word = size;
        for (int i = 0; i < size; i++) word = word << 8 | data[from + i] & 0xff;
        return word & Long.MAX_VALUE;
    }
}
