package kumihimo.scalar;

import java.nio.charset.StandardCharsets;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Moment;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;

/**
 * Moments and their texts: RFC 3339, Python's isoformat, Rails' own, dates and wall-clock readings.
 *
 * <p>Years go from 0000 to 9999 (0000 is 1 BC), on the clock that is printed. Days have 86400 seconds: a leap second
 * cannot be held. The text 23:59:60 (RFC 3339 allows it) is read as the first second after it, as POSIX counts, and
 * only where UTC could have one: at 23:59:60 UTC, whatever the offset it is written in. Fractions are cut, never
 * rounded up, in both directions: a text never names a moment after the one it stands for.
 */
public final class TimeText {
    /** Bytes that must be free behind {@code at}. */
    public static final int ROOM = 48;

    private static final int DAY = 86400;

    private TimeText() {}

    /**
     * RFC 3339, as {@code 2016-12-25T10:53:10.5+09:00}, or the part of it that the moment has.
     *
     * @throws DataException {@link Code#RANGE} outside the years 0000 to 9999
     */
    public static String text(Moment moment) {
        byte[] line = new byte[ROOM];
        int end = write(line, 0, moment, TimeLayout.RFC3339);
        if (end < 0) throw new DataException(Code.RANGE, "a moment outside the years 0000 to 9999");
        return new String(line, 0, end, StandardCharsets.US_ASCII);
    }

    /**
     * Writes a moment and returns the end, or -1 where its year on the printed clock is not in 0000 to 9999 or its
     * offset is a day or more.
     *
     * <p>An offset whose seconds the layout does not print is rounded to minutes, and the clock goes with it: the
     * moment stays what it was, 00:00:00+09:18:59 becomes 00:00:01+09:19. Where the layout cuts offsets it becomes
     * 00:00:00+09:18, which is another moment.
     */
    public static int write(byte[] to, int at, Moment moment, TimeLayout as) {
        Moment.Clock clock = moment.clock();
        boolean zoned = clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL;
        int offset = zoned ? moment.offset() : 0;
        if (offset <= -DAY || offset >= DAY) return -1;
        if (offset % 60 != 0 && !as.offsetSeconds && !as.offsetCut && as.zone != TimeLayout.Zone.NONE) {
            offset = wholeMinutes(offset);
        }
        long seconds = moment.seconds();
        // Compared before the addition: seconds may be anything.
        if (seconds < (Civil.FIRST_DAY - 1L) * DAY || seconds > (Civil.LAST_DAY + 2L) * DAY) return -1;
        long local = seconds + offset;
        int day = (int) Math.floorDiv(local, DAY);
        if (day < Civil.FIRST_DAY || day > Civil.LAST_DAY) return -1;
        at = putDate(to, at, day, as.dateSeparator);
        if (clock == Moment.Clock.DATE) return at;
        int s = (int) (local - (long) day * DAY);
        to[at] = (byte) as.separator;
        LittleEndian.put16(to, at + 1, Digits.twoTexts(s / 3600));
        to[at + 3] = ':';
        LittleEndian.put16(to, at + 4, Digits.twoTexts(s / 60 % 60));
        to[at + 6] = ':';
        LittleEndian.put16(to, at + 7, Digits.twoTexts(s % 60));
        at = putFraction(to, at + 9, moment.nanoseconds(), as.precision);
        return clock == Moment.Clock.NAIVE ? at : putZone(to, at, clock == Moment.Clock.UTC, offset, as);
    }

    /** Writes seconds since 1970 with as many digits of a fraction as needed, and returns the end. */
    public static int writeEpoch(byte[] to, int at, Moment moment) {
        long seconds = moment.seconds();
        int part = moment.nanoseconds();
        if (part == 0) return IntWrite.i64(to, at, seconds);
        // Seconds count down to the past and nanoseconds up from them: -1.5 is -2 seconds and half a second.
        if (seconds < 0) {
            to[at++] = '-';
            seconds = ~seconds; // -(seconds + 1)
            part = 1_000_000_000 - part;
        }
        at = IntWrite.u64(to, at, seconds);
        to[at++] = '.';
        for (int unit = 100_000_000; part != 0; unit /= 10) {
            to[at++] = (byte) ('0' + part / unit);
            part %= unit;
        }
        return at;
    }

