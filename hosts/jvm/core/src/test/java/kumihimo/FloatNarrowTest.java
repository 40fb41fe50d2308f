package kumihimo;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import kumihimo.tape.TapeReader;

/** Numbers as floats out of every format and off a tape: {@code java -cp CLASSES kumihimo.FloatNarrowTest}. */
public final class FloatNarrowTest {
    private static final String BEYOND = "340282356779733661637539395458142568448"; // half a step above the largest

    private final Checks check = new Checks();

    public static void main(String[] arguments) {
        FloatNarrowTest test = new FloatNarrowTest();
        test.borders(new SplittableRandom(1));
        test.subnormal(new SplittableRandom(2));
        test.integers(new SplittableRandom(3));
        test.doubles();
        test.nonFinite();
        test.beyond();
        test.mismatches();
        test.check.report();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** By its digits out of text, alone and with enough bytes behind it for the quick ways; and off a tape of it. */
    private void text(String digits) {
        Float wanted = Float.parseFloat(digits);
        Format json = Formats.named("json");
        byte[] alone = utf8(digits);
        byte[] array = utf8("[" + digits + "                                                  ]");
        for (String dialect : new String[] {"", "relaxed", "exact_decimals", "python_read"}) {
            check.equal(digits, read(json.reader(dialect, Limits.DEFAULT).reset(alone)), wanted);
            Reader reader = json.reader(dialect, Limits.DEFAULT).reset(array);
            reader.array();
            check.yes("a number", reader.hasNext());
            check.equal(digits, reader.f32(), wanted);
            check.yes("one number", !reader.hasNext());
            TapeReader tape = new TapeReader(json, dialect, Limits.DEFAULT).reset(alone, 0, alone.length);
            check.equal(digits + " off a tape of " + dialect, read(tape), wanted);
            check.equal(digits + " as digits", tape.reset(array, 1, array.length - 1).number(), digits);
        }
    }

    /** The digits as they are, by the verb for numbers that nothing else holds. */
    private void big(String digits) {
        for (String format : new String[] {"tagged", "cbor"}) {
            Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
            writer.big(digits);
            each(format, writer, Float.parseFloat(digits));
        }
        Writer study = Formats.named("tagged").writer("study", Limits.DEFAULT);
        study.big(digits);
        each("tagged", study, Float.parseFloat(digits));
    }

    private void each(String format, Writer written, float wanted) {
        written.finish();
        byte[] document = written.toByteArray();
        Format as = Formats.named(format);
        check.equal(format, read(as.reader("", Limits.DEFAULT).reset(document)), wanted);
        TapeReader tape = new TapeReader(as, "", Limits.DEFAULT).reset(document, 0, document.length);
        check.equal(format + " off a tape", read(tape), wanted);
    }

    private static Float read(Reader from) {
        float value = from.f32();
        from.finish();
        return value;
    }

    /** Half-way between two floats, and a little on either side, which no double tells apart. */
    private void around(float low) {
        BigDecimal border = new BigDecimal(low).add(new BigDecimal(Math.nextUp(low))).divide(BigDecimal.valueOf(2));
        BigDecimal little = border.ulp().scaleByPowerOfTen(-30);
        BigDecimal[] all = {border, border.add(little), border.subtract(little), border.negate().add(little)};
        for (BigDecimal number : all) {
            text(number.toString());
            text(number.toPlainString());
            if (number.precision() < 100) big(number.toString());
        }
    }

    private void borders(SplittableRandom random) {
        text("16777217.0000000001");
        text("16777217");
        text("16777217.0");
        text("0.0");
        text("-0.0");
        text("1e-400");
        text("3.4028235677973366e38");
        text("3.40282356779733661637e38");
        text("3.4028235e38");
        for (int i = 0; i < 300; i++) {
            around(Float.intBitsToFloat(random.nextInt(0x00800000, 0x7f7fffff)));
        }
    }

    private void subnormal(SplittableRandom random) {
        around(0);
        around(Float.MIN_VALUE);
        around(Math.nextDown(Float.MIN_NORMAL));
        around(Float.MIN_NORMAL);
        for (int i = 0; i < 50; i++) around(Float.intBitsToFloat(random.nextInt(1 << random.nextInt(1, 23))));
    }

    private void integers(SplittableRandom random) {
        integer("9007199791611905");
        integer("-9007199791611905");
        integer("9223372036854775807");
        integer("-9223372036854775808");
        integer("18446744073709551615");
        for (int i = 0; i < 300; i++) {
            // A tie and its neighbours: a bit, 23 others, a half.
            int shift = random.nextInt(1, 40);
            long half = (long) (random.nextInt(1 << 23) | 1 << 23) * 2 + 1 << shift - 1;
            for (long x = half - 1; x <= half + 1; x++) integer(Long.toUnsignedString(x));
        }
        big("-18446742974197923841");
        big("36893488147419103233");
        big("36893490346442358785");
        big("340282356779733661637539395458142568447");
    }

    private void integer(String digits) {
        text(digits);
        float wanted = Float.parseFloat(digits);
        for (String format : Formats.names()) {
            Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
            if (digits.startsWith("-")) writer.i64(Long.parseLong(digits));
            else writer.u64(Long.parseUnsignedLong(digits));
            each(format, writer, wanted);
        }
    }

    /** A double is the number as it is written: to even where it is half-way. */
    private void doubles() {
        double[] all = {0.1, -0.0, 1e-40, 1e-200, 16777217.0, 16777219.0, 3.4028235677973362e38, 0.5, 1.5};
        for (double x : all) {
            for (String format : Formats.names()) {
                Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
                writer.f64(x);
                each(format, writer, (float) x);
                Writer single = Formats.named(format).writer("", Limits.DEFAULT);
                single.f32((float) x);
                each(format, single, (float) x);
            }
            Writer study = Formats.named("tagged").writer("study", Limits.DEFAULT);
            study.f64(x);
            each("tagged", study, (float) x);
        }
    }

    private void nonFinite() {
        for (double x : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            for (String format : new String[] {"msgpack", "cbor"}) {
                Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
                writer.f64(x);
                each(format, writer, (float) x);
            }
            Reader words = Formats.named("json").reader("python_read", Limits.DEFAULT);
            check.equal("a word", words.reset(utf8(Double.toString(x))).f32(), (float) x);
        }
        // A NaN whose bits look like half-way between two floats.
        byte[] odd = {(byte) 0xfb, 0x7f, (byte) 0xf8, 0, 0, 0x10, 0, 0, 0};
        TapeReader tape = new TapeReader(Formats.named("cbor"), "", Limits.DEFAULT).reset(odd, 0, odd.length);
        check.yes("NaN", Float.isNaN(tape.f32()));
    }

    /** A finite number beyond the largest float. */
    private void beyond() {
        for (String digits : new String[] {"1e300", "1e39", "-1e39", BEYOND, BEYOND + ".0", "3.40282356779733662e38"}) {
            byte[] document = utf8(" " + digits);
            Format json = Formats.named("json");
            DataException e = check.refused(digits, Code.RANGE,
                    () -> json.reader("", Limits.DEFAULT).reset(document).f32());
            check.equal("where", e.offset(), 1L);
            TapeReader tape = new TapeReader(json, "", Limits.DEFAULT).reset(document, 0, document.length);
            e = check.refused(digits + " off a tape", Code.RANGE, tape::f32);
            check.equal("where", e.offset(), 1L);
        }
        for (String format : Formats.names()) {
            Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
            writer.f64(1e300);
            writer.finish();
            Reader reader = Formats.named(format).reader("", Limits.DEFAULT).reset(writer.toByteArray());
            DataException e = check.refused(format, Code.RANGE, reader::f32);
            check.equal("where", e.offset(), format.equals("json") ? 0L : e.offset());
        }
        Writer tagged = Formats.named("tagged").writer("", Limits.DEFAULT);
        tagged.big("1e400");
        tagged.finish();
        check.refused("digits", Code.RANGE,
                () -> Formats.named("tagged").reader("", Limits.DEFAULT).reset(tagged.toByteArray()).f32());
        check.refused("beyond a double", Code.RANGE,
                () -> Formats.named("json").reader("", Limits.DEFAULT).reset(utf8("1e999")).f32());
    }

    private void mismatches() {
        for (String format : Formats.names()) {
            Writer writer = Formats.named(format).writer("", Limits.DEFAULT);
            writer.str("1.5");
            writer.finish();
            byte[] document = writer.toByteArray();
            Format as = Formats.named(format);
            check.refused(format, Code.TYPE, () -> as.reader("", Limits.DEFAULT).reset(document).f32());
            check.refused(format, Code.TYPE,
                    () -> new TapeReader(as, "", Limits.DEFAULT).reset(document, 0, document.length).f32());
            check.refused("nothing", Code.TRUNCATED, () -> as.reader("", Limits.DEFAULT).reset(new byte[0]).f32());
        }
    }
}
