package kumihimo.path;

import java.util.Arrays;
import kumihimo.json.JsonEnds;
import kumihimo.json.JsonSkip;

/**
 * The exact walk over JSON: validates a value as strictly as a reader would, and gathers what the paths of a state
 * want from it. Values that no path leads into are passed over by {@link JsonSkip}.
 */
final class JsonWalk {
    private final Plan plan;
    private final Harvest harvest;
    private final JsonSkip skip = new JsonSkip();

    /**
     * Of each open container: its opening bracket, the number of its element under way (-1: it is a map), state,
     * marks.
     */
    private int[] frames = new int[4 * 16];

    JsonWalk(Plan plan, Harvest harvest) {
        this.plan = plan;
        this.harvest = harvest;
    }

    JsonSkip skip() {
        return skip;
    }

    /**
     * The byte behind the value that begins at p, or {@link JsonEnds#NONE}.
     *
     * @param state what the value belongs to; the caller has entered it
     * @param room containers that the value may have open at once
     */
    int value(int state, byte[] data, int p, int to, int room) {
        int depth = 0;
        for (;;) {
            // A value begins at p and belongs to `state`.
            if (p >= to) return JsonEnds.NONE;
            byte c = data[p];
            boolean open = false;
            if (state == Plan.NOWHERE || !enters(plan.states[state], c)) {
                int end = skip.value(data, p, to, room - depth);
                if (end == JsonEnds.NONE) return JsonEnds.NONE;
                if (state != Plan.NOWHERE) harvest.keep(plan.states[state], p, end);
                p = end;
            } else {
                if (depth == room) return JsonEnds.NONE;
                push(depth++, p, c, state);
                p = JsonEnds.space(data, p + 1, to);
                open = true;
            }

            for (;;) {
                if (depth == 0) return p;
                if (!open) p = JsonEnds.space(data, p, to);
                if (p >= to) return JsonEnds.NONE;
                int frame = (depth - 1) * 4;
                boolean map = frames[frame + 1] < 0;
                if (data[p] == (map ? '}' : ']')) {
                    p++;
                    depth--;
                    open = false;
                    harvest.keep(plan.states[frames[frame + 2]], frames[frame], p);
                    if (map) harvest.forgetMarks(frames[frame + 3]);
                    continue;
                }
                if (!open) {
                    if (data[p] != ',') return JsonEnds.NONE;
                    p = JsonEnds.space(data, p + 1, to);
                }
                if (map) {
                    long next = key(frame, data, p, to);
                    p = (int) next;
                    if (p == JsonEnds.NONE) return JsonEnds.NONE;
                    state = (int) (next >> 32);
                } else {
                    state = element(frame);
                }
                break;
            }
        }
    }

    /** Whether a path leads into the value that begins so. */
    private static boolean enters(Plan.State s, byte c) {
        return c == '{' ? s.wantsMembers() : c == '[' && s.wantsElements();
    }

    private void push(int depth, int p, byte c, int state) {
        int frame = depth * 4;
        if (frame == frames.length) frames = Arrays.copyOf(frames, frame * 2);
        frames[frame] = p;
        frames[frame + 1] = c == '{' ? -1 : 0;
        frames[frame + 2] = state;
        frames[frame + 3] = harvest.marks();
        if (c == '{') harvest.mark(plan.states[state]);
    }

    /** The state of the member whose key stands at p, above; the first byte of its value, below. */
    private long key(int frame, byte[] data, int p, int to) {
        if (p >= to || data[p] != '"') return JsonEnds.NONE;
        int close = JsonEnds.string(data, p + 1, to);
        if (close == JsonEnds.NONE) return JsonEnds.NONE;
        Plan.State holder = plan.states[frames[frame + 2]];
        int k = JsonKey.find(holder, data, p + 1, close);
        p = JsonEnds.space(data, Math.abs(close), to);
        if (p >= to || data[p] != ':') return JsonEnds.NONE;
        p = JsonEnds.space(data, p + 1, to);
        int state = Plan.NOWHERE;
        if (k != Plan.NOWHERE) {
            state = holder.members[k];
            harvest.enter(plan.states[state], holder, frames[frame + 3]);
        }
        return (long) state << 32 | p;
    }

    private int element(int frame) {
        int state = plan.states[frames[frame + 2]].find(frames[frame + 1]++);
        if (state != Plan.NOWHERE) harvest.enter(plan.states[state], null, 0);
        return state;
    }

    /**
     * The value of a root's member, from behind its colon: enters and walks it, and checks that a comma or the map's
     * end follows. The byte behind the value, or {@link JsonEnds#NONE}.
     */
    int member(int state, byte[] data, int p, int to, int room) {
        p = JsonEnds.space(data, p, to);
        harvest.enter(plan.states[state], null, 0);
        p = value(state, data, p, to, room);
        if (p == JsonEnds.NONE) return JsonEnds.NONE;
        int next = JsonEnds.space(data, p, to);
        return next < to && (data[next] == ',' || data[next] == '}') ? p : JsonEnds.NONE;
    }
}
