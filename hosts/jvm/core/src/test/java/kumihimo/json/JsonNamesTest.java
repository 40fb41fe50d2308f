package kumihimo.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import kumihimo.Checks;

/** What is kept of keys has a bound: {@code java -cp CLASSES kumihimo.json.JsonNamesTest}. */
public final class JsonNamesTest {
    private static final String BEHIND = " ".repeat(2 * JsonPiece.LONGEST);

    public static void main(String[] arguments) {
        Checks check = new Checks();
        JsonNames names = new JsonNames();
        int fresh = 0;
        for (int document = 0; document < 1024; document++) {
            names.begin();
            JsonNames.Key key = names.root;
            // A few keys that came before lead to another place for each document, where new ones follow.
            for (int bit = 0; bit < 10; bit++) {
                boolean inner = (document >> bit & 1) == 1;
                int path = 1 << bit + 1 | document & (1 << bit + 1) - 1;
                key = follow(names, key, inner, "p" + Integer.toHexString(path));
            }
            for (int i = 0; i < 900; i++) key = follow(names, key, false, "n" + fresh++);
        }
        Set<JsonNames.Key> kept = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<JsonNames.Key> left = new ArrayDeque<>();
        left.push(names.root);
        while (!left.isEmpty()) {
            JsonNames.Key key = left.pop();
            if (!kept.add(key)) continue;
            if (key.next != null) left.push(key.next); // of the one that stands for none
            if (key.inner != null) left.push(key.inner);
        }
        check.yes("of " + fresh + " keys " + kept.size() + " are kept", kept.size() < 10_000);
        check.report();
    }

    private static JsonNames.Key follow(JsonNames names, JsonNames.Key before, boolean inner, String name) {
        byte[] data = ("\"" + name + "\":0" + BEHIND).getBytes(StandardCharsets.UTF_8);
        JsonNames.Key found = names.find(data, 0, data.length, inner ? before.inner : before.next);
        if (inner) before.inner = found;
        else before.next = found;
        return found;
    }
}
