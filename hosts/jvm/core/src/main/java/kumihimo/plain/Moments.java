package kumihimo.plain;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Moment;

/** Moments as the classes of java.time that say the same, and back. */
final class Moments {
    private Moments() {}

    /** Instant, OffsetDateTime, LocalDate or LocalDateTime, by the clock that told the moment. */
    static Object value(Moment moment) {
        try {
            switch (moment.clock()) {
                case UTC:
                    return Instant.ofEpochSecond(moment.seconds(), moment.nanoseconds());
                case DATE:
                    return LocalDate.ofEpochDay(Math.floorDiv(moment.seconds(), 86400L));
                case NAIVE:
                    return LocalDateTime.ofEpochSecond(moment.seconds(), moment.nanoseconds(), ZoneOffset.UTC);
                default:
                    return Instant.ofEpochSecond(moment.seconds(), moment.nanoseconds())
                            .atOffset(ZoneOffset.ofTotalSeconds(moment.offset()));
            }
        } catch (DateTimeException e) {
            throw new DataException(Code.RANGE, "a moment that java.time does not have");
        }
    }

    static Moment of(Instant at) {
        return new Moment(at.getEpochSecond(), at.getNano(), 0, Moment.Clock.UTC);
    }

    static Moment of(OffsetDateTime at) {
        int offset = at.getOffset().getTotalSeconds();
        Moment.Clock clock = offset == 0 ? Moment.Clock.UTC : Moment.Clock.OFFSET;
        return new Moment(at.toEpochSecond(), at.getNano(), offset, clock);
    }

    static Moment of(LocalDateTime at) {
        return new Moment(at.toEpochSecond(ZoneOffset.UTC), at.getNano(), 0, Moment.Clock.NAIVE);
    }

    static Moment of(LocalDate day) {
        return new Moment(day.toEpochDay() * 86400, 0, 0, Moment.Clock.DATE);
    }
}
