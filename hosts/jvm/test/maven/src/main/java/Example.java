import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import kumihimo.Formats;
import kumihimo.Kumihimo;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;

public final class Example {
    public static void main(String[] args) {
        // Maps, lists, records and beans.
        byte[] packed = Kumihimo.dump(Map.of("tags", List.of("a", 1.5)), "cbor");
        System.out.println(Kumihimo.load(packed, "cbor"));

        // What a codec is made of: values one after the other, in any format.
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
