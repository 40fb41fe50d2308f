package kumihimo.path;

import java.util.Arrays;
import kumihimo.Kind;
import kumihimo.Names;
import kumihimo.Reader;

/**
 * A few values out of documents of any format whose values can be read alone: the reader goes into what a path leads
 * into, and passes over the rest, which in binary formats costs no more than a look at each header. The whole
 * document is one that the reader takes; at the level trusted it looks for nothing more once every path has its
 * value, where no path has a [*].
 */
final class ReaderProjector extends Projector {
    private final Reader reader;
    private final boolean hurried;

    /** Of each open container: its first byte, the number of its element under way (-1: it is a map), state, marks. */
    private int[] frames = new int[4 * 16];

    /** @param reader of the documents; it is used by this projector alone */
    ReaderProjector(Projection what, Level level, Reader reader) {
        super(what);
        this.reader = reader;
        boolean wild = false;
        for (boolean one : plan.wild) wild |= one;
        hurried = level == Level.TRUSTED && !wild;
    }

    @Override
    void run(byte[] data, int from, int to) {
        harvest.begin(plan, 0);
        reader.reset(data, from, to);
        if (walk()) reader.finish();
    }

    @Override
    void forget() {
        reader.release();
    }

    /** Reads the document; false where it was left in the middle. */
    private boolean walk() {
        int missing = plan.wild.length;
        int depth = 0;
        int state = 0;
        for (;;) {
            // A value comes next, and belongs to `state`.
            if (state == Plan.NOWHERE) {
                reader.skip();
            } else if (enters(plan.states[state])) {
                push(depth++, state);
            } else {
                int begin = reader.position();
                reader.skip();
                missing -= harvest.keep(plan.states[state], begin, reader.consumed());
                if (hurried && missing == 0 && (missing = absent()) == 0) return false;
            }

            for (;;) {
                if (depth == 0) return true;
                int frame = (depth - 1) * 4;
                state = next(frame);
                if (state != END) break;
                depth--;
                missing -= harvest.keep(plan.states[frames[frame + 2]], frames[frame], reader.consumed());
                if (frames[frame + 1] < 0) harvest.forgetMarks(frames[frame + 3]);
                if (hurried && missing == 0 && (missing = absent()) == 0) return false;
            }
        }
    }

    /** No state: the container has ended. */
    private static final int END = -2;

    /** Whether a path leads into the value that comes next. */
    private boolean enters(Plan.State s) {
        Kind kind = reader.kind();
        return kind == Kind.MAP ? s.wantsMembers() : kind == Kind.ARRAY && s.wantsElements();
    }

    private void push(int depth, int state) {
        int frame = depth * 4;
        if (frame == frames.length) frames = Arrays.copyOf(frames, frame * 2);
        boolean map = reader.kind() == Kind.MAP;
        frames[frame] = reader.position();
        frames[frame + 1] = map ? -1 : 0;
        frames[frame + 2] = state;
        frames[frame + 3] = harvest.marks();
        if (map) {
            harvest.mark(plan.states[state]);
            reader.map();
        } else {
            reader.array();
        }
    }

    /** The state of the container's next value, or END. */
    private int next(int frame) {
        Plan.State s = plan.states[frames[frame + 2]];
        if (frames[frame + 1] < 0) {
            int k = reader.field(s.names(), -1);
            if (k == Names.END) return END;
            if (k == Names.OTHER) return Plan.NOWHERE;
            harvest.enter(plan.states[s.members[k]], s, frames[frame + 3]);
            return s.members[k];
        }
        if (!reader.hasNext()) return END;
        int state = s.find(frames[frame + 1]++);
        if (state != Plan.NOWHERE) harvest.enter(plan.states[state], null, 0);
        return state;
    }

    /** Paths without a value: one whose key came twice was counted twice, so that zero has to be looked at. */
    private int absent() {
        int n = 0;
        for (int i = 0; i < plan.wild.length; i++) if (harvest.length(i, 0) == 0) n++;
        return n;
    }
}
