package kumihimo.codec

import kumihimo.Code
import kumihimo.codec.Forms._

final case class Positive(value: Int) {
  require(value > 0, "a secret that is longer than forty characters, all of it")
}
object Positive { implicit val codec: Codec[Positive] = Codec.derived[Positive] }

/** What goes wrong in the program's own code, and where. */
class ErrorSuite extends munit.FunSuite {
  private def failed[A](result: Either[DataException, A]): DataException = result match {
    case Left(e) => e
    case Right(value) => fail(s"read $value")
  }

  test("tryDecode gives what a constructor throws, with its place and cause") {
    val text = """[{"value":1},{"value":-1}]"""
    val e = failed(Json.tryDecode[List[Positive]](text.getBytes))
    assertEquals(e.code, Code.HOST)
    assert(e.path.startsWith("$[1]"), e.path)
    assert(e.offset >= 13 && e.offset < text.length, e.toString)
    assert(e.getCause.isInstanceOf[IllegalArgumentException])
    assert(!e.getMessage.contains("all of it"), e.getMessage)
    all.foreach { form =>
      val bytes = form.encode(Json.parse[Value](text))
      assertEquals(failed(form.tryDecode[List[Positive]](bytes)).code, Code.HOST, form.toString)
    }
  }

  test("so it does with what imap, KeyCodec and a codec by hand throw") {
    val mapped = Codec.int.imap[Int](i => if (i == 0) throw new NoSuchElementException("zero") else i)(i => i)
    val e = failed(Json.tryDecode[List[Int]]("[1,0]".getBytes)(Codec.list(mapped)))
    assertEquals(
      s"${e.code} ${e.offset} ${e.path} ${e.reason}",
      "HOST 3 $[1] the codec failed: NoSuchElementException: zero"
    )
    implicit val key: KeyCodec[Int] = KeyCodec.string.imap[Int](_ => throw new ArithmeticException)(_.toString)
    assertEquals(failed(Json.tryDecode[Map[Int, Int]]("{\"a\":1}".getBytes)).code, Code.HOST)
    val unplaced =
      Codec.of[Int]((i, out) => out.i32(i))(in => throw new DataException(Code.RANGE, s"not ${in.i32()}"))
    assertEquals(refused[List[Int]]("[5]")(Codec.list(unplaced), munit.Location.generate), "range 1 $[0]: not 5")
  }

  test("what ends programs is thrown") {
    val broken = Codec.of[Int]((_, _) => ())(_ => throw new LinkageError)
    val thrown =
      try Json.tryDecode[Int]("1".getBytes)(broken)
      catch { case e: LinkageError => e }
    assert(thrown.isInstanceOf[LinkageError])
  }

  test("writing, too") {
    val broken = Codec.of[Int]((_, _) => throw new IllegalStateException("no"))(_.i32())
    val e = intercept[DataException](Json.encode(1)(broken))
    assertEquals(e.code, Code.HOST)
    assert(e.getCause.isInstanceOf[IllegalStateException])
    assertEquals(Json.text(1), "1")
  }

  test("the place in a document that stands in a value is not that of the document around it") {
    implicit val inner: Codec[Person] =
      Codec.string.imap(Json.parse[Person](_)(Person.codec))(p => Json.text(p)(Person.codec))
    val e = intercept[DataException](Json.parse[List[Person]]("""["{\"name\":\"a\"}","{\"name\":1}"]"""))
    assertEquals(e.path, "$[1]")
    assert(e.getMessage.contains("$.name"), e.getMessage)
  }

  test("no message has more than 40 characters of a value or a key, whatever refuses it") {
    val secret = "s\u00e9" * 50
    val digits = "9" * 100
    val documents = List(
      s""""$secret"""",
      digits,
      s""""$digits"""",
      s"-$digits.5",
      s"[$secret]",
      s"""{"$secret":1}""",
      s"""{"type":"$secret"}""",
      s"""{"$digits":1}""",
      s""""\\q$secret""""
    )
    val codecs = List[Codec[_]](
      Codec[Boolean],
      Codec[Byte],
      Codec[Short],
      Codec[Int],
      Codec[Long],
      Codec[Float],
      Codec[Double],
      Codec[Char],
      Codec[BigInt],
      Codec[BigDecimal],
      Codec[java.util.UUID],
      Codec[java.net.URI],
      Codec[java.net.URL],
      Codec[java.util.Locale],
      Codec[java.util.Currency],
      Codec[java.time.Instant],
      Codec[java.time.LocalDate],
      Codec[java.time.LocalDateTime],
      Codec[java.time.LocalTime],
      Codec[java.time.OffsetDateTime],
      Codec[java.time.OffsetTime],
      Codec[java.time.ZonedDateTime],
      Codec[java.time.Duration],
      Codec[java.time.Period],
      Codec[java.time.Year],
      Codec[java.time.YearMonth],
      Codec[java.time.MonthDay],
      Codec[java.time.ZoneId],
      Codec[java.time.ZoneOffset],
      Codec[java.time.DayOfWeek],
      Codec[scala.concurrent.duration.FiniteDuration],
      Codec[scala.concurrent.duration.Duration],
      Codec[Array[Byte]],
      Codec[(Int, Int)],
      Codec[Either[Int, Int]],
      Codec[Map[Int, Int]],
      Codec[Map[Double, Int]],
      Codec[Map[BigDecimal, Int]],
      Codec[Map[java.util.UUID, Int]],
      Codec[Map[java.time.Instant, Int]],
      Codec[Map[java.time.DayOfWeek, Int]],
      Codec[Map[scala.concurrent.duration.Duration, Int]],
      Codec[Pet],
      Codec[Suit],
      Codec[Wrapped],
      Codec[Adjacent],
      Codec[Strict],
      Codec.string.imap[Int](_.toInt)(_.toString)
    )
    for (document <- documents; codec <- codecs) {
      def shorter[A](codec: Codec[A]): Unit = Json.tryDecode[A](document.getBytes("UTF-8"))(codec).left.foreach { e =>
        val runs = "[s\u00e99]+".r.findAllIn(e.getMessage.replaceAll(", at .*", "")).map(_.length)
        assert(runs.forall(_ <= 40), e.getMessage)
      }
      shorter(codec)
    }
  }

  test("text of a form that is none") {
    List(Json.gzip, MessagePack).foreach { form =>
      intercept[IllegalArgumentException](form.text(1))
      intercept[IllegalArgumentException](form.parse[Int]("1"))
    }
  }
}
