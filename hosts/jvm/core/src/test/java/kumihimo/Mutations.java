package kumihimo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A fuzzer without coverage: the documents of tests/vectors, and what mutation makes of them, given to a body that may
 * throw nothing but {@link DataException}. The same seed gives the same documents.
 */
public final class Mutations {
    /** What is tried. */
    public interface Body {
        /** @param pick of dialects and the like, so that they follow the seed, too */
        void run(Format format, byte[] document, Random pick) throws Exception;
    }

    private static final byte[] WANTED = "\"\\{}[]:,0123456789.eE+-tfn/* \t\n\0\177\200\277\300\355\240\364\377"
            .getBytes(StandardCharsets.ISO_8859_1);
    /** A document that takes longer is as good as one without an end. */
    private static final long PATIENCE_MS = 20_000;

    private final Map<String, List<byte[]>> sources = new LinkedHashMap<>();
    private final long seed;
    private final Random pick;
    private long runs;

    public Mutations(Path vectors, long seed) {
        this.seed = seed;
        pick = new Random(seed);
        for (String format : Formats.names()) sources.put(format, documents(vectors, format));
    }

    private static List<byte[]> documents(Path vectors, String format) {
        List<byte[]> found = new ArrayList<>();
        for (String folder : List.of(format, "read/" + format, "streams/" + format)) {
            if (Files.isDirectory(vectors.resolve(folder))) found.addAll(read(vectors.resolve(folder), ".in"));
        }
        for (Path file : files(vectors.resolve("model"))) {
            String name = file.toString();
            if (name.contains("." + format + ".") && !name.endsWith(".error")) found.add(bytes(file));
        }
        if (format.equals("json")) found.addAll(read(vectors.resolve("project"), ".in"));
        if (found.isEmpty()) throw new IllegalStateException("no documents of " + format + " in " + vectors);
        return found;
    }

    private static List<byte[]> read(Path folder, String ending) {
        return files(folder).stream().filter(f -> f.toString().endsWith(ending)).map(Mutations::bytes)
                .collect(Collectors.toList());
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The documents of a format to begin with. */
    public List<byte[]> of(String format) {
        return sources.get(format);
    }

    /** One more document to begin with, of the form that the body reads; it is taken as often as all others are. */
    public Mutations with(String format, byte[] document) {
        List<byte[]> all = sources.get(format);
        for (int i = all.size(); i >= 0; i -= 40) all.add(document);
        return this;
    }

    /**
     * Tries as many documents; says what has failed, and by which seed.
     *
     * @return whether nothing has
     */
    public boolean count(int documents, Body body) {
        while (runs < documents) {
            if (!one(body)) return false;
        }
        System.out.println(runs + " documents, seed " + seed);
        return true;
    }

    /** The same for so many seconds; the last line is as those of the other fuzzers. */
    public boolean seconds(String name, int seconds, Body body) {
        AtomicLong began = new AtomicLong(System.nanoTime());
        Thread watch = new Thread(() -> watch(began));
        watch.setDaemon(true);
        watch.start();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        boolean good = true;
        while (good && System.nanoTime() < end) {
            began.set(System.nanoTime());
            good = one(body);
        }
        System.out.printf("fuzz %-28s %s%n", name, good ? "Done " + runs + " runs" : "failed");
        return good;
    }

    private void watch(AtomicLong began) {
        while ((System.nanoTime() - began.get()) / 1_000_000 < PATIENCE_MS) {
            try {
                Thread.sleep(500);
            } catch (InterruptedException e) {
                return;
            }
        }
        System.out.println("document " + runs + " of seed " + seed + " has no end");
        Runtime.getRuntime().halt(1);
    }

    private boolean one(Body body) {
        List<String> names = new ArrayList<>(sources.keySet());
        Format format = Formats.named(names.get(pick.nextInt(names.size())));
        byte[] document = mutated(sources.get(format.name()), pick);
        Random own = new Random(pick.nextLong());
        runs++;
        try {
            body.run(format, document, own);
            return true;
        } catch (DataException e) {
            return true;
        } catch (Throwable e) {
            System.out.println("document " + runs + " of seed " + seed + ", " + format.name() + ": " + shown(document));
            e.printStackTrace(System.out);
            return false;
        }
    }

    private static String shown(byte[] document) {
        StringBuilder text = new StringBuilder();
        for (byte b : document) {
            if (text.length() > 4000) return text + "...";
            if (b >= ' ' && b < 0x7f && b != '\\') text.append((char) b);
            else text.append(String.format("\\x%02x", b & 0xff));
        }
        return text.toString();
    }

    /** Up to two changes: a bit, a byte, a piece gone, the end gone, a piece of another document, a piece twice. */
    private static byte[] mutated(List<byte[]> sources, Random pick) {
        byte[] document = sources.get(pick.nextInt(sources.size()));
        for (int changes = pick.nextInt(3); changes > 0; changes--) {
            int at = pick.nextInt(document.length + 1);
            switch (pick.nextInt(6)) {
                case 0:
                    if (document.length == 0) break;
                    document = document.clone();
                    document[Math.max(0, at - 1)] ^= (byte) (1 << pick.nextInt(8));
                    break;
                case 1:
                    byte one = pick.nextInt(10) < 7 ? WANTED[pick.nextInt(WANTED.length)] : (byte) pick.nextInt(256);
                    document = spliced(document, at, at, new byte[] {one});
                    break;
                case 2:
                    document = spliced(document, at, Math.min(document.length, at + 1 + pick.nextInt(4)), new byte[0]);
                    break;
                case 3:
                    document = Arrays.copyOf(document, at);
                    break;
                case 4:
                    byte[] other = sources.get(pick.nextInt(sources.size()));
                    int cut = pick.nextInt(other.length + 1);
                    int end = Math.min(other.length, cut + 1 + pick.nextInt(19));
                    document = spliced(document, at, at, Arrays.copyOfRange(other, cut, end));
                    break;
                default:
                    document = spliced(document, at, at,
                            Arrays.copyOfRange(document, Math.max(0, at - 1 - pick.nextInt(11)), at));
            }
        }
        return document;
    }

    private static byte[] spliced(byte[] document, int from, int to, byte[] piece) {
        byte[] made = Arrays.copyOf(document, from + piece.length + document.length - to);
        System.arraycopy(piece, 0, made, from, piece.length);
        System.arraycopy(document, to, made, from + piece.length, document.length - to);
        return made;
    }
}
