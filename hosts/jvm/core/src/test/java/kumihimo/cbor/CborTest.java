package kumihimo.cbor;

import java.util.Arrays;
import java.util.Random;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Sink;

/**
 * CBOR beyond the vectors and the RFC's examples: what each dialect makes of each value, both ways:
 * {@code java -cp CLASSES kumihimo.cbor.CborTest}.
 */
public final class CborTest extends CborCases {
    public static void main(String[] arguments) {
        CborTest test = new CborTest();
        test.heads();
        test.floats();
        test.floatsOfAllExponents();
        test.numbers();
        test.limitOfDigits();
        test.moments();
        test.brokenMoments();
        test.extensions();
        test.granted();
        test.keysTwice();
        test.insisted();
        test.refusals();
        test.sorted();
        test.report();
    }

    private void heads() {
        String[][] edges = {{"23", "17"}, {"24", "1818"}, {"255", "18ff"}, {"256", "190100"}, {"65535", "19ffff"},
            {"65536", "1a00010000"}, {"4294967295", "1affffffff"}, {"4294967296", "1b0000000100000000"},
            {"9223372036854775807", "1b7fffffffffffffff"}, {"18446744073709551615", "1bffffffffffffffff"}};
        for (String[] edge : edges) {
            boolean signed = edge[0].length() < 20;
            is(put((signed ? "i64 " : "u64 ") + edge[0]), edge[1]);
            is(get(edge[1]), (signed ? "i64 " : "u64 ") + edge[0]);
            if (edge[0].length() > 5) continue;
            int n = Integer.parseInt(edge[0]);
            String text = "x".repeat(n);
            is(put("str \"" + text + "\""), of(3, edge[1]) + hex(text));
            is(put("bin 0x" + hex(text)), of(2, edge[1]) + hex(text));
            for (String dialect : new String[] {"preferred", "deterministic", "streaming"}) {
                filled(dialect, n, edge[1], true);
                filled(dialect, n, edge[1], false);
            }
        }
    }

    /** The head of another major type with the argument of a natural number's. */
    private static String of(int major, String head) {
        return Integer.toHexString(Integer.parseInt(head.substring(0, 2), 16) | major << 5) + head.substring(2);
    }

    private void filled(String dialect, int n, String head, boolean known) {
        boolean open = !known && dialect.equals("streaming");
        String array = by(dialect, Limits.DEFAULT, w -> {
            w.array(known ? n : Sink.UNKNOWN);
            for (int i = 0; i < n; i++) w.nil();
            w.end();
        });
        equal(array, open ? "9f" + "f6".repeat(n) + "ff" : of(4, head) + "f6".repeat(n), "an array of " + n);
        String map = by(dialect, Limits.DEFAULT, w -> {
            w.map(known ? n : Sink.UNKNOWN);
            for (int i = n; i-- > 0; ) {
                w.keyIsNext();
                w.i64(i);
                w.nil();
            }
            w.end();
        });
        starts(map, open ? "bf" : of(5, head));
        equal(get(map).lines().count(), 2L + 3 * n, "lines of a map");
    }

    private void floats() {
        is(put("f64 0x3ff8000000000000 1.5", "doubles"), "fb3ff8000000000000");
        is(put("f64 0x36a0000000000000 1e-45"), "fa00000001");
        is(put("f64 0x3690000000000000 7e-46"), "fb3690000000000000");
        double quiet = Double.longBitsToDouble(0xfff8000000000001L);
        is(by("doubles", Limits.DEFAULT, w -> w.f64(quiet)), "fbfff8000000000001");
        is(by("preferred", Limits.DEFAULT, w -> w.f64(quiet)), "f97e00");
        for (int half = 0; half < 0x10000; half++) {
            double x = CborFloats.half(half);
            int exponent = half >> 10 & 31;
            int fraction = half & 1023;
            double magnitude = exponent == 0 ? Math.scalb((double) fraction, -24)
                    : Math.scalb(1024.0 + fraction, exponent - 25);
            if (exponent == 31) magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
            equal(x, (half & 0x8000) == 0 || x != x ? magnitude : -magnitude, "a half");
            equal(written(x), x != x ? "f97e00" : String.format("f9%04x", half), "a half, written");
            if (x == 0 || x != x || Double.isInfinite(x)) continue;
            equal(written(Math.nextUp((float) x)).length(), 10, "a single");
            equal(written(Math.nextUp(x)).length(), 18, "a double");
        }
    }

