package kumihimo;

import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The library as a module: {@code java -cp CLASSES kumihimo.ModuleTest}. */
public final class ModuleTest {
    /** A class of a program, which is in no module. */
    public static final class Point {
        public int x = 3;
    }

    public static void main(String[] arguments) throws Exception {
        Checks check = new Checks();
        Path classes = Path.of(Kumihimo.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        ModuleFinder finder = ModuleFinder.of(classes);
        ModuleDescriptor module = finder.find("kumihimo").orElseThrow().descriptor();
        check.equal("the packages that everybody may use", module.exports().stream().filter(e -> !e.isQualified())
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()),
                Set.of("kumihimo", "kumihimo.frame", "kumihimo.hash", "kumihimo.path", "kumihimo.plain",
                        "kumihimo.tape"));
        check.equal("what it needs", module.requires().stream()
                .filter(r -> !r.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .map(ModuleDescriptor.Requires::name).collect(Collectors.toSet()), Set.of("java.base"));

        Configuration found = ModuleLayer.boot().configuration()
                .resolve(finder, ModuleFinder.of(), Set.of("kumihimo"));
        ClassLoader loader = ModuleLayer.boot()
                .defineModulesWithOneLoader(found, ClassLoader.getPlatformClassLoader()).findLoader("kumihimo");
        Class<?> calls = loader.loadClass("kumihimo.Kumihimo");
        check.equal("its module", calls.getModule().getName(), "kumihimo");
        for (String format : Formats.names()) {
            Object dumped = calls.getMethod("dump", Object.class, String.class)
                    .invoke(null, Map.of("a", new Point()), format);
            Object loaded = calls.getMethod("load", byte[].class, String.class).invoke(null, dumped, format);
            check.equal(format, loaded, Map.of("a", Map.of("x", 3L)));
        }
        check.thrown("a package of its own", IllegalAccessException.class, () -> loader
                .loadClass("kumihimo.format.KeyHash").getMethod("of", byte[].class, int.class, int.class)
                .invoke(null, "a".getBytes(StandardCharsets.UTF_8), 0, 1));
        check.report();
    }
}
