package kumihimo;

import java.util.Arrays;
import kumihimo.tape.Cursor;
import kumihimo.tape.TapeReader;

/** What is kept for the next document: {@code java -cp CLASSES kumihimo.KeptTest}. */
public final class KeptTest {
    public static void main(String[] arguments) {
        Checks check = new Checks();
        for (String name : Formats.names()) {
            Format format = Formats.named(name);
            Reader reader = format.reader("", Limits.DEFAULT);
            check.equal(name, Kept.after(reader, Kept.MOST_BYTES), reader);
            check.refused("it has forgotten its document", Code.TRUNCATED, reader::kind);
            check.equal("it read a large one", Kept.after(reader, Kept.MOST_BYTES + 1L), null);

            Writer writer = format.writer("", Limits.DEFAULT);
            writer.i64(1);
            writer.finish();
            check.equal(name, Kept.after(writer, true), writer);
            check.equal("it has failed", Kept.after(writer, false), null);
            char[] large = new char[Kept.MOST_BYTES];
            Arrays.fill(large, 'a');
            writer.reset().str(new String(large));
            writer.finish();
            check.equal("it wrote a large one", Kept.after(writer, true), null);
        }
        released(check);
        check.equal("none", Kept.after((Reader) null, 0), null);
        check.equal("none", Kept.after((Writer) null, true), null);
        check.report();
    }

    /** A reader that has let go of a document, in the middle of it or not, has no value, and reads the next one. */
    private static void released(Checks check) {
        for (Format format : Formats.all()) {
            Writer writer = format.writer("", Limits.DEFAULT);
            writer.map(1);
            writer.key("a");
            writer.i64(1);
            writer.end();
            writer.finish();
            byte[] document = writer.toByteArray();
            for (String dialect : format.readDialects()) {
                if (dialect.equals("study_read")) continue; // the other layout's
                String what = format.name() + " " + dialect;
                TapeReader tape = new TapeReader(format, dialect, Limits.DEFAULT);
                released(check, what, Code.TRUNCATED, format.reader(dialect, Limits.DEFAULT), document);
                released(check, what + " on a tape", Code.MISUSE, tape, document);
                Cursor root = tape.reset(document, 0, document.length).cursor();
                TapeReader places = new TapeReader();
                places.reset(root).release();
                check.refused(what + ", a place", Code.MISUSE, places::kind);
                check.equal(what + ", a place", places.reset(root.get("a")).i64(), 1L);
            }
        }
    }

    private static void released(Checks check, String what, Code none, Reader reader, byte[] document) {
        check.runs(what + ", before the first one", () -> {
            reader.release();
            return null;
        });
        for (int steps = 0; steps < 4; steps++) {
            reader.reset(document).map();
            reader.hasNext();
            Reader.Mark mark = reader.mark();
            if (steps > 0) reader.key();
            if (steps > 1) reader.i64();
            if (steps > 2) check.yes(what + ", the end", !reader.hasNext());
            reader.release();
            check.refused(what + ", a value", none, reader::kind);
            check.refused(what + ", a mark", Code.MISUSE, () -> {
                reader.rewind(mark);
                return null;
            });
            check.equal(what + ", where", reader.consumed(), 0);
            check.equal(what + ", the limits", reader.limits(), Limits.DEFAULT);
        }
        check.equal(what + ", the next one", reader.reset(document).map() != 0 && reader.hasNext(), true);
        check.equal(what + ", its key", reader.key(), "a");
    }
}
