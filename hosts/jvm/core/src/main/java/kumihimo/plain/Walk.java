package kumihimo.plain;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Name;
import kumihimo.Sink;
import kumihimo.Writer;
import kumihimo.hash.HashWriter;

/**
 * Java values as verbs:
 *
 * <pre>
 *   null, an empty Optional               null       BigInteger            i64, u64, or big
 *   Boolean, AtomicBoolean                boolean    BigDecimal            big; i64, u64 where its scale is 0
 *   Byte, Short, Integer, Long,           i64        other Numbers         as a BigDecimal of what they print
 *   AtomicInteger, AtomicLong, Year                  Instant, Date         time utc
 *   Float, Double                         f64        OffsetDateTime,       time offset; utc where the offset is 0
 *   CharSequence, Character, char[],      str        ZonedDateTime
 *   Enum (its name), UUID, URI, URL,                 LocalDate             time date
 *   Path, File, Class (its name),                    LocalDateTime         time naive
 *   Locale (its tag), Currency, Charset, and         Map                   map
 *   what else java.time has                          records, beans        map, by Shape
 *   byte[], ByteBuffer                    bin        Iterable, Iterator,   array
 *   Extension                             ext        other arrays
 * </pre>
 *
 * <p>No recursion beyond a few levels: a value that holds itself, or one that is nested deeper than the limit, is
 * {@link Code#DEPTH}. For one thread; can be used again.
 */
final class Walk extends Scalars {
    /** Of {@link #nested} and {@link #levels}: no more, however deep the value is. */
    private static final int FRAMES = 32;

    private final boolean omitNulls;
    private final NameCache names = new NameCache();
    private Level[] levels = new Level[16];
    private int depth;
    /** Containers around the one at hand that are frames of {@link #nested}, and those of {@link #levels} between. */
    private int held;
    private int callers;
    /** What is written to; null where it is none. */
    private Writer writer;
    private Sink sink;
    private final BiConsumer<Object, Object> each = this::pair;

    /**
     * @param limit containers in one another
     * @param omitNulls properties of records and beans that are null, or an empty Optional, are left out
     * @param otherwise makes another value of one that is nothing of the above; or null
     */
    public Walk(int limit, boolean omitNulls, Function<Object, Object> otherwise) {
        super(limit, otherwise);
        this.omitNulls = omitNulls;
    }

    /** What is still to come of an open container. */
    private static final class Level {
        /** A map's entries, or an array's values; null where the next two are used. */
        Iterator<?> rest;
        boolean map;
        /** Values by index: an array's, or of a shape those that are null where they are left out. */
        List<?> list;
        Object[] values;
        Shape shape;
        int next;
        int end;

        void clear() {
            rest = null;
            list = null;
            values = null;
            shape = null;
        }
    }

    /** A value in the place of null in a shape whose nulls are left out. */
    private static final Object LEFT_OUT = new Object();

    /**
     * Calls the verbs of one value.
     *
     * @throws DataException {@link Code#DEPTH}; {@link Code#UNSUPPORTED} for an object that has no properties;
     *     {@link Code#HOST} with its cause where a getter fails
     */
    public void run(Object value, Sink to) {
        clear();
        names.begin();
        writer = to instanceof Writer ? (Writer) to : null;
        try {
            if (!scalar(value, to)) nested(container, to);
        } finally {
            clear();
        }
    }

    private void clear() {
        while (depth > 0) levels[--depth].clear();
        held = 0;
        callers = 0;
        writer = null;
        sink = null;
        forget();
    }

    /**
     * A container. As long as there are few around it each is a frame of this method: what it has left to do is in
     * registers then, and not in a {@link Level}.
     */
    private void nested(Object value, Sink to) {
        if (held + callers >= FRAMES || held + depth >= limit) {
            levels(value, to);
            return;
        }
        Class<?> c = value.getClass();
        held++;
        if (c == ArrayList.class) {
            list((ArrayList<?>) value, to);
        } else if (c == SharedKeysMap.class && ((SharedKeysMap) value).keys() != null) {
            map((SharedKeysMap) value, to);
        } else if (c == LinkedHashMap.class || c == HashMap.class) {
            map((Map<?, ?>) value, to);
        } else {
            held--;
            levels(value, to);
            return;
        }
        held--;
    }

    private void list(ArrayList<?> list, Sink to) {
        int n = list.size();
        if (n == 0) {
            to.emptyArray();
            return;
        }
        to.array(n);
        for (int i = 0; i < n; i++) {
            if (!scalar(list.get(i), to)) nested(container, to);
        }
        to.end();
    }

    private void map(Map<?, ?> map, Sink to) {
        to.map(map.size());
        sink = to;
        map.forEach(each); // an iterator costs an object, and more calls for each pair
        to.end();
    }

    private void pair(Object key, Object value) {
        Sink to = sink;
        if (key instanceof String) {
            pair((String) key, value, to);
        } else {
            key(key, to);
            if (!scalar(value, to)) nested(container, to);
        }
    }

    private void map(SharedKeysMap map, Sink to) {
        SharedKeys keys = map.keys();
        Object[] values = map.valuesByKey();
        to.map(values.length);
        for (int i = 0; i < values.length; i++) pair(keys.get(i), values[i], to);
        to.end();
    }

    /** In one step where both are of the usual kinds. */
    private void pair(String key, Object value, Sink to) {
        Name name = names.find(key);
        Writer writer = this.writer;
        if (name == null) {
            to.key(key);
        } else if (writer == null) {
            to.key(name);
        } else if (value instanceof String) {
            writer.field(name, (String) value);
            return;
        } else if (value instanceof Integer) {
            writer.field(name, ((Integer) value).longValue());
            return;
        } else if (value instanceof Long) {
            writer.field(name, (Long) value);
            return;
        } else if (value instanceof Boolean) {
            writer.field(name, (Boolean) value);
            return;
        } else {
            writer.key(name);
        }
        if (!scalar(value, to)) nested(container, to);
    }

