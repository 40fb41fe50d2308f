package kumihimo.plain;

import java.io.File;
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
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.Date;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
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
import kumihimo.scalar.NumberText;
/**
 * The values of {@link Walk} that are no containers, and what is one.
 */
abstract class Scalars {
    /** Containers in one another. */
    final int limit;
    /** Makes another value of one that is nothing of what is known; or null. */
    final Function<Object, Object> otherwise;
    /** The last value that {@link #scalar} did not write. */
    Object container;
    /** How many values in one another were made by {@link #otherwise}. */
    private int replacements;

    Scalars(int limit, Function<Object, Object> otherwise) {
        this.limit = limit;
        this.otherwise = otherwise;
    }

    /** Holds no value any more. */
    final void forget() {
        container = null;
        replacements = 0;
    }

    /**
     * Whether the value is no container; its verb is called then, else {@link #container} is what must be opened. The
     * usual classes come first.
     */
    final boolean scalar(Object value, Sink to) {
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
        return c == LinkedHashMap.class || c == ArrayList.class || c == SharedKeysMap.class || value instanceof Map
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
        } else if (value instanceof Locale) {
            to.str(((Locale) value).toLanguageTag());
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
                || value instanceof Currency || value instanceof Charset;
    }

    private boolean time(Object value, Sink to) {
        if (value instanceof Instant) to.time(Moments.of((Instant) value));
        else if (value instanceof OffsetDateTime) to.time(Moments.of((OffsetDateTime) value));
        else if (value instanceof ZonedDateTime) to.time(Moments.of(((ZonedDateTime) value).toOffsetDateTime()));
        else if (value instanceof LocalDateTime) to.time(Moments.of((LocalDateTime) value));
        else if (value instanceof LocalDate) to.time(Moments.of((LocalDate) value));
        else if (value instanceof Date) to.time(Moments.of(Instant.ofEpochMilli(((Date) value).getTime())));
        else if (value instanceof Year) to.i64(((Year) value).getValue());
        else if (value instanceof YearMonth) to.str(spelled((YearMonth) value));
        else if (value.getClass().getName().startsWith("java.time.")) to.str(value.toString());
        else return false;
        return true;
    }

    /** With the sign that parse wants of years beyond four digits, and toString leaves out. */
    private static String spelled(YearMonth value) {
        return value.getYear() > 9999 ? "+" + value : value.toString();
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

    static boolean isNull(Object value) {
        return value == null || value instanceof Optional && !((Optional<?>) value).isPresent()
                || value instanceof OptionalInt && !((OptionalInt) value).isPresent()
                || value instanceof OptionalLong && !((OptionalLong) value).isPresent()
                || value instanceof OptionalDouble && !((OptionalDouble) value).isPresent();
    }

    static void f32(float x, Sink to) {
        if (to instanceof Writer) ((Writer) to).f32(x);
        else to.f64(x);
    }
}
