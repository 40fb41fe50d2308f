package kumihimo.plain;

import java.io.File;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Moment;
import kumihimo.Reader;
import kumihimo.Utf8;
import kumihimo.scalar.BigNumbers;
import kumihimo.scalar.NumberText;
import kumihimo.scalar.TimeText;

/** Makes the {@link Bind} of a type, and keeps it. */
final class Binds {
    private static final Map<Class<?>, Bind> KNOWN = new HashMap<>();
    /** Types with arguments that are kept for each class. */
    private static final int KEPT = 256;

    /** Of types by their class; one that is no longer used takes its own with it. */
    private static final ClassValue<Map<Type, Bind>> ALL = new ClassValue<Map<Type, Bind>>() {
        @Override
        protected Map<Type, Bind> computeValue(Class<?> of) {
            return new ConcurrentHashMap<>();
        }
    };

    /** Shapes that this one has made: a record may hold itself. */
    private final Map<Type, Bind> shapes = new HashMap<>();

    private Binds() {}

    /** @throws DataException {@link Code#UNSUPPORTED} for a type that cannot be read into */
    static Bind of(Type type) {
        Map<Type, Bind> all = ALL.get(type instanceof Class ? (Class<?>) type : Types.raw(type));
        Bind known = all.get(type);
        if (known != null) return known;
        Bind made = new Binds().make(Types.concrete(type, Map.of()));
        if (all.size() < KEPT) all.put(type, made);
        return made;
    }

    /** @param type is concrete */
    private Bind make(Type type) {
        Bind known = KNOWN.get(type);
        if (known != null) return known;
        Class<?> of = Types.raw(type);
        if (type instanceof GenericArrayType) {
            Type element = ((GenericArrayType) type).getGenericComponentType();
            return new Bind.ArrayBind(of.getComponentType(), make(element));
        }
        if (of.isArray()) return new Bind.ArrayBind(of.getComponentType(), make(of.getComponentType()));
        if (of.isEnum()) return new Bind.EnumBind(of);
        if (of == Optional.class) return new Bind.OptionalBind(make(argument(type, Optional.class, 0)));
        if (Map.class.isAssignableFrom(of)) {
            Type key = argument(type, Map.class, 0);
            return new Bind.MapBind(Container.map(of, Types.raw(key)), make(key), make(argument(type, Map.class, 1)));
        }
        if (of == Iterable.class || Collection.class.isAssignableFrom(of)) {
            Type element = argument(type, Iterable.class, 0);
            return new Bind.CollectionBind(Container.collection(of, Types.raw(element)), make(element));
        }
        return shape(type, of);
    }

    /** What the type gives as an argument to a class or interface that it is, or extends. */
    private static Type argument(Type type, Class<?> to, int i) {
        return Types.variables(type).getOrDefault(to.getTypeParameters()[i], Object.class);
    }

    private Bind shape(Type type, Class<?> of) {
        Bind known = shapes.get(type);
        if (known != null) return known;
        if (of.isInterface() || of.isPrimitive() || of.getName().startsWith("java.")) throw unsupported(of);
        Shape shape = Shape.of(of);
        if (!shape.hasConstructor()) {
            throw new DataException(Code.UNSUPPORTED, of.getName() + " is no record, and has no constructor to call");
        }
        Bind made = new Bind.ShapeBind(shape, () -> properties(type, shape));
        shapes.put(type, made);
        return made;
    }

    /** Asked for when a document has such an object: of types that hold ever larger ones no more than it needs. */
    private synchronized Bind[] properties(Type type, Shape shape) {
        Map<TypeVariable<?>, Type> variables = Types.variables(type);
        Bind[] properties = new Bind[shape.settable.length];
        for (int i = 0; i < properties.length; i++) {
            properties[i] = make(Types.concrete(shape.settable[i].type, variables));
        }
        return properties;
    }

    private static DataException unsupported(Type type) {
        return new DataException(Code.UNSUPPORTED, "there is no way to read into " + type.getTypeName());
    }

    // ------------------------------------------------------------------- classes that have a way of their own

    private static void add(Class<?> boxed, Class<?> primitive, Bind.Scalar read, Bind.Text text, Object absent) {
        KNOWN.put(boxed, Bind.scalar(read, text));
        KNOWN.put(primitive, Bind.primitive(read, text, absent));
    }

    private static void optional(Class<?> of, Object empty, Bind.Scalar read) {
        KNOWN.put(of, Bind.optional(read, empty));
    }

    private static void text(Class<?> of, String what, Bind.Text parse) {
        KNOWN.put(of, Bind.text(what, parse));
    }

