package kumihimo.tape;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import kumihimo.Checks;
import kumihimo.Kumihimo;

/** One tape looked at by several threads at once: {@code java -cp CLASSES kumihimo.tape.CursorThreadsTest}. */
public final class CursorThreadsTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 40;
    private static final int MAPS = 60;
    private static final int KEYS = 40;

    public static void main(String[] arguments) throws Exception {
        Checks check = new Checks();
        byte[] document = document().getBytes(StandardCharsets.UTF_8);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        for (int round = 0; round < ROUNDS; round++) {
            Cursor root = Kumihimo.lazy(document);
            List<Future<Integer>> all = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int first = t * 7;
                all.add(pool.submit(() -> {
                    start.await();
                    return look(root, first);
                }));
            }
            int thread = 0;
            for (Future<Integer> wrong : all) check.equal("thread " + thread++, wrong.get(), 0);
        }
        pool.shutdown();
        check.report();
    }

    /** Large maps, escaped texts and numbers as they are written: all that a tape finds out when it is asked. */
    private static String document() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < MAPS; i++) {
            text.append(i == 0 ? "{" : ",{");
            for (int k = 0; k < KEYS; k++) {
                text.append(k == 0 ? "" : ",").append("\"key").append(k).append("\":[").append(i).append(".5,\"\\t")
                        .append(k).append("\"]");
            }
            text.append('}');
        }
        return text.append(']').toString();
    }

    /** How many values are not what they should be. */
    private static int look(Cursor root, int first) {
        int wrong = 0;
        for (int n = 0; n < MAPS; n++) {
            int i = (n + first) % MAPS;
            for (int k = 0; k < KEYS; k++) {
                Cursor pair = root.get(i).get("key" + k);
                if (pair.get(0).f64() != i + 0.5) wrong++;
                if (!pair.get(1).str().equals("\t" + k)) wrong++;
            }
        }
        return wrong;
    }
}
