package kumihimo;

/**
 * Finds where one document ends in a stream of them that comes in pieces, without building anything: by brackets and
 * quotes in JSON, by headers in binary formats. For one thread; knows the rules of {@code tests/vectors/README.md},
 * "Streams".
 */
public interface Boundary {
    /**
     * Looks at the next bytes of the stream.
     *
     * @return how many of them belong to the document (or stand before it and to none); if {@link #complete} is true
     *     then, the document has ended there, and the next call begins another one
     */
    int next(byte[] data, int from, int to);

    /** The last call found the document's end. */
    boolean complete();

    /** Bytes of a document have been seen whose end has not. */
    boolean started();

    /** Of the bytes that the last call took: how many stand before the document and belong to none. */
    int passed();
}