    private static String written(double x) {
        byte[] to = new byte[CborHeader.LONGEST];
        return hex(Arrays.copyOf(to, CborFloats.put(to, 0, x, true)));
    }

    private void floatsOfAllExponents() {
        Random random = new Random(16);
        byte[] to = new byte[CborHeader.LONGEST];
        for (long exponent = 0; exponent < 2048; exponent++) {
            for (int bits = 0; bits <= 52; bits++) {
                long fraction = bits == 0 ? 0 : (random.nextLong() | 1) << 64 - bits >>> 12;
                double x = Double.longBitsToDouble(random.nextLong() & Long.MIN_VALUE | exponent << 52 | fraction);
                int size = (float) x == x ? 5 : 9;
                // A half: a multiple of 2^-24 of at most 11 digits, below 2^16.
                double scaled = x == 0 ? 0 : Math.scalb(x, 10 - Math.getExponent(x));
                double units = Math.scalb(x, 24);
                boolean half = Math.abs(x) < 65536 && scaled == Math.rint(scaled) && units == Math.rint(units);
                if (half || x != x || Double.isInfinite(x)) size = 3;
                equal(CborFloats.put(to, 0, x, true), size, "the size of a float");
                double back = CborFloats.value(new CborHeader().read(to, 0, size).argument, size - 1);
                equal(back, x, "a float, read");
            }
        }
    }

    private void numbers() {
        is(put("big 5"), "05");
        is(put("big -1"), "20");
        is(put("big 18446744073709551615"), "1bffffffffffffffff");
        is(put("big 18446744073709551616"), "c249010000000000000000");
        is(put("big -18446744073709551616"), "3bffffffffffffffff");
        is(put("big -18446744073709551617"), "c349010000000000000000");
        is(put("big -0"), "f98000");
        is(put("big 0"), "00");
        is(put("big 273.15"), "c48221196ab3");
        is(put("big 1.50"), "c482211896");
        is(put("big -0.00"), "f98000");
        is(put("big 0.00"), "c4822100");
        is(put("big 1e400"), "c48219019001");
        is(put("big -1.5E-3"), "c482232e");
        is(put("big 1e9223372036854775807"), "c4821b7fffffffffffffff01");
        is(put("big 1e-9223372036854775807"), "c4823b7ffffffffffffffe01");
        is(put("big 1.50", "big_text"), "64312e3530");
        is(get("c240"), "i64 0");
        is(get("c2420007"), "i64 7");
        is(get("c340"), "i64 -1");
        is(get("c2487fffffffffffffff"), "i64 9223372036854775807");
        is(get("c2488000000000000000"), "u64 9223372036854775808");
        is(get("c3487fffffffffffffff"), "i64 -9223372036854775808");
        is(get("c3488000000000000000"), "big -9223372036854775809");
        is(get("3b8000000000000000"), "big -9223372036854775809");
        is(get("c25f4101480000000000000000ff"), "big 18446744073709551616");
        is(get("c48221196ab3"), "big 273.15");
        is(get("c49f21196ab3ff"), "big 273.15");
        is(get("c4822005"), "big 0.5");
        is(get("c4822505"), "big 0.000005");
        is(get("c4822605"), "big 5e-7");
        is(get("c4820005"), "big 5e0");
        is(get("c4820320"), "big -1e3");
        is(get("c4822100"), "big 0.00");
        is(get("c48221c249010000000000000000"), "big 184467440737095516.16");
        is(get("c48221c349010000000000000000"), "big -184467440737095516.17");
        is(get("c5822003"), "f64 0x3ff8000000000000 1.5");
        is(get("c5820000"), "f64 0x0000000000000000 0");
        is(get("c5821903ff01"), "f64 0x7fe0000000000000 8.98846567431158e+307");
        starts(get("c58219040001"), "big 1797693134862315907729305190789");
        ends(get("c58219040001"), "e0");
        is(get("c58239043101"), "f64 0x0000000000000001 5e-324");
        ends(get("c58239043201"), "e-1075");
        starts(get("c5823902ff1bffffffffffffffff"), "big ");
        is(put("big 1e9223372036854775808"), "error range");
        is(put("big 1e-9223372036854775808"), "error range");
        is(put("big 1.5e-9223372036854775808"), "error range");
        starts(get("c58220c249020000000000000001"), "big 18446744073709551616.5");
        String[] none = {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 ", "nan", "1.e5", "--1"};
        for (String wrong : none) {
            is(by("preferred", Limits.DEFAULT, w -> w.big(wrong)), "error syntax");
        }
        String[][] broken = {{"c26161", "syntax 1 $"}, {"c201", "syntax 1 $"}, {"c48101", "syntax 1 $"},
            {"c4820161ff", "syntax 3 $[1]"}, {"c482f90000", "syntax 2 $[0]"}, {"c49f010203ff", "syntax 4 $[2]"},
            {"c4821b800000000000000001", "range 2 $[0]"}, {"c5821a0001000001", "size 1 $"}, {"c4", "truncated 1 $"},
            {"c482", "truncated 2 $"}, {"c243ffff", "truncated 1 $"}};
        for (String[] each : broken) is(get(each[0]), "error " + each[1]);
    }

    private void limitOfDigits() {
        String most = "c2590800" + "f".repeat(4096);
        String digits = get(most);
        equal(digits.length(), 4 + 4933, "the most digits");
        is(put(digits), most);
        is(get("c259080101" + "0".repeat(4096)), "error size 1 $");
        is(put("big 1" + "0".repeat(4940)), "error size");
        equal(get("c259080000" + "f".repeat(4094)).length() > 4900, true, "leading zeros do not count");
        is(get("c3590800" + "f".repeat(4096)), "error size 1 $");
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            StringBuilder number = new StringBuilder(random.nextBoolean() ? "big -" : "big ");
            number.append(1 + random.nextInt(9));
            for (int n = 20 + random.nextInt(200); n > 0; n--) number.append(random.nextInt(10));
            if (random.nextBoolean()) number.append('.').append(random.nextInt(1 << 30));
            is(get(put(number.toString())), number.toString());
        }
    }

