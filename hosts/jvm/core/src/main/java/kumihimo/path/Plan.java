package kumihimo.path;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Names;
import kumihimo.Utf8;

/**
 * A set of paths as one automaton over the way from the root to a value: in a state a map's member leads to the
 * target of its key, an array's element to the target of its index or to {@code each}; what leads nowhere is passed
 * over. Paths that share a beginning share states, and {@code a[0]} beside {@code a[*]} is one state that serves
 * both. Immutable.
 *
 * <pre>
 *   last_price.price, timestamp      state 0 --"last_price"--> 1 --"price"--> 2 (path 0 ends)
 *                                    state 0 --"timestamp"---> 3 (path 1 ends)
 * </pre>
 */
final class Plan {
    static final int NOWHERE = -1;

    /** Sets of paths that mix [*] and numbers would need more than memory has. */
    private static final int MOST_STATES = 65536;

    /** Of a path that is under way in a state: what happens to its slots when a value of the state begins. */
    enum Live {
        /** The value is an element of the path's last [*]: a new slot begins. */
        FRESH,
        /** Behind the last [*], or there is none: the newest slot is the one to fill. */
        SLOT,
        /** Before the last [*] and after no other: a repeated key drops all slots. */
        LIST,
        /** Between two [*]: a repeated key drops the slots since its map began. */
        NESTED
    }

    /** A state's sides; see {@link Plan}. */
    static final class State {
        /** Names of wanted members by length, then bytes; beside them where they lead. */
        byte[][] keys;
        int[] members;
        /** Numbers of wanted elements, ascending; beside them where they lead. */
        long[] indexes;
        int[] elements;
        /** Where every other element leads. */
        int each;
        /** The paths that end here. */
        int[] ends;
        /** The paths that lead here, and what each does when a value begins. */
        int[] paths;
        Live[] lives;

        private Names names;

        /** The keys as names, in their order. */
        Names names() {
            return names;
        }

        boolean wantsMembers() {
            return keys.length != 0;
        }

        boolean wantsElements() {
            return indexes.length != 0 || each != NOWHERE;
        }

        /** The number of the key with these bytes, or {@link #NOWHERE}. */
        int find(byte[] data, int from, int to) {
            byte[][] keys = this.keys;
            if (keys.length > 8) return findOfMany(data, from, to);
            int size = to - from;
            for (int i = 0; i < keys.length; i++)
                if (keys[i].length == size && Arrays.equals(keys[i], 0, size, data, from, to)) return i;
            return NOWHERE;
        }

        private int findOfMany(byte[] data, int from, int to) {
            int low = 0;
            int high = keys.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                int order = keys[middle].length - (to - from);
                if (order == 0) order = Arrays.compare(keys[middle], 0, to - from, data, from, to);
                if (order == 0) return middle;
                if (order < 0) low = middle + 1;
                else high = middle;
            }
            return NOWHERE;
        }

