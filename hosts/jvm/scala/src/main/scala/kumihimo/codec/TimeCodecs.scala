package kumihimo.codec

import java.nio.charset.StandardCharsets
import java.time._

import kumihimo.{Code, Kind, Moment, Reader, Writer}
import kumihimo.scalar.TimeText

import scala.concurrent.duration.{Duration => ScalaDuration, FiniteDuration}

/**
 * Moments and calendars. What is a moment or a day uses the format's own type, where it has one; in JSON it is
 * text by RFC 3339. What a moment cannot say (a zone by its name, a time without a day, lengths of time) is
 * text by ISO 8601.
 */
trait TimeCodecs { self: JavaCodecs =>
  implicit val instant: Codec[Instant] = new Codec[Instant] {
    def write(value: Instant, out: Writer): Unit =
      out.time(new Moment(value.getEpochSecond, value.getNano, 0, Moment.Clock.UTC))
    def read(in: Reader): Instant = Times.read(in)(m => Instant.ofEpochSecond(m.seconds, m.nanoseconds.toLong))
  }

  /** Always text: some formats have moments without an offset alone. Years beyond 9999 have a sign, by ISO 8601. */
  implicit val offsetDateTime: Codec[OffsetDateTime] = new Codec[OffsetDateTime] {
    def write(value: OffsetDateTime, out: Writer): Unit =
      out.str(format.DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(value))
    def read(in: Reader): OffsetDateTime =
      if (in.kind() == Kind.STR) Times.written(in) else Times.read(in)(Times.withOffset)
  }

  implicit val localDate: Codec[LocalDate] = new Codec[LocalDate] {
    def write(value: LocalDate, out: Writer): Unit =
      out.time(new Moment(Math.multiplyExact(value.toEpochDay, 86400L), 0, 0, Moment.Clock.DATE))
    def read(in: Reader): LocalDate =
      Times.read(in)(m => LocalDate.ofEpochDay(Math.floorDiv(m.seconds + m.offset, 86400L)))
  }

  implicit val localDateTime: Codec[LocalDateTime] = new Codec[LocalDateTime] {
    def write(value: LocalDateTime, out: Writer): Unit =
      out.time(new Moment(value.toEpochSecond(ZoneOffset.UTC), value.getNano, 0, Moment.Clock.NAIVE))
    def read(in: Reader): LocalDateTime =
      Times.read(in)(m => LocalDateTime.ofEpochSecond(m.seconds + m.offset, m.nanoseconds, ZoneOffset.UTC))
  }

  implicit val zonedDateTime: Codec[ZonedDateTime] =
    text[ZonedDateTime]("a moment of a time zone")(_.toString)(ZonedDateTime.parse(_))
  implicit val localTime: Codec[LocalTime] = text[LocalTime]("a time of day")(_.toString)(LocalTime.parse(_))
  implicit val offsetTime: Codec[OffsetTime] = text[OffsetTime]("a time of day")(_.toString)(OffsetTime.parse(_))
  implicit val javaDuration: Codec[Duration] = text[Duration]("a duration")(_.toString)(Duration.parse(_))
  implicit val period: Codec[Period] = text[Period]("a period")(_.toString)(Period.parse(_))
  implicit val yearMonth: Codec[YearMonth] =
    text[YearMonth]("a month of a year")(Times.yearMonths.format(_))(YearMonth.parse(_, Times.yearMonths))
  implicit val monthDay: Codec[MonthDay] = text[MonthDay]("a day of a month")(_.toString)(MonthDay.parse(_))
  implicit val zoneId: Codec[ZoneId] = text[ZoneId]("a time zone")(_.getId)(ZoneId.of(_))
  implicit val zoneOffset: Codec[ZoneOffset] = text[ZoneOffset]("an offset from UTC")(_.getId)(ZoneOffset.of(_))

  implicit val year: Codec[Year] = new Codec[Year] {
    def write(value: Year, out: Writer): Unit = out.i32(value.getValue)
    def read(in: Reader): Year = {
      in.kind()
      val at = in.position()
      val number = in.i32()
      if (number < Year.MIN_VALUE || number > Year.MAX_VALUE) throw Scalars.range(number.toString, "a year", at)
      Year.of(number)
    }
  }

  implicit val finiteDuration: Codec[FiniteDuration] = text[FiniteDuration]("a duration")(_.toString) {
    Times.duration(_) match {
      case finite: FiniteDuration => finite
      case _ => throw new IllegalArgumentException
    }
  }
  implicit val duration: Codec[ScalaDuration] = text[ScalaDuration]("a duration")(Times.text)(Times.duration)
}

private[codec] object Times {

  /** As YearMonth reads itself; it writes years beyond 9999 without their sign. */
  val yearMonths: format.DateTimeFormatter = new format.DateTimeFormatterBuilder()
    .appendValue(temporal.ChronoField.YEAR, 4, 10, format.SignStyle.EXCEEDS_PAD)
    .appendLiteral('-')
    .appendValue(temporal.ChronoField.MONTH_OF_YEAR, 2)
    .toFormatter()

  def text(duration: ScalaDuration): String = duration match {
    case ScalaDuration.Inf => "Inf"
    case ScalaDuration.MinusInf => "MinusInf"
    case other => other.toString
  }

  /** The length that a text says; ScalaDuration itself goes through a double, which loses the last nanoseconds, and
   * does not know the text of the one that has no value before Scala 2.13.
   */
  def duration(text: String): ScalaDuration = if (text == ScalaDuration.Undefined.toString) ScalaDuration.Undefined
  else {
    val space = text.indexOf(' ')
    val digits = if (space < 0) "" else text.substring(if (text.charAt(0) == '-') 1 else 0, space)
    if (digits.isEmpty || !digits.forall(c => c >= '0' && c <= '9')) ScalaDuration(text)
    else ScalaDuration(text.substring(0, space).toLong, text.substring(space + 1))
  }

  def withOffset(m: Moment): OffsetDateTime = OffsetDateTime.ofInstant(
    Instant.ofEpochSecond(m.seconds, m.nanoseconds.toLong),
    ZoneOffset.ofTotalSeconds(m.offset)
  )

  /** A moment that stands as text: by RFC 3339, whose years have four digits, or with more of them behind a sign. */
  def written(in: Reader): OffsetDateTime = {
    val at = in.position()
    val text = in.str()
    try
      if (text.startsWith("+") || text.startsWith("-")) OffsetDateTime.parse(text)
      else {
        val bytes = text.getBytes(StandardCharsets.UTF_8)
        withOffset(TimeText.read(bytes, 0, bytes.length))
      }
    catch {
      case e: DataException =>
        throw new DataException(if (e.code == Code.RANGE) e.code else Code.TYPE, e.reason, at.toLong)
      case _: format.DateTimeParseException =>
        throw new DataException(Code.TYPE, s"${Scalars.quoted(text)} is no moment", at.toLong)
      case _: DateTimeException => throw beyond(at)
    }
  }

  private def beyond(at: Int) = new DataException(Code.RANGE, "a moment that java.time cannot hold", at.toLong)

  /** A moment as a class of java.time, which holds fewer of them than a document can say. */
  def read[A](in: Reader)(to: Moment => A): A = {
    in.kind()
    val at = in.position()
    val moment = in.time()
    try to(moment)
    catch {
      case _: DateTimeException | _: ArithmeticException => throw beyond(at)
    }
  }
}
