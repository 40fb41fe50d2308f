package kumihimo.json;

import java.util.Arrays;

/**
 * The keys that documents have had so far, each with the colon and white space behind it, and which followed which.
 * Objects of one kind have the same keys in the same order, so that the next key can be guessed, and then a few words
 * are compared where else a string would be scanned. A wrong guess costs the comparison and changes nothing.
 *
 * <pre>
 *   {"pair": "btc_jpy", "price": 107910.0}      remembered:  "pair":_   followed by  "price":_
 *                                               and of the first also its form:  "pair":_"btc_jpy",_
 * </pre>
 *
 * <p>A few hundred keys of up to 32 bytes are kept, white space included; for one more they are all forgotten.
 */
public final class JsonKeys {
    /** Bytes of the longest that is kept. */
    static final int LONGEST = 32;
    /** Keys at most. */
    private static final int MOST = 255;
    /** Of the table: twice as many as keys; and how many of them are looked at for a key. */
    private static final int PLACES = 512;
    private static final int TRIES = 16;
    /** Keys that are not kept after all were forgotten: they may never come again, as in a dictionary. */
    private static final int PAUSE = 1024;
    /** Wrong guesses of a field's form, after which it is asked whether more were right. */
    private static final int PATIENCE = 16;

    /** A key with its colon, up to its value. */
    static final class Key extends JsonPiece {
        /** Its text, of an escape as it was written. */
        final byte[] name;
        /** 1 to {@link #MOST}: of all keys with the same text the same; 0 where there may be another spelling. */
        final int id;
        /** The bytes of its text; ~bytes where it has an escape, or is not all ASCII. */
        final int textSize;
        final long hash;
        /** The key that came next when this one was last seen. */
        Key next = NONE;
        /** The form of the key and its value, where that is short; or null. */
        JsonShape field;
        /** Of that: right guesses, and wrong ones, since they were last judged. */
        int hits;
        int misses;
        /** Forms that may still be tried. */
        int chances = 16;

        Key(byte[] data, int p, int size, int id, int textSize, long hash) {
            super(data, p, size);
            name = Arrays.copyOfRange(data, p + 1, p + 1 + (textSize < 0 ? ~textSize : textSize));
            this.id = id;
            this.textSize = textSize;
            this.hash = hash;
        }

        private Key() {
            name = null;
            id = 0;
            textSize = 0;
            hash = 0;
        }
    }

    /** No key: nothing stands for it, and nothing comes next. */
    private static final Key NONE = new Key();

    /** By hash of the text; made when it is needed. */
    private Key[] table;
    private int count;
    private int pause;
    private int generation;

    /** What all keys are that are not kept. */
    private final Key unknown = new Key();
    /** The key that was found last, and what {@link Key#textSize} would be. */
    private Key last = unknown;
    private int textSize;

    /** Where to begin. */
    Key last() {
        return last;
    }

    /** Where to go on for the next document. */
    void setLast(Key key) {
        last = key;
    }

    /**
     * The first byte of the value whose key should begin at p, or {@link JsonEnds#NONE} where no well-formed key with
     * a colon stands. That byte may be {@code to}.
     */
    public int value(byte[] data, int p, int to) {
        Key next = last.next;
        if (p <= to - LONGEST && next.stands(data, p)) {
            last = next;
            // It was remembered with the white space that it had then.
            return pass(data, p + next.size, to);
        }
        return unexpected(last, data, p, to);
    }

    /** Behind white space, of which there is mostly none. */
    static int pass(byte[] data, int p, int to) {
        return p < to && data[p] <= ' ' ? JsonEnds.space(data, p, to) : p;
    }

    /**
     * As {@link #value}, where another key stands than the one that was expected, or white space; {@link #last} is
     * the key then.
     */
    int unexpected(Key behind, byte[] data, int p, int to) {
        last = behind;
        // What was expected before may have stood there with less white space behind it.
        p = JsonEnds.space(data, p, to);
        if (p >= to || data[p] != '"') return JsonEnds.NONE;
        int close = JsonEnds.string(data, p + 1, to);
        if (close == JsonEnds.NONE) return JsonEnds.NONE;
        int size = Math.abs(close) - p - 2;
        textSize = close < 0 ? ~size : size;
        int value = Math.abs(close);
        if (value < to && data[value] != ':') value = JsonEnds.space(data, value, to);
        if (value == to || data[value] != ':') return JsonEnds.NONE;
        value = JsonEnds.space(data, value + 1, to);
        // Words of its text are looked at, which begins behind the quote.
        boolean kept = value - p <= LONGEST && p < to - LONGEST;
        last = kept ? remember(data, p, size, value - p, to) : unknown;
        behind.next = last;
        return value;
    }

    /**
     * The number of the last key's text, 1 to 255: two keys have the same one if and only if they have the same text,
     * as long as {@link #generation} stays what it is. 0 where the key was not kept, has an escape, or is not all
     * ASCII.
     */
    public int number() {
        return last.id;
    }

    /** The bytes of the last key's text, without its quotes; ~bytes where it has an escape, or is not all ASCII. */
    public int textSize() {
        return last.hash == 0 ? textSize : last.textSize;
    }

    /** How often all keys were forgotten. */
    public int generation() {
        return generation;
    }

    /** The key stands at p, but not the form of it and its value. */
    static void missed(Key key, byte[] data, int p, int to) {
        if (++key.misses < PATIENCE) return;
        boolean paid = key.hits > PATIENCE;
        key.hits = 0;
        key.misses = 0;
        // Another one's form may be the usual one.
        if (!paid) key.field = --key.chances > 0 ? JsonShape.ofField(data, p, p + key.size, to) : null;
    }

    private Key remember(byte[] data, int p, int size, int all, int to) {
        if (table == null) table = new Key[PLACES];
        long hash = hash(data, p + 1, size);
        int id = count + 1;
        int at = (int) (hash >>> 40) & PLACES - 1;
        // Keys that are made to fall together find no room, and cost no more than this.
        for (int tries = 0; tries < TRIES; tries++, at = at + 1 & PLACES - 1) {
            Key key = table[at];
            if (key == null) return keep(at, data, p, all, textSize < 0 ? 0 : id, hash, to);
            if (key.hash != hash || !Arrays.equals(key.name, 0, key.name.length, data, p + 1, p + 1 + size)) continue;
            if (key.size == all && key.stands(data, p)) return key;
            id = key.id;
        }
        return unknown;
    }

    private Key keep(int at, byte[] data, int p, int size, int id, long hash, int to) {
        if (pause > 0) {
            pause--;
            return unknown;
        }
        if (count == MOST) {
            forget();
            return unknown;
        }
        Key key = new Key(data, p, size, id, textSize, hash);
        key.field = JsonShape.ofField(data, p, p + size, to);
        table[at] = key;
        count++;
        return key;
    }

    /** Never 0. */
    private static long hash(byte[] data, int p, int size) {
        long hash = size;
        for (int i = 0; i < size; i += 8) {
            long word = JsonWords.at(data, p + i);
            if (size - i < 8) word &= (1L << 8 * (size - i)) - 1;
            hash = (hash ^ hash >>> 32 ^ word) * 0xff51afd7ed558ccdL;
        }
        return hash ^ hash >>> 32 | 1;
    }

    private void forget() {
        Arrays.fill(table, null);
        count = 0;
        generation++;
        pause = PAUSE;
    }
}
