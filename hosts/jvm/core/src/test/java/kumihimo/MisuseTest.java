package kumihimo;

import java.nio.charset.StandardCharsets;

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
        check.report();
    }
}
