package kumihimo.cbor;

import kumihimo.Code;

/**
 * The content of a string, piece by piece: one where its length is definite, else its chunks.
 *
 * <pre>
 *   pieces.begin(data, at, end, header);          // at: the string's first byte
 *   while (pieces.next()) ...                     // pieces.from, pieces.to
 *   if (pieces.fault.code != null) ...            // broken; else pieces.at is behind the string
 * </pre>
 */
final class CborPieces {
    private static final String CUT_SHORT = "the input ends inside a value";

    final CborFault fault = new CborFault();
    int from;
    int to;
    /** Behind what was looked at. */
    int at;

    private final CborHeader chunk = new CborHeader();
    private byte[] data;
    private int end;
    private int start;
    private CborHeader.Kind kind;
    private boolean indefinite;
    private long definite;
    private boolean over;

    /** Lets go of the last document. */
    void forget() {
        data = null;
    }

    /** The header that was read at data[start] is not held. */
    void begin(byte[] data, int start, int end, CborHeader header) {
        fault.clear();
        this.data = data;
        this.end = end;
        this.start = start;
        at = start + header.size;
        kind = header.kind;
        indefinite = header.indefinite;
        definite = header.argument;
        over = false;
    }

    /** Passes everything over; false where the string is broken. */
    boolean skip() {
        while (next()) {}
        return fault.code == null;
    }

    /** Whether there is another piece. */
    boolean next() {
        if (over) return false;
        if (indefinite) return nextChunk();
        over = true;
        return take(definite, 0);
    }

    private boolean nextChunk() {
        chunk.read(data, at, end);
        if (chunk.kind == CborHeader.Kind.CUT) return fault.set(Code.TRUNCATED, start, CUT_SHORT);
        if (chunk.kind == CborHeader.Kind.STOP) {
            at++;
            over = true;
            return false;
        }
        if (chunk.kind != kind || chunk.indefinite) {
            return fault.set(Code.SYNTAX, at,
                    "a string of indefinite length has chunks of its own kind, each of a definite length");
        }
        return take(chunk.argument, chunk.size);
    }

    private boolean take(long n, int header) {
        if (Long.compareUnsigned(n, end - at - header) > 0) {
            over = true;
            return fault.set(Code.TRUNCATED, start, CUT_SHORT);
        }
        from = at + header;
        to = from + (int) n;
        at = to;
        return true;
    }
}