    private void moments() {
        is(put("time utc 1363896240 0 0"), "c11a514b67b0");
        is(put("time utc -1 0 0"), "c120");
        is(put("time utc 1363896240 500000000 0"), "c1fb41d452d9ec200000");
        is(put("time utc 0 500000000 0"), "c1f93800");
        is(put("time utc 0 500000000 0", "doubles"), "c1fb3fe0000000000000");
        is(put("time utc 1363896240 99999905 0"), "c1fb41d452d9ec066666");
        is(put("time utc 1363896240 100000000 0"), "c076" + hex("2013-03-21T20:04:00.1Z"));
        is(put("time utc 0 1 0"), "c1fb3e112e0be826d695");
        is(put("time utc 1000000000 1 0"), "c0781e" + hex("2001-09-09T01:46:40.000000001Z"));
        is(put("time utc 1363896240 0 0", "time_text"), "c074" + hex("2013-03-21T20:04:00Z"));
        is(put("time utc 1099511627776000 1 0"), "d903e9a2011b0003e800000000002801");
        is(put("time utc 1099511627776000 0 0", "time_text"), "c11b0003e80000000000");
        is(put("time offset 0 0 32400"), "c07819" + hex("1970-01-01T09:00:00+09:00"));
        is(put("time offset 0 0 32400", "moments"), "c100");
        is(put("time local 0 0 32400"), "c07819" + hex("1970-01-01T09:00:00+09:00"));
        starts(put("time offset 1099511627776000 0 32400"), "error range");
        is(put("time date 86400 0 0"), "d86401");
        is(put("time date -86400 0 0"), "d86420");
        is(put("time date 86400 0 0", "time_text"), "d903ec6a" + hex("1970-01-02"));
        is(put("time naive 0 0 0"), "73" + hex("1970-01-01T00:00:00"));
        starts(put("time naive 0 0 0", "exact"), "error unsupported");
        is(get("c0781e" + hex("1970-01-01T00:00:00.000000001Z")), "time utc 0 1 0");
        is(get("c07819" + hex("1970-01-01T09:00:00+09:00")), "time offset 0 0 32400");
        is(get("c07f6a" + hex("1970-01-02") + "6a" + hex("T00:00:00Z") + "ff"), "time utc 86400 0 0");
        is(get("c1fbbff8000000000000"), "time utc -2 500000000 0");
        is(get("c1f93e00"), "time utc 1 500000000 0");
        is(get("c1fb41d452d9ec066666"), "time utc 1363896240 99999905 0");
        is(get("c1fb3feffffffffffff8"), "time utc 1 0 0");
        is(get("d86420"), "time date -86400 0 0");
        is(get("d903ec6a" + hex("1970-01-02")), "time date 86400 0 0");
        is(get("d903e9a2010a2801"), "time utc 10 1 0");
        is(get("d903e9a2010a2501"), "time utc 10 1000 0");
        is(get("d903e9a2010a2201"), "time utc 10 1000000 0");
        is(get("d903e9a101384f"), "time utc -80 0 0");
        is(get("d903e9a2010a2001"), "ext 24 0xd903e9a2010a2001");
        is(put("ext 24 0xd903e9a2010a2001"), "d903e9a2010a2001");
        is(get("a1c10001"), "map\nkey\ntime utc 0 0 0\ni64 1\nend");
    }

