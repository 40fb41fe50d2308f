package kumihimo.plain;

import kumihimo.DataException;
import kumihimo.Name;
import kumihimo.Sink;

/**
 * Keys of maps as names that are prepared for writing: maps say the same few again and again, and mostly by the same
 * String. Each has one place, by its hash; it is prepared when it comes there a second time.
 */
final class NameCache {
    private static final int PLACES = 1024;
    /**
     * Preparing costs as much as writing a key twenty times: of a document whose keys contend for places no more than
     * so many.
     */
    private static final int MOST = 64;
    /** Characters of the longest key that is kept: a thread keeps its cache as long as it lives. */
    private static final int LONGEST = 64;

    private final Name[] names = new Name[PLACES];
    private final String[] seen = new String[PLACES];
    private int left;

    /** Another document begins. */
    void begin() {
        left = MOST;
    }

    /** The key prepared, or null. */
    Name find(String key) {
        int hash = key.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        Name name = names[place];
        return name != null && name.text() == key ? name : other(key, place);
    }

    private Name other(String key, int place) {
        if (key.length() > LONGEST) return null;
        boolean again = seen[place] == key;
        seen[place] = key;
        if (!again || left == 0) return null;
        left--;
        try {
            return names[place] = new Name(key);
        } catch (DataException half) { // of a pair: what becomes of it is the writer's to say
            return null;
        }
    }

    /** Writes a key. */
    void key(String key, Sink to) {
        Name name = find(key);
        if (name == null) to.key(key);
        else to.key(name);
    }
}
