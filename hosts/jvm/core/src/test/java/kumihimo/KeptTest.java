package kumihimo;

import java.util.Arrays;

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
        check.equal("none", Kept.after((Reader) null, 0), null);
        check.equal("none", Kept.after((Writer) null, true), null);
        check.report();
    }
}
