package kumihimo.codec

import java.time._
import java.util.Locale

import kumihimo.Code
import kumihimo.codec.Forms._

import scala.collection.immutable
import scala.concurrent.duration.{Duration => ScalaDuration, FiniteDuration}

/** The standard libraries' types at their limits: what is written is read as the same value, or is not written. */
class ExtremesSuite extends munit.FunSuite {

  /** In each form: whether it was written. */
  private def backOrRefused[A](values: A*)(implicit codec: Codec[A], at: munit.Location): Unit =
    for (value <- values; form <- all)
      try {
        val bytes = form.encode(value)
        assertEquals(plain(form.decode[A](bytes)), plain(value), s"$form $value")
        assertEquals(plain(form.cursor(bytes).as[A]), plain(value), s"$form $value")
      } catch {
        case e: DataException =>
          assert(e.offset < 0, s"$form $value was written, but not read: $e")
          assert(e.code != Code.HOST, s"$form $value: $e")
      }

  /** The same where every form must write it. */
  private def back[A](values: A*)(implicit codec: Codec[A], at: munit.Location): Unit = {
    for (value <- values; form <- all) form.encode(value)
    backOrRefused(values: _*)
  }

  private def plain(value: Any): Any = value match {
    case array: Array[_] => array.toList.map(plain)
    case x: Double => java.lang.Double.doubleToLongBits(x)
    case x: Float => java.lang.Float.floatToIntBits(x)
    case x: java.math.BigDecimal => (x.unscaledValue, x.scale)
    case x: BigDecimal => (x.bigDecimal.unscaledValue, x.scale)
    case items: Iterable[_] => items.toList.map(plain)
    case other => other
  }

