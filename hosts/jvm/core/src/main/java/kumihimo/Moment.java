package kumihimo;

/** A moment, and what kind of clock told it; {@code instant} of {@code engine/core/sink.hpp}. */
public final class Moment {
    /** What kind of clock told a moment. */
    public enum Clock {
        /** Printed with Z. */
        UTC,
        /** A fixed offset from UTC, printed as +09:00. */
        OFFSET,
        /** The process's own zone; the offset is what it was at that moment. */
        LOCAL,
        /** A calendar day without a time; its midnight in UTC. */
        DATE,
        /** A wall-clock reading without a zone, counted as if it were UTC. */
        NAIVE
    }

    private final long seconds;
    private final int nanoseconds;
    private final int offset;
    private final Clock clock;

    /**
     * @param seconds since 1970-01-01T00:00:00Z; a day has 86400
     * @param nanoseconds 0 to 999,999,999, added to seconds
     * @param offset seconds east of UTC; 0 for UTC, DATE and NAIVE
     */
    public Moment(long seconds, int nanoseconds, int offset, Clock clock) {
        if (nanoseconds < 0 || nanoseconds > 999_999_999) {
            throw new IllegalArgumentException("nanoseconds: " + nanoseconds);
        }
        this.seconds = seconds;
        this.nanoseconds = nanoseconds;
        this.offset = offset;
        this.clock = clock;
    }

    public long seconds() {
        return seconds;
    }

    public int nanoseconds() {
        return nanoseconds;
    }

    public int offset() {
        return offset;
    }

    public Clock clock() {
        return clock;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Moment)) return false;
        Moment m = (Moment) other;
        return seconds == m.seconds && nanoseconds == m.nanoseconds && offset == m.offset && clock == m.clock;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(seconds * 31 + nanoseconds) * 31 + offset * 5 + clock.ordinal();
    }

    @Override
    public String toString() {
        return clock + " " + seconds + " " + nanoseconds + " " + offset;
    }
}
