package kumihimo.scalar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.SplittableRandom;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.ExponentDigits;
import kumihimo.Limits;

/** Numbers of any size against the JDK: {@code java -cp CLASSES kumihimo.scalar.BigNumbersTest}. */
public final class BigNumbersTest {
    private static final Limits MOST = Limits.DEFAULT;
    private static final Limits FEW = MOST.withNumberDigits(20);

    private final Checks check = new Checks();

    public static void main(String[] arguments) {
        BigNumbersTest test = new BigNumbersTest();
        test.lengths();
        test.random(new SplittableRandom(5));
        test.integers();
        test.exponents();
        test.limits();
        test.zeros();
        test.grammar();
        test.check.report();
    }

    private static BigInteger integer(String text, Limits most) {
        return BigNumbers.integer(text, most, new ExponentDigits());
    }

    private void lengths() {
        for (int n : new int[] {1, 17, 18, 19, 20, 599, 600, 601, 1200, 1201, 5000}) {
            StringBuilder digits = new StringBuilder();
            for (int i = 0; i < n; i++) digits.append((char) ('1' + (i * 7 + n) % 9));
            String text = digits.toString();
            check.equal(n + " digits", BigNumbers.number(text, MOST), new BigInteger(text));
            check.equal("-" + n + " digits", BigNumbers.number("-" + text, MOST), new BigInteger("-" + text));
            check.equal(n + " digits of a fraction", BigNumbers.number("0." + text, MOST), new BigDecimal("0." + text));
            check.equal(n + " digits and an exponent", BigNumbers.number(text + "e-12", MOST),
                    new BigDecimal(text + "e-12"));
        }
    }

    private void random(SplittableRandom random) {
        for (int i = 0; i < 20_000; i++) {
            String whole = Long.toString(random.nextLong() >> random.nextInt(64));
            String text = whole + (random.nextBoolean() ? "" : "." + random.nextLong(0, 1000))
                    + (random.nextBoolean() ? "" : "E" + random.nextInt(-50, 300));
            BigDecimal wanted = new BigDecimal(text);
            check.equal(text, BigNumbers.decimal(text, MOST), wanted);
            if (wanted.signum() != 0 && wanted.stripTrailingZeros().scale() > 0) {
                check.refused(text, Code.TYPE, () -> integer(text, MOST));
            } else {
                check.equal(text + " as an integer", integer(text, MOST), wanted.toBigIntegerExact());
            }
        }
    }

    private void integers() {
        check.equal("zero", BigNumbers.number("0", FEW), BigInteger.ZERO);
        check.equal("zeros", integer("0.000", FEW), BigInteger.ZERO);
        check.equal("zero and an exponent", integer("-0e999999999999", FEW), BigInteger.ZERO);
        check.equal("a fraction of zeros", integer("120.00", FEW), BigInteger.valueOf(120));
        check.equal("with an exponent", integer("1.20e3", FEW), BigInteger.valueOf(1200));
        check.equal("down to an integer", integer("1200e-2", FEW), BigInteger.valueOf(12));
        check.refused("a fraction", Code.TYPE, () -> integer("12e-2", FEW));
        check.refused("an integer of too many digits", Code.SIZE, () -> integer("1e30", FEW));
        check.refused("an integer that is huge", Code.SIZE, () -> integer("1e999999999999", FEW));
        check.refused("an exponent that is huge", Code.RANGE, () -> BigNumbers.number("1e999999999999", FEW));
        Limits many = MOST.withNumberDigits(2_000_000);
        check.equal("a million zeros", integer("1." + "0".repeat(1_000_000), many), BigInteger.ONE);
    }