  test("moments") {
    backOrRefused(Instant.MIN, Instant.MAX)
    back(
      Instant.EPOCH.minusNanos(1),
      Instant.parse("0001-01-01T00:00:00Z"),
      Instant.parse("9999-12-31T23:59:59.999999999Z"),
      Instant.ofEpochSecond(1L << 34),
      Instant.ofEpochSecond((1L << 34) - 1, 999999999),
      Instant.ofEpochSecond(1L << 32)
    )
    backOrRefused(LocalDate.MIN, LocalDate.MAX, LocalDate.of(-1, 1, 1), LocalDate.of(10000, 1, 1))
    back(LocalDate.of(0, 2, 29), LocalDate.of(1, 1, 1), LocalDate.of(9999, 12, 31))
    backOrRefused(LocalDateTime.MIN, LocalDateTime.MAX, LocalDateTime.of(10000, 1, 1, 0, 0))
    back(LocalDateTime.of(1, 1, 1, 0, 0), LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999999999))
    back(LocalTime.MIN, LocalTime.MAX, LocalTime.NOON)
    back(OffsetTime.MIN, OffsetTime.MAX)
  }

  test("moments with an offset or a zone") {
    back(
      OffsetDateTime.MIN,
      OffsetDateTime.MAX,
      OffsetDateTime.of(10000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC),
      OffsetDateTime.of(0, 1, 1, 0, 0, 0, 1, ZoneOffset.MAX),
      OffsetDateTime.of(2024, 2, 29, 23, 59, 59, 0, ZoneOffset.ofHoursMinutesSeconds(-1, -2, -3)),
      OffsetDateTime.of(-1, 12, 31, 0, 0, 0, 0, ZoneOffset.MIN)
    )
    assertEquals(
      Json.parse[OffsetDateTime]("\"2016-12-25 01:02:03z\""),
      OffsetDateTime.of(2016, 12, 25, 1, 2, 3, 0, ZoneOffset.UTC)
    )
    assertEquals(refused[OffsetDateTime]("\"2016-12-25T25:00:00Z\"").take(8), "range 0 ")
    assertEquals(refused[OffsetDateTime]("\"2016-12-25T25:00:00+23:00\"").take(8), "range 0 ")
    List("\"\"", "\"+\"", "\"-1\"", "\"+2016-12-25T01:02:03Z\"", "\"2016\"", "1", "null").foreach(text =>
      assertEquals(refused[OffsetDateTime](text).take(7), "type 0 ", text)
    )
    val overlap = LocalDateTime.of(2024, 10, 27, 2, 30)
    back(
      ZonedDateTime.ofLocal(overlap, ZoneId.of("Europe/Berlin"), ZoneOffset.ofHours(1)),
      ZonedDateTime.ofLocal(overlap, ZoneId.of("Europe/Berlin"), ZoneOffset.ofHours(2)),
      ZonedDateTime.of(LocalDateTime.of(2024, 3, 31, 2, 30), ZoneId.of("Europe/Berlin")),
      ZonedDateTime.of(LocalDateTime.MAX, ZoneOffset.MIN),
      ZonedDateTime.of(LocalDateTime.MIN, ZoneOffset.MAX),
      ZonedDateTime.of(LocalDateTime.of(1800, 1, 1, 0, 0), ZoneId.of("Asia/Tokyo")),
      ZonedDateTime.of(overlap, ZoneId.of("UTC+01:02:03"))
    )
    back[ZoneId](ZoneId.of("Z"), ZoneId.of("GMT0"), ZoneId.of("UTC+18"), ZoneOffset.MIN, ZoneOffset.MAX)
    back(ZoneOffset.MIN, ZoneOffset.MAX, ZoneOffset.ofTotalSeconds(1), ZoneOffset.UTC)
  }

  test("lengths of time, and parts of calendars") {
    back(
      Duration.ofSeconds(Long.MaxValue, 999999999),
      Duration.ofSeconds(Long.MinValue),
      Duration.ofSeconds(Long.MinValue, 1),
      Duration.ofNanos(-1),
      Duration.ZERO
    )
    back(Period.of(Int.MinValue, Int.MaxValue, Int.MinValue), Period.ZERO)
    back(Year.of(Year.MIN_VALUE), Year.of(Year.MAX_VALUE))
    back(YearMonth.of(Year.MIN_VALUE, 1), YearMonth.of(Year.MAX_VALUE, 12), YearMonth.of(0, 1))
    back(MonthDay.of(2, 29))
    back[FiniteDuration](
      ScalaDuration.fromNanos(Long.MaxValue),
      ScalaDuration.fromNanos(-Long.MaxValue),
      FiniteDuration(106751, "days"),
      FiniteDuration(1, "hour")
    )
    back[ScalaDuration](ScalaDuration.Inf, ScalaDuration.MinusInf)
    assert(Json.parse[ScalaDuration](Json.text[ScalaDuration](ScalaDuration.Undefined)) eq ScalaDuration.Undefined)
  }

  test("numbers") {
    backOrRefused(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)
    backOrRefused(Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity)
    back(Double.MinPositiveValue, -Double.MinPositiveValue, java.lang.Double.MIN_NORMAL, -0.0)
    back(Float.MinPositiveValue, java.lang.Float.MIN_NORMAL, -0f, Float.MinValue)
    def decimal(digits: BigInt, scale: Int) = new java.math.BigDecimal(digits.bigInteger, scale)
    val some = for {
      digits <- List(
        BigInt(0),
        BigInt(1),
        BigInt(-1),
        BigInt(10),
        BigInt(Long.MinValue),
        BigInt(2).pow(64),
        BigInt(2).pow(64) - 1
      )
      scale <- List(0, 1, -1, 6176, -6176, 18, -18)
    } yield decimal(digits, scale)
    back(some: _*)
    backOrRefused(
      decimal(1, Int.MaxValue),
      decimal(1, Int.MinValue),
      decimal(0, Int.MinValue),
      decimal(0, 6177),
      decimal(BigInt(10).pow(4933), 0),
      decimal(BigInt(10).pow(4932), 0)
    )
    back(some.map(d => new BigDecimal(d, java.math.MathContext.UNLIMITED)): _*)
    backOrRefused(BigInt(2).pow(16384) - 1, BigInt(2).pow(16384), -BigInt(2).pow(16384), -BigInt(2).pow(16383))
  }

  test("text") {
    for (c <- Char.MinValue to Char.MaxValue if c % 251 == 0 || c < 0x100 || c >= 0xd7f0 && c < 0xe010) {
      if (Character.isSurrogate(c)) all.foreach(form => intercept[DataException](form.encode(c)))
      else back(c)
    }
    back(new java.util.UUID(0, 0), new java.util.UUID(-1, -1))
    back(
      Locale.ROOT,
      Locale.forLanguageTag("sr-Latn-RS-x-a"),
      Locale.forLanguageTag("ja-JP-u-ca-japanese"),
      Locale.US
    )
    List("\"%%\"", "\"de-\"", "\"en US\"", "\"toolongforalanguage\"").foreach(text =>
      assert(refused[Locale](text).contains("is not a language"), text)
    )
    back(Symbol(""), Symbol("a b"))
    List("", "a\u0000b", "\ud83d\ude00").foreach(text => back(text))
  }

  test("what may be missing, in each other") {
    back[Option[Option[Int]]](Some(Some(1)), None)
    back[Either[Either[Int, String], Option[Int]]](Left(Left(1)), Left(Right("a")), Right(None), Right(Some(1)))
    back[Option[Either[Int, Int]]](Some(Left(1)), Some(Right(1)), None)
    back[(Option[Int], Option[Int])]((None, Some(1)), (None, None))
    back[List[Option[Int]]](List(None, Some(1), None))
    back[Map[String, Option[Int]]](Map("a" -> None, "b" -> Some(1)))
    List(
      """{"Left":1,"Right":2}""",
      """{"Left":1,"Left":1}""",
      """{"left":1}""",
      """{"Left":1,"x":2}""",
      "[]",
      "null"
    ).foreach(text => assert(refused[Either[Int, Int]](text).startsWith("type"), text))
  }

  test("keys that are no text") {
    back(Map(Float.MinPositiveValue -> 1, Float.MaxValue -> 2, -0f -> 3, Float.NegativeInfinity -> 4))
    back(Map(Double.MinPositiveValue -> 1, Double.MaxValue -> 2, 1e23 -> 3, Double.PositiveInfinity -> 4))
    assert(Json.parse[Map[Double, Int]](Json.text(Map(Double.NaN -> 1))).head._1.isNaN)
    back(Map(Month.MAY -> 1, Month.JUNE -> 2))
    back(Map(Byte.MinValue -> 1, Byte.MaxValue -> 2))
    back(Map(Long.MinValue -> 1, Long.MaxValue -> 2))
    back(Map(Year.of(Year.MIN_VALUE) -> 1, Year.of(Year.MAX_VALUE) -> 2))
    back(Map(LocalDate.MIN -> 1, LocalDate.MAX -> 2))
    back(Map(Instant.MIN -> 1, Instant.MAX -> 2))
    back(Map('\u0000' -> 1, '"' -> 2, '\\' -> 3))
    back(Map("" -> Map("" -> 1)))
    backOrRefused(Map(BigInt(2).pow(16384) -> 1), Map(BigInt(2).pow(16383) -> 1))
    back(Map(BigDecimal("1e6176") -> 1), Map(BigDecimal("1e-6176") -> 1))
    backOrRefused(Map(BigDecimal("1e6177") -> 1), Map(BigDecimal("1e-6177") -> 1), Map(BigDecimal("1e7000") -> 1))
    backOrRefused(Map(BigInt(10).pow(99999) -> 1), Map(BigInt(10).pow(100000) -> 1))
    final case class Money(amount: BigDecimal)
    implicit val money: KeyCodec[Money] = KeyCodec.bigDecimal.imap(Money(_))(_.amount)
    backOrRefused(Map(Money(BigDecimal("1e7000")) -> 1))
    backOrRefused(java.util.Collections.singletonMap(BigDecimal("1e7000"), 1): java.util.Map[BigDecimal, Int])
    val few = Json.limited(kumihimo.Limits.DEFAULT.withNumberDigits(20))
    assertEquals(intercept[DataException](few.encode(Map(BigInt(10).pow(20) -> 1))).code, Code.SIZE)
    back(Map(LocalDateTime.MIN -> 1, LocalDateTime.MAX -> 2), Map(LocalDateTime.of(2024, 2, 29, 1, 0) -> 3))
    back(Map(LocalTime.MIN -> 1, LocalTime.MAX -> 2))
    back(Map(OffsetDateTime.MIN -> 1, OffsetDateTime.MAX -> 2))
    back(Map(OffsetTime.MIN -> 1, OffsetTime.MAX -> 2))
    back(Map(ZonedDateTime.of(2024, 10, 27, 2, 30, 0, 0, ZoneId.of("Europe/Berlin")) -> 1))
    back(Map(Duration.ofSeconds(Long.MinValue, 1) -> 1, Duration.ofSeconds(Long.MaxValue, 999999999) -> 2))
    back(Map(Period.of(Int.MinValue, Int.MaxValue, 0) -> 1), Map(Period.ZERO -> 2))
    back(Map(MonthDay.of(2, 29) -> 1))
    back(Map(ZoneId.of("Asia/Tokyo") -> 1, (ZoneOffset.MAX: ZoneId) -> 2))
    back(Map(ZoneOffset.MIN -> 1))
    back(Map(ScalaDuration.fromNanos(Long.MaxValue) -> 1))
    back[Map[ScalaDuration, Int]](Map(ScalaDuration.Inf -> 1, ScalaDuration(1, "day") -> 2))
    back(Map(new java.math.BigInteger("12345678901234567890") -> 1))
    back(Map(new java.math.BigDecimal("1.50") -> 1))
    assert(refused[Map[LocalTime, Int]]("""{"25:00":1}""").startsWith("type 1 "))
    assert(refused[Map[Month, Int]]("""{"may":1}""").startsWith("type 1 "), refused[Map[Month, Int]]("""{"may":1}"""))
  }

  test("collections") {
    back(immutable.BitSet.empty, immutable.BitSet(0, 63, 64, 1 << 20))
    backOrRefused(immutable.BitSet((1 << 20) + 1))
    backOrRefused(Array(Double.NaN), Array(0.0, -0.0))
    back(Array(Char.MinValue, 'é'))
    back(Array(Array(1), Array.empty[Int]))
    back(Array.empty[Byte], Array(Byte.MinValue))
    back((
      1,
      "2",
      3.0,
      4L,
      5f,
      '6',
      true,
      Option(8),
      List(9),
      BigInt(10),
      11,
      12,
      13,
      14,
      15,
      16,
      17,
      18,
      19,
      20,
      21,
      Tuple1(22)
    ))
  }
}
