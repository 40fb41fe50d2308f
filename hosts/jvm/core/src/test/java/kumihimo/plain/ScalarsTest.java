package kumihimo.plain;

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DayOfWeek;
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
import java.util.Currency;
import java.util.Date;
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
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Formats;
import kumihimo.Kumihimo;
import kumihimo.Options;

/**
 * Java's scalars at their limits: what is written is read as the same value by its class, or is not written: {@code
 * java -cp CLASSES kumihimo.plain.ScalarsTest}.
 */
public final class ScalarsTest {
    private final Checks check = new Checks();

    public static void main(String[] arguments) throws Exception {
        ScalarsTest test = new ScalarsTest();
        test.numbers();
        test.times();
        test.texts();
        test.keys();
        test.beyond();
        test.cut();
        test.check.report();
    }

    private void back(Class<?> as, Object... values) {
        for (Object value : values) {
            for (String format : Formats.names()) {
                String what = format + " " + as.getSimpleName() + " " + value;
                byte[] document;
                try {
                    document = Kumihimo.dump(value, format);
                } catch (DataException e) {
                    check.yes(what + " is not written: " + e.code(),
                            e.code() == Code.UNSUPPORTED || e.code() == Code.RANGE);
                    continue;
                }
                check.runs(what, () -> {
                    Object read = Kumihimo.load(document, as, Options.of(format));
                    // Counters are equal to themselves alone.
                    boolean counter = value instanceof AtomicBoolean || value instanceof AtomicInteger
                            || value instanceof AtomicLong;
                    check.equal(what, counter ? read.toString() : read, counter ? value.toString() : value);
                    return null;
                });
            }
        }
    }

    private void numbers() {
        back(Byte.class, Byte.MIN_VALUE, Byte.MAX_VALUE);
        back(Short.class, Short.MIN_VALUE, Short.MAX_VALUE);
        back(Integer.class, Integer.MIN_VALUE, Integer.MAX_VALUE);
        back(Long.class, Long.MIN_VALUE, Long.MAX_VALUE);
        back(Float.class, Float.MIN_VALUE, Float.MAX_VALUE, -0f, 0.1f);
        back(Double.class, Double.MIN_VALUE, Double.MAX_VALUE, -0.0, Double.NaN, Double.NEGATIVE_INFINITY);
        back(BigInteger.class, BigInteger.ONE.shiftLeft(63), BigInteger.ONE.shiftLeft(64).negate(),
                BigInteger.ONE.shiftLeft(16_000));
        back(BigDecimal.class, new BigDecimal("1.50"), new BigDecimal("-1E+6176"), new BigDecimal("1E-6176"));
        back(AtomicBoolean.class, new AtomicBoolean(true));
        back(AtomicInteger.class, new AtomicInteger(Integer.MIN_VALUE));
        back(AtomicLong.class, new AtomicLong(Long.MAX_VALUE));
        back(OptionalInt.class, OptionalInt.of(1), OptionalInt.empty());
        back(OptionalLong.class, OptionalLong.of(Long.MIN_VALUE), OptionalLong.empty());
        back(OptionalDouble.class, OptionalDouble.of(0.5), OptionalDouble.empty());
        back(Optional.class, Optional.of("a"), Optional.empty());
    }

