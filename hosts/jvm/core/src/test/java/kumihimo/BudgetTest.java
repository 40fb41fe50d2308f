package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kumihimo.plain.Plain;
import kumihimo.plain.TypeOf;
import kumihimo.tape.Cursor;

/** What a document may cost, however it is read, and errors that find their place late. */
public final class BudgetTest {
    private static final Options JSON = Options.of("json");

    private final Checks check = new Checks();

    public static void main(String[] arguments) throws Exception {
        BudgetTest test = new BudgetTest();
        test.places();
        test.exponents();
        test.decimals();
        test.late();
        test.check.report();
    }

    private static byte[] array(String element, int times) {
        return Utf8.bytes("[" + String.join(",", Collections.nCopies(times, element)) + "]");
    }

    /** A set whose elements have one hash: seven million looks more than its elements may make. */
    private static String set(int size) {
        return IntStream.range(0, size).mapToObj(i -> "[" + i + "," + (1_000_000 - 31 * i) + "]")
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** Every place counts, and counts once. */
    private void places() {
        Cursor sets = Kumihimo.lazy(array(set(2500), 8), JSON);
        TypeOf<Set<List<Integer>>> type = new TypeOf<Set<List<Integer>>>() {};
        for (int times = 0; times < 5; times++) {
            check.equal("a place that is read again", of(sets.get(0), type).size(), 2500);
        }
        int read = 1;
        try {
            for (; read < 8; read++) of(sets.get(read), type);
        } catch (DataException e) {
            check.equal("the last one", e.code(), Code.SIZE);
        }
        check.yes("sets that were read: " + read, read >= 2 && read <= 3);
        check.equal("one that was read before", of(sets.get(0), type).size(), 2500);
        check.refused("another one", Code.SIZE, () -> of(sets.get(7), type));
        check.equal("another document", of(Kumihimo.lazy(array(set(2500), 8), JSON).get(7), type).size(), 2500);
        check.refused("the document as a whole", Code.SIZE,
                () -> Kumihimo.load(array(set(2500), 8), new TypeOf<List<Set<List<Integer>>>>() {}, JSON));
    }

    @SuppressWarnings("unchecked") // it was made by this type
    private static <T> T of(Cursor place, TypeOf<T> type) {
        return (T) new Plain(JSON).read(place.read(), type.type());
    }

    private void exponents() {
        Cursor numbers = Kumihimo.lazy(array("1e4900", 100), JSON);
        for (int times = 0; times < 100; times++) {
            check.equal("a number that is read again", Kumihimo.value(numbers.get(0).read(), BigInteger.class),
                    BigInteger.TEN.pow(4900));
        }
        int read = 0;
        try {
            for (; read < 100; read++) Kumihimo.value(numbers.get(read).read(), BigInteger.class);
        } catch (DataException e) {
            check.equal("the last one", e.code(), Code.SIZE);
        }
        check.equal("numbers that were read", read, ExponentDigits.FOR_NOTHING / (4900 - 64 * 7));
        Cursor small = Kumihimo.lazy(array("1e300", 3000), JSON);
        for (Cursor one : small) Kumihimo.value(one.read(), BigInteger.class);
        check.refused("a document as a whole", Code.SIZE,
                () -> Kumihimo.load(array("1e4900", 100), BigInteger[].class, JSON));
    }

    /** A long number, and many short ones that would be compared with it by as many digits: minutes, if taken. */
    private void decimals() {
        String digits = "0." + "1".repeat(90_000);
        String all = digits + IntStream.range(10, 20_000).mapToObj(i -> ",0." + i).collect(Collectors.joining());
        byte[] array = Utf8.bytes("[" + all + "]");
        List<TypeOf<?>> types = List.of(new TypeOf<SortedSet<BigDecimal>>() {},
                new TypeOf<PriorityQueue<BigDecimal>>() {});
        for (TypeOf<?> type : types) {
            DataException e = check.refused(type.type().toString(), Code.SIZE, () -> Kumihimo.load(array, type, JSON));
            check.equal("what is wrong", e.reason(),
                    "the numbers in sets and keys of maps are too long to be compared");
        }
        check.equal("a set by hashes", Kumihimo.load(array, new TypeOf<Set<BigDecimal>>() {}, JSON).size(), 19_991);
        check.equal("one number", Kumihimo.load(Utf8.bytes("[" + digits + "]"), new TypeOf<SortedSet<BigDecimal>>() {},
                JSON).size(), 1);
        String longer = "[0." + "7".repeat(10_000) + "]";
        String few = "[" + "1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5,9.5,10.5,".repeat(60) + "1.0]";
        for (String sets : List.of(longer + "," + few, few + "," + longer)) {
            check.equal("in any order", Kumihimo.load(Utf8.bytes("[" + sets + "]"),
                    new TypeOf<List<SortedSet<BigDecimal>>>() {}, JSON).size(), 2);
        }
        check.equal("a list", Kumihimo.load(array, new TypeOf<List<BigDecimal>>() {}, JSON).size(), 19_991);
        String pairs = List.of(all.split(",")).stream().map(n -> "[" + n + ",1]").collect(Collectors.joining(","));
        check.equal("no set", Kumihimo.load(Utf8.bytes("[" + pairs + "]"), new TypeOf<List<Object>>() {}, JSON).size(),
                19_991);
        byte[] keys = Kumihimo.dump(new java.util.TreeMap<>(Map.of(new BigDecimal("1e400"), 1)),
                Options.of("cbor"));
        check.equal("a key", Kumihimo.load(keys, new TypeOf<SortedMap<BigDecimal, Integer>>() {}, Options.of("cbor"))
                .size(), 1);
        byte[] short20000 = Utf8.bytes(IntStream.range(0, 20_000).mapToObj(i -> "1." + i).collect(
                Collectors.joining(",", "[", "]")));
        int size = Kumihimo.load(short20000, new TypeOf<SortedSet<BigDecimal>>() {}, JSON).size();
        check.yes("short ones", size > 10_000);
    }

    private static DataException deep() {
        return new DataException(Code.TYPE, "no number");
    }

    /** The place is found once, when somebody asks, and goes along where the error is sent. */
    private void late() throws IOException, ClassNotFoundException {
        int[] asked = new int[1];
        DataException cause = new DataException(Code.TYPE, "no number", 7);
        DataException late = cause.at(() -> {
            asked[0]++;
            return cause.at(2, 3, "$.a");
        });
        check.equal("code", late.code(), Code.TYPE);
        check.equal("reason", late.reason(), "no number");
        check.equal("nobody has asked", asked[0], 0);
        check.equal("message", late.getMessage(), "no number at byte 7 (line 2, column 3), at $.a");
        check.equal("in words", late.toString(), "kumihimo.DataException: " + late.getMessage());
        check.equal("line, column, path", late.line() + " " + late.column() + " " + late.path(), "2 3 $.a");
        check.equal("looked for once", asked[0], 1);
        check.equal("where it was thrown", cause.at(() -> cause.at(2, 3, "$.a")).getStackTrace(),
                cause.getStackTrace());
        StringWriter printed = new StringWriter();
        DataException deep = deep();
        new IllegalStateException(deep.at(() -> deep.atByte(5))).printStackTrace(new PrintWriter(printed));
        check.yes("where it was thrown, as a cause", printed.toString().contains("BudgetTest.deep("));
        check.equal("at another byte", cause.at(() -> cause.at(2, 3, "$.a")).atByte(9).getMessage(),
                "no number at byte 9 (line 2, column 3), at $.a");
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        new ObjectOutputStream(sent).writeObject(cause.at(() -> cause.at(2, 3, "$.a")));
        Object got = new ObjectInputStream(new ByteArrayInputStream(sent.toByteArray())).readObject();
        check.equal("sent", ((DataException) got).getMessage(), late.getMessage());
    }
}
