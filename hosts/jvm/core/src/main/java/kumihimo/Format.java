package kumihimo;

import java.util.List;

/**
 * What a format is to everything that is not a format: one row of the table ({@link Formats}), as {@code
 * engine/core/format.hpp}.
 */
public interface Format {
    /** {@code json}, {@code msgpack}, ... */
    String name();

    /** Its documents are Unicode text (UTF-8). */
    boolean isText();

    /** The first is the one to send. */
    List<String> mediaTypes();

    /** Of files, with the dot; the first is the one to make. */
    List<String> endings();

    /** Whether a document of this format begins so. */
    Likeness resembles(byte[] data, int from, int to);

    /** Names, the default first. */
    List<String> readDialects();

    /** Names, the default first. */
    List<String> writeDialects();

    /** @throws IllegalArgumentException for a dialect that is none; the message names all; "" is the default */
    Reader reader(String dialect, Limits limits);

    /** @throws IllegalArgumentException for a dialect that is none; the message names all; "" is the default */
    Writer writer(String dialect, Limits limits);

    /** The bytes of a value within a document are a document themselves, so that a value can be read alone. */
    default boolean valuesAreDocuments() {
        return false;
    }

    /** Finds where documents of a stream end. */
    Boundary boundary(Limits limits);

    /**
     * A failure with its place in words: the path of the value, and in text the line and the column. Reads the
     * document again.
     *
     * @param failure of the document in data from {@code from} to {@code to}; one without an offset is given back as
     *     it is
     */
    default DataException locate(byte[] data, int from, int to, DataException failure) {
        return failure;
    }

    /** What the first bytes say about a format. */
    enum Likeness {
        /** No document of the format begins so. */
        NONE,
        /** Some do, as do those of other formats: the first row of the table that says so has it. */
        POSSIBLE,
        /** A mark that only this format has. */
        CERTAIN
    }
}
