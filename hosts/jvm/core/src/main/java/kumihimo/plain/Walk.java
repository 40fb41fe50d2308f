package kumihimo.plain;

import java.io.File;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.RandomAccess;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Sink;
import kumihimo.Utf8;
import kumihimo.Writer;
import kumihimo.hash.HashWriter;
import kumihimo.scalar.NumberText;

/**
 * Java values as verbs:
 *
 * <pre>
 *   null, an empty Optional               null       BigInteger            i64, u64, or big
 *   Boolean, AtomicBoolean                boolean    BigDecimal            big; i64, u64 where its scale is 0
 *   Byte, Short, Integer, Long,           i64        other Numbers         as a BigDecimal of what they print
 *   AtomicInteger, AtomicLong                        Instant, Date         time utc
 *   Float, Double                         f64        OffsetDateTime,       time offset; utc where the offset is 0
 *   CharSequence, Character, char[],      str        ZonedDateTime
 *   Enum (its name), UUID, URI, URL,                 LocalDate             time date
 *   Path, File, Class (its name),                    LocalDateTime         time naive
 *   Locale, Currency, Charset, and                   Map                   map
 *   what else java.time has                          records, beans        map, by Shape
 *   byte[], ByteBuffer                    bin        Iterable, Iterator,   array
 *   Extension                             ext        other arrays
 * </pre>
 *
 * <p>No recursion: a value that holds itself, or one that is nested deeper than the limit, is {@link Code#DEPTH}. For
 * one thread; can be used again.
 */
final class Walk {
    private final int limit;
    private final boolean omitNulls;
    private final Function<Object, Object> otherwise;
    private final NameCache names = new NameCache();
    private Level[] levels = new Level[16];
    private int depth;
    /** The last value that {@link #scalar} did not write. */
    private Object container;
    /** How many values in one another were made by {@link #otherwise}. */
    private int replacements;

    /**
     * @param limit containers in one another
     * @param omitNulls properties of records and beans that are null, or an empty Optional, are left out
     * @param otherwise makes another value of one that is nothing of the above; or null
     */
    public Walk(int limit, boolean omitNulls, Function<Object, Object> otherwise) {
        this.limit = limit;
        this.omitNulls = omitNulls;
        this.otherwise = otherwise;
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
        try {
            if (scalar(value, to)) return;
            open(container, to);
            while (depth > 0) {
                Level top = levels[depth - 1];
                boolean closed;
                if (top.map) closed = map(top, to);
                else if (top.list != null) closed = list(top, to);
                else if (top.shape != null) closed = shape(top, to);
                else closed = iterator(top, to);
                if (!closed) continue;
                to.end();
                top.clear();
                depth--;
            }
        } finally {
            clear();
        }
    }

    private void clear() {
        while (depth > 0) levels[--depth].clear();
        container = null;
        replacements = 0;
    }

    // Each of the next four goes on with a container until another one opens in it (false), or it ends (true).

    private boolean map(Level top, Sink to) {
        Iterator<?> rest = top.rest;
        while (rest.hasNext()) {
            Map.Entry<?, ?> pair = (Map.Entry<?, ?>) rest.next();
            Object key = pair.getKey();
            if (key instanceof String) names.key((String) key, to);
            else key(key, to);
            Object value = pair.getValue();
            if (scalar(value, to)) continue;
            open(container, to);
            return false;
        }
        return true;
    }

    private boolean list(Level top, Sink to) {
        List<?> list = top.list;
        int i = top.next;
        for (int end = top.end; i < end; ) {
            Object value = list.get(i++);
            if (scalar(value, to)) continue;
            top.next = i;
            open(container, to);
            return false;
        }
        return true;
    }

    private boolean iterator(Level top, Sink to) {
        while (top.rest.hasNext()) {
            Object value = top.rest.next();
            if (scalar(value, to)) continue;
            open(container, to);
            return false;
        }
        return true;
    }

    private boolean shape(Level top, Sink to) {
        while (top.next < top.end) {
            int i = top.next++;
            Object value = top.values[i];
            if (value == LEFT_OUT) continue;
            to.key(top.shape.readableNames.get(i));
            if (scalar(value, to)) continue;
            open(container, to);
            return false;
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
            new Walk(limit - depth, omitNulls, otherwise).run(container, to);
        }
    }