    /** A container, of any kind, by levels; what is in it by frames, if there are some left. */
    private void levels(Object value, Sink to) {
        int base = depth;
        open(value, to);
        while (depth > base) {
            Level top = levels[depth - 1];
            boolean closed;
            if (top.map) closed = map(top, to);
            else if (top.list != null) closed = list(top, to);
            else if (top.shape != null) closed = shape(top, to);
            else closed = iterator(top, to);
            if (closed) {
                to.end();
                top.clear();
                depth--;
            } else if (held + callers < FRAMES) {
                callers++;
                nested(container, to);
                callers--;
            } else {
                open(container, to);
            }
        }
    }

    // Each of the next four goes on with a container until another one is to be opened in it (false), or it ends
    // (true).

    private boolean map(Level top, Sink to) {
        Iterator<?> rest = top.rest;
        while (rest.hasNext()) {
            Map.Entry<?, ?> pair = (Map.Entry<?, ?>) rest.next();
            Object key = pair.getKey();
            if (key instanceof String) names.key((String) key, to);
            else key(key, to);
            if (!scalar(pair.getValue(), to)) return false;
        }
        return true;
    }

    private boolean list(Level top, Sink to) {
        List<?> list = top.list;
        int i = top.next;
        for (int end = top.end; i < end; ) {
            if (scalar(list.get(i++), to)) continue;
            top.next = i;
            return false;
        }
        return true;
    }

    private boolean iterator(Level top, Sink to) {
        while (top.rest.hasNext()) {
            if (!scalar(top.rest.next(), to)) return false;
        }
        return true;
    }

    private boolean shape(Level top, Sink to) {
        while (top.next < top.end) {
            int i = top.next++;
            Object value = top.values[i];
            if (value == LEFT_OUT) continue;
            to.key(top.shape.readableNames.get(i));
            if (!scalar(value, to)) return false;
        }
        return true;
    }

    private void key(Object key, Sink to) {
        if (key instanceof Enum) {
            to.key(((Enum<?>) key).name());
        } else if (key instanceof CharSequence || key instanceof Character || key instanceof UUID) {
            to.key(key.toString());
        } else {
            to.keyIsNext();
            if (scalar(key, to)) return;
            // A key that is a container: as deep as it may be, its own walk is one, and its keys' another.
            new Walk(limit - held - depth, omitNulls, otherwise).run(container, to);
        }
    }

    private Level push() {
        if (held + depth >= limit) {
            throw new DataException(Code.DEPTH, "containers are nested deeper than the limit, or hold themselves");
        }
        if (depth == levels.length) levels = Arrays.copyOf(levels, depth * 2);
        Level top = levels[depth];
        if (top == null) top = levels[depth] = new Level();
        depth++;
        top.map = false;
        top.next = 0;
        return top;
    }

    private void open(Object value, Sink to) {
        Level top = push();
        Class<?> c = value.getClass();
        if (c == ArrayList.class) {
            openList(top, (List<?>) value, to);
        } else if (c == LinkedHashMap.class || value instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) value;
            top.map = true;
            top.rest = map.entrySet().iterator();
            to.map(map.size());
        } else if (value instanceof List && value instanceof RandomAccess) {
            openList(top, (List<?>) value, to);
        } else if (value instanceof Iterable) {
            top.rest = ((Iterable<?>) value).iterator();
            if (value instanceof Set && to instanceof HashWriter) ((HashWriter) to).set(((Set<?>) value).size());
            else to.array(value instanceof Collection ? ((Collection<?>) value).size() : Sink.UNKNOWN);
        } else if (value instanceof Object[]) {
            openList(top, Arrays.asList((Object[]) value), to);
        } else if (value instanceof Iterator) {
            top.rest = (Iterator<?>) value;
            to.array(Sink.UNKNOWN);
        } else if (value.getClass().isArray()) {
            numbers(value, to);
            top.list = List.of();
            top.end = 0;
        } else {
            openShape(top, value, to);
        }
    }

    private static void openList(Level top, List<?> list, Sink to) {
        top.list = list;
        top.end = list.size();
        to.array(top.end);
    }

    private void openShape(Level top, Object value, Sink to) {
        Shape shape = Shape.of(value.getClass());
        int n = shape.readable.length;
        int count = n;
        Object[] values = new Object[n];
        for (int i = 0; i < n; i++) {
            values[i] = shape.get(i, value);
            if (!omitNulls || !isNull(values[i])) continue;
            values[i] = LEFT_OUT;
            count--;
        }
        top.shape = shape;
        top.values = values;
        top.end = n;
        to.map(count);
    }

    /** The values of an array of primitives; its end follows. */
    private static void numbers(Object array, Sink to) {
        int n = Array.getLength(array);
        to.array(n);
        if (array instanceof int[]) {
            for (int x : (int[]) array) to.i64(x);
        } else if (array instanceof long[]) {
            for (long x : (long[]) array) to.i64(x);
        } else if (array instanceof double[]) {
            for (double x : (double[]) array) to.f64(x);
        } else if (array instanceof float[]) {
            for (float x : (float[]) array) f32(x, to);
        } else if (array instanceof short[]) {
            for (short x : (short[]) array) to.i64(x);
        } else {
            for (boolean x : (boolean[]) array) to.bool(x);
        }
    }
}
