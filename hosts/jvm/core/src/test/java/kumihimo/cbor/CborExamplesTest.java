package kumihimo.cbor;

import java.util.Arrays;

/**
 * The examples of RFC 8949's appendix A: what each arrives as, that it is written as it stood, and that cut anywhere
 * it is refused: {@code java -cp CLASSES kumihimo.cbor.CborExamplesTest}.
 */
public final class CborExamplesTest extends CborCases {
    private static final String LONG_ARRAY = longArray();
    private static final String FIVE = "map\nkey \"a\"\nstr \"A\"\nkey \"b\"\nstr \"B\"\nkey \"c\"\nstr \"C\"\n"
            + "key \"d\"\nstr \"D\"\nkey \"e\"\nstr \"E\"\nend";
    private static final String NESTED = "array\ni64 1\narray\ni64 2\ni64 3\nend\narray\ni64 4\ni64 5\nend\nend";
    private static final String MIXED = "map\nkey \"a\"\ni64 1\nkey \"b\"\narray\ni64 2\ni64 3\nend\nend";
    private static final String PAIR = "array\nstr \"a\"\nmap\nkey \"b\"\nstr \"c\"\nend\nend";

    /** The bytes, the trace, and what is written after the default reading, where that is something else. */
    private static final String[][] EXAMPLES = {
        {"00", "i64 0"},
        {"01", "i64 1"},
        {"0a", "i64 10"},
        {"17", "i64 23"},
        {"1818", "i64 24"},
        {"1819", "i64 25"},
        {"1864", "i64 100"},
        {"1903e8", "i64 1000"},
        {"1a000f4240", "i64 1000000"},
        {"1b000000e8d4a51000", "i64 1000000000000"},
        {"1bffffffffffffffff", "u64 18446744073709551615"},
        {"c249010000000000000000", "big 18446744073709551616"},
        {"3bffffffffffffffff", "big -18446744073709551616"},
        {"c349010000000000000000", "big -18446744073709551617"},
        {"20", "i64 -1"},
        {"29", "i64 -10"},
        {"3863", "i64 -100"},
        {"3903e7", "i64 -1000"},
        {"f90000", "f64 0x0000000000000000 0"},
        {"f98000", "f64 0x8000000000000000 -0"},
        {"f93c00", "f64 0x3ff0000000000000 1"},
        {"fb3ff199999999999a", "f64 0x3ff199999999999a 1.1"},
        {"f93e00", "f64 0x3ff8000000000000 1.5"},
        {"f97bff", "f64 0x40effc0000000000 65504"},
        {"fa47c35000", "f64 0x40f86a0000000000 100000"},
        {"fa7f7fffff", "f64 0x47efffffe0000000 3.4028234663852886e+38"},
        {"fb7e37e43c8800759c", "f64 0x7e37e43c8800759c 1e+300"},
        {"f90001", "f64 0x3e70000000000000 5.960464477539063e-8"},
        {"f90400", "f64 0x3f10000000000000 0.00006103515625"},
        {"f9c400", "f64 0xc010000000000000 -4"},
        {"fbc010666666666666", "f64 0xc010666666666666 -4.1"},
        {"f97c00", "f64 0x7ff0000000000000 inf"},
        {"f97e00", "f64 0x7ff8000000000000 nan"},
        {"f9fc00", "f64 0xfff0000000000000 -inf"},
        {"fa7f800000", "f64 0x7ff0000000000000 inf", "f97c00"},
        {"fa7fc00000", "f64 0x7ff8000000000000 nan", "f97e00"},
        {"faff800000", "f64 0xfff0000000000000 -inf", "f9fc00"},
        {"fb7ff0000000000000", "f64 0x7ff0000000000000 inf", "f97c00"},
        {"fb7ff8000000000000", "f64 0x7ff8000000000000 nan", "f97e00"},
        {"fbfff0000000000000", "f64 0xfff0000000000000 -inf", "f9fc00"},
        {"f4", "boolean false"},
        {"f5", "boolean true"},
        {"f6", "null"},
        {"f7", "null", "f6"},
        {"f0", "ext 24 0xf0"},
        {"f8ff", "ext 24 0xf8ff"},
        {"c074323031332d30332d32315432303a30343a30305a", "time utc 1363896240 0 0", "c11a514b67b0"},
        {"c11a514b67b0", "time utc 1363896240 0 0"},
        {"c1fb41d452d9ec200000", "time utc 1363896240 500000000 0"},
        {"d74401020304", "ext 24 0xd74401020304"},
        {"d818456449455446", "ext 24 0xd818456449455446"},
        {"d82076687474703a2f2f7777772e6578616d706c652e636f6d",
            "ext 24 0xd82076687474703a2f2f7777772e6578616d706c652e636f6d"},
        {"40", "bin 0x"},
        {"4401020304", "bin 0x01020304"},
        {"60", "str \"\""},
        {"6161", "str \"a\""},
        {"6449455446", "str \"IETF\""},
        {"62225c", "str \"\\\"\\\\\""},
        {"62c3bc", "str \"\\u{fc}\""},
        {"63e6b0b4", "str \"\\u{6c34}\""},
        {"64f0908591", "str \"\\u{10151}\""},
        {"80", "array\nend"},
        {"83010203", "array\ni64 1\ni64 2\ni64 3\nend"},
        {"8301820203820405", NESTED},
        {"98190102030405060708090a0b0c0d0e0f101112131415161718181819", LONG_ARRAY},
        {"a0", "map\nend"},
        {"a201020304", "map\nkey\ni64 1\ni64 2\nkey\ni64 3\ni64 4\nend"},
        {"a26161016162820203", MIXED},
        {"826161a161626163", PAIR},
        {"a56161614161626142616361436164614461656145", FIVE},
        {"5f42010243030405ff", "bin 0x0102030405", "450102030405"},
        {"7f657374726561646d696e67ff", "str \"streaming\"", "6973747265616d696e67"},
        {"9fff", "array\nend", "80"},
        {"9f018202039f0405ffff", NESTED, "8301820203820405"},
        {"9f01820203820405ff", NESTED, "8301820203820405"},
        {"83018202039f0405ff", NESTED, "8301820203820405"},
        {"83019f0203ff820405", NESTED, "8301820203820405"},
        {"9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            LONG_ARRAY, "98190102030405060708090a0b0c0d0e0f101112131415161718181819"},
        {"bf61610161629f0203ffff", MIXED, "a26161016162820203"},
        {"826161bf61626163ff", PAIR, "826161a161626163"},
        {"bf6346756ef563416d7421ff",
            "map\nkey \"Fun\"\nboolean true\nkey \"Amt\"\ni64 -2\nend", "a26346756ef563416d7421"},
    };

    private static String longArray() {
        StringBuilder lines = new StringBuilder("array\n");
        for (int i = 1; i <= 25; i++) lines.append("i64 ").append(i).append('\n');
        return lines.append("end").toString();
    }

    public static void main(String[] arguments) {
        CborExamplesTest test = new CborExamplesTest();
        for (String[] example : EXAMPLES) test.example(example);
        test.is(test.get("f7", "exact_read"), "ext 24 0xf7");
        test.is(test.put("ext 24 0xf7"), "f7");
        test.report();
    }

    private void example(String[] example) {
        String document = example[0];
        boolean same = example.length == 2;
        String written = same ? document : example[2];
        is(get(document), example[1]);
        is(put(example[1]), written);
        is(convert(document, "standard_read", "preferred"), written);
        insisted(document, !same);
        starts(get(put(example[1], "deterministic"), "deterministic_read"), example[1].substring(0, 2));
        cut(bytes(document));
    }

    private void insisted(String document, boolean rewritten) {
        boolean indefinite = rewritten && document.contains("ff") && document.charAt(0) != 'f';
        boolean preferred = !rewritten || indefinite || document.charAt(0) == 'c' || document.equals("f7");
        equal(get(document, "preferred_read").startsWith("error"), !preferred, document);
        equal(get(document, "deterministic_read").startsWith("error"), !preferred || indefinite, document);
    }

    private void cut(byte[] document) {
        byte[] stream = Arrays.copyOf(document, document.length + 1);
        stream[document.length] = 1;
        for (int n = 0; n < document.length; n++) {
            starts(get(hex(Arrays.copyOf(document, n))), "error truncated ");
            // Two pieces, cut here; a document follows.
            CborBoundary boundary = new CborBoundary();
            equal(boundary.next(stream, 0, n), n, "bytes of the first piece");
            equal(boundary.complete(), false, "complete");
            equal(boundary.next(stream, n, stream.length), document.length - n, "bytes of the second piece");
            equal(boundary.complete(), true, "complete");
        }
    }
}
