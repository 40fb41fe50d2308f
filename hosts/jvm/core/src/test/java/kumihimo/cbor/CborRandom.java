package kumihimo.cbor;

import java.util.Random;

/** Well-formed documents of every kind of item, the same for the same seed. */
final class CborRandom {
    private static final String[] SCALARS = {
        "00", "17", "1818", "1903e8", "1a000f4240", "1bffffffffffffffff", "20", "3863", "3bffffffffffffffff",
        "f90000", "f93e00", "fa47c35000", "fb3ff199999999999a", "f4", "f5", "f6", "f7", "f0", "f8ff", "40",
        "4401020304", "5f4101420203ff", "60", "6161", "626162", "62c3bc", "7f61616162ff", "c11a514b67b0",
        "c1fb41d452d9ec200000", "c249010000000000000000", "c349010000000000000000", "c48221196ab3",
        "c5822003", "d86401", "d82a8101", "d81842616a", "da6b6d00054101", "d9d9f701", "1801", "190017",
        "fb3ff0000000000000", "c24101"
    };

    private final Random random;
    private final StringBuilder out = new StringBuilder();

    private CborRandom(Random random) {
        this.random = random;
    }

    /** In hexadecimal. */
    static String document(Random random, boolean container) {
        CborRandom made = new CborRandom(random);
        if (container) made.container(0);
        else made.item(0);
        return made.out.toString();
    }

    private void item(int depth) {
        if (depth < 5 && random.nextInt(3) == 0) container(depth);
        else out.append(SCALARS[random.nextInt(SCALARS.length)]);
    }

    private void container(int depth) {
        boolean map = random.nextBoolean();
        boolean open = random.nextInt(4) == 0;
        int n = random.nextInt(random.nextInt(8) == 0 ? 40 : 5);
        if (open) out.append(map ? "bf" : "9f");
        else if (n < 24) out.append(String.format("%02x", (map ? 0xa0 : 0x80) + n));
        else out.append(map ? "b8" : "98").append(String.format("%02x", n));
        for (int i = 0; i < n; i++) {
            if (map) {
                if (random.nextInt(4) == 0) item(depth + 1);
                else out.append(String.format("62%02x%02x", 'a' + random.nextInt(26), 'a' + random.nextInt(26)));
            }
            item(depth + 1);
        }
        if (open) out.append("ff");
    }
}
