package kumihimo.format;

import kumihimo.Boundary;

/**
 * Where documents of a binary format end in a run of them, one behind the other, by a look at each header; as {@code
 * engine/core/header_walk.hpp}. Resumable, wherever the cut between two pieces falls. What a header says is the
 * format's own: {@link #step}.
 */
public abstract class HeaderWalk implements Boundary {
    /** Bytes of the last header's value that are not seen yet. */
    protected long payload;
    /** Nothing comes behind the payload. */
    protected boolean done;

    private final int longest;
    /** Begins the header that the last piece cut. */
    private final byte[] beginning;
    private int cut;
    private boolean complete;
    private boolean started;

    /** @param longest bytes that no header is longer than */
    protected HeaderWalk(int longest) {
        this.longest = longest;
        beginning = new byte[2 * longest];
    }

    /**
     * Takes the header at data[from], sets {@link #payload}, and {@link #done} where it ends the document.
     *
     * @return its size, or 0 where the bytes end inside it
     */
    protected abstract int step(byte[] data, int from, int to);

    /** Another document begins. */
    protected abstract void restart();

    @Override
    public final int next(byte[] data, int from, int to) {
        if (complete) begin();
        started |= from != to;
        int at = from;
        for (;;) {
            long here = Math.min(payload, to - at);
            at += (int) here;
            payload -= here;
            if (payload != 0) return to - from;
            if (done) {
                complete = true;
                return at - from;
            }
            if (at == to) return to - from;
            int used = cut == 0 ? step(data, at, to) : stepAcross(data, at, to);
            if (used == 0) {
                keep(data, at, to);
                return to - from;
            }
            at += used;
        }
    }

    private void begin() {
        payload = 0;
        done = complete = started = false;
        cut = 0;
        restart();
    }

    /**
     * The header that the last piece cut, with as much of this one as it can need: bytes of it in this piece, or 0.
     */
    private int stepAcross(byte[] data, int at, int to) {
        int more = Math.min(to - at, longest);
        System.arraycopy(data, at, beginning, cut, more);
        int used = step(beginning, 0, cut + more);
        if (used == 0) return 0;
        used -= cut;
        cut = 0;
        return used;
    }

    private void keep(byte[] data, int at, int to) {
        System.arraycopy(data, at, beginning, cut, to - at);
        cut += to - at;
    }

    @Override
    public final boolean complete() {
        return complete;
    }

    @Override
    public final boolean started() {
        return started && !complete;
    }

    @Override
    public final int passed() {
        return 0;
    }
}
