package kumihimo.format;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The dialects that a format's readers or writers have, by name. */
public final class Dialects<D> {
    private final String none;
    private final Map<String, D> named = new LinkedHashMap<>();
    private D first;

    /** @param none the failure for a name that is none, up to that name */
    public Dialects(String none) {
        this.none = none;
    }

    /** The first is the default. */
    public Dialects<D> with(String name, D dialect) {
        if (first == null) first = dialect;
        named.put(name, dialect);
        return this;
    }

    /** The dialects by name, the default first. */
    public Map<String, D> named() {
        return Collections.unmodifiableMap(named);
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public D parse(String name) {
        if (name.isEmpty()) return first;
        D found = named.get(name);
        if (found != null) return found;
        throw new IllegalArgumentException(none + " " + name + "; it has " + String.join(", ", named.keySet()));
    }
}