    /** Halves away from zero; 23:59:30 and more have no minute to be rounded up to. */
    private static int wholeMinutes(int offset) {
        int up = (offset < 0 ? offset - 30 : offset + 30) / 60 * 60;
        return up > -DAY && up < DAY ? up : offset / 60 * 60;
    }

    private static int putDate(byte[] to, int at, int day, char separator) {
        int date = Civil.date(day);
        LittleEndian.put32(to, at, Digits.fourTexts(date >>> 16));
        to[at + 4] = (byte) separator;
        LittleEndian.put16(to, at + 5, Digits.twoTexts(date >>> 8 & 0xff));
        to[at + 7] = (byte) separator;
        LittleEndian.put16(to, at + 8, Digits.twoTexts(date & 0xff));
        return at + 10;
    }

    /** All nine digits are written, into room that there is, and as many of them kept as are wanted. */
    private static int putFraction(byte[] to, int at, int nanoseconds, int precision) {
        if (precision == 0 || (precision < 0 && nanoseconds == 0)) return at;
        int count = precision;
        if (precision == TimeLayout.MICRO_OR_NONE) {
            if (nanoseconds < 1000) return at;
            count = 6;
        } else if (precision == TimeLayout.MILLI_MICRO_NANO) {
            count = nanoseconds % 1000000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9;
        } else if (precision == TimeLayout.SHORTEST) {
            count = 9;
            for (int n = nanoseconds; n % 10 == 0; n /= 10) count--;
        }
        to[at] = '.';
        LittleEndian.put64(to, at + 1, Digits.eight(nanoseconds / 10) | Digits.ZEROS);
        to[at + 9] = (byte) ('0' + nanoseconds % 10);
        return at + 1 + count;
    }

    private static int putZone(byte[] to, int at, boolean utc, int offset, TimeLayout as) {
        TimeLayout.Zone zone = as.zone;
        if (zone == TimeLayout.Zone.NONE) return at;
        if ((zone == TimeLayout.Zone.Z_FOR_UTC && utc) || (zone == TimeLayout.Zone.Z_FOR_ZERO && offset == 0)) {
            to[at] = 'Z';
            return at + 1;
        }
        if (zone == TimeLayout.Zone.SPACE_PLAIN) to[at++] = ' ';
        boolean colon = zone != TimeLayout.Zone.PLAIN && zone != TimeLayout.Zone.SPACE_PLAIN;
        int a = Math.abs(offset);
        to[at] = (byte) (offset < 0 ? '-' : '+');
        LittleEndian.put16(to, at + 1, Digits.twoTexts(a / 3600));
        at += 3;
        if (colon) to[at++] = ':';
        LittleEndian.put16(to, at, Digits.twoTexts(a / 60 % 60));
        at += 2;
        if (as.offsetSeconds && a % 60 != 0) {
            if (colon) to[at++] = ':';
            LittleEndian.put16(to, at, Digits.twoTexts(a % 60));
            at += 2;
        }
        return at;
    }

    /**
     * Reads a text that is a moment as a whole:
     *
     * <pre>
     *   2016-12-25                                   date
     *   2016-12-25T01:53:10     (also t, a space)    naive
     *   2016-12-25 01:53:10.602955                   naive; any number of digits, those after the ninth are cut
     *   2016-12-25T01:53:10.6Z  (also z)             utc
     *   2016-12-25T10:53:10+09:00  -0330  " +0900"  +09:00:30     offset
     *   2016/12/25 ...                               the same with slashes
     * </pre>
     *
     * <p>Seconds are required, hours go to 23, offsets to 23:59:59. -00:00 (RFC 3339: offset unknown) is an offset of
     * 0.
     *
     * @throws DataException {@link Code#SYNTAX} where it is not of this form, {@link Code#RANGE} where there is no
     *     such day, hour and so on; neither has an offset
     */
    public static Moment read(byte[] data, int from, int to) {
        return new TimeRead(data, from, to).moment();
    }

    /** The same of a String. */
    public static Moment read(String text) {
        byte[] utf8 = Utf8.bytes(text);
        return read(utf8, 0, utf8.length);
    }
}
