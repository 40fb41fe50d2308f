package kumihimo.hash;

/** A hash of bytes that are given in pieces. */
interface Digest {
    void reset();

    void update(byte[] data, int from, int to);

    /** The hash of all that was given; then it begins anew. */
    byte[] digest();
}
