package kumihimo.tagged;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The two layouts of tagged; {@code dialect} of {@code engine/tagged/dialect.hpp}. */
public enum TaggedDialect {
    /**
     * Every value comes back as it was: order, keys that come twice, keys of any kind, all fourteen verbs. The
     * default.
     */
    SAFE,
    /**
     * The bytes that sjson-new's author published in 2016. Fields are sorted by tag, a boolean is the number 0 or 1,
     * NaN and the infinities are null. What these bytes cannot say is refused: docs/formats.md has the list.
     */
    STUDY;

    private static final Map<String, TaggedDialect> NAMED;

    static {
        Map<String, TaggedDialect> named = new LinkedHashMap<>();
        named.put("safe", SAFE);
        named.put("study", STUDY);
        NAMED = Collections.unmodifiableMap(named);
    }

    /** The dialects by name, the default first. */
    public static Map<String, TaggedDialect> named() {
        return NAMED;
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static TaggedDialect parse(String name) {
        if (name.isEmpty()) return SAFE;
        TaggedDialect found = NAMED.get(name);
        if (found != null) return found;
        throw new IllegalArgumentException(
                "tagged has no write dialect " + name + "; it has " + String.join(", ", NAMED.keySet()));
    }
}
