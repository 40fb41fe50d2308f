package kumihimo;

import java.nio.charset.StandardCharsets;
import kumihimo.tape.TapeReader;

/** What no codec should ask for: {@code java -cp CLASSES kumihimo.MisuseTest}. */
public final class MisuseTest {
    public static void main(String[] arguments) {
        Checks check = new Checks();
        Names names = Names.of("a");
        Reader json = Formats.named("json").reader("", Limits.DEFAULT);
        for (String text : new String[] {"[\"a\":1]                          ", "[1,\"a\":1]                      "}) {
            json.reset(text.getBytes(StandardCharsets.UTF_8)).array();
            if (text.startsWith("[1")) check.equal("a value", json.hasNext() ? json.i32() : -1, 1);
            check.refused("a field in an array", Code.MISUSE, () -> json.field(names, 0));
        }
        check.refused("a field of nothing", Code.MISUSE,
                () -> json.reset("1".getBytes(StandardCharsets.UTF_8)).field(names, 0));
        for (String name : Formats.names()) {
            Writer writer = Formats.named(name).writer("", Limits.DEFAULT);
            writer.i64(1);
            writer.finish();
            Reader reader = Formats.named(name).reader("", Limits.DEFAULT).reset(writer.toByteArray());
            check.refused(name + ": outside of containers", Code.MISUSE, reader::hasNext);
        }
        marks(check);
        check.report();
    }

    private static byte[] numbers(String format, String dialect, int... numbers) {
        Writer writer = Formats.named(format).writer(dialect, Limits.DEFAULT);
        writer.array(numbers.length);
        for (int number : numbers) writer.i64(number);
        writer.end();
        writer.finish();
        return writer.toByteArray();
    }

    /** The reader's mark before the second number. */
    private static Reader.Mark second(Reader reader, byte[] document) {
        reader.reset(document).array();
        if (reader.hasNext()) reader.skip();
        return reader.mark();
    }

    private static int go(Reader reader, Reader.Mark mark) {
        reader.rewind(mark);
        return reader.hasNext() ? reader.i32() : -1;
    }

    /** A mark is of one reader and of one document. */
    private static void marks(Checks check) {
        for (String name : new String[] {"json", "msgpack", "cbor", "tagged", "tagged study", "a tape"}) {
            boolean tape = name.equals("a tape");
            String format = tape ? "cbor" : name.split(" ")[0];
            String dialect = name.endsWith("study") ? "study" : "";
            byte[] one = numbers(format, dialect, 1, 2, 3);
            byte[] other = numbers(format, dialect, 4, 5, 6);
            Format as = Formats.named(format);
            Reader reader = tape ? new TapeReader(as, "", Limits.DEFAULT) : as.reader("", Limits.DEFAULT);
            Reader another = tape ? new TapeReader(as, "", Limits.DEFAULT) : as.reader("", Limits.DEFAULT);
            Reader.Mark first = second(reader, one);
            check.equal(name + ": the document's own", go(reader, first), 2);
            check.equal(name + ": once more", go(reader, first), 2);
            Reader.Mark later = second(reader, other);
            DataException e = check.refused(name + ": of an earlier document", Code.MISUSE, () -> go(reader, first));
            check.equal("what is wrong", e.reason(), "the mark is of a document that was read before");
            second(another, other);
            e = check.refused(name + ": of another reader", Code.MISUSE, () -> go(another, later));
            check.equal("what is wrong", e.reason(), "the mark is of another reader");
            check.equal(name + ": the later one", go(reader, later), 5);
        }
        Format tagged = Formats.named("tagged");
        Reader both = tagged.reader("", Limits.DEFAULT);
        Reader.Mark safe = second(both, numbers("tagged", "safe", 1, 2));
        Reader.Mark study = second(both, numbers("tagged", "study", 3, 4));
        check.refused("of the other layout", Code.MISUSE, () -> go(both, safe));
        second(both, numbers("tagged", "safe", 1, 2));
        check.refused("of the layout study", Code.MISUSE, () -> go(both, study));
    }
}
