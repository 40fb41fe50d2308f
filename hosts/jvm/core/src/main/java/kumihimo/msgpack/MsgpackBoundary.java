package kumihimo.msgpack;

import kumihimo.format.HeaderWalk;

/**
 * Where documents end in a run of MessagePack values, one behind the other. Nothing is nested here: a container's
 * header adds its values to those that are still to come, and the document ends when none is. Whether the document is
 * valid is the reader's question.
 *
 * <pre>
 *   92 a3 61 62 63 c0        to come 1 -> 2 -> 1 -> 0
 * </pre>
 */
public final class MsgpackBoundary extends HeaderWalk {
    private final MsgpackHeader header = new MsgpackHeader();
    private long toCome = 1; // values; no input is long enough for a wrap

    public MsgpackBoundary() {
        super(MsgpackHeader.LONGEST);
    }

    @Override
    protected int step(byte[] data, int from, int to) {
        header.read(data, from, to);
        if (header.kind == MsgpackHeader.Kind.CUT) return 0;
        payload = header.payload;
        toCome += header.values;
        done = --toCome == 0;
        return header.size;
    }

    @Override
    protected void restart() {
        toCome = 1;
    }
}
