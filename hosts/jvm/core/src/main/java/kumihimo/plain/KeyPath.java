package kumihimo.plain;

import java.util.HashMap;
import java.util.Map;

/**
 * The keys that a map has had so far, as one node of a tree: each leads to those with one key more. Maps of one kind
 * go the same way, and the next key is mostly that of the last map, by the same String.
 */
final class KeyPath {
    private static final KeyPath NONE = new KeyPath();

    private final KeyPath before;
    /** The last one, by the String that has come last. */
    private String key;
    private final int size;
    /** Where the last map went from here. */
    private KeyPath next = NONE;
    /** All ways from here where there is more than one, by the key. */
    private Map<String, KeyPath> ways;
    private SharedKeys keys;

    private KeyPath() {
        this(null, null, 0);
    }

    private KeyPath(KeyPath before, String key, int size) {
        this.before = before;
        this.key = key;
        this.size = size;
    }

    /** Those that are known, of this document and those before; for one thread. */
    static final class Tree {
        /** A document adds no more nodes than these: maps whose keys are never the same gain nothing by them. */
        private static final int MOST = 512;

        private KeyPath root = new KeyPath();
        private int left = MOST;
        private int made;

        /**
         * Another document begins. All is forgotten once several documents have added many, so that what is kept has a
         * bound: nodes of keys up to 64 bytes each.
         */
        KeyPath begin() {
            left = MOST;
            if (made > 4 * MOST) {
                root = new KeyPath();
                made = 0;
            }
            return root;
        }

        /** No key. */
        KeyPath root() {
            return root;
        }

        /** The way by this key, or null: the map has it already, has too many, or too many ways are known. */
        KeyPath way(KeyPath from, String key) {
            KeyPath next = from.next;
            return next.key == key ? next : other(from, key);
        }

        private KeyPath other(KeyPath from, String key) {
            KeyPath found = from.find(key);
            if (found == null) {
                if (left == 0 || from.size == SharedKeys.MOST || from.has(key)) return null;
                left--;
                made++;
                found = new KeyPath(from, key, from.size + 1);
                from.add(found);
            }
            found.key = key;
            return from.next = found;
        }
    }

    private KeyPath find(String key) {
        if (ways != null) return ways.get(key);
        return key.equals(next.key) ? next : null;
    }

    private void add(KeyPath way) {
        if (next == NONE) return;
        if (ways == null) {
            ways = new HashMap<>();
            ways.put(next.key, next);
        }
        ways.put(way.key, way);
    }

    private boolean has(String key) {
        for (KeyPath at = this; at.size > 0; at = at.before) {
            if (at.key.equals(key)) return true;
        }
        return false;
    }

    /** How many keys. */
    int size() {
        return size;
    }

    /** The last key. */
    String key() {
        return key;
    }

    /** Without the last key. */
    KeyPath before() {
        return before;
    }

    /** The keys, for all maps that end here. */
    SharedKeys keys() {
        if (keys == null) {
            String[] all = new String[size];
            for (KeyPath at = this; at.size > 0; at = at.before) all[at.size - 1] = at.key;
            keys = new SharedKeys(all);
        }
        return keys;
    }
}