    private void brokenMoments() {
        String[][] broken = {{"c1f97e00", "range 1 $"}, {"c1fb43e0000000000000", "range 1 $"},
            {"c11b8000000000000000", "range 1 $"}, {"c16130", "syntax 1 $"}, {"c000", "syntax 1 $"},
            {"c06a" + hex("1970-01-02"), "syntax 1 $"}, {"c073" + hex("1970-01-01T00:00:00"), "syntax 1 $"},
            {"c074" + hex("1970-02-30T00:00:00Z"), "range 1 $"}, {"d8641b7fffffffffffffff", "range 2 $"},
            {"d8646131", "syntax 2 $"}, {"d903ec6a" + hex("1970/01/02"), "syntax 3 $"},
            {"d903ec6a" + hex("1970-13-02"), "range 3 $"}};
        for (String[] each : broken) is(get(each[0]), "error " + each[1]);
    }

    private void extensions() {
        is(put("ext -1 0x00ff"), "da6b6d00ff4200ff");
        starts(put("ext 24 0xd82aa2020101020300", "deterministic"), "da6b6d0018");
        is(put("ext 24 0xd82aa201020201", "deterministic"), "d82aa201020201");
        is(get("d82a62c328"), "error encoding 3 $");
        is(get("d82a1c"), "error syntax 2 $");
        is(get("d82aff"), "error syntax 2 $");
        is(get("d82a9f81ff"), "error syntax 4 $[0][0]");
        is(get("82d82a8101d82a8181811c"), "error syntax 10 $[1][0][0][0]");
        String[] carried = {"e0", "f3", "f820", "f8ff", "c601", "d8184101", "d9d9f8f6", "da6b6d000501", "d82a9f01ff",
            "c7c7c700", "da6b6d00055f4101ff", "d82aa3020101020300", "d82a1817"};
        for (String item : carried) {
            is(get(item), "ext 24 0x" + item);
            is(put("ext 24 0x" + item), item);
            is(get("a1" + item + "01"), "map\nkey\next 24 0x" + item + "\ni64 1\nend");
        }
        // Bytes that are no such item are wrapped, as all other types are.
        String[] wrapped = {"", "00", "c1", "c100", "f6", "f818", "ff", "e0e0", "c601c601", "d9d9f7e0", "da6b6d000540",
            "d903e9a10100"};
        for (String data : wrapped) {
            String lines = "ext 24 0x" + data;
            starts(put(lines), "da6b6d0018");
            is(get(put(lines)), lines);
        }
        for (int type : new int[] {-128, -1, 0, 1, 23, 25, 127}) {
            String lines = "ext " + type + " 0x00ff";
            is(get(put(lines)), lines);
        }
        is(put("ext 128 0x"), "error range");
        is(put("ext -129 0x"), "error range");
    }

