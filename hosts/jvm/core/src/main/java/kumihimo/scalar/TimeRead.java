package kumihimo.scalar;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Moment;

/** A moment out of its text, for {@link TimeText#read}. Takes fixed pieces; the first that does not fit ends it. */
final class TimeRead {
    private static final int DAY = 86400;

    private final byte[] data;
    private int at;
    private final int end;

    TimeRead(byte[] data, int from, int to) {
        this.data = data;
        at = from;
        end = to;
    }

    Moment moment() {
        int year = digits(4);
        char separator = nextIs('/') ? '/' : '-';
        want(separator);
        int month = digits(2);
        want(separator);
        int day = digits(2);
        boolean inRange = month >= 1 && month <= 12 && day >= 1 && day <= Civil.daysIn(year, month);
        if (at == end) {
            if (!inRange) throw range();
            return new Moment(Civil.day(year, month, day) * DAY, 0, 0, Moment.Clock.DATE);
        }
        if (!skip('T') && !skip('t') && !skip(' ')) throw syntax();
        int hour = digits(2);
        want(':');
        int minute = digits(2);
        want(':');
        int second = digits(2);
        inRange = inRange && hour <= 23 && minute <= 59 && second <= 60;
        int nanoseconds = skip('.') ? fraction() : 0;
        Moment.Clock clock = Moment.Clock.UTC;
        int offset = 0;
        if (at == end) {
            clock = Moment.Clock.NAIVE;
        } else if (!skip('Z') && !skip('z')) {
            clock = Moment.Clock.OFFSET;
            offset = offset();
        }
        if (at != end) throw syntax();
        if (!inRange || offset == BEYOND) throw range();
        long seconds = Civil.day(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
        // A leap second is counted as the second after it, so it is a midnight now.
        if (second == 60 && seconds % DAY != 0) throw range();
        return new Moment(seconds, nanoseconds, offset, clock);
    }

    private int fraction() {
        int nanoseconds = 0;
        int unit = 100_000_000;
        int first = at;
        for (; at != end && data[at] >= '0' && data[at] <= '9'; at++) {
            nanoseconds += (data[at] - '0') * unit;
            unit /= 10;
        }
        if (at == first) throw syntax();
        return nanoseconds;
    }

    /** An offset that is none, of a form that is right. */
    private static final int BEYOND = Integer.MAX_VALUE;

    private int offset() {
        skip(' ');
        boolean west = nextIs('-');
        if (!west && !nextIs('+')) throw syntax();
        at++;
        int hours = digits(2);
        boolean colon = skip(':');
        int minutes = digits(2);
        int seconds = 0;
        if (at != end) {
            if (colon) want(':');
            seconds = digits(2);
        }
        if (hours > 23 || minutes > 59 || seconds > 59) return BEYOND;
        int offset = hours * 3600 + minutes * 60 + seconds;
        return west ? -offset : offset;
    }

    private boolean nextIs(char c) {
        return at != end && data[at] == c;
    }

    private boolean skip(char c) {
        if (!nextIs(c)) return false;
        at++;
        return true;
    }

    private void want(char c) {
        if (!skip(c)) throw syntax();
    }

    private int digits(int n) {
        int value = 0;
        for (; n > 0; n--) {
            int digit = at != end ? data[at] - '0' : -1;
            if (digit < 0 || digit > 9) throw syntax();
            value = value * 10 + digit;
            at++;
        }
        return value;
    }

    private static DataException syntax() {
        return new DataException(Code.SYNTAX, "text that is no moment of RFC 3339");
    }

    private static DataException range() {
        return new DataException(Code.RANGE, "a moment with no such day, hour, minute, second or offset");
    }
}
