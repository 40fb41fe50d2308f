package kumihimo.codec

import java.time._
import java.util.UUID

import kumihimo.Code
import kumihimo.codec.Forms._

import scala.collection.{immutable, mutable}
import scala.concurrent.duration.{Duration => ScalaDuration, DurationInt, FiniteDuration}

final case class Measured(value: Float)
object Measured { implicit val codec: Codec[Measured] = Codec.derived[Measured] }

/** The types of the standard libraries, in every format. */
class LibrarySuite extends munit.FunSuite {
  test("primitives") {
    json(true, "true")
    json(Byte.MinValue, "-128")
    json(Short.MaxValue, "32767")
    json(Int.MinValue, "-2147483648")
    json(Long.MaxValue, "9223372036854775807")
    json(0.1f, "0.1")
    json(-0.5, "-0.5")
    json(1e300, "1e+300")
    json('é', "\"é\"")
    json("a\"b\n", "\"a\\\"b\\n\"")
    json((), "{}")
    json(Symbol("a"), "\"a\"")
  }

  test("numbers of any size") {
    json(BigInt(7), "7")
    json(BigInt("18446744073709551615"), "18446744073709551615")
    json(BigInt("-123456789012345678901234567890"), "-123456789012345678901234567890")
    json(BigDecimal("1.50"), "1.50")
    json(new java.math.BigInteger("99999999999999999999"), "99999999999999999999")
    json(new java.math.BigDecimal("-0.000001"), "-0.000001")
    assertEquals(Json.parse[BigInt]("1e3"), BigInt(1000))
  }

  test("the largest numbers that are written are read") {
    val largest = BigInt(2).pow(16384) - 1
    sameInAll(largest)
    sameInAll(-largest)
    val digits = BigDecimal(largest, 0, java.math.MathContext.UNLIMITED).bigDecimal
    for (scale <- List(0, 1, 6176, -6176); sign <- List(1, -1))
      sameInAll(digits.setScale(0).multiply(java.math.BigDecimal.valueOf(sign.toLong)).scaleByPowerOfTen(-scale))
    all.foreach { form =>
      intercept[DataException](form.encode(BigDecimal("1e7000")))
      intercept[DataException](form.encode(BigInt(10).pow(100000)))
      // Binary digits are made of no more; where digits stay what they are there may be more of them.
      val larger = List(largest + 1, BigInt(10).pow(99999))
      if (form.format.name == "cbor") larger.foreach(number => intercept[DataException](form.encode(number)))
      else larger.foreach(number => assertEquals(form.decode[BigInt](form.encode(number)), number))
    }
  }

  test("the nearest float, of the digits and not of their double") {
    assertEquals(Json.parse[Float]("16777217.0000000001"), 16777218f)
    assertEquals(Json.parse[Float]("9007199791611905"), 9007200300000000f)
    assertEquals(Json.parse[Array[Float]]("[16777217.0000000001]").toList, List(16777218f))
    assertEquals(Json.parse[Pair[Float, Int]]("""{"first":16777217.0000000001,"second":1}""").first, 16777218f)
    assertEquals(Json.parse[Measured]("""{"value":16777217.0000000001}"""), Measured(16777218f))
  }

