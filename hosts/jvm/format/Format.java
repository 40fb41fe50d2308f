import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.scalafmt.Scalafmt;
import org.scalafmt.config.ScalafmtConfig;

/**
 * Formats Scala sources by scalafmt: {@code Format CONFIGURATION [--check] FILE...}. sbt's plugin asks for scalafmt's
 * command line, which not every registry has; its library is enough.
 */
final class Format {
    public static void main(String[] arguments) throws Exception {
        String configuration = Files.readString(Path.of(arguments[0]));
        boolean check = arguments.length > 1 && arguments[1].equals("--check");
        int different = 0;
        for (String name : Arrays.asList(arguments).subList(check ? 2 : 1, arguments.length)) {
            Path file = Path.of(name);
            String source = Files.readString(file);
            String dialect = "\nrunner.dialect = " + dialect(name);
            ScalafmtConfig style = Scalafmt.parseHoconConfig(configuration + dialect).get();
            String formatted = Scalafmt.format(source, style, scala.Predef$.MODULE$.Set().empty(), name).get();
            if (formatted.equals(source)) continue;
            different++;
            System.out.println((check ? "not formatted: " : "formatted: ") + name);
            if (!check) Files.writeString(file, formatted);
        }
        if (check && different > 0) System.exit(1);
    }

    private static String dialect(String name) {
        if (name.endsWith(".sbt") || name.contains("/project/")) return "sbt1";
        if (name.contains("/scala-3/")) return "scala3";
        return name.contains("/scala-2") ? "scala213" : "scala213source3";
    }
}
