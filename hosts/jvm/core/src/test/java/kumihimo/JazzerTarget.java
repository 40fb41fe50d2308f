package kumihimo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What jazzer fuzzes, by the coverage of the core: the calls of {@link MutationRunner}, which may throw nothing but a
 * {@link DataException}. The first byte of an input says the format, the second what is picked besides.
 *
 * <pre>
 *   java -cp CLASSES kumihimo.JazzerTarget tests/vectors FOLDER            writes the inputs to begin with
 *   java -cp CLASSES:jazzer.jar com.code_intelligence.jazzer.Jazzer --target_class=kumihimo.JazzerTarget FOLDER
 * </pre>
 */
public final class JazzerTarget {
    private JazzerTarget() {}

    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        if (input.length < 2) return;
        List<String> formats = Formats.names();
        Format format = Formats.named(formats.get((input[0] & 0xff) % formats.size()));
        try {
            MutationRunner.tried(format, Arrays.copyOfRange(input, 2, input.length), new Random(input[1]));
        } catch (DataException refused) {
            // as it may
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[1]));
        Mutations vectors = new Mutations(Path.of(arguments[0]), 1);
        int number = 0;
        for (String format : Formats.names()) {
            for (byte[] document : vectors.of(format)) {
                if (document.length > 4096) continue;
                byte[] input = new byte[document.length + 2];
                input[0] = (byte) Formats.names().indexOf(format);
                System.arraycopy(document, 0, input, 2, document.length);
                Files.write(folder.resolve("vector" + number++), input);
            }
        }
        System.out.println(number + " inputs");
    }
}
