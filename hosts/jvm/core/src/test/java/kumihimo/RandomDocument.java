package kumihimo;

import java.util.Random;

/** Documents of all that the data model has, the same for the same seed. */
final class RandomDocument {
    private static final long[] EDGES = {0, 1, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
        Integer.MAX_VALUE, 1L << 31, (1L << 32) - 1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE};
    private static final double[] DOUBLES = {0.0, -0.0, 1.0, 0.1, -1.5e300, Double.MIN_VALUE, Double.MAX_VALUE,
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 16777217.0};
    private static final String[] TEXTS = {"", "a", "id", "name", "caf\u00e9", "\u4fa1\u683c", "\ud83d\ude00", "a b",
        "\"\\/\n\u0001"};

    private final Random random;
    private final Sink to;
    private final boolean onlyTextKeys;

    private RandomDocument(Random random, Sink to, boolean onlyTextKeys) {
        this.random = random;
        this.to = to;
        this.onlyTextKeys = onlyTextKeys;
    }

    /** Writes a document into a sink. */
    static void into(Sink to, long seed, boolean onlyTextKeys) {
        new RandomDocument(new Random(seed), to, onlyTextKeys).value(0);
    }

    private void value(int depth) {
        switch (random.nextInt(depth < 6 ? 16 : 12)) {
            case 0:
                to.nil();
                return;
            case 1:
                to.bool(random.nextBoolean());
                return;
            case 2:
            case 3:
                to.i64(integer());
                return;
            case 4:
                to.u64(random.nextLong() | Long.MIN_VALUE);
                return;
            case 5:
                to.f64(random.nextBoolean() ? DOUBLES[random.nextInt(DOUBLES.length)] : random.nextGaussian());
                return;
            case 6: {
                byte[] data = bytes();
                to.bin(data, 0, data.length);
                return;
            }
            case 7:
                to.time(moment());
                return;
            case 8: {
                byte[] data = bytes();
                to.ext(random.nextInt(100), data, 0, data.length);
                return;
            }
            case 9:
            case 10:
            case 11:
                text(text());
                return;
            case 12:
            case 13:
                array(depth);
                return;
            default:
                map(depth);
        }
    }

    private int count() {
        return random.nextInt(random.nextInt(10) == 0 ? 70 : 5);
    }

    private void array(int depth) {
        int n = count();
        to.array(random.nextBoolean() ? n : Sink.UNKNOWN);
        for (int i = 0; i < n; i++) value(depth + 1);
        to.end();
    }

    private void map(int depth) {
        int n = count();
        to.map(random.nextBoolean() ? n : Sink.UNKNOWN);
        for (int i = 0; i < n; i++) {
            if (!onlyTextKeys && random.nextInt(5) == 0) {
                to.keyIsNext();
                if (random.nextBoolean()) to.i64(integer());
                else notText(depth);
            } else if (random.nextBoolean()) {
                to.key(text());
            } else {
                byte[] utf8 = Utf8.bytes(text());
                to.key(utf8, 0, utf8.length, false);
            }
            value(depth + 1);
        }
        to.end();
    }

    private void notText(int depth) {
        if (random.nextInt(4) != 0) to.nil();
        else if (depth < 6) array(depth + 1);
        else to.bool(true);
    }

    private void text(String text) {
        if (random.nextBoolean()) {
            to.str(text);
            return;
        }
        byte[] utf8 = Utf8.bytes(text);
        to.str(utf8, 0, utf8.length, utf8.length == text.length());
    }

    private long integer() {
        long n = random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong() >> random.nextInt(64);
        return random.nextBoolean() ? n : -n - 1;
    }

    private String text() {
        String text = TEXTS[random.nextInt(TEXTS.length)];
        return random.nextInt(4) == 0 ? text.repeat(random.nextInt(40)) : text;
    }

    private byte[] bytes() {
        byte[] data = new byte[random.nextInt(random.nextInt(5) == 0 ? 300 : 18)];
        random.nextBytes(data);
        return data;
    }

    /** UTC alone, which all formats give back as it was. */
    private Moment moment() {
        long seconds = random.nextLong() >> random.nextInt(60);
        return new Moment(seconds, random.nextInt(3) == 0 ? 0 : random.nextInt(1_000_000_000), 0, Moment.Clock.UTC);
    }
}
