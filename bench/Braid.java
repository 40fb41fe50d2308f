import kumihimo.Kumihimo;
import kumihimo.Options;

/**
 * The JVM host's hops of {@code ./dev demo braid}: {@code Braid SOURCE TARGET [FRAME]}, formats by their names, from
 * standard input to standard output through Java objects.
 */
final class Braid {
    private Braid() {}

    public static void main(String[] words) throws Exception {
        Object value = Kumihimo.load(System.in.readAllBytes(), words[0]);
        Options to = Options.DEFAULT.format(words[1]);
        System.out.write(Kumihimo.dump(value, words.length > 2 ? to.frame(words[2]) : to));
        System.out.flush();
    }
}
