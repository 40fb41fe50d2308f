package kumihimo.scalar;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Doubles and floats as text against exact decimals: every text reads back, none is longer than it must be, none has a
 * nearer one of its length, and all layouts are what a plain layout of the same digits gives.
 *
 * <pre>
 *   java -cp CLASSES kumihimo.scalar.FloatWriteTest [how many random ones [seed]]
 * </pre>
 */
public final class FloatWriteTest {
    private static final FloatLayout[] SHORTEST = {FloatLayout.ECMASCRIPT, FloatLayout.PYTHON, FloatLayout.RUBY,
        FloatLayout.PERL_SHORTEST, FloatLayout.ORJSON};
    private static final FloatLayout[] ROUNDED = {FloatLayout.PERL15, FloatLayout.G17, FloatLayout.CPANEL15};
    private static final FloatLayout[] OTHERS =
            {FloatLayout.JSON_2_11, FloatLayout.JSON_2_12, FloatLayout.JSON_2_15, FloatLayout.MRUBY};

    private final byte[] room = new byte[FloatWrite.ROOM + 16];
    private long checked;
    private long failed;

    public static void main(String[] arguments) {
        long count = arguments.length > 0 ? Long.parseLong(arguments[0]) : 200_000;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        FloatWriteTest test = new FloatWriteTest();
        test.special();
        test.random(count, new SplittableRandom(seed));
        System.out.println(test.checked + " doubles and floats, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    private void special() {
        zero();
        for (int e = -1074; e <= 1023; e++) around(Math.scalb(1.0, e));
        for (int e = -330; e <= 308; e++) {
            for (int digit = 1; digit <= 9; digit++) around(Double.parseDouble(digit + "e" + e));
        }
        for (long bits = 1; bits < 3000; bits++) one(Double.longBitsToDouble(bits));
        for (int n = 1; n < 20000; n++) {
            one(n);
            one(n / 10.0);
            one(n / 1000.0);
            one(n / 1e7);
        }
        for (long n = 1; n > 0 && n < 1L << 62; n *= 3) around(n);
        // Ties between two texts of 17 digits, and numbers hard to tell from one.
        for (int i = 0; i < 2000; i++) {
            one((1L << 53) + i * 2 + 0.0);
            one((1L << 54) + i * 4 + 0.0);
            one(9007199254740992.0 / 4 + i + 0.25);
        }
        for (double x : new double[] {Double.MAX_VALUE, Double.MIN_NORMAL, 9.5e-3, 5e-324, 2.2250738585072011e-308,
            1.7976931348623157e308, 9007199254740993.0, 2.9999999999999996, 0.3, 0.1 + 0.2, 1e23, 9.999999999999999e22,
            5.0e-320, 123456789012345680.0, 299792458.0, 4.35, 0.000035689, 2.0e-3, 8.41e21, 2.0e19, 1.9e-5}) {
            around(x);
        }
        for (int bits = 0; bits < 1 << 16; bits++) {
            single(Float.intBitsToFloat(bits << 15 | bits & 0x7fff));
            single(Float.intBitsToFloat(bits << 16));
            single(bits);
            single(bits / 100f);
        }
        for (int e = -149; e <= 127; e++) {
            float x = Math.scalb(1.0f, e);
            single(x);
            single(Math.nextUp(x));
            single(Math.nextDown(x));
        }
    }

    private void random(long count, SplittableRandom random) {
        for (long i = 0; i < count; i++) {
            long bits = random.nextLong();
            one(Double.longBitsToDouble(bits));
            // What data has: a few digits, coordinates, ratios.
            switch ((int) (i & 3)) {
                case 0:
                    one(random.nextInt(1_000_000) / 1e4);
                    break;
                case 1:
                    one((random.nextDouble() - 0.5) * 360);
                    break;
                case 2:
                    one(random.nextLong(1L << 53) / 1e6);
                    break;
                default:
                    one(Double.longBitsToDouble(bits & 0x800fffffffffffffL)); // subnormals
            }
            single(Float.intBitsToFloat((int) bits));
        }
    }

    private void around(double x) {
        double below = x;
        double above = x;
        for (int i = 0; i < 4; i++) {
            one(below);
            one(-above);
            below = Math.nextDown(below);
            above = Math.nextUp(above);
        }
    }

    private String text(double x, FloatLayout as) {
        return new String(room, 0, FloatWrite.f64(room, 0, x, as), StandardCharsets.US_ASCII);
    }

    private void zero() {
        String[] positive = {"0", "0.0", "0.0", "0", "0", "0.0", "0", "0.0", "0.0", "0.0", "0.0", "0.0"};
        for (FloatLayout as : FloatLayout.values()) {
            String zero = positive[as.ordinal()];
            expect(text(0.0, as), zero, 0.0, as);
            expect(text(-0.0, as), as == FloatLayout.ECMASCRIPT ? "0" : "-" + zero, -0.0, as);
        }
    }

    private void expect(String text, String expected, double x, FloatLayout as) {
        if (!text.equals(expected)) fail(x, as, text + ", not " + expected);
    }

    private void fail(double x, FloatLayout as, String what) {
        if (failed++ < 20) System.out.println(Double.toHexString(x) + " as " + as + ": " + what);
    }

    private void one(double x) {
        if (!(Math.abs(x) <= Double.MAX_VALUE) || x == 0) return;
        checked++;
        String python = text(x, FloatLayout.PYTHON);
        if (Double.parseDouble(python) != x) fail(x, FloatLayout.PYTHON, python + " reads back as another");
        BigDecimal digits = new BigDecimal(python).abs().stripTrailingZeros();
        BigDecimal exact = new BigDecimal(x).abs();
        boolean shortest = isShortest(digits, exact, d -> Double.parseDouble(d.toString()) == Math.abs(x));
        if (!shortest) fail(x, FloatLayout.PYTHON, python + " is not the shortest or not the nearest");
        for (FloatLayout as : SHORTEST) expect(text(x, as), laidOut(digits, x < 0, as), x, as);
        for (FloatLayout as : ROUNDED) {
            MathContext precision = new MathContext(as == FloatLayout.G17 ? 17 : 15, RoundingMode.HALF_EVEN);
            BigDecimal rounded = exact.round(precision).stripTrailingZeros();
            String expected = laidOut(rounded, x < 0, as);
            if (as == FloatLayout.CPANEL15 && x != Math.rint(x) && expected.endsWith(".0")) {
                expected = expected.substring(0, expected.length() - 2);
            }
            expect(text(x, as), expected, x, as);
        }
        for (FloatLayout as : OTHERS) {
            double read = Double.parseDouble(text(x, as));
            boolean same = as != FloatLayout.MRUBY ? read == x
                    : (Double.doubleToLongBits(read) & ~3L) == (Double.doubleToLongBits(x) & ~3L);
            if (!same) fail(x, as, text(x, as) + " reads back as another");
        }
    }

    private void single(float x) {
        if (!(Math.abs(x) <= Float.MAX_VALUE) || x == 0) return;
        checked++;
        String text = new String(room, 0, FloatWrite.f32(room, 0, x, FloatLayout.PYTHON), StandardCharsets.US_ASCII);
        BigDecimal digits = new BigDecimal(text).abs().stripTrailingZeros();
        BigDecimal exact = new BigDecimal(x).abs();
        boolean shortest = isShortest(digits, exact, d -> Float.parseFloat(d.toString()) == Math.abs(x));
        if (!shortest || Float.parseFloat(text) != x) fail(x, FloatLayout.PYTHON, text + " is not right for the float");
        expect(text, laidOut(digits, x < 0, FloatLayout.PYTHON), x, FloatLayout.PYTHON);
    }

    /** What asks whether a decimal reads back as the number. */
    private interface ReadsBack {
        boolean test(BigDecimal decimal);
    }

    /** Whether no decimal of fewer digits reads back, and none of as many that is nearer. */
    private static boolean isShortest(BigDecimal digits, BigDecimal exact, ReadsBack same) {
        int n = digits.precision();
        if (n > 1) {
            if (same.test(exact.round(new MathContext(n - 1, RoundingMode.DOWN)))) return false;
            if (same.test(exact.round(new MathContext(n - 1, RoundingMode.UP)))) return false;
        }
        BigDecimal far = digits.subtract(exact).abs();
        for (RoundingMode mode : new RoundingMode[] {RoundingMode.DOWN, RoundingMode.UP}) {
            BigDecimal other = exact.round(new MathContext(n, mode));
            if (other.subtract(exact).abs().compareTo(far) < 0 && same.test(other)) return false;
        }
        return true;
    }

    /** The layout as its definition says, without any of the writer's ways. */
    private static String laidOut(BigDecimal number, boolean negative, FloatLayout as) {
        String digits = number.unscaledValue().toString();
        int n = digits.length();
        int point = n - number.scale();
        String sign = negative ? "-" : "";
        String whole = as == FloatLayout.PYTHON || as == FloatLayout.RUBY || as == FloatLayout.ORJSON
                || as == FloatLayout.CPANEL15 ? ".0" : "";
        int most = as == FloatLayout.ECMASCRIPT ? 21 : as == FloatLayout.PERL15 || as == FloatLayout.CPANEL15 ? 15
                : as == FloatLayout.G17 || as == FloatLayout.PERL_SHORTEST ? 17 : 16;
        if (as == FloatLayout.RUBY && n <= 16) most = 15;
        int least = as == FloatLayout.ECMASCRIPT ? -5 : as == FloatLayout.ORJSON ? -4 : -3;
        if (point > most || point < least) {
            String rest = n > 1 ? "." + digits.substring(1) : as == FloatLayout.RUBY ? ".0" : "";
            String mantissa = digits.charAt(0) + rest;
            int e = point - 1;
            boolean two = as != FloatLayout.ECMASCRIPT && as != FloatLayout.ORJSON;
            String exponent = (two && Math.abs(e) < 10 ? "0" : "") + Math.abs(e);
            return sign + mantissa + (e < 0 ? "e-" : "e+") + exponent;
        }
        if (point <= 0) return sign + "0." + "0".repeat(-point) + digits;
        if (point >= n) return sign + digits + "0".repeat(point - n) + whole;
        return sign + digits.substring(0, point) + "." + digits.substring(point);
    }
}
