package kumihimo.cbor;

import java.util.Random;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Sink;

/** CBOR and whoever means harm, or errs: {@code java -cp CLASSES kumihimo.cbor.CborHostileTest}. */
public final class CborHostileTest extends CborCases {
    public static void main(String[] arguments) {
        CborHostileTest test = new CborHostileTest();
        test.limits();
        test.order();
        test.deep();
        test.keysInKeys();
        test.hostile();
        test.anything();
        test.report();
    }

    private void limits() {
        is(get("8180", "standard_read", 1), "error depth 1 $[0]");
        is(get("819fff", "standard_read", 1), "error depth 1 $[0]");
        is(get("81c680", "standard_read", 1), "error depth 2 $[0]");
        is(get("81c68101", "preferred_read", 1), "error depth 2 $[0]");
        is(get("81d8184101", "plain_read", 1), "error depth 1 $[0]");
        is(get("81c680", "standard_read", 2), "array\next 24 0xc680\nend");
        is(by("preferred", Limits.DEFAULT.withSize(100), w -> w.str("x".repeat(101))), "error size");
        is(by("preferred", Limits.DEFAULT.withSize(2), w -> w.str("xxx")), "error size");
        is(by("preferred", Limits.DEFAULT.withDepth(1), w -> {
            w.array(Sink.UNKNOWN);
            w.map(Sink.UNKNOWN);
        }), "error depth");
        try {
            new CborReader(CborReadDialect.STANDARD, Limits.DEFAULT.withSize(3)).reset(bytes("83010203")).skip();
            equal("taken", "refused", "a document beyond the limit");
        } catch (DataException e) {
            equal(e.code(), Code.SIZE, "a document beyond the limit");
        }
    }

    private void order() {
        for (String dialect : new String[] {"preferred", "deterministic", "streaming"}) {
            is(by(dialect, Limits.DEFAULT, w -> {}), "error misuse");
            is(by(dialect, Limits.DEFAULT, w -> w.array(Sink.UNKNOWN)), "error misuse");
            is(by(dialect, Limits.DEFAULT, CborWriter::end), "error misuse");
            is(by(dialect, Limits.DEFAULT, w -> {
                w.nil();
                w.nil();
            }), "error misuse");
            is(by(dialect, Limits.DEFAULT, w -> {
                w.map(Sink.UNKNOWN);
                w.nil();
            }), "error misuse");
            is(by(dialect, Limits.DEFAULT, w -> {
                w.map(Sink.UNKNOWN);
                w.key("a");
                w.end();
            }), "error misuse");
            is(by(dialect, Limits.DEFAULT, w -> {
                w.array(2);
                w.nil();
                w.end();
            }), "error misuse");
        }
    }

    /** Nesting costs no stack. */
    private void deep() {
        int n = 200_000;
        for (String opening : new String[] {"81", "9f", "d81881"}) {
            String document = opening.repeat(n) + "80" + (opening.equals("9f") ? "ff".repeat(n) : "");
            byte[] data = bytes(document);
            CborReader reader = new CborReader(CborReadDialect.STANDARD, Limits.DEFAULT.withDepth(1_000_000));
            String back = by("preferred", Limits.DEFAULT.withDepth(1_000_000), w -> reader.reset(data).feed(w));
            is(back, opening.equals("9f") ? "81".repeat(n) + "80" : document);
            reader.reset(data).skip();
            reader.finish();
            equal(new CborBoundary().next(data, 0, data.length), data.length, "the boundary");
        }
        starts(get("c6".repeat(n) + "01"), "ext 24 0xc6c6");
        String tags = "9f" + "d818".repeat(n) + "4101ff";
        is(get(tags, "plain_read"), "array\ni64 1\nend");
    }

    /** Maps as keys of maps as keys: each is looked at once, for keys that come twice and for the order of keys. */
    private void keysInKeys() {
        int n = 1000;
        String sorted = "a2".repeat(n) + "00000100" + "000100".repeat(n - 1);
        is(by("deterministic", Limits.DEFAULT, w -> read("unique_keys", sorted, w)), turned(n));
        // The innermost key that comes twice makes nothing else equal, and is the first that is told.
        String twice = "a2".repeat(n) + "00000000" + "000100".repeat(n - 1);
        starts(get(twice, "unique_keys"), "error duplicate " + (n + 2));
        int again = sorted.length() / 2 + 2;
        starts(get("a2" + sorted + "00" + sorted + "00", "unique_keys", n + 1), "error duplicate " + again);
    }

    private static void read(String dialect, String document, CborWriter to) {
        CborReader reader = new CborReader(CborReadDialect.parse(dialect), Limits.DEFAULT);
        reader.reset(bytes(document)).feed(to);
        reader.finish();
    }

    /** The same with the keys in the order of their bytes: numbers before maps. */
    private static String turned(int n) {
        String key = "a200000100";
        for (int i = 1; i < n; i++) key = "a20100" + key + "00";
        return key;
    }

    /** What a header promises is not believed. */
    private void hostile() {
        String[] documents = {"9affffffff010203", "9bffffffffffffffff01", "bbffffffffffffffff01",
            "bb800000000000000001", "7bffffffffffffffff61", "5bffffffffffffffff61", "5f5bffffffffffffffff61",
            "c25bffffffffffffffff61", "c69bffffffffffffffff01"};
        for (String document : documents) {
            starts(get(document), "error truncated");
            starts(get(document, "unique_keys"), "error truncated");
            starts(get(document, "deterministic_read"), "error ");
            byte[] data = bytes(document);
            CborBoundary boundary = new CborBoundary();
            equal(boundary.next(data, 0, data.length), data.length, "the boundary");
            equal(boundary.complete(), false, "the boundary");
        }
    }

    /** Every first byte with anything behind it: whoever reads says the same, and says where. */
    private void anything() {
        Random random = new Random(7);
        CborCheck check = new CborCheck();
        for (int round = 0; round < 100_000; round++) {
            byte[] data = new byte[1 + random.nextInt(24)];
            for (int i = 0; i < data.length; i++) data[i] = (byte) random.nextInt(random.nextInt(4) == 0 ? 4 : 256);
            data[0] = (byte) round;
            for (String dialect : CborReadDialect.named().keySet()) {
                String said = get(hex(data), dialect);
                if (dialect.equals("any_text_read") && !said.startsWith("error")) {
                    boolean good = check.item(data, 0, data.length, CborReadDialect.Insist.ANYTHING, false, 1024);
                    equal(good && check.behind == data.length, true, hex(data));
                    CborBoundary boundary = new CborBoundary();
                    equal(boundary.next(data, 0, data.length), data.length, hex(data));
                    equal(boundary.complete(), true, hex(data));
                }
            }
        }
    }
}
