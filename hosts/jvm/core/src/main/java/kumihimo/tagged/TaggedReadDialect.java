package kumihimo.tagged;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which layouts of tagged a reader takes; {@code read_dialect} of {@code engine/tagged/dialect.hpp}. */
public enum TaggedReadDialect {
    /** Both, told by the first byte: the default. */
    STANDARD,
    SAFE_READ,
    STUDY_READ;

    private static final Map<String, TaggedReadDialect> NAMED;

    static {
        Map<String, TaggedReadDialect> named = new LinkedHashMap<>();
        named.put("standard", STANDARD);
        named.put("safe_read", SAFE_READ);
        named.put("study_read", STUDY_READ);
        NAMED = Collections.unmodifiableMap(named);
    }

    /** The dialects by name, the default first. */
    public static Map<String, TaggedReadDialect> named() {
        return NAMED;
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static TaggedReadDialect parse(String name) {
        if (name.isEmpty()) return STANDARD;
        TaggedReadDialect found = NAMED.get(name);
        if (found != null) return found;
        throw new IllegalArgumentException(
                "tagged has no read dialect " + name + "; it has " + String.join(", ", NAMED.keySet()));
    }
}
