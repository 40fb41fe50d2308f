package kumihimo;

import java.util.HashMap;
import java.util.Map;

/**
 * What the values of one document may cost together, where each is read by a reader of its own: from a place of a
 * tape. A place counts once, by the most that one reading of it has cost, so that a program reads it as often as it
 * likes. For many threads.
 */
public final class SharedBudget {
    private final long most;
    private long left;
    /** By place; hardly any document has one that pays. */
    private Map<Integer, Long> paid;

    SharedBudget(long most) {
        this.most = most;
        left = most;
    }

    /** Another document begins. */
    public synchronized void begin() {
        left = most;
        paid = null;
    }

    /**
     * The reading of a place, which has cost so much before, costs more. What is refused has cost it, too: who tries
     * all places of a document shall not pay for each of them anew.
     *
     * @return whether there was enough
     */
    synchronized boolean pay(int place, long before, long more) {
        if (paid == null) paid = new HashMap<>();
        long due = before + more - paid.getOrDefault(place, 0L);
        if (due <= 0) return true;
        left -= due;
        paid.put(place, before + more);
        return left >= 0;
    }
}
