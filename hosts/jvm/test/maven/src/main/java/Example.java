import java.nio.charset.StandardCharsets;

import kumihimo.Formats;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;

/** What hosts/jvm/README.md shows to users of Java. */
public final class Example {
    public static void main(String[] args) {
        Writer out = Formats.named("json").writer("compact", Limits.DEFAULT);
        out.map(1);
        out.key("name");
        out.str("Bob");
        out.end();
        out.finish();
        byte[] bytes = out.toByteArray();
        System.out.println(new String(bytes, StandardCharsets.UTF_8));

        Reader in = Formats.of(bytes).reader("", Limits.DEFAULT).reset(bytes);
        in.map();
        while (in.hasNext()) System.out.println(in.key() + " = " + in.str());
        in.finish();
    }
}
