package kumihimo.scalar;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Digits to doubles against the platform's own reading, which is exact and slow; and the borders between two doubles,
 * written out: {@code java -cp CLASSES kumihimo.scalar.FloatReadTest}.
 */
public final class FloatReadTest {
    private int checked;
    private int failed;

    public static void main(String[] arguments) {
        FloatReadTest test = new FloatReadTest();
        test.few(new SplittableRandom(1));
        test.borders(new SplittableRandom(2));
        test.many(new SplittableRandom(3));
        System.out.println(test.checked + " numbers, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    private void equal(double got, double wanted, String text) {
        checked++;
        if (Double.doubleToRawLongBits(got) == Double.doubleToRawLongBits(wanted)) return;
        if (failed++ < 20) System.out.println(text + " is " + got + ", not " + wanted);
    }

    private void few(SplittableRandom random) {
        for (int i = 0; i < 60_000; i++) {
            long mantissa = random.nextLong() >>> random.nextInt(64);
            int exponent = random.nextInt(8) == 0 ? random.nextInt(-400, 400) : random.nextInt(-30, 30);
            String text = Long.toUnsignedString(mantissa) + "e" + exponent;
            equal(FloatRead.compose(mantissa, exponent), Double.parseDouble(text), text);
        }
    }

    /** Half way between two doubles, and the least that is not. */
    private void borders(SplittableRandom random) {
        for (int i = 0; i < 1_500; i++) {
            double low = Double.longBitsToDouble(random.nextLong() & Long.MAX_VALUE);
            // Subnormal numbers too, which have fewer bits.
            if (i % 3 == 0) low = Double.longBitsToDouble(random.nextLong() >>> 12 >>> random.nextInt(52));
            double high = Math.nextUp(low);
            if (!(high < Double.POSITIVE_INFINITY)) continue;
            BigDecimal border = new BigDecimal(low).add(new BigDecimal(high)).divide(BigDecimal.valueOf(2));
            digits(border);
            digits(border.add(border.ulp()));
            digits(border.subtract(border.ulp()));
            digits(border.add(border.ulp().movePointLeft(900)));
            digits(border.subtract(border.ulp().movePointLeft(900)));
        }
        BigDecimal unit = new BigDecimal(Math.ulp(Double.MAX_VALUE));
        digits(new BigDecimal(Double.MAX_VALUE).add(unit.divide(BigDecimal.valueOf(2))));
    }

    private void many(SplittableRandom random) {
        for (int i = 0; i < 30_000; i++) {
            StringBuilder text = new StringBuilder();
            int n = random.nextInt(1, 60);
            for (int k = 0; k < n; k++) text.append(random.nextInt(4) == 0 ? 0 : random.nextInt(10));
            if (random.nextBoolean()) text.insert(random.nextInt(n) + 1, '.');
            if (text.charAt(text.length() - 1) == '.') text.append('0');
            many(text.toString(), random.nextInt(6) == 0 ? random.nextInt(-400, 400) : 0);
        }
    }

    /** As a whole number with an exponent, and written out where that is short. */
    private void digits(BigDecimal number) {
        many(number.unscaledValue().toString(), -number.scale());
        if (number.scale() >= 0 && number.precision() < 1200 && number.scale() < 1200) many(number.toPlainString(), 0);
    }

    private void many(String digits, int exponent) {
        byte[] text = ("x" + digits + "9").getBytes(StandardCharsets.US_ASCII);
        String all = digits + "e" + exponent;
        equal(FloatRead.many(text, 1, text.length - 1, exponent), Double.parseDouble(all), all);
    }
}