    static {
        Bind any = new Bind.AnyBind();
        KNOWN.put(Object.class, any);
        add(Boolean.class, boolean.class, (r, c) -> r.bool(), Binds::truth, false);
        byte none = 0;
        short zero = 0;
        add(Byte.class, byte.class, (r, c) -> (byte) within(r, Byte.MIN_VALUE, Byte.MAX_VALUE),
                t -> Byte.valueOf(key(t)), none);
        add(Short.class, short.class, (r, c) -> (short) within(r, Short.MIN_VALUE, Short.MAX_VALUE), 
                t -> Short.valueOf(key(t)), zero);
        add(Integer.class, int.class, (r, c) -> r.i32(), t -> Integer.valueOf(key(t)), 0);
        add(Long.class, long.class, (r, c) -> r.i64(), t -> Long.valueOf(key(t)), 0L);
        add(Float.class, float.class, (r, c) -> r.f32(), Binds::float32, 0f);
        add(Double.class, double.class, (r, c) -> r.f64(), Binds::float64, 0d);
        add(Character.class, char.class, (r, c) -> character(r), Binds::character, '\0');
        KNOWN.put(String.class, Bind.scalar((r, c) -> r.str(), t -> t));
        KNOWN.put(CharSequence.class, KNOWN.get(String.class));
        KNOWN.put(char[].class, Bind.scalar((r, c) -> r.str().toCharArray()));
        KNOWN.put(byte[].class, Bind.scalar((r, c) -> r.bin()));
        KNOWN.put(ByteBuffer.class, Bind.scalar((r, c) -> ByteBuffer.wrap(r.bin())));
        KNOWN.put(Extension.class, Bind.scalar((r, c) -> new Extension(r.ext(), r.extData())));
        KNOWN.put(BigInteger.class, Bind.scalar((r, c) -> whole(r, c), t -> new BigInteger(key(t))));
        KNOWN.put(BigDecimal.class, Bind.scalar((r, c) -> decimal(r, c), t -> new BigDecimal(key(t))));
        KNOWN.put(Number.class, Bind.scalar((r, c) -> number(any, r, c), t -> new BigDecimal(key(t))));
        KNOWN.put(AtomicBoolean.class, Bind.scalar((r, c) -> new AtomicBoolean(r.bool())));
        KNOWN.put(AtomicInteger.class, Bind.scalar((r, c) -> new AtomicInteger(r.i32())));
        KNOWN.put(AtomicLong.class, Bind.scalar((r, c) -> new AtomicLong(r.i64())));
        optional(OptionalInt.class, OptionalInt.empty(), (r, c) -> OptionalInt.of(r.i32()));
        optional(OptionalLong.class, OptionalLong.empty(), (r, c) -> OptionalLong.of(r.i64()));
        optional(OptionalDouble.class, OptionalDouble.empty(), (r, c) -> OptionalDouble.of(r.f64()));
        times();
        text(UUID.class, "a UUID", Binds::uuid);
        text(URI.class, "a URI", URI::create);
        text(Path.class, "a path", Path::of);
        text(File.class, "a path", File::new);
        text(URL.class, "a URL", Binds::url);
        text(Locale.class, "a locale", Binds::locale);
        text(Currency.class, "a currency", Currency::getInstance);
        text(Charset.class, "a charset", Charset::forName);
    }

    private static void times() {
        time(Instant.class, Binds::instant);
        time(Date.class, Binds::date);
        time(OffsetDateTime.class, Binds::offset);
        time(ZonedDateTime.class, m -> offset(m).toZonedDateTime());
        time(LocalDateTime.class, m -> clock(m, LocalDateTime.class, "a time without a zone"));
        time(LocalDate.class, m -> clock(m, LocalDate.class, "a date"));
        text(LocalTime.class, "a time of day", LocalTime::parse);
        text(OffsetTime.class, "a time of day with an offset", OffsetTime::parse);
        text(Duration.class, "a duration", Duration::parse);
        text(Period.class, "a period", Period::parse);
        text(YearMonth.class, "a month of a year", YearMonth::parse);
        text(MonthDay.class, "a day of a month", MonthDay::parse);
        KNOWN.put(Year.class, Bind.scalar((r, c) -> Year.of(within(r, Year.MIN_VALUE, Year.MAX_VALUE)),
                t -> Year.of(Integer.parseInt(key(t)))));
        text(ZoneId.class, "a zone", ZoneId::of);
        text(ZoneOffset.class, "an offset", ZoneOffset::of);
    }

    /** @param as makes it of what {@link Moments#value} gives */
    private static void time(Class<?> of, Function<Object, Object> as) {
        KNOWN.put(of, Bind.scalar((r, c) -> moment(r, as), t -> as.apply(told(t))));
    }

