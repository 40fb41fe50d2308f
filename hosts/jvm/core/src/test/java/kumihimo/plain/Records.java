package kumihimo.plain;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A record, which only JVMs from 16 on have: compiled while the test runs. */
final class Records {
    private static final String SOURCE = "import java.util.*; import java.time.LocalDate;\n"
            + "record Node(int id, String name, Optional<Node> next, List<String> tags, LocalDate at) {\n"
            + "    Node { if (id < 0) throw new IllegalArgumentException(\"id\"); }\n"
            + "}\n";

    private Records() {}

    /** The record's class; null where the JVM has no records, or no compiler. */
    static Class<?> compiled() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (Runtime.version().feature() < 16 || compiler == null) return null;
        Path folder = Files.createTempDirectory("kumihimo-records");
        try {
            URI name = URI.create("string:///Node.java");
            JavaFileObject source = new SimpleJavaFileObject(name, JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignored) {
                    return SOURCE;
                }
            };
            List<String> options = List.of("-d", folder.toString());
            if (!compiler.getTask(null, null, null, options, null, List.of(source)).call()) {
                throw new AssertionError("the record does not compile");
            }
            URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()});
            return Class.forName("Node", true, loader);
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).forEach(f -> f.toFile().delete());
            }
        }
    }
}
