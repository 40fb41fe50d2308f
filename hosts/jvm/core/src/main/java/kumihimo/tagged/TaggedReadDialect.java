package kumihimo.tagged;

import java.util.Map;
import kumihimo.format.Dialects;

/** Which layouts of tagged a reader takes; {@code read_dialect} of {@code engine/tagged/dialect.hpp}. */
public enum TaggedReadDialect {
    /** Both, told by the first byte: the default. */
    STANDARD,
    SAFE_READ,
    STUDY_READ;

    private static final Dialects<TaggedReadDialect> NAMED =
            new Dialects<TaggedReadDialect>("tagged has no read dialect")
                    .with("standard", STANDARD)
                    .with("safe_read", SAFE_READ)
                    .with("study_read", STUDY_READ);

    /** The dialects by name, the default first. */
    public static Map<String, TaggedReadDialect> named() {
        return NAMED.named();
    }

    /**
     * The dialect of a name, {@code ""} for the default.
     *
     * @throws IllegalArgumentException where there is none; the message has all names
     */
    public static TaggedReadDialect parse(String name) {
        return NAMED.parse(name);
    }
}