    private void granted() {
        is(get("d9d9f7c1d9d9f700"), "error syntax 4 $");
        is(get("d9d9f7d9d9f76161"), "str \"a\"");
        is(get("a1d9d9f7616101"), "map\nkey \"a\"\ni64 1\nend");
        is(get("9fd9d9f7ff"), "error syntax 4 $[0]");
        is(get("d82a8101", "plain_read"), "array\ni64 1\nend");
        is(get("a1d82a616101", "plain_read"), "map\nkey \"a\"\ni64 1\nend");
        is(get("d82aff", "plain_read"), "error syntax 2 $");
        is(get("d8184a826161d818448161620182", "plain_read"), "error syntax 12 $");
        is(get("83d8184382010201d8184403a1616102", "plain_read"), "error syntax 12 $[2]");
        is(get("83d8184382010201d81844a1616102", "plain_read"),
                "array\narray\ni64 1\ni64 2\nend\ni64 1\nmap\nkey \"a\"\ni64 2\nend\nend");
        is(get("a1d81842616101", "plain_read"), "map\nkey\nstr \"a\"\ni64 1\nend");
        is(get("d818420101", "plain_read"), "error syntax 4 $");
        starts(get("d818418101", "plain_read"), "error syntax");
        starts(get("d81844d8184161", "plain_read"), "error");
        is(get("d8185f4101ff", "plain_read"), "bin 0x01");
        is(get("62c328"), "error encoding 1 $");
        is(get("62c328", "raw_read"), "bin 0xc328");
        is(get("a161ff01", "raw_read"), "map\nkey\nbin 0xff\ni64 1\nend");
        is(get("a161ff01", "any_text_read"), "map\nkey \"\\xff\"\ni64 1\nend");
        is(get("7f61c361bcff"), "error encoding 2 $");
        is(get("7f6261c361bcff", "any_text_read"), "str \"a\\u{fc}\"");
        is(get("7f62c3bc61c3ff", "raw_read"), "bin 0xc3bcc3");
        is(get("a2616101616102"), "map\nkey \"a\"\ni64 1\nkey \"a\"\ni64 2\nend");
        is(get("a2616101616102", "unique_keys"), "error duplicate 4 $");
        starts(get("82a16161a2616201616202f6", "unique_keys"), "error duplicate");
        is(get("a2616101616102", "last_key"), "map\nkey \"a\"\ni64 2\nend");
        is(get("a3616181a10101616202616103", "last_key"), "map\nkey \"b\"\ni64 2\nkey \"a\"\ni64 3\nend");
        is(get("bf616101616102ff", "last_key"), "map\nkey \"a\"\ni64 2\nend");
        is(get("a2a2010201030101", "unique_keys"), "error truncated 8 ${1}");
        is(get("a1a20102010301", "unique_keys"), "error duplicate 4 $");
    }

    private void keysTwice() {
        // Equal as values: 1 in one byte and two, text in chunks, a half and a double, maps in another order,
        // a bignum.
        String[] twice = {"a201f61801f6", "a26161f67f6161fff6", "a2f93c00f6fb3ff0000000000000f6",
            "a2a201020304f6a203040102f6", "a201f6c24101f6", "a2c100f6c1f90000f6", "a29f01fff68101f6",
            "a2c601f6c601f6"};
        for (String document : twice) {
            starts(get(document, "unique_keys"), "error duplicate");
            equal(get(document, "last_key").length() < get(document).length(), true, document);
        }
        for (String document : new String[] {"a201f6f93c00f6", "a26161f64161f6", "a2616101a161610161"}) {
            equal(get(document, "unique_keys").startsWith("error duplicate"), false, document);
        }
        // A value that is dropped need only be well-formed.
        is(get("a26161c16161616102", "last_key"), "map\nkey \"a\"\ni64 2\nend");
    }

    private void insisted() {
        is(get("a2016002f6", "deterministic_read"), "map\nkey\ni64 1\nstr \"\"\nkey\ni64 2\nnull\nend");
        is(get("a2616101616102", "deterministic_read"), "error duplicate 4 $");
        is(get("a361610102f6616202", "deterministic_read"), "error syntax 4 $");
        starts(get("d82aa2026001f6", "deterministic_read"), "error syntax");
        String[] longer = {"1800", "1817", "190018", "1a0000ffff", "1b00000000ffffffff", "3817", "7800", "5801ff",
            "9801f6", "b800", "d80100", "fa3f800000", "fb3ff0000000000000", "fb47efffffe0000000", "f97e01",
            "fb7ff8000000000000", "c240", "c24100", "c2480100000000000000", "c34a00010000000000000000", "d9002a01",
            "f98000f6"};
        for (String document : longer) {
            starts(get(document, "preferred_read"), "error");
            starts(get(document, "deterministic_read"), "error");
        }
        for (String document : new String[] {"9fff", "bfff", "7fff", "5f4101ff", "a2026001f6"}) {
            equal(get(document, "preferred_read").startsWith("error"), false, document);
            starts(get(document, "deterministic_read"), "error syntax");
        }
    }

