package kumihimo;

/**
 * A sink that may want to know where in the document its verbs stand: a reader that feeds it says so before each, as
 * {@code engine/core/located.hpp} has it. A source that is no document says nothing.
 */
public interface Located {
    /** Whether it wants to know this time; a reader asks once. */
    boolean wantsPlaces();

    /** The bytes of the verb that comes next begin here, counted from the document's first one. */
    void place(int offset);

    /** The sink, if it wants to know; else null. */
    static Located of(Sink sink) {
        return sink instanceof Located && ((Located) sink).wantsPlaces() ? (Located) sink : null;
    }
}
