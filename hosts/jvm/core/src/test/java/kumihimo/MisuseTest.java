package kumihimo;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import kumihimo.tape.Cursor;
import kumihimo.tape.Fields;
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
        places(check);
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

    /** A place on a tape is of one document, though the tape's memory is used again. */
    private static void places(Checks check) {
        Format json = Formats.named("json");
        byte[] one = "{\"a\":[1,2]}".getBytes(StandardCharsets.UTF_8);
        byte[] other = "{\"b\":[3,4]}".getBytes(StandardCharsets.UTF_8);
        TapeReader reader = new TapeReader(json, "", Limits.DEFAULT).reset(one, 0, one.length);
        Cursor root = reader.cursor();
        Cursor list = root.get("a");
        Iterator<Cursor> each = list.iterator();
        Fields fields = new Fields().open(root);
        check.equal("a place", list.get(1).i64(), 2L);
        check.yes("a field", fields.find("a") != Fields.ABSENT);
        reader.reset(other, 0, other.length);
        DataException e = check.refused("a value", Code.MISUSE, () -> root.get("b"));
        check.equal("what is wrong", e.reason(), "the place is of a document that its tape no longer has");
        check.refused("an element", Code.MISUSE, () -> list.get(0));
        check.refused("the kind", Code.MISUSE, list::kind);
        check.refused("the size", Code.MISUSE, list::size);
        check.refused("the key", Code.MISUSE, list::key);
        check.refused("the place", Code.MISUSE, list::begin);
        check.refused("a reader", Code.MISUSE, list::read);
        check.refused("the next one", Code.MISUSE, each::next);
        check.refused("a map", Code.MISUSE, () -> new Fields().open(root));
        check.refused("a field", Code.MISUSE, () -> fields.find("a"));
        check.equal("the other document", reader.cursor().get("b").get(0).i64(), 3L);
    }
}
