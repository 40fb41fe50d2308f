package kumihimo.scalar;

import kumihimo.Moment;

/**
 * How a moment is written. What does not apply to its kind is left out: a date has no clock, a naive reading no zone.
 */
public final class TimeLayout {
    /** How the offset from UTC is written. */
    public enum Zone {
        /** {@link Moment.Clock#UTC}: Z; others +09:00, also +00:00. */
        Z_FOR_UTC,
        /** Z whenever the offset is 0. */
        Z_FOR_ZERO,
        /** +09:00, also for UTC (+00:00). */
        COLON,
        /** +0900. */
        PLAIN,
        /** A space and +0900. */
        SPACE_PLAIN,
        /** Not at all. */
        NONE
    }

    /** As many digits behind the second as needed, none for whole seconds. */
    public static final int SHORTEST = -1;
    /** Six digits, none for whole seconds. */
    public static final int MICRO_OR_NONE = -2;
    /** 0, 3, 6 or 9 digits, whichever holds it. */
    public static final int MILLI_MICRO_NANO = -3;

    /** 2017-01-01T00:00:00.5Z. */
    public static final TimeLayout RFC3339 = new TimeLayout('-', 'T', SHORTEST, Zone.Z_FOR_UTC, false, false);
    /** 2017-01-01T09:00:00.500+09:00. */
    public static final TimeLayout RFC3339_MILLI = new TimeLayout('-', 'T', 3, Zone.Z_FOR_UTC, false, false);
    /** RFC 3339 with a space between date and clock. */
    public static final TimeLayout SPACE = new TimeLayout('-', ' ', SHORTEST, Zone.Z_FOR_UTC, false, false);
    /** Python's isoformat(). */
    public static final TimeLayout PYTHON = new TimeLayout('-', 'T', MICRO_OR_NONE, Zone.COLON, true, false);
    /** 2017/01/01 09:00:00 +0900. */
    public static final TimeLayout RAILS = new TimeLayout('/', ' ', 0, Zone.SPACE_PLAIN, false, true);

    final char dateSeparator;
    final char separator;
    final int precision;
    final Zone zone;
    final boolean offsetSeconds;
    final boolean offsetCut;

    /**
     * @param dateSeparator between year, month and day; ASCII
     * @param separator between date and clock; ASCII
     * @param precision digits behind the second, 0 to 9, or one of the constants
     * @param offsetSeconds +09:00:30 where the offset has seconds, as Python does
     * @param offsetCut the offset loses its seconds and the clock keeps them, as in Ruby
     */
    public TimeLayout(char dateSeparator, char separator, int precision, Zone zone, boolean offsetSeconds,
            boolean offsetCut) {
        if (precision < MILLI_MICRO_NANO || precision > 9) {
            throw new IllegalArgumentException("precision: " + precision);
        }
        this.dateSeparator = dateSeparator;
        this.separator = separator;
        this.precision = precision;
        this.zone = zone;
        this.offsetSeconds = offsetSeconds;
        this.offsetCut = offsetCut;
    }
}
