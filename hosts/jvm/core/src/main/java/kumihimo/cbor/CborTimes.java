package kumihimo.cbor;

import kumihimo.Moment;
import kumihimo.scalar.TimeLayout;
import kumihimo.scalar.TimeText;

/** How moments and days are written; {@link CborTagged} reads them. Each function returns the end. */
final class CborTimes {
    /** What must be free behind the place. */
    static final int ROOM = TimeText.ROOM + 32;

    private static final long SECONDS_OF_DAY = 86400;
    private static final int NANOSECONDS = -9; // the key of extended time

    private CborTimes() {}

    /** Text of a moment, with or without tag 0; -1 where the year has no text. */
    static int putText(byte[] to, int at, Moment moment, boolean tagged) {
        byte[] text = new byte[TimeText.ROOM];
        int n = TimeText.write(text, 0, moment, TimeLayout.RFC3339);
        if (n < 0) return -1;
        if (tagged) at = CborHeader.put(to, at, CborHeader.TAG, CborHeader.TAG_DATE_TIME);
        at = CborHeader.put(to, at, CborHeader.TEXT, n);
        System.arraycopy(text, 0, to, at, n);
        return at + n;
    }

    /** A day since 1970, or its text. */
    static int putDate(byte[] to, int at, Moment moment, CborDialect as) {
        if (as.times == CborDialect.Times.TEXT) {
            int tagged = CborHeader.put(to, at, CborHeader.TAG, CborHeader.TAG_DATE);
            int end = putText(to, tagged, moment, false);
            if (end >= 0) return end;
        }
        long days = Math.floorDiv(moment.seconds(), SECONDS_OF_DAY);
        return CborHeader.putInteger(to, CborHeader.put(to, at, CborHeader.TAG, CborHeader.TAG_DAYS), days);
    }

    /**
     * A moment in UTC: seconds, as a double where that one is read as the same moment, else text, which every reader
     * knows; and where the year has no text, extended time.
     */
    static int putMoment(byte[] to, int at, Moment moment, CborDialect as) {
        long seconds = moment.seconds();
        int nanoseconds = moment.nanoseconds();
        Moment utc = new Moment(seconds, nanoseconds, 0, Moment.Clock.UTC);
        if (as.times == CborDialect.Times.TEXT) {
            int end = putText(to, at, utc, true);
            if (end >= 0) return end;
        }
        int number = CborHeader.put(to, at, CborHeader.TAG, CborHeader.TAG_EPOCH);
        if (nanoseconds == 0) return CborHeader.putInteger(to, number, seconds);
        // Both counted from zero, so that nothing is lost just before 1970: second -1 and 999,999,999 is -0.000000001.
        boolean before = seconds < 0;
        double part = before ? nanoseconds - 1e9 : nanoseconds;
        double x = (double) (before ? seconds + 1 : seconds) + part / 1e9;
        if (utc.equals(CborTagged.momentOf(x))) {
            return CborFloats.put(to, number, x, as.floats == CborDialect.FloatWidth.SHORTEST);
        }
        int end = putText(to, at, utc, true);
        if (end >= 0) return end;
        end = CborHeader.put(to, at, CborHeader.TAG, CborHeader.TAG_EXTENDED_TIME);
        end = CborHeader.put(to, end, CborHeader.MAP, 2);
        end = CborHeader.putInteger(to, CborHeader.putInteger(to, end, 1), seconds);
        return CborHeader.putInteger(to, CborHeader.putInteger(to, end, NANOSECONDS), nanoseconds);
    }
}