  test("text is taken no wider than it is written") {
    List("1-1-1-1-1", "00000000-0000-0001-0000-00000000000", "000000000-000-0001-0000-000000000002").foreach { text =>
      intercept[DataException](Json.parse[UUID](s""""$text""""))
      intercept[DataException](Json.parse[Map[UUID, Int]](s"""{"$text":1}"""))
    }
    val arabic = "\u0661\u0662"
    def key[K: KeyCodec](texts: String*) = texts.foreach { text =>
      assertEquals(intercept[DataException](Json.parse[Map[K, Int]](s"""{"$text":1}""")).code, Code.TYPE, text)
    }
    key[Int]("+5", arabic, "", "1.5", "007", "2147483648")
    key[Long]("+5", arabic, " 1")
    key[Byte]("+5", "128")
    key[Double]("0x1p3", " 7d ", "1f", "+1", "1.", ".5", arabic, "1e999")
    key[Float]("1f", "1e300")
    key[BigInt]("+5", arabic, "1e3")
    key[BigDecimal]("+5", arabic, "1e2147483647", "1e99999999999999999999", "")
    List("\"+5\"", s""""$arabic"""", "\"1.\"").foreach(text => intercept[DataException](Json.parse[BigDecimal](text)))
    intercept[DataException](Json.parse[BigInt](s""""$arabic""""))
    json(Map(1.5 -> 1), """{"1.5":1}""")
    json(Map(Double.PositiveInfinity -> 1), """{"Infinity":1}""")
  }

  test("boxes") {
    json(java.lang.Integer.valueOf(7), "7")
    json(java.lang.Long.valueOf(7), "7")
    json(java.lang.Boolean.TRUE, "true")
    json(java.lang.Double.valueOf(0.5), "0.5")
    json(java.lang.Float.valueOf(0.5f), "0.5")
    json(java.lang.Character.valueOf('x'), "\"x\"")
    json(java.lang.Byte.valueOf(1.toByte), "1")
    json(java.lang.Short.valueOf(1.toShort), "1")
  }

  test("Option, Either, tuples") {
    json(Option(1), "1")
    json(Option.empty[Int], "null")
    json[Either[Int, String]](Left(1), """{"Left":1}""")
    json[Either[Int, String]](Right("a"), """{"Right":"a"}""")
    json((1, "a"), """[1,"a"]""")
    json(Tuple1(1), "[1]")
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, "x"),
      """[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"x"]"""
    )
    json(java.util.Optional.of(1), "1")
    json(java.util.Optional.empty[Int], "null")
  }

  test("tuples of every size") {
    json((1, 2, 3), "[1,2,3]")
    json((1, 2, 3, 4), "[1,2,3,4]")
    json((1, 2, 3, 4, 5), "[1,2,3,4,5]")
    json((1, 2, 3, 4, 5, 6), "[1,2,3,4,5,6]")
    json((1, 2, 3, 4, 5, 6, 7), "[1,2,3,4,5,6,7]")
    json((1, 2, 3, 4, 5, 6, 7, 8), "[1,2,3,4,5,6,7,8]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9), "[1,2,3,4,5,6,7,8,9]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), "[1,2,3,4,5,6,7,8,9,10]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "[1,2,3,4,5,6,7,8,9,10,11]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), "[1,2,3,4,5,6,7,8,9,10,11,12]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), "[1,2,3,4,5,6,7,8,9,10,11,12,13]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), "[1,2,3,4,5,6,7,8,9,10,11,12,13,14]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]")
    json((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]")
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17),
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"
    )
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18),
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]"
    )
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]"
    )
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20),
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]"
    )
    json(
      (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21),
      "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]"
    )
  }

  test("collections") {
    json(List(1, 2), "[1,2]")
    json(List.empty[Int], "[]")
    json(Vector("a"), """["a"]""")
    json(Seq(List(1), Nil), "[[1],[]]")
    json(IndexedSeq(1), "[1]")
    json(Set(1), "[1]")
    json(immutable.TreeSet(3, 1, 2), "[1,2,3]")
    json(immutable.SortedSet("b", "a"), """["a","b"]""")
    json(immutable.BitSet(1, 5), "[1,5]")
    json(immutable.Queue(1), "[1]")
    json(mutable.ArrayBuffer(1), "[1]")
    json(mutable.ListBuffer(1), "[1]")
    json(mutable.Buffer(1), "[1]")
    json(mutable.Set(1), "[1]")
    json(mutable.LinkedHashSet(2, 1), "[2,1]")
    json[Iterable[Int]](List(1), "[1]")
    json(java.util.Arrays.asList("a", "b"), """["a","b"]""")
  }

  test("arrays") {
    def same[A](value: Array[A], text: String)(implicit codec: Codec[Array[A]], loc: munit.Location) = {
      assertEquals(Json.text(value), text)
      all.foreach(form => assertEquals(form.decode[Array[A]](form.encode(value)).toSeq, value.toSeq))
    }
    same(Array(1, 2, 3, 4, 5, 6, 7, 8, 9), "[1,2,3,4,5,6,7,8,9]")
    same(Array(1L), "[1]")
    same(Array(0.5), "[0.5]")
    same(Array(0.1f), "[0.1]")
    same(Array(true, false), "[true,false]")
    same(Array(1.toShort), "[1]")
    same(Array("a"), """["a"]""")
    same(Array[Byte](0, -1), "\"AP8=\"")
    same(Array.empty[Int], "[]")
  }

  test("maps by the text of their keys") {
    json(Map("a" -> 1), """{"a":1}""")
    json(Map(1 -> "a"), """{"1":"a"}""")
    json(Map(true -> 1), """{"true":1}""")
    json(Map('c' -> 1L), """{"c":1}""")
    json(Map(BigInt(1) -> 1), """{"1":1}""")
    json(Map(new UUID(1, 2) -> 1), """{"00000000-0000-0001-0000-000000000002":1}""")
    json(Map(LocalDate.of(2024, 2, 29) -> 1), """{"2024-02-29":1}""")
    json(immutable.TreeMap(2 -> "b", 1 -> "a"), """{"1":"a","2":"b"}""")
    json(mutable.LinkedHashMap("b" -> 1, "a" -> 2), """{"b":1,"a":2}""")
    json(mutable.Map("a" -> 1), """{"a":1}""")
    json(Map(DayOfWeek.MONDAY -> 1), """{"MONDAY":1}""")
    assertEquals(
      refused[Map[Int, Int]]("""{"x":1}"""),
      "type 1 $: \"x\" is no key of this map: not a number"
    )
  }

  test("time") {
    json(Instant.ofEpochSecond(1482624000, 500000000), "\"2016-12-25T00:00:00.5Z\"")
    json(LocalDate.of(2016, 12, 25), "\"2016-12-25\"")
    json(LocalDateTime.of(2016, 12, 25, 1, 2, 3), "\"2016-12-25T01:02:03\"")
    json(OffsetDateTime.of(2016, 12, 25, 1, 2, 3, 0, ZoneOffset.ofHours(9)), "\"2016-12-25T01:02:03+09:00\"")
    json(
      ZonedDateTime.of(2016, 12, 25, 1, 2, 3, 0, ZoneId.of("Asia/Tokyo")),
      "\"2016-12-25T01:02:03+09:00[Asia/Tokyo]\""
    )
    json(LocalTime.of(1, 2, 3), "\"01:02:03\"")
    json(OffsetTime.of(1, 2, 3, 0, ZoneOffset.UTC), "\"01:02:03Z\"")
    json(Duration.ofMinutes(90), "\"PT1H30M\"")
    json(Period.ofDays(3), "\"P3D\"")
    json(Year.of(2016), "2016")
    json(YearMonth.of(2016, 12), "\"2016-12\"")
    json(MonthDay.of(12, 25), "\"--12-25\"")
    json[ZoneId](ZoneId.of("UTC"), "\"UTC\"")
    json(ZoneOffset.ofHours(2), "\"+02:00\"")
    json(Month.MAY, "\"MAY\"")
    json(DayOfWeek.SUNDAY, "\"SUNDAY\"")
    json[FiniteDuration](5.seconds, "\"5 seconds\"")
    json[ScalaDuration](ScalaDuration.Inf, "\"Inf\"")
  }

  test("text with a meaning") {
    json(new UUID(1, 2), "\"00000000-0000-0001-0000-000000000002\"")
    json(new java.net.URI("http://example.org/a"), "\"http://example.org/a\"")
    json(new java.io.File("a/b"), "\"a/b\"")
    json(java.util.Locale.forLanguageTag("de-CH"), "\"de-CH\"")
    json(java.util.Currency.getInstance("EUR"), "\"EUR\"")
    assertEquals(refused[UUID]("\"no\""), "type 0 $: \"no\" is not a UUID")
  }

  object Color extends Enumeration { val Red, Green = Value }

  test("Enumeration") {
    implicit val color: Codec[Color.Value] = Codec.enumeration(Color)
    json(List(Color.Green), """["Green"]""")
    assertEquals(refused[Color.Value]("\"Blue\""), "type 0 $: \"Blue\" is none of Red, Green")
    implicit val key: KeyCodec[Color.Value] = KeyCodec.named
    json(Map(Color.Green -> 1), """{"Green":1}""")
    assertEquals(
      refused[Map[Color.Value, Int]]("""{"Blue":1}"""),
      "type 1 $: \"Blue\" is no key of this map: \"Blue\" is none of Red, Green"
    )
    implicit val suit: KeyCodec[Suit] = KeyCodec.named
    json(Map[Suit, Int](Suit.Hearts -> 1, Suit.Spades -> 2), """{"Hearts":1,"spades":2}""")
    intercept[IllegalArgumentException](KeyCodec.named[Int])
  }

  test("what does not fit is refused") {
    assertEquals(refused[Byte]("128"), "range 0 $: 128 is not a byte")
    assertEquals(refused[List[Short]]("[1,40000]"), "range 3 $[1]: 40000 is not a short")
    assertEquals(refused[Float]("1e300"), "range 0 $: a number is larger than a float can hold")
    assertEquals(refused[Char]("\"ab\""), "type 0 $: \"ab\" is not one character")
    assertEquals(refused[BigInt]("0.5"), "range 0 $: 0.5 is not an integer")
    assertEquals(refused[BigInt]("1e1000000"), "size 0 $: a number has more than 4933 digits")
    assertEquals(refused[BigDecimal]("1e1000000"), "range 0 $: a number has an exponent beyond 6176")
    assertEquals(
      refused[(Int, Int)]("[1]"),
      "type 0 $: an array of 2 values is wanted here, and this one has more or fewer"
    )
    assertEquals(
      refused[(Int, Int)]("[1,2,3]"),
      "type 0 $: an array of 2 values is wanted here, and this one has more or fewer"
    )
    assertEquals(refused[Either[Int, Int]]("{}"), "type 0 $: not a map of Left or Right alone")
  }
}