    private void exponents() {
        for (int e = 0; e < Limits.NUMBER_BYTES_DIGITS; e++) {
            check.equal("1e" + e, integer("-7e" + e, MOST), BigInteger.TEN.pow(e).multiply(BigInteger.valueOf(-7)));
        }
        check.refused("one more", Code.SIZE, () -> integer("1e" + Limits.NUMBER_BYTES_DIGITS, MOST));
        // Digits that stand there cost what they are long.
        check.equal("digits without an exponent", integer("1" + "0".repeat(9000), MOST), BigInteger.TEN.pow(9000));
        ExponentDigits count = new ExponentDigits();
        for (int i = 0; i < 1000; i++) BigNumbers.integer("1e384", MOST, count); // five characters, and one
        int each = 1000 - ExponentDigits.FOR_EACH_CHARACTER * 7;
        for (int i = 0; i < ExponentDigits.FOR_NOTHING / each; i++) BigNumbers.integer("1e1000", MOST, count);
        check.refused("more than a document may have", Code.SIZE, () -> BigNumbers.integer("1e1000", MOST, count));
        count.begin();
        BigNumbers.integer("1e1000", MOST, count);
        check.equal("another document", BigNumbers.integer("1e1", MOST, count), BigInteger.TEN);
    }

    private void zeros() {
        String many = "0".repeat(5000);
        String[] cheap = {"1", "1.5", "1.50", "1e5000", "1e-5000", "1" + many, "0." + many + "1",
            "1." + "0".repeat(32)};
        for (String text : cheap) {
            check.equal(text.substring(0, Math.min(9, text.length())), BigNumbers.zerosWork(new BigDecimal(text), text),
                    0L);
        }
        for (String text : new String[] {"1." + many, "1." + many + "e5", "-0.1" + many + "E-7"}) {
            long work = BigNumbers.zerosWork(new BigDecimal(text), text);
            check.yes(text.substring(0, 5) + ": " + work, work >= 5000 * (5000L >> 5) && work < 5000 * 200L);
        }
    }

    /** What may be written may be read: neither a point nor zeros before the digits count. */
    private void limits() {
        String most = "9".repeat(20);
        for (String text : new String[] {most, "-" + most, "0." + most, "-0.000" + most, "9." + most.substring(1)}) {
            BigDecimal value = new BigDecimal(text);
            check.runs(text, () -> {
                BigNumbers.check(value, FEW);
                return BigNumbers.decimal(text, FEW);
            });
            check.refused(text + "9", Code.SIZE, () -> BigNumbers.decimal(text + "9", FEW));
            check.refused(text + "9", Code.SIZE, () -> {
                BigNumbers.check(new BigDecimal(text + "9"), FEW);
                return null;
            });
        }
        check.equal("digits", BigNumbers.digits(new BigInteger("-" + most), FEW), "-" + most);
        check.refused("one more", Code.SIZE, () -> BigNumbers.digits(BigInteger.TEN.pow(20), FEW));
        check.refused("far more", Code.SIZE, () -> BigNumbers.digits(BigInteger.ONE.shiftLeft(1 << 24), FEW));
        Limits near = MOST.withNumberExponent(10);
        for (String text : new String[] {"1e10", "1e-10", "0.0000000001", "12345e10", "1.5e-10", "0.00000000015",
            "0e-10"}) {
            check.equal(text, BigNumbers.decimal(text, near), new BigDecimal(text));
        }
        for (String text : new String[] {"1e11", "1e-11", "0.00000000001", "1.5e12", "0e-11", "0e11"}) {
            check.refused(text, Code.RANGE, () -> BigNumbers.decimal(text, near));
            check.refused(text, Code.RANGE, () -> BigNumbers.number(text, near));
            check.refused(text, Code.RANGE, () -> {
                BigNumbers.check(new BigDecimal(text), near);
                return null;
            });
        }
        check.equal("the digits of a fraction are no exponent", BigNumbers.decimal("0." + most + most, near),
                new BigDecimal("0." + most + most));
    }

    private void grammar() {
        for (String text : new String[] {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1e1x", "1x", "1.5.5",
            " 1", "1 ", "0x1", "\u0661", "1e\u0661", "NaN", "1_0", "1d", "--1", "1ee1"}) {
            check.thrown(text, NumberFormatException.class, () -> BigNumbers.number(text, MOST));
            check.thrown(text, NumberFormatException.class, () -> BigNumbers.decimal(text, MOST));
            check.thrown(text, NumberFormatException.class, () -> integer(text, MOST));
        }
    }
}
