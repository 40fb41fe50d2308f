package kumihimo;

/**
 * The data model: fourteen verbs, as in {@code engine/core/sink.hpp}. A sink receives values; a {@link Reader}, or a
 * walk over objects, feeds it.
 *
 * <p>A document is one value. A value is one scalar verb, or a container:
 *
 * <pre>
 *   array(count)  value...        end()
 *   map(count)    (key value)...  end()
 *
 *   {"id": 7, "tags": ["a", null]}   is   map(2)  key("id") i64(7)  key("tags") array(2) str("a") nil() end()  end()
 * </pre>
 *
 * <p>Every verb may throw {@link DataException}; nothing may be called on the sink after that but what its class
 * allows for starting anew. Byte arrays belong to the caller and hold only until the verb returns.
 */
public interface Sink {
    /** The count of a container whose source does not know it. */
    long UNKNOWN = -1;

    /** No value. */
    void nil();

    void bool(boolean value);

    /** An integer from -2^63 to 2^63-1; always this verb for what fits. */
    void i64(long value);

    /** An integer from 2^63 to 2^64-1, as the 64 bits it has. */
    void u64(long bits);

    /** A double; NaN and the infinities arrive too. */
    void f64(double value);

    /**
     * A number in its own decimal digits, by JSON's grammar, that neither i64, u64 nor f64 can hold, or whose digits
     * are kept.
     */
    void big(String digits);

    /** The same with the digits as they stand in a document: what a reader that feeds calls, where it has them so. */
    default void big(byte[] data, int from, int to) {
        big(Utf8.string(data, from, to, true));
    }

    /** Text. Half a surrogate pair is possible: the sink that depends on the text being right checks it. */
    void str(String text);

    /**
     * Text as UTF-8. Readers have checked it, but where their dialect lets any bytes pass.
     *
     * @param ascii all bytes are known to be below 0x80
     * @throws DataException {@link Code#ENCODING} where the sink needs a String and the bytes are not UTF-8
     */
    default void str(byte[] data, int from, int to, boolean ascii) {
        str(Utf8.string(data, from, to, ascii));
    }

    /**
     * Whether the sink makes a String of text that is not plain ASCII: a reader that makes one while it looks at the
     * text calls {@link #str(String)} then.
     */
    default boolean wantsStrings() {
        return false;
    }

    /** Bytes that are not text. */
    void bin(byte[] data, int from, int to);

    /** A moment. */
    void time(Moment moment);

    /** A typed extension of MessagePack. */
    void ext(int type, byte[] data, int from, int to);

    /** Opens an array of count values; {@link #UNKNOWN} is allowed. */
    void array(long count);

    /**
     * An array without values: the same as its two verbs, in one call, which a format may do faster. Documents have
     * many of these, and few maps without pairs.
     */
    default void emptyArray() {
        array(0);
        end();
    }

    /** Opens a map of count pairs; {@link #UNKNOWN} is allowed. Order is kept, keys that come twice are passed on. */
    void map(long count);

    /** The key of the next value. */
    void key(String text);

    /** The key of the next value, as {@link #str(byte[], int, int, boolean)} has text. */
    default void key(byte[] data, int from, int to, boolean ascii) {
        key(Utf8.string(data, from, to, ascii));
    }

    /** The key of the next value, prepared once for all documents. */
    default void key(Name name) {
        key(name.text());
    }

    /** The next value is the key, of any kind, and the one behind it the value. */
    void keyIsNext();

    /** Closes the innermost open container. */
    void end();
}