        /** Where the element leads. */
        int find(long element) {
            if (indexes.length == 0) return each;
            int i = Arrays.binarySearch(indexes, element);
            return i >= 0 ? elements[i] : each;
        }
    }

    /** What wants nothing. */
    static final State NOTHING = new Compiler(new Path[0]).expand(new ArrayList<>());

    final State[] states;
    /** By path: has a [*]. */
    final boolean[] wild;

    private Plan(State[] states, boolean[] wild) {
        this.states = states;
        this.wild = wild;
    }

    /**
     * @throws DataException {@link Code#SIZE} where paths combine [*] and numbers in ways that need too many states
     */
    static Plan compile(Path[] paths) {
        return new Compiler(paths).run();
    }

    /** Subset construction over (path, steps taken). */
    private static final class Compiler {
        private final Path[] paths;
        private final Map<List<Long>, Integer> known = new HashMap<>();
        /** By state: its meaning, path << 32 | steps taken, ascending. */
        private final List<List<Long>> todo = new ArrayList<>();

        Compiler(Path[] paths) {
            this.paths = paths;
        }

        Plan run() {
            List<Long> root = new ArrayList<>();
            boolean[] wild = new boolean[paths.length];
            for (int i = 0; i < paths.length; i++) {
                root.add((long) i << 32);
                wild[i] = paths[i].wild();
            }
            known.put(root, 0);
            todo.add(root);
            List<State> states = new ArrayList<>();
            while (states.size() < todo.size()) {
                if (todo.size() > MOST_STATES)
                    throw new DataException(Code.SIZE,
                            "the paths mix [*] and numbers in too many ways; split them into several projections");
                states.add(expand(todo.get(states.size())));
            }
            return new Plan(states.toArray(new State[0]), wild);
        }

        private int stateOf(List<Long> positions) {
            if (positions.isEmpty()) return NOWHERE;
            Integer number = known.putIfAbsent(positions, todo.size());
            if (number != null) return number;
            todo.add(positions);
            return todo.size() - 1;
        }

        private State expand(List<Long> here) {
            State s = new State();
            s.paths = new int[here.size()];
            s.lives = new Live[here.size()];
            int[] ends = new int[here.size()];
            int endCount = 0;
            TreeMap<byte[], List<Long>> members = new TreeMap<>(Compiler::byLengthAndBytes);
            TreeMap<Long, List<Long>> elements = new TreeMap<>();
            List<Long> each = new ArrayList<>();
            for (int i = 0; i < s.paths.length; i++) {
                int path = (int) (here.get(i) >>> 32);
                int taken = here.get(i).intValue();
                s.paths[i] = path;
                s.lives[i] = live(paths[path], taken);
                if (taken == paths[path].size()) {
                    ends[endCount++] = path;
                    continue;
                }
                Step next = paths[path].step(taken);
                if (next.named()) members.computeIfAbsent(next.utf8(), k -> new ArrayList<>()).add(here.get(i) + 1);
                if (next.numbered()) elements.put(next.index(), new ArrayList<>());
                if (next.kind() == Step.Kind.EACH) each.add(here.get(i) + 1);
            }
            s.ends = Arrays.copyOf(ends, endCount);
            for (Long position : here) {
                Path path = paths[(int) (position >>> 32)];
                if (position.intValue() == path.size()) continue;
                Step next = path.step(position.intValue());
                if (next.numbered()) elements.get(next.index()).add(position + 1);
                if (next.kind() == Step.Kind.EACH) for (List<Long> one : elements.values()) one.add(position + 1);
            }
            s.keys = members.keySet().toArray(new byte[0][]);
            s.members = targets(members.values());
            s.names = names(s.keys);
            s.indexes = elements.keySet().stream().mapToLong(n -> n).toArray();
            s.elements = targets(elements.values());
            s.each = stateOf(each);
            return s;
        }

        private static Names names(byte[][] keys) {
            String[] texts = new String[keys.length];
            for (int i = 0; i < keys.length; i++) texts[i] = Utf8.string(keys[i], 0, keys[i].length, false);
            return Names.of(texts);
        }

        private int[] targets(java.util.Collection<List<Long>> of) {
            int[] targets = new int[of.size()];
            int i = 0;
            for (List<Long> positions : of) targets[i++] = stateOf(positions);
            return targets;
        }

        private static int byLengthAndBytes(byte[] a, byte[] b) {
            return a.length != b.length ? Integer.compare(a.length, b.length) : Arrays.compare(a, b);
        }

        private static Live live(Path path, int taken) {
            int behindLast = path.behindEach();
            if (behindLast == 0 || behindLast < taken) return Live.SLOT;
            if (behindLast == taken) return Live.FRESH;
            for (int i = 0; i < taken; i++) if (path.step(i).kind() == Step.Kind.EACH) return Live.NESTED;
            return Live.LIST;
        }
    }
}
