package kumihimo.path;

/**
 * What a projection promises at least about a document that it takes. Every format and every read dialect takes every
 * level; where a document can only be read whole, each of them is as good as STRICT.
 */
public enum Level {
    /** The whole document is valid, as if it had been read. */
    STRICT,
    /**
     * All of it is UTF-8, its strings are closed and well-formed, brackets balance in number, depth and one root;
     * besides, the root's members that a path leads into are valid in full. Of a binary document: what no path leads
     * to may be passed over by its headers; what is wanted is checked.
     */
    STRUCTURAL,
    /**
     * The caller vouches for the document; what is wanted is checked. On a broken document the result is unspecified,
     * but stays inside it.
     */
    TRUSTED
}
