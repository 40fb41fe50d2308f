package kumihimo.frame;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * Unpacks members one behind the other, and keeps the limits; {@code unpacker} of {@code engine/frame/frame.hpp}.
 * Offsets of errors count packed bytes. After an error nothing may be called but {@link #close}.
 */
final class Unpacker {
    private final Frame frame;
    private final Limits limits;
    private Expander library;
    private long taken;
    private long produced;
    private long members;
    /** A member's first bytes, while they are too few to tell what they are. */
    private final byte[] head = new byte[4];
    private int held;
    private boolean between = true;
    private boolean padding;
    private boolean drained = true;
    private int position;

    Unpacker(Frame frame, Limits limits) {
        this.frame = frame;
        this.limits = limits;
    }

    /** Where the last call of {@link #unpack} has left its input. */
    int position() {
        return position;
    }

    /**
     * Takes bytes from the front of in, and gives at most room bytes of text: how many. Fewer than room means that
     * there is no more text in what was given, and that all of it was taken.
     */
    int unpack(byte[] in, int from, int to, byte[] out, int at, int room) {
        int got = 0;
        position = from;
        while (got < room) {
            if (between) {
                if (position == to) return got;
                begin(in, to);
                continue;
            }
            if (position == to && drained) return got;
            run(in, position, to, out, at + got, room - got);
            position += library.taken;
            got += library.given;
            if (library.taken == 0 && library.given == 0 && !library.ended) {
                if (position == to) return got;
                // No library does that; a loop without end would be worse.
                throw fail(Code.SYNTAX, taken, frame.other());
            }
        }
        return got;
    }

    /** No byte follows. */
    void finish() {
        if (!between || held != 0 || members == 0) throw fail(Code.TRUNCATED, taken + held, frame.cut());
    }

    void close() {
        if (library != null) library.close();
        library = null;
    }

    /** Between members: another one, padding, or something else. */
    private void begin(byte[] in, int to) {
        if (frame.isPadded() && members != 0 && held == 0) {
            int first = position;
            while (position < to && in[position] == 0) position++;
            padding |= position != first;
            taken += position - first;
            if (position == to) return;
            if (padding) throw fail(Code.TRAILING, taken, frame.after());
        }
        Frame.Match is = Frame.Match.MORE;
        if (held == 0 && to - position >= head.length) {
            is = frame.begins(in, position, to);
        } else {
            while (is == Frame.Match.MORE && position < to) {
                head[held++] = in[position++];
                is = frame.begins(head, 0, held);
            }
            if (is == Frame.Match.MORE) return;
        }
        if (is == Frame.Match.NO) {
            throw members == 0 ? fail(Code.SYNTAX, 0, frame.other()) : fail(Code.TRAILING, taken, frame.after());
        }
        between = false;
        drained = false;
        int n = held;
        held = 0;
        for (int done = 0; done < n; done += library.taken) {
            run(head, done, n, head, 0, 0);
            if (library.taken == 0) throw fail(Code.SYNTAX, taken, frame.other());
            drained = true; // so few bytes hold no text
        }
    }

    /** One call to the library; counts, and tests the limits. */
    private void run(byte[] in, int from, int to, byte[] out, int at, int room) {
        if (library == null) library = frame.expander(limits);
        // One byte beyond a limit is enough to see that it is passed.
        long end = Math.min(limits.size(), most(taken + (to - from)));
        long left = Math.max(end - produced, 0);
        if (left < room) room = (int) left + 1;
        DataException wrong = null;
        try {
            library.expand(in, from, to, out, at, room);
        } catch (DataException e) {
            wrong = e;
        }
        taken += library.taken;
        produced += library.given;
        drained = library.given < room;
        if (produced > limits.size()) throw fail(Code.SIZE, taken, "the data expands beyond the size limit");
        if (produced > most(taken)) {
            throw fail(Code.SIZE, taken, "the data expands beyond the allowed ratio, as a decompression bomb does");
        }
        if (wrong != null) throw fail(wrong.code(), taken, wrong.reason());
        if (library.ended) {
            between = true;
            drained = true;
            members++;
        }
    }

    /** How many bytes of text so many packed ones may give. */
    private long most(long packed) {
        long ratio = Math.max(limits.ratio(), 1);
        return Math.max(packed > Long.MAX_VALUE / ratio ? Long.MAX_VALUE : packed * ratio, limits.ratioFloor());
    }

    private static DataException fail(Code code, long at, String what) {
        return new DataException(code, what, at);
    }
}
