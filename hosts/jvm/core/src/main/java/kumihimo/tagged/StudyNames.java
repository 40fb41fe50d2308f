package kumihimo.tagged;

import java.util.Arrays;

/**
 * The names of a document of the layout study, by their tags: the tag, and where the name stands. Tags are in order.
 */
final class StudyNames {
    private int[] tags = new int[16];
    /** From and to of name n at 2n. */
    private int[] places = new int[32];
    private int size;

    void clear() {
        size = 0;
    }

    void add(int tag, int from, int to) {
        if (size == tags.length) {
            tags = Arrays.copyOf(tags, 2 * size);
            places = Arrays.copyOf(places, 4 * size);
        }
        tags[size] = tag;
        places[2 * size] = from;
        places[2 * size++ + 1] = to;
    }

    int from(int n) {
        return places[2 * n];
    }

    int to(int n) {
        return places[2 * n + 1];
    }

    /** The name of a tag, or -1. */
    int find(int tag) {
        int n = Arrays.binarySearch(tags, 0, size, tag);
        return n < 0 ? -1 : n;
    }

    /** Puts the names in the order of their tags; where the later of two with one tag begins, or -1. */
    int sort() {
        boolean sorted = true;
        for (int i = 1; i < size; i++) sorted &= tags[i - 1] < tags[i];
        if (sorted) return -1;
        long[] order = new long[size];
        for (int i = 0; i < size; i++) order[i] = (long) tags[i] << 32 | i;
        Arrays.sort(order);
        int[] sortedTags = new int[size];
        int[] sortedPlaces = new int[2 * size];
        for (int i = 0; i < size; i++) {
            int n = (int) order[i];
            sortedTags[i] = tags[n];
            sortedPlaces[2 * i] = from(n);
            sortedPlaces[2 * i + 1] = to(n);
        }
        tags = sortedTags;
        places = sortedPlaces;
        for (int i = 1; i < size; i++) {
            if (tags[i - 1] == tags[i]) return Math.max(from(i - 1), from(i));
        }
        return -1;
    }
}
