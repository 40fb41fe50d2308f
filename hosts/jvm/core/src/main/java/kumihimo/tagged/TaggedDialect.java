package kumihimo.tagged;

import java.util.Map;
import kumihimo.format.Dialects;

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

    private static final Dialects<TaggedDialect> NAMED = new Dialects<TaggedDialect>("tagged has no write dialect")
            .with("safe", SAFE)
            .with("study", STUDY);

    /** The dialects by name, the default first. */
    public static Map<String, TaggedDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static TaggedDialect parse(String name) {
        return NAMED.parse(name);
    }
}