    private Level push() {
        if (depth >= limit) {
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

    private static boolean isNull(Object value) {
        return value == null || value instanceof Optional && !((Optional<?>) value).isPresent()
                || value instanceof OptionalInt && !((OptionalInt) value).isPresent()
                || value instanceof OptionalLong && !((OptionalLong) value).isPresent()
                || value instanceof OptionalDouble && !((OptionalDouble) value).isPresent();
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

    private static void f32(float x, Sink to) {
        if (to instanceof Writer) ((Writer) to).f32(x);
        else to.f64(x);
    }

    /**
     * Whether the value is no container; its verb is called then, else {@link #container} is what must be opened. The
     * usual classes come first.
     */
    private boolean scalar(Object value, Sink to) {
        if (value instanceof String) {
            to.str((String) value);
        } else if (value instanceof Long) {
            to.i64((Long) value);
        } else if (value instanceof Integer) {
            to.i64((Integer) value);
        } else if (value instanceof Double) {
            to.f64((Double) value);
        } else if (value instanceof Boolean) {
            to.bool((Boolean) value);
        } else if (value == null) {
            to.nil();
        } else {
            return isUsual(value.getClass(), value) ? false : other(value, to);
        }
        return true;
    }

    /** By their own classes first: the JVM must search for whether a class has an interface. */
    private boolean isUsual(Class<?> c, Object value) {
        container = value;
        return c == LinkedHashMap.class || c == ArrayList.class || c == HashMap.class || value instanceof Map
                || value instanceof List;
    }

    private boolean other(Object value, Sink to) {
        if (value instanceof Number) {
            number((Number) value, to);
        } else if (value instanceof byte[]) {
            to.bin((byte[]) value, 0, ((byte[]) value).length);
        } else if (value instanceof Enum) {
            to.str(((Enum<?>) value).name());
        } else if (value instanceof char[]) {
            to.str(String.valueOf((char[]) value));
        } else if (value instanceof CharSequence || value instanceof Character || value instanceof UUID) {
            to.str(value.toString());
        } else if (value instanceof Extension) {
            ((Extension) value).writeTo(to);
        } else if (value instanceof ByteBuffer) {
            byte[] data = new byte[((ByteBuffer) value).remaining()];
            ((ByteBuffer) value).duplicate().get(data);
            to.bin(data, 0, data.length);
        } else if (value instanceof AtomicBoolean) {
            to.bool(((AtomicBoolean) value).get());
        } else if (isOptional(value)) {
            return scalar(content(value), to);
        } else if (isText(value)) {
            to.str(value.toString());
        } else {
            return time(value, to) || structure(value, to);
        }
        return true;
    }

    private static boolean isOptional(Object value) {
        return value instanceof Optional || value instanceof OptionalInt || value instanceof OptionalLong
                || value instanceof OptionalDouble;
    }

    private static Object content(Object optional) {
        if (optional instanceof Optional) return ((Optional<?>) optional).orElse(null);
        if (isNull(optional)) return null;
        if (optional instanceof OptionalInt) return ((OptionalInt) optional).getAsInt();
        if (optional instanceof OptionalLong) return ((OptionalLong) optional).getAsLong();
        return ((OptionalDouble) optional).getAsDouble();
    }

    /** Classes whose toString is a spelling that their own class reads again. */
    private static boolean isText(Object value) {
        return value instanceof URI || value instanceof URL || value instanceof Path || value instanceof File
                || value instanceof Locale || value instanceof Currency || value instanceof Charset;
    }

    private boolean time(Object value, Sink to) {
        if (value instanceof Instant) to.time(Moments.of((Instant) value));
        else if (value instanceof OffsetDateTime) to.time(Moments.of((OffsetDateTime) value));
        else if (value instanceof ZonedDateTime) to.time(Moments.of(((ZonedDateTime) value).toOffsetDateTime()));
        else if (value instanceof LocalDateTime) to.time(Moments.of((LocalDateTime) value));
        else if (value instanceof LocalDate) to.time(Moments.of((LocalDate) value));
        else if (value instanceof Date) to.time(Moments.of(Instant.ofEpochMilli(((Date) value).getTime())));
        else if (value.getClass().getName().startsWith("java.time.")) to.str(value.toString());
        else return false;
        return true;
    }

    /** Everything else: containers, and what the caller makes of what is none. */
    private boolean structure(Object value, Sink to) {
        if (value instanceof Iterable || value instanceof Iterator || value.getClass().isArray()) {
            container = value;
            return false;
        }
        if (value instanceof Class) {
            to.str(((Class<?>) value).getName());
            return true;
        }
        if (otherwise != null && replacements < limit) {
            Object other = otherwise.apply(value);
            if (other != value) {
                replacements++;
                boolean done = scalar(other, to);
                replacements--;
                return done;
            }
        }
        Shape shape = Shape.of(value.getClass());
        if (shape.readable.length == 0 && !shape.isRecord()) {
            throw new DataException(Code.UNSUPPORTED, value.getClass().getName() + " has no public fields or getters");
        }
        container = value;
        return false;
    }

    private static void number(Number value, Sink to) {
        if (value instanceof BigInteger) {
            integer((BigInteger) value, to);
        } else if (value instanceof BigDecimal) {
            BigDecimal decimal = (BigDecimal) value;
            if (decimal.scale() == 0) integer(decimal.unscaledValue(), to);
            else to.big(decimal.toString());
        } else if (value instanceof Short || value instanceof Byte || value instanceof AtomicInteger
                || value instanceof AtomicLong) {
            to.i64(value.longValue());
        } else if (value instanceof Float) {
            f32((Float) value, to);
        } else {
            decimal(value.toString(), value.getClass(), to);
        }
    }

    private static void integer(BigInteger value, Sink to) {
        if (value.bitLength() < 64) to.i64(value.longValue());
        else if (value.bitLength() == 64 && value.signum() > 0) to.u64(value.longValue());
        else to.big(value.toString());
    }

    /** A Number of another library, by the digits that it prints. */
    private static void decimal(String text, Class<?> of, Sink to) {
        byte[] bytes = Utf8.bytes(text);
        if (!NumberText.isNumber(bytes, 0, bytes.length)) {
            throw new DataException(Code.UNSUPPORTED, of.getName() + " does not print a number");
        }
        number(new BigDecimal(text), to);
    }
}