    private void times() {
        back(Instant.class, Instant.MIN, Instant.MAX, Instant.EPOCH.minusNanos(1),
                Instant.parse("9999-12-31T23:59:59.999999999Z"));
        back(Date.class, new Date(Long.MIN_VALUE), new Date(Long.MAX_VALUE), new Date(-1));
        back(LocalDate.class, LocalDate.MIN, LocalDate.MAX, LocalDate.of(0, 2, 29));
        back(LocalDateTime.class, LocalDateTime.MIN, LocalDateTime.MAX, LocalDateTime.of(9999, 12, 31, 23, 59, 59, 1));
        back(LocalTime.class, LocalTime.MIN, LocalTime.MAX);
        back(OffsetTime.class, OffsetTime.MIN, OffsetTime.MAX);
        back(Duration.class, Duration.ofSeconds(Long.MIN_VALUE, 1), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
        back(Period.class, Period.of(Integer.MIN_VALUE, Integer.MAX_VALUE, 0), Period.ZERO);
        back(Year.class, Year.of(Year.MIN_VALUE), Year.of(Year.MAX_VALUE), Year.of(0));
        back(YearMonth.class, YearMonth.of(Year.MIN_VALUE, 1), YearMonth.of(Year.MAX_VALUE, 12));
        back(MonthDay.class, MonthDay.of(2, 29));
        back(DayOfWeek.class, DayOfWeek.SUNDAY);
        back(ZoneId.class, ZoneId.of("Europe/Berlin"), ZoneId.of("UTC+01:02:03"));
        back(ZoneOffset.class, ZoneOffset.MIN, ZoneOffset.MAX, ZoneOffset.ofTotalSeconds(1), ZoneOffset.UTC);
        OffsetDateTime tokyo = OffsetDateTime.of(2020, 1, 1, 1, 1, 1, 1, ZoneOffset.ofHours(9));
        for (String format : List.of("json", "cbor", "tagged")) {
            byte[] document = Kumihimo.dump(tokyo, format);
            check.equal(format + " with an offset", Kumihimo.load(document, OffsetDateTime.class, Options.of(format)),
                    tokyo);
            check.equal(format + " with a zone", Kumihimo.load(Kumihimo.dump(tokyo.toZonedDateTime(), format),
                    ZonedDateTime.class, Options.of(format)), tokyo.toZonedDateTime());
        }
    }

    @SuppressWarnings("deprecation") // a locale that has no other way
    private void texts() throws Exception {
        back(Character.class, '\0', '"', '\u4fa1');
        back(String.class, "", "\0\ud83d\ude00");
        back(byte[].class, new byte[0], new byte[] {-1});
        back(ByteBuffer.class, ByteBuffer.wrap(new byte[] {1}));
        back(UUID.class, new UUID(-1, -1), new UUID(0, 0));
        back(URI.class, URI.create("http://a/%20?b#c"));
        back(URL.class, new URL("http://127.0.0.1/b"));
        back(Path.class, Path.of("a/b"));
        back(File.class, new File("a/b"));
        back(Locale.class, Locale.ROOT, Locale.US, Locale.forLanguageTag("sr-Latn-RS-x-a"),
                Locale.forLanguageTag("ja-JP-u-ca-japanese"), new Locale("ja", "JP", "JP"));
        Options json = Options.of("json");
        check.equal("as the JDK spells it", Kumihimo.load("\"en_US\"".getBytes(StandardCharsets.US_ASCII),
                Locale.class, json), Locale.US);
        for (String none : List.of("%%", "de-", "en US", "toolongforalanguage")) {
            check.refused(none, Code.TYPE, () -> Kumihimo.load(Kumihimo.dump(none, json), Locale.class, json));
        }
        back(Currency.class, Currency.getInstance("EUR"));
        back(Charset.class, StandardCharsets.UTF_8);
    }

    /** Keys that are no text, in every format, by their class. */
    private void keys() {
        key(Instant.ofEpochSecond(5, 1), new TypeOf<Map<Instant, Integer>>() {});
        key(new Date(5001), new TypeOf<Map<Date, Integer>>() {});
        key(LocalDate.of(2020, 2, 29), new TypeOf<Map<LocalDate, Integer>>() {});
        key(LocalDateTime.of(2020, 2, 29, 1, 2, 3, 4), new TypeOf<Map<LocalDateTime, Integer>>() {});
        key(OffsetDateTime.of(2020, 1, 1, 1, 1, 1, 1, ZoneOffset.UTC), new TypeOf<Map<OffsetDateTime, Integer>>() {});
        key(ZonedDateTime.of(2020, 1, 1, 1, 1, 1, 1, ZoneOffset.UTC), new TypeOf<Map<ZonedDateTime, Integer>>() {});
        key(LocalTime.MAX, new TypeOf<Map<LocalTime, Integer>>() {});
        key(Year.of(-5), new TypeOf<Map<Year, Integer>>() {});
        key(YearMonth.of(2020, 2), new TypeOf<Map<YearMonth, Integer>>() {});
        key(Duration.ofSeconds(-1, 1), new TypeOf<Map<Duration, Integer>>() {});
        key(DayOfWeek.FRIDAY, new TypeOf<Map<DayOfWeek, Integer>>() {});
        key(true, new TypeOf<Map<Boolean, Integer>>() {});
        key('"', new TypeOf<Map<Character, Integer>>() {});
        key((byte) -1, new TypeOf<Map<Byte, Integer>>() {});
        key((short) -1, new TypeOf<Map<Short, Integer>>() {});
        key(Long.MIN_VALUE, new TypeOf<Map<Long, Integer>>() {});
        key(0.1f, new TypeOf<Map<Float, Integer>>() {});
        key(1e300, new TypeOf<Map<Double, Integer>>() {});
        key(new UUID(1, 2), new TypeOf<Map<UUID, Integer>>() {});
        key(URI.create("a:b"), new TypeOf<Map<URI, Integer>>() {});
        key(Path.of("a"), new TypeOf<Map<Path, Integer>>() {});
        key(Locale.forLanguageTag("sr-Latn"), new TypeOf<Map<Locale, Integer>>() {});
        check.refused("a key that is no moment", Code.TYPE, () -> Kumihimo.load(
                Kumihimo.dump(Map.of("now", 1), "json"), new TypeOf<Map<Instant, Integer>>() {}, Options.of("json")));
    }

    private <K> void key(K key, TypeOf<Map<K, Integer>> type) {
        for (String format : Formats.names()) {
            check.runs(format + " " + type.type(), () -> {
                byte[] document = Kumihimo.dump(Map.of(key, 1), format);
                check.equal(format + " " + type.type(), Kumihimo.load(document, type, Options.of(format)),
                        Map.of(key, 1));
                return null;
            });
        }
    }

    /** What a format can say and a class cannot hold. */
    private void beyond() {
        for (String format : Formats.names()) {
            Options by = Options.of(format);
            byte[] year = Kumihimo.dump(List.of(1, 1_000_000_000), format);
            DataException e = check.refused(format + " no year", Code.RANGE,
                    () -> Kumihimo.load(year, new TypeOf<List<Year>>() {}, by));
            check.equal(format + " where", e.path(), "$[1]");
            if (format.equals("json")) continue;
            byte[] moment = Kumihimo.dump(List.of(Instant.EPOCH, Instant.MAX), format);
            for (TypeOf<?> type : List.of(new TypeOf<List<Date>>() {}, new TypeOf<List<OffsetDateTime>>() {},
                    new TypeOf<List<ZonedDateTime>>() {})) {
                e = check.refused(format + " " + type.type(), Code.RANGE, () -> Kumihimo.load(moment, type, by));
                check.equal(format + " where", e.path(), "$[1]");
            }
        }
    }

    /** No message has more than 40 characters of a value or a key, whatever refuses it. */
    private void cut() {
        Class<?>[] types = {boolean.class, byte.class, short.class, int.class, long.class, float.class, double.class,
            char.class, BigInteger.class, BigDecimal.class, Number.class, OptionalInt.class, OptionalDouble.class,
            UUID.class, URI.class, URL.class, Locale.class, Currency.class, Charset.class, Instant.class, Date.class,
            OffsetDateTime.class, ZonedDateTime.class, LocalDateTime.class, LocalDate.class, LocalTime.class,
            OffsetTime.class, Duration.class, Period.class, Year.class, YearMonth.class, MonthDay.class, ZoneId.class,
            ZoneOffset.class, DayOfWeek.class, byte[].class, int[].class, PlainTest.Point.class, List.class};
        Options json = Options.of("json");
        String secret = "s\u00e9".repeat(50);
        String digits = "9".repeat(100);
        List<String> documents = List.of('"' + secret + '"', digits, '"' + digits + '"', "-" + digits + ".5", secret,
                "{\"" + secret + "\":1}", "[tru" + secret + "]", "\"\\q" + secret + '"');
        for (String text : documents) {
            byte[] document = text.getBytes(StandardCharsets.UTF_8);
            for (Class<?> type : types) {
                cut(type.getSimpleName() + " of " + text, () -> Kumihimo.load(document, type, json));
            }
        }
        byte[] map = documents.get(5).getBytes(StandardCharsets.UTF_8);
        for (TypeOf<?> type : List.of(new TypeOf<Map<Integer, Integer>>() {}, new TypeOf<Map<Double, Integer>>() {},
                new TypeOf<Map<UUID, Integer>>() {}, new TypeOf<Map<DayOfWeek, Integer>>() {},
                new TypeOf<Map<Instant, Integer>>() {}, new TypeOf<Map<Boolean, Integer>>() {})) {
            cut(type.type().toString(), () -> Kumihimo.load(map, type, json));
        }
    }

    private void cut(String what, Checks.Body body) {
        try {
            body.run();
        } catch (DataException e) {
            int most = 0;
            int run = 0;
            for (char c : e.getMessage().replaceAll(", at .*", "").toCharArray()) {
                run = c == 's' || c == '\u00e9' || c == '9' ? run + 1 : 0;
                most = Math.max(most, run);
            }
            check.yes(what + ": " + e.getMessage(), most <= 40);
        } catch (Exception e) {
            check.equal(what, e, null);
        }
    }
}
