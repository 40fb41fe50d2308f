package kumihimo.json;

/** Up to 48 bytes of a document that are expected to come again, in words that are compared as they are. Immutable. */
class JsonPiece {
    static final int LONGEST = 48;

    /** How many bytes it has. */
    final int size;

    /** How many bytes {@link #stands} looks at. */
    final int reach;

    /**
     * Words that overlap, and leave no byte out; of fewer than eight bytes the first, masked:
     *
     * <pre>
     *   9 to 16 bytes    0, size - 8
     *   17 to 32         0, 8, min(size - 8, 16), size - 8
     *   33 to 48         0, 8, 16, 24, min(size - 8, 32), size - 8
     * </pre>
     */
    private final long first;
    private final long last;
    private final long second;
    private final long third;
    private final long fourth;
    private final long fifth;
    private final long mask;
    private final int tail;
    private final int middle;
    private final int middle2;

    /** Remembers size bytes, 1 to 48, from p on; {@link #reach} bytes must be there. */
    JsonPiece(byte[] data, int p, int size) {
        this.size = size;
        tail = Math.max(0, size - 8);
        reach = tail + 8;
        middle = Math.min(tail, 16);
        middle2 = Math.min(tail, 32);
        mask = size >= 8 ? -1 : (1L << 8 * size) - 1;
        first = JsonWords.at(data, p) & mask;
        last = JsonWords.at(data, p + tail) & mask;
        second = size > 16 ? JsonWords.at(data, p + 8) : 0;
        third = size > 16 ? JsonWords.at(data, p + middle) : 0;
        fourth = size > 32 ? JsonWords.at(data, p + 24) : 0;
        fifth = size > 32 ? JsonWords.at(data, p + middle2) : 0;
    }

    /** Nothing: no bytes are equal to it. */
    JsonPiece() {
        size = 1;
        reach = 8;
        tail = 0;
        middle = 0;
        middle2 = 0;
        mask = 0;
        first = 1;
        last = 1;
        second = 0;
        third = 0;
        fourth = 0;
        fifth = 0;
    }

    /** Whether the bytes stand at p, where {@link #reach} bytes are there. */
    final boolean stands(byte[] data, int p) {
        long differ = JsonWords.at(data, p) & mask ^ first | JsonWords.at(data, p + tail) & mask ^ last;
        return differ == 0 && (size <= 16 || inside(data, p));
    }

    private boolean inside(byte[] data, int p) {
        long differ = JsonWords.at(data, p + 8) ^ second | JsonWords.at(data, p + middle) ^ third;
        if (size > 32) differ |= JsonWords.at(data, p + 24) ^ fourth | JsonWords.at(data, p + middle2) ^ fifth;
        return differ == 0;
    }
}