    /** The moment that a key tells, in the words of the formats whose keys are text. */
    private static Object told(String key) {
        try {
            return Moments.value(TimeText.read(key));
        } catch (DataException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Object truth(String text) {
        if (text.equals("true")) return true;
        if (text.equals("false")) return false;
        throw new IllegalArgumentException();
    }

    /**
     * Keys are numbers by JSON's grammar, which says less than the JDK's. A number of many digits is no key, and would
     * cost time by the square.
     */
    private static String key(String digits) {
        byte[] utf8 = Utf8.looseBytes(digits);
        if (utf8.length > 1000 || !NumberText.isNumber(utf8, 0, utf8.length)) throw new IllegalArgumentException();
        return digits;
    }

    private static Object float32(String text) {
        float value = Float.parseFloat(isNonFinite(text) ? text : key(text));
        if (Float.isInfinite(value) && !isNonFinite(text)) throw new IllegalArgumentException();
        return value;
    }

    private static Object float64(String text) {
        double value = Double.parseDouble(isNonFinite(text) ? text : key(text));
        if (Double.isInfinite(value) && !isNonFinite(text)) throw new IllegalArgumentException();
        return value;
    }

    private static boolean isNonFinite(String text) {
        return text.equals("NaN") || text.equals("Infinity") || text.equals("-Infinity");
    }

    private static int within(Reader from, int least, int most) {
        from.kind();
        int at = from.position();
        long value = from.i64();
        if (value >= least && value <= most) return (int) value;
        throw new DataException(Code.RANGE, value + " is not within " + least + " and " + most, at);
    }

    private static Object character(Reader from) {
        from.kind();
        int at = from.position();
        String text = from.str();
        if (text.length() == 1) return text.charAt(0);
        throw new DataException(Code.TYPE, "expected one character, found " + Bind.shown(text), at);
    }

    private static Object character(String text) {
        if (text.length() != 1) throw new IllegalArgumentException();
        return text.charAt(0);
    }

    private static Object uuid(String text) {
        if (text.length() != 36) throw new IllegalArgumentException();
        return UUID.fromString(text);
    }

    private static Object whole(Reader from, Bind.Context with) {
        from.kind();
        int at = from.position();
        try {
            return BigNumbers.integer(from.number(), from.limits(), from.exponentDigits());
        } catch (DataException e) {
            throw Bind.placed(e, at);
        }
    }

    private static Object decimal(Reader from, Bind.Context with) {
        from.kind();
        int at = from.position();
        try {
            return BigNumbers.decimal(from.number(), from.limits());
        } catch (DataException e) {
            throw Bind.placed(e, at);
        }
    }

    private static Object number(Bind any, Reader from, Bind.Context with) {
        from.kind();
        int at = from.position();
        Object value = any.read(from, with);
        if (value instanceof Number) return value;
        throw new DataException(Code.TYPE, "expected a number", at);
    }

    private static Object moment(Reader from, Function<Object, Object> as) {
        from.kind();
        int at = from.position();
        Moment moment = from.time();
        try {
            return as.apply(Moments.value(moment));
        } catch (DataException e) {
            throw Bind.placed(e, at);
        }
    }

    private static Instant instant(Object moment) {
        return moment instanceof Instant ? (Instant) moment : offset(moment).toInstant();
    }

    private static Date date(Object moment) {
        try {
            return Date.from(instant(moment));
        } catch (IllegalArgumentException e) {
            throw new DataException(Code.RANGE, "a moment that a Date does not have");
        }
    }

    private static OffsetDateTime offset(Object moment) {
        if (moment instanceof OffsetDateTime) return (OffsetDateTime) moment;
        if (!(moment instanceof Instant)) {
            throw new DataException(Code.TYPE, "expected a moment, found a time without a zone");
        }
        try {
            return ((Instant) moment).atOffset(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new DataException(Code.RANGE, "a moment that an OffsetDateTime does not have");
        }
    }

    private static Object clock(Object moment, Class<?> wanted, String what) {
        if (wanted.isInstance(moment)) return moment;
        throw new DataException(Code.TYPE, "expected " + what + ", found another kind of moment");
    }

    /** A language's tag (BCP 47), or the JDK's older spelling of it; forLanguageTag drops what it does not know. */
    private static Locale locale(String text) {
        String tag = text.replace('_', '-');
        new Locale.Builder().setLanguageTag(tag);
        return Locale.forLanguageTag(tag);
    }

    private static URL url(String text) {
        try {
            return new URI(text).toURL();
        } catch (URISyntaxException | MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
