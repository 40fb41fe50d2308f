package kumihimo.codec

import java.time._

import scala.concurrent.duration.{Duration => ScalaDuration, FiniteDuration}

/** Keys of java.time: the text that their codecs write where a format has no type of its own, by ISO 8601. */
trait TimeKeys extends WiderTimeKeys {
  implicit val instant: KeyCodec[Instant] = time[Instant](_.toString)(Instant.parse(_))
  implicit val localDate: KeyCodec[LocalDate] = time[LocalDate](_.toString)(LocalDate.parse(_))
  implicit val localDateTime: KeyCodec[LocalDateTime] = time[LocalDateTime](_.toString)(LocalDateTime.parse(_))
  implicit val localTime: KeyCodec[LocalTime] = time[LocalTime](_.toString)(LocalTime.parse(_))
  implicit val offsetDateTime: KeyCodec[OffsetDateTime] = time[OffsetDateTime](_.toString)(OffsetDateTime.parse(_))
  implicit val offsetTime: KeyCodec[OffsetTime] = time[OffsetTime](_.toString)(OffsetTime.parse(_))
  implicit val zonedDateTime: KeyCodec[ZonedDateTime] = time[ZonedDateTime](_.toString)(ZonedDateTime.parse(_))
  implicit val javaDuration: KeyCodec[Duration] = time[Duration](_.toString)(Duration.parse(_))
  implicit val period: KeyCodec[Period] = time[Period](_.toString)(Period.parse(_))
  implicit val monthDay: KeyCodec[MonthDay] = time[MonthDay](_.toString)(MonthDay.parse(_))
  implicit val zoneOffset: KeyCodec[ZoneOffset] = time[ZoneOffset](_.getId)(ZoneOffset.of(_))
  implicit val year: KeyCodec[Year] = time[Year](_.toString)(text => Year.of(Texts.number(text).toInt))
  implicit val yearMonth: KeyCodec[YearMonth] =
    time[YearMonth](Times.yearMonths.format(_))(YearMonth.parse(_, Times.yearMonths))

  implicit val finiteDuration: KeyCodec[FiniteDuration] = new PrintedKey[FiniteDuration](
    _.toString,
    Times.duration(_) match {
      case finite: FiniteDuration => finite
      case _ => throw new IllegalArgumentException("not a finite duration")
    }
  )
}

/** Of types that others extend: where a type is known as a bound alone, the narrowest has to be found first. */
trait WiderTimeKeys {
  implicit val zoneId: KeyCodec[ZoneId] = time[ZoneId](_.getId)(ZoneId.of(_))
  implicit val duration: KeyCodec[ScalaDuration] = new PrintedKey[ScalaDuration](Times.text, Times.duration)

  private[codec] def time[K](print: K => String)(parse: String => K): KeyCodec[K] = new PrintedKey[K](
    print,
    text =>
      try parse(text)
      catch {
        // Weeks of a period are too many days.
        case e @ (_: DateTimeException | _: ArithmeticException) => throw new IllegalArgumentException(e.getMessage)
      }
  )
}
