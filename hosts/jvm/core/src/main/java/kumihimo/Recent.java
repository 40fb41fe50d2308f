package kumihimo;

import java.util.function.BiPredicate;

/**
 * The last few things that were made for a format by options, the newest first: who alternates between some has all of
 * them. A user's function in the options is not held, since a thread may outlive its program.
 */
final class Recent<T> {
    /** How many are kept. */
    private static final int ROOM = 4;

    /** Which options make the same thing. */
    private final BiPredicate<Options, Options> same;
    private final Format[] formats = new Format[ROOM];
    private final Options[] options = new Options[ROOM];
    private final Object[] also = new Object[ROOM];
    private final Object[] things = new Object[ROOM];

    Recent(BiPredicate<Options, Options> same) {
        this.same = same;
    }

    /** The thing for these, or null. */
    T find(Format format, Options by, Object and) {
        if (things[0] == null || formats[0] != format || options[0] != by || also[0] != and) {
            int i = 0;
            while (i < ROOM && !isFor(i, format, by, and)) i++;
            if (i == ROOM) return null;
            put(i, format, by, and, things[i]);
        }
        @SuppressWarnings("unchecked") // only T are added
        T found = (T) things[0];
        return found;
    }

    private boolean isFor(int i, Format format, Options by, Object and) {
        return things[i] != null && formats[i] == format && also[i] == and && same.test(options[i], by);
    }

    /** Adds what was made for these; the oldest one is dropped. */
    void add(Format format, Options by, Object and, T made) {
        put(ROOM - 1, format, by, and, made);
    }

    /** To the front, from place i or in its stead. */
    private void put(int i, Format format, Options by, Object and, Object thing) {
        for (; i > 0; i--) {
            formats[i] = formats[i - 1];
            options[i] = options[i - 1];
            also[i] = also[i - 1];
            things[i] = things[i - 1];
        }
        formats[0] = format;
        options[0] = by.otherwise() == null ? by : by.otherwise(null);
        also[0] = and;
        things[0] = thing;
    }

    /** The thing that was found or added last is not kept. */
    void drop() {
        things[0] = null;
        options[0] = null;
        also[0] = null;
    }
}
