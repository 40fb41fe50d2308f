package kumihimo.scalar;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.SplittableRandom;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Moment;

/** Integers, moments and base64 as text, against the JDK: {@code java -cp CLASSES kumihimo.scalar.TextTest}. */
public final class TextTest {
    private int checked;
    private int failed;

    public static void main(String[] arguments) {
        TextTest test = new TextTest();
        SplittableRandom random = new SplittableRandom(3);
        test.integers(random);
        test.moments(random);
        test.momentsRead();
        test.base64(random);
        System.out.println(test.checked + " texts, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    private void equal(String got, String wanted) {
        checked++;
        if (got.equals(wanted)) return;
        if (failed++ < 20) System.out.println(got + ", not " + wanted);
    }

    private void integers(SplittableRandom random) {
        for (int i = 0; i < 300_000; i++) integer(random.nextLong() >> random.nextInt(64));
        for (long n = 1; n > 0; n = n > Long.MAX_VALUE / 10 ? -1 : n * 10) {
            for (long m = n - 3; m <= n + 3; m++) {
                integer(m);
                integer(-m);
            }
        }
        for (int i = 0; i < 64; i++) {
            for (long m = (1L << i) - 2; m != (1L << i) + 3; m++) integer(m);
        }
        for (int i = 0; i < 12000; i++) integer(i);
    }

    private void integer(long n) {
        byte[] to = new byte[IntWrite.ROOM];
        equal(ascii(to, IntWrite.i64(to, 0, n)), Long.toString(n));
        equal(ascii(to, IntWrite.u64(to, 0, n)), Long.toUnsignedString(n));
        equal(ascii(to, IntWrite.i32(to, 0, (int) n)), Integer.toString((int) n));
    }

    private static String ascii(byte[] data, int end) {
        return new String(data, 0, end, StandardCharsets.US_ASCII);
    }

    private void moments(SplittableRandom random) {
        long first = LocalDate.of(0, 1, 1).toEpochDay() * 86400;
        long behind = LocalDate.of(10000, 1, 1).toEpochDay() * 86400;
        for (int i = 0; i < 100_000; i++) {
            long seconds = random.nextLong(first + 86400, behind - 86400);
            int nanoseconds = (i & 1) == 0 ? 0 : random.nextInt(1_000_000_000) / 1000 * 1000;
            int offset = (i & 3) == 0 ? 0 : random.nextInt(-17 * 60, 17 * 60) * 60;
            ZoneOffset zone = ZoneOffset.ofTotalSeconds(offset);
            OffsetDateTime there = OffsetDateTime.ofInstant(Instant.ofEpochSecond(seconds, nanoseconds), zone);
            Moment moment = new Moment(seconds, nanoseconds, offset, Moment.Clock.OFFSET);
            String text = TimeText.text(moment);
            equal(OffsetDateTime.parse(text).toString(), there.toString());
            equal(TimeText.read(text).toString(), moment.toString());
            equal(TimeText.text(new Moment(Math.floorDiv(seconds, 86400L) * 86400, 0, 0, Moment.Clock.DATE)),
                    LocalDate.ofEpochDay(Math.floorDiv(seconds, 86400L)).toString());
        }
        for (long day = first / 86400; day < behind / 86400; day++) {
            Moment date = new Moment(day * 86400, 0, 0, Moment.Clock.DATE);
            equal(TimeText.text(date), LocalDate.ofEpochDay(day).toString());
        }
        refused(first - 1);
        refused(behind);
        refused(Long.MIN_VALUE);
        refused(Long.MAX_VALUE);
        layout(TimeLayout.RFC3339, 0, "1970-01-01T00:00:01.0001Z");
        layout(TimeLayout.RFC3339_MILLI, 0, "1970-01-01T00:00:01.000Z");
        layout(TimeLayout.PYTHON, 0, "1970-01-01T00:00:01.000100+00:00");
        layout(TimeLayout.SPACE, 33539, "1970-01-01 09:19:01.0001+09:19");
        layout(TimeLayout.PYTHON, 33539, "1970-01-01T09:19:00.000100+09:18:59");
        layout(TimeLayout.RAILS, 33539, "1970/01/01 09:19:00 +0918");
        layout(new TimeLayout('-', 'T', TimeLayout.MILLI_MICRO_NANO, TimeLayout.Zone.PLAIN, false, false), -5400,
                "1969-12-31T22:30:01.000100-0130");
    }

    private void layout(TimeLayout as, int offset, String wanted) {
        byte[] to = new byte[TimeText.ROOM];
        Moment moment = new Moment(1, 100_000, offset, offset == 0 ? Moment.Clock.UTC : Moment.Clock.OFFSET);
        equal(ascii(to, TimeText.write(to, 0, moment, as)), wanted);
    }

    private void refused(long seconds) {
        byte[] to = new byte[TimeText.ROOM];
        int end = TimeText.write(to, 0, new Moment(seconds, 0, 0, Moment.Clock.UTC), TimeLayout.RFC3339);
        equal(end < 0 ? "refused" : ascii(to, end), "refused");
    }

    private void momentsRead() {
        read("2016-12-25", "DATE 1482624000 0 0");
        read("2016/12/25", "DATE 1482624000 0 0");
        read("2016-12-25t00:00:00z", "UTC 1482624000 0 0");
        read("2016-12-25 00:00:00", "NAIVE 1482624000 0 0");
        read("2016-12-25T00:00:00.1234567899Z", "UTC 1482624000 123456789 0");
        read("2016-12-25T09:00:00+09:00", "OFFSET 1482624000 0 32400");
        read("2016/12/25 09:00:00 +0900", "OFFSET 1482624000 0 32400");
        read("2016-12-25T09:00:30+09:00:30", "OFFSET 1482624000 0 32430");
        read("2016-12-25T00:00:00-00:00", "OFFSET 1482624000 0 0");
        read("2016-12-31T23:59:60Z", "UTC 1483228800 0 0");
        read("2017-01-01T08:59:60+09:00", "OFFSET 1483228800 0 32400");
        read("0000-02-29", "DATE -62162121600 0 0");
        for (String text : new String[] {"", "2016", "2016-12-25T", "2016-12-25T00:00", "2016-12-25T00:00:00.",
            "2016-12/25", "2016-12-25T00:00:00+", "2016-12-25T00:00:00+9:00", "2016-12-25T00:00:00Zz", " 2016-12-25",
            "2016-12-25T00:00:00+0900x", "2016-12-25T00:00:00+09:00:", "+016-12-25", "2016-1-025",
            "2016-12-25x00:00:00"}) {
            read(text, "syntax");
        }
        for (String text : new String[] {"2016-13-25", "2016-00-25", "2015-02-29", "2016-12-00", "2016-12-25T24:00:00Z",
            "2016-12-25T00:60:00Z", "2016-12-25T00:00:61Z", "2016-12-25T00:00:60Z", "2016-12-25T00:00:00+24:00",
            "2016-12-25T00:00:00+00:60", "2016-12-25T00:00:00+00:00:60"}) {
            read(text, "range");
        }
    }

    private void read(String text, String wanted) {
        try {
            equal(TimeText.read(text).toString(), wanted);
        } catch (DataException e) {
            equal(e.code() == Code.SYNTAX || e.code() == Code.RANGE ? e.code().text() : e.toString(), wanted);
        }
    }

    private void base64(SplittableRandom random) {
        java.util.Base64.Encoder url = java.util.Base64.getUrlEncoder().withoutPadding();
        for (int i = 0; i < 20_000; i++) {
            byte[] data = new byte[random.nextInt(40)];
            for (int j = 0; j < data.length; j++) data[j] = (byte) random.nextInt();
            int from = data.length == 0 ? 0 : random.nextInt(data.length);
            byte[] part = Arrays.copyOfRange(data, from, data.length);
            byte[] to = new byte[80];
            String standard = ascii(to, Base64.STANDARD.encode(data, from, data.length, to, 0));
            equal(standard, java.util.Base64.getEncoder().encodeToString(part));
            equal(standard.length() + "", Base64.STANDARD.size(part.length) + "");
            byte[] characters = ("x" + standard + "y").getBytes(StandardCharsets.US_ASCII);
            equal(Arrays.toString(Base64.STANDARD.decode(characters, 1, characters.length - 1)), Arrays.toString(part));
            String bare = ascii(to, Base64.URL.encode(data, from, data.length, to, 0));
            equal(bare, url.encodeToString(part));
            equal(bare.length() + "", Base64.URL.size(part.length) + "");
            equal(Arrays.toString(Base64.URL.decode(bare.getBytes(StandardCharsets.US_ASCII), 0, bare.length())),
                    Arrays.toString(part));
        }
        for (String bad : new String[] {"A", "AB=", "A===", "AAAA=", "AA=A", "AAA ", "AB==", "AAB=", "AA-_", "AAAAA",
            "====", "=", "AA==AA==", "A\u00e9AA"}) {
            byte[] characters = bad.getBytes(StandardCharsets.ISO_8859_1);
            byte[] got = Base64.STANDARD.decode(characters, 0, characters.length);
            equal(bad + (got == null ? " refused" : " taken"), bad + " refused");
        }
    }
}
