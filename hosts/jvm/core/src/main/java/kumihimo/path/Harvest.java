package kumihimo.path;

import java.util.Arrays;

/**
 * What a projection brings home of one document: by path its slots, one for each element of the path's last [*], or
 * one. Kept from document to document for their memory.
 */
final class Harvest {
    /** Nothing was found; no value is empty. */
    private static final long ABSENT = 0;

    /** By path its slots, offset << 32 | length; and how many of them are in use. */
    private long[][] slots = new long[0][];
    private int[] counts = new int[0];
    private boolean[] wild = new boolean[0];
    /** Offsets count from here. */
    private int origin;

    /** How many slots the nested paths of open maps had when these began. */
    private int[] marks = new int[8];
    private int markCount;

    /** Forgets the last document; one empty slot for each path without [*]. */
    void begin(Plan plan, int origin) {
        this.origin = origin;
        markCount = 0;
        if (wild != plan.wild) adopt(plan);
        for (int i = 0; i < counts.length; i++) {
            slots[i][0] = ABSENT;
            counts[i] = wild[i] ? 0 : 1;
        }
    }

    private void adopt(Plan plan) {
        wild = plan.wild;
        counts = new int[wild.length];
        slots = new long[wild.length][1];
    }

    /**
     * A value of a state begins: prepares the slots of the paths that lead there.
     *
     * @param holder the state of the map that it is a member of, or null for an array's element and a member of the
     *     root
     * @param from where the marks of that map begin
     */
    void enter(Plan.State s, Plan.State holder, int from) {
        for (int i = 0; i < s.paths.length; i++) {
            int path = s.paths[i];
            switch (s.lives[i]) {
                case FRESH:
                    add(path);
                    break;
                case SLOT:
                    slots[path][counts[path] - 1] = ABSENT;
                    break;
                case LIST:
                    counts[path] = 0;
                    break;
                default:
                    if (holder != null) backToMark(path, holder, from);
            }
        }
    }

    private void backToMark(int path, Plan.State holder, int from) {
        for (int i = 0, mark = from; i < holder.paths.length; i++) {
            if (holder.lives[i] != Plan.Live.NESTED) continue;
            if (holder.paths[i] == path) counts[path] = marks[mark];
            mark++;
        }
    }

    private void add(int path) {
        int n = counts[path]++;
        if (n == slots[path].length) slots[path] = Arrays.copyOf(slots[path], n * 2);
        slots[path][n] = ABSENT;
    }

    /** Notes how many slots the nested paths of a map's state have when it begins. */
    void mark(Plan.State s) {
        for (int i = 0; i < s.paths.length; i++) {
            if (s.lives[i] != Plan.Live.NESTED) continue;
            if (markCount == marks.length) marks = Arrays.copyOf(marks, markCount * 2);
            marks[markCount++] = counts[s.paths[i]];
        }
    }

    int marks() {
        return markCount;
    }

    void forgetMarks(int from) {
        markCount = from;
    }

    /** The value of a state lies there. Returns how many of the paths that end in the state had none. */
    int keep(Plan.State s, int from, int to) {
        int fresh = 0;
        for (int path : s.ends) {
            int slot = counts[path] - 1;
            if (slots[path][slot] == ABSENT) fresh++;
            slots[path][slot] = (long) (from - origin) << 32 | to - from;
        }
        return fresh;
    }

    int count(int path) {
        return counts[path];
    }

    int offset(int path, int i) {
        return i < counts[path] ? (int) (slots[path][i] >>> 32) : 0;
    }

    int length(int path, int i) {
        return i < counts[path] ? (int) slots[path][i] : 0;
    }

    boolean isWild(int path) {
        return wild[path];
    }
}
