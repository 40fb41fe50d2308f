package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import kumihimo.hash.HashWriter;
import kumihimo.plain.TypeOf;

/** Limits of the calls, bytes that look framed, hashes: {@code java -cp CLASSES kumihimo.CallsTest}. */
public final class CallsTest {
    private final Checks check = new Checks();

    public static void main(String[] arguments) throws IOException {
        CallsTest test = new CallsTest();
        test.limits();
        test.largeLimits();
        test.endless();
        test.files();
        test.likeFrames();
        test.hashes();
        test.texts();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void limits() {
        Limits all = Limits.DEFAULT;
        check.thrown("depth", IllegalArgumentException.class, () -> all.withDepth(-1));
        check.thrown("size", IllegalArgumentException.class, () -> all.withSize(-1));
        check.thrown("ratio", IllegalArgumentException.class, () -> all.withRatio(0, 1));
        check.thrown("floor", IllegalArgumentException.class, () -> all.withRatio(1, -1));
        check.thrown("digits", IllegalArgumentException.class, () -> all.withNumberDigits(19));
        check.equal("digits", Options.DEFAULT.numberDigits(30).limits().numberDigits(), 30);
        check.refused("too many", Code.SIZE, () -> Kumihimo.load(utf8("1" + "0".repeat(30)),
                Options.of("json").limits(all.withNumberDigits(30))));
    }

    private void largeLimits() throws IOException {
        for (long size : new long[] {Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE + 1L}) {
            Options by = Options.of("json").limits(Limits.DEFAULT.withSize(size));
            check.equal("size " + size, Kumihimo.read(new ByteArrayInputStream(utf8("[1]")), by), List.of(1L));
        }
        Options exactly = Options.of("json").limits(Limits.DEFAULT.withSize(3));
        check.equal("as large as it may be",
                Kumihimo.read(new ByteArrayInputStream(utf8("[1]")), exactly), List.of(1L));
        check.refused("a byte more", Code.SIZE, () -> Kumihimo.read(new ByteArrayInputStream(utf8("[10]")), exactly));
    }

    /** What has no end is refused when it has passed the limit. */
    private void endless() {
        InputStream blanks = new InputStream() {
            @Override
            public int read() {
                return ' ';
            }
        };
        Options small = Options.of("json").limits(Limits.DEFAULT.withSize(1000));
        check.refused("endless", Code.SIZE, () -> Kumihimo.read(blanks, small));
    }

    private void files() throws IOException {
        Path folder = Files.createTempDirectory("kumihimo");
        Path file = folder.resolve("large.json");
        Path packed = folder.resolve("large.json.gz");
        byte[] document = utf8("[" + " ".repeat(100_000) + "1]");
        Files.write(file, document);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(document);
        }
        Files.write(packed, out.toByteArray());
        Options small = Options.DEFAULT.limits(Limits.DEFAULT.withSize(1000));
        for (Path each : List.of(file, packed)) {
            check.equal("within the limit", Kumihimo.read(each), List.of(1L));
            check.equal("of a class", Arrays.asList(Kumihimo.read(each, int[].class, Options.DEFAULT)[0]), List.of(1));
            check.refused("beyond it", Code.SIZE, () -> Kumihimo.read(each, small));
            Files.delete(each);
        }
        Files.delete(folder);
    }

    /** Bytes of a binary document may begin as a frame does. */
    private void likeFrames() throws IOException {
        byte[] sixteen = new byte[16];
        sixteen[0] = 0x2a;
        sixteen[1] = 0x4d;
        sixteen[2] = 0x18;
        Options cbor = Options.of("cbor");
        byte[] document = Kumihimo.dump(sixteen, cbor);
        check.equal("it looks so", document[0], (byte) 0x50);
        check.equal("bytes", Kumihimo.load(document, cbor), sixteen);
        check.equal("of a stream", Kumihimo.read(new ByteArrayInputStream(document), cbor), sixteen);
        sixteen = new byte[] {0x2a, 0x4d, 0x18, 0, 0, 0, 0, 0x04, 0x22, 0x4d, 0x18, 0, 0, 0, 0, 0};
        byte[] worse = Kumihimo.dump(sixteen, cbor);
        Options never = cbor.unpacks(false);
        check.equal("with a frame behind it", Kumihimo.load(worse, never), sixteen);
        check.equal("of a stream", Kumihimo.read(new ByteArrayInputStream(worse), never), sixteen);
        byte[] packed = Kumihimo.dump(List.of(1L), cbor.frame("gzip"));
        check.equal("a frame", Kumihimo.load(packed, cbor), List.of(1L));
        byte[] twice = Kumihimo.pack(packed, "gzip");
        check.refused("a frame in a frame", Code.SYNTAX,
                () -> Kumihimo.read(new ByteArrayInputStream(twice), Options.of("json")));
    }

    private void hashes() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("a", 1L);
        one.put("b", List.of("x"));
        Map<String, Object> other = new LinkedHashMap<>();
        other.put("b", List.of("x"));
        other.put("a", 1L);
        check.equal("in any order", Kumihimo.hash(one), Kumihimo.hash(other));
        check.equal("256 bits", Kumihimo.hash(one).length, 32);
        check.equal("in any order", Kumihimo.hash128(one), Kumihimo.hash128(other));
        check.equal("128 bits", Kumihimo.hash128(one).length, 16);
        check.yes("another value", !Arrays.equals(Kumihimo.hash(one), Kumihimo.hash(Map.of("a", 1L))));
        HashWriter ordered = HashWriter.hash256();
        check.yes("the order counts",
                !Arrays.equals(Kumihimo.hash(one, ordered), Kumihimo.hash(other, ordered)));
        Object set = new LinkedHashSet<>(List.of(1, List.of(2), Map.of("a", 3)));
        Object turned = new LinkedHashSet<>(List.of(Map.of("a", 3), List.of(2), 1));
        check.equal("sets in any order", Kumihimo.hash(List.of(set)), Kumihimo.hash(List.of(turned)));
        check.equal("sets in any order", Kumihimo.hash128(set), Kumihimo.hash128(turned));
        check.yes("another set", !Arrays.equals(Kumihimo.hash(Set.of(1, 2)), Kumihimo.hash(Set.of(1, 3))));
        check.yes("sets in sets", !Arrays.equals(Kumihimo.hash(Set.of(Set.of(1), Set.of(2))),
                Kumihimo.hash(Set.of(Set.of(1, 2)))));
        check.yes("the order of a set", !Arrays.equals(Kumihimo.hash(set, ordered), Kumihimo.hash(turned, ordered)));
        check.refused("no value", Code.UNSUPPORTED, () -> Kumihimo.hash(new Object()));
        check.equal("after a failure", Kumihimo.hash(one, ordered), Kumihimo.hash(one, HashWriter.hash256()));
    }

    private void texts() {
        check.equal("text", Kumihimo.load("[1]"), List.of(1L));
        check.equal("text of a class", Kumihimo.load("[1,2]", long[].class), new long[] {1, 2});
        check.equal("a type", Kumihimo.load(utf8("[1]"), new TypeOf<List<Integer>>() {}), List.of(1));
    }
}
