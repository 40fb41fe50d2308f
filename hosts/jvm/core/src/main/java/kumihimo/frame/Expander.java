package kumihimo.frame;

/** What unpacks: one member after the other. */
abstract class Expander {
    /** What the last call did: bytes in, bytes out. */
    int taken;

    int given;

    /** The last call found the member's end, and {@link #taken} stands behind it. */
    boolean ended;

    /**
     * Takes bytes of the member, gives text into at most room bytes.
     *
     * @throws kumihimo.DataException without an offset; {@link #taken} and {@link #given} hold what was done before
     */
    abstract void expand(byte[] in, int from, int to, byte[] out, int at, int room);

    /** Gives back what the collector does not know of. */
    abstract void close();
}
