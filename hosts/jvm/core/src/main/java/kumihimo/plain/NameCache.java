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

    /** Writes a key. */
    void key(String key, Sink to) {
        int hash = key.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        Name name = names[place];
        if (name != null && name.text() == key) to.key(name);
        else other(key, place, to);
    }

    private void other(String key, int place, Sink to) {
        if (key.length() > LONGEST) {
            to.key(key);
            return;
        }
        if (seen[place] == key && left > 0) {
            left--;
            try {
                names[place] = new Name(key);
            } catch (DataException half) {
                // A pair's half: what becomes of it is the writer's to say.
            }
        }
        seen[place] = key;
        to.key(key);
    }
}
