package kumihimo.plain;

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import kumihimo.Checks;
import kumihimo.Formats;
import kumihimo.Kind;
import kumihimo.Kumihimo;
import kumihimo.Limits;
import kumihimo.Options;

/**
 * That Java's columns of a table in docs/formats.md say what is: the verb of values of each class, and the class of
 * what is read.
 *
 * <pre>
 *   java -cp CLASSES kumihimo.plain.FormatsTable docs/formats.md
 * </pre>
 */
public final class FormatsTable {
    private static final BigInteger WIDE = BigInteger.ONE.shiftLeft(63);

    private FormatsTable() {}

    /** Values by the name that the table has for their class. */
    private static Map<String, List<Object>> samples() throws Exception {
        Map<String, List<Object>> all = new LinkedHashMap<>();
        for (Object value : new Object[] {
            true, new AtomicBoolean(true), (byte) 1, (short) 1, 1, 1L, new AtomicInteger(1), new AtomicLong(1), 1f, 1d,
            BigInteger.ONE, WIDE, WIDE.shiftLeft(9), new BigDecimal("1.50"), "a", 'a', new UUID(1, 2),
            URI.create("a:b"), Locale.ROOT, Currency.getInstance("JPY"), new byte[1], Instant.EPOCH, new Date(0),
            OffsetDateTime.parse("2020-01-01T00:00+01:00"), ZonedDateTime.parse("2020-01-01T00:00+01:00"),
            LocalDate.EPOCH, LocalDateTime.of(2020, 1, 1, 0, 0), Year.of(2020), new Extension(5, new byte[1])
        }) all.computeIfAbsent(value.getClass().getSimpleName(), k -> new ArrayList<>()).add(value);
        all.put("null", java.util.Collections.singletonList(null));
        all.put("Optional", List.of(Optional.empty()));
        all.put("ByteBuffer", List.of(ByteBuffer.allocate(1)));
        all.put("Enum", List.of(Kind.NIL));
        all.put("Path", List.of(new File("a").toPath()));
        all.put("List", List.of(List.of(1)));
        all.put("Set", List.of(new LinkedHashSet<>(List.of(1))));
        all.put("arrays", List.<Object>of(new int[] {1}));
        all.put("Map", List.of(Map.of("a", 1)));
        all.put("beans", List.of(new PlainBean()));
        return all;
    }

    /** A bean. */
    public static final class PlainBean {
        public int a;
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        Map<String, String[]> rows = rows(Path.of(arguments[0]));
        checks.equal("rows", rows.size(), 14);
        for (Map.Entry<String, List<Object>> named : samples().entrySet()) {
            for (Object value : named.getValue()) {
                byte[] document = Kumihimo.dump(value, "tagged");
                Kind kind = Formats.named("tagged").reader("", Limits.DEFAULT).reset(document).kind();
                String verb = kind == Kind.NIL ? "null"
                        : kind == Kind.BOOL ? "boolean" : kind.name().toLowerCase(Locale.ROOT);
                String[] row = rows.get(verb);
                checks.yes(named.getKey() + " is written by " + verb, names(row[1], named.getKey()));
                Object read = Kumihimo.load(document, "tagged");
                String back = read == null ? "null" : read instanceof Map ? "Map" : read.getClass().getSimpleName();
                checks.yes(verb + " is read as " + back, names(row[2], back));
                if (kind == Kind.MAP) {
                    checks.equal("by type", Kumihimo.load(document, LinkedHashMap.class, Options.of("tagged")), read);
                }
            }
        }
        checks.report();
    }

    private static boolean names(String cell, String name) {
        return Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "(?![\\w\\[])").matcher(cell).find();
    }

    /** The table's cells by their verb. */
    private static Map<String, String[]> rows(Path document) throws Exception {
        String text = new String(Files.readAllBytes(document), StandardCharsets.UTF_8);
        int from = text.indexOf("## Java's and Scala's values");
        Map<String, String[]> rows = new LinkedHashMap<>();
        for (String line : text.substring(from, text.indexOf("\n## ", from)).split("\n")) {
            String[] cells = line.split("\\|");
            if (!line.startsWith("| `")) continue;
            rows.put(cells[1].trim().replace("`", ""), new String[] {"", cells[2], cells[3]});
        }
        return rows;
    }
}