    /** What no dialect with a name refuses. */
    private void refusals() {
        CborReadDialect granted = new CborReadDialect(CborReadDialect.InvalidText.REFUSE,
                CborReadDialect.UnknownTag.REFUSE, CborReadDialect.Undefined.REFUSE, CborReadDialect.Embedded.EXT,
                CborReadDialect.KeyTwice.KEEP, CborReadDialect.Insist.ANYTHING);
        is(get("c601", granted, 9), "error unsupported 0 $");
        is(get("c6ff", granted, 9), "error syntax 1 $");
        is(get("81f7", granted, 9), "error unsupported 1 $[0]");
        CborDialect as = new CborDialect(CborDialect.BigNumber.REFUSE, CborDialect.FloatWidth.SHORTEST,
                CborDialect.Times.EPOCH, CborDialect.ZonedTime.REFUSE, CborDialect.NaiveTime.TEXT,
                CborDialect.LateCount.SETTLED, CborDialect.KeyOrder.AS_GIVEN, CborReadDialect.InvalidText.REFUSE);
        is(by(as, Limits.DEFAULT, w -> w.big("1")), "error unsupported");
        is(by(as, Limits.DEFAULT, w -> w.time(new Moment(0, 0, 3600, Moment.Clock.OFFSET))), "error unsupported");
        is(by(as, Limits.DEFAULT, w -> w.time(new Moment(0, 0, 0, Moment.Clock.UTC))), "c100");
    }

    private void sorted() {
        is(put("map\nkey \"b\"\nmap\nkey \"y\"\ni64 1\nkey \"x\"\ni64 2\nend\nkey \"a\"\ni64 3\nend", "deterministic"),
                "a26161036162a2617802617901");
        starts(put("map\nkey \"a\"\nnull\nkey \"a\"\nnull\nend", "deterministic"), "error duplicate");
        starts(put("map\nkey \"b\"\nnull\nkey \"a\"\nnull\nkey \"b\"\nnull\nend", "canonical"), "error duplicate");
        is(put("map\nkey\nmap\nkey \"b\"\nnull\nkey \"a\"\nnull\nend\ni64 1\nend", "deterministic"),
                "a1a26161f66162f601");
        // RFC 8949 4.2.1's and 4.2.3's own example of the two orders.
        String lines = "map 8\nkey\nboolean false\nnull\nkey\ni64 100\nnull\nkey\ni64 -1\nnull\nkey \"z\"\nnull\n"
                + "key \"aa\"\nnull\nkey\narray 1\ni64 100\nend\nnull\nkey\narray 1\ni64 -1\nend\nnull\nkey\ni64 10\n"
                + "null\nend";
        is(put(lines, "deterministic"), "a80af61864f620f6617af6626161f6811864f68120f6f4f6");
        is(put(lines, "canonical"), "a80af620f6f4f61864f6617af68120f6626161f6811864f6");
        Random random = new Random(8949);
        for (int i = 0; i < 2000; i++) {
            String document = CborRandom.document(random, true);
            String preferred = convert(document, "exact_read", "preferred");
            is(get(preferred, "exact_read"), get(document, "exact_read"));
            equal(get(preferred, "preferred_read").startsWith("error"), false, preferred);
            String once = convert(document, "exact_read", "deterministic");
            if (once.startsWith("error")) {
                is(once, "error duplicate");
                continue;
            }
            is(convert(once, "exact_read", "deterministic"), once);
            equal(get(once, "deterministic_read").startsWith("error"), false, once);
            is(convert(convert(document, "exact_read", "canonical"), "exact_read", "deterministic"), once);
        }
    }
}
