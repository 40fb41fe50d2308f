package kumihimo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of tests/vectors, and the count of those that passed; its README says what is in them. */
final class Vectors {
    /** What is checked; throws whatever it likes where it fails. */
    interface Test {
        void run() throws Exception;
    }

    /** A difference between what is and what must be. */
    static final class Difference extends AssertionError {
        private static final long serialVersionUID = 1;

        Difference(String what) {
            super(what);
        }
    }

    private final Path root;
    private final Map<String, String> leftOut;
    private final boolean verbose;
    private final Set<String> failed = new LinkedHashSet<>();
    private final Set<String> left = new LinkedHashSet<>();
    private final Set<String> used = new HashSet<>();
    private int passed;

    /** @param leftOut files that need not pass, each with the reason; one that passes is a failure */
    Vectors(Path root, Map<String, String> leftOut, boolean verbose) {
        this.root = root;
        this.leftOut = leftOut;
        this.verbose = verbose;
    }

    /** Runs one test of a file, named from the root. */
    void check(String file, Test test) {
        try {
            test.run();
        } catch (Throwable e) {
            if (leftOut.containsKey(file)) {
                left.add(file);
                return;
            }
            failed.add(file);
            System.out.println("FAILED " + file + ": " + (e instanceof Difference ? e.getMessage() : e.toString()));
            if (verbose && !(e instanceof Difference)) e.printStackTrace(System.out);
            return;
        }
        if (leftOut.containsKey(file)) {
            failed.add(file);
            System.out.println("FAILED " + file + ": it is left out (" + leftOut.get(file) + "), but passes");
            return;
        }
        passed++;
    }

    /**
     * Everything that was asked for has passed.
     *
     * @param all no area is left out: then what is left out by name must be there
     */
    boolean report(boolean all) {
        for (String file : leftOut.keySet()) {
            if (!all || left.contains(file) || failed.contains(file)) continue;
            failed.add(file);
            System.out.println("FAILED " + file + ": it is left out, but there is no such vector");
        }
        if (all) notUsed();
        System.out.println(passed + " passed, " + failed.size() + " failed, " + left.size() + " skipped");
        return failed.isEmpty();
    }

    /** A vector that no test has read is left out, too. Scripts, words and the lists of other hosts are none. */
    private void notUsed() {
        for (String file : files("", "")) {
            if (used.contains(file) || file.matches("held/.*|.*\\.(py|pyc|md)")) continue;
            failed.add(file);
            System.out.println("FAILED " + file + ": no test has read it");
        }
    }

    Path path(String file) {
        used.add(file);
        return root.resolve(file);
    }

    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    byte[] load(String file) {
        try {
            return Files.readAllBytes(path(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text(String file) {
        return new String(load(file), StandardCharsets.UTF_8);
    }

    List<String> lines(String file) {
        String text = text(file);
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < text.length(); ) {
            int stop = text.indexOf('\n', at);
            lines.add(text.substring(at, stop));
            at = stop + 1;
        }
        return lines;
    }

    /** Everything below a folder whose name ends so, in order; empty where the folder is none. */
    List<String> files(String folder, String ending) {
        if (!exists(folder)) return List.of();
        try (Stream<Path> all = Files.walk(root.resolve(folder))) {
            return all.filter(Files::isRegularFile).map(p -> root.relativize(p).toString())
                    .filter(p -> p.endsWith(ending)).sorted().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file beside this one, whose name has another ending. */
    static String beside(String file, String ending) {
        return file.substring(0, file.lastIndexOf('.')) + ending;
    }

    /** What a vector's name says must happen: "ok", "err", "any". */
    static String expectation(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1);
        return name.substring(0, name.indexOf('-'));
    }

    /** The line of an .error file for this failure. */
    static String said(DataException e) {
        String line = e.code().text();
        if (e.offset() >= 0) line += " " + e.offset();
        if (e.path() != null && !e.path().isEmpty()) line += " " + e.path();
        if (e.reason().isEmpty()) throw new Difference("an error without a sentence: " + line);
        return line + "\n";
    }

    /** Whether a failure is the one in an .error file, whose line may leave out path and offset. */
    static void agree(String said, String expected) {
        long words = expected.chars().filter(c -> c == ' ').count();
        boolean same = words >= 2 ? said.equals(expected)
                : said.startsWith(expected.trim() + " ") || said.startsWith(expected.trim() + "\n");
        if (!same) throw new Difference("said " + said.trim() + ", not " + expected.trim());
    }

    static void equal(String got, String expected, String what) {
        if (got.equals(expected)) return;
        int at = 0;
        while (at < Math.min(got.length(), expected.length()) && got.charAt(at) == expected.charAt(at)) at++;
        throw new Difference(what + " differs at " + at + ": " + around(got, at) + ", not " + around(expected, at));
    }

    static void equal(byte[] got, byte[] expected, String what) {
        equal(new String(got, StandardCharsets.ISO_8859_1), new String(expected, StandardCharsets.ISO_8859_1), what);
    }

    private static String around(String text, int at) {
        String part = text.substring(Math.max(0, at - 20), Math.min(text.length(), at + 40));
        StringBuilder out = new StringBuilder();
        for (char c : part.toCharArray()) {
            if (c >= 0x20 && c < 0x7f) out.append(c);
            else out.append(String.format("\\x%02x", (int) c));
        }
        return "'" + out + "'";
    }
}
