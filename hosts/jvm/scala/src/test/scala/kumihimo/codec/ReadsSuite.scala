package kumihimo.codec

import java.io.{ByteArrayInputStream, InputStream}

import kumihimo.{Code, Kind}
import kumihimo.path.{Level, Projection}

import scala.concurrent.duration.DurationInt

/** What a form reads besides whole values: places, parts, streams; and documents into other forms. */
class ReadsSuite extends munit.FunSuite {
  import ReadsSuite._

  // By the square two of these tests take hours; on a machine that does much else they take a minute.
  override val munitTimeout = 10.minutes

  private val frame = Frame("btc", List(Trade(1, BigDecimal("2.50"), None), Trade(2, BigDecimal(3), Some("n"))))

  private def in(form: Form) = form.encode(frame)

  private def refused(body: => Any)(implicit at: munit.Location): String = {
    val e = intercept[DataException](body)
    s"${e.code.text} ${e.offset} ${e.path}: ${e.reason}"
  }

  /** A document of JSON in each form, and what is wrong with it there. */
  private def inEach(json: String)(look: (Form, Array[Byte]) => Unit): Unit =
    Forms.all.foreach(form => look(form, Json.convert(kumihimo.Utf8.bytes(json), form)))

  private def sameBytes(form: Form, made: Array[Byte], wanted: Array[Byte])(implicit at: munit.Location): Unit =
    assertEquals(Forms.hex(made), Forms.hex(wanted), form.toString)

  test("a cursor goes to places, and reads them by codecs") {
    Forms.all.foreach { form =>
      val at = form.cursor(in(form))
      assertEquals(at.as[Frame], frame, form.toString)
      assertEquals(at("pair").as[String], "btc")
      assertEquals(at("trades").as[List[Trade]], frame.trades)
      assertEquals(at("trades")(1).as[Trade], frame.trades(1))
      assertEquals(at("trades").values.map(_("tid").as[Long]).toList, List(1L, 2L))
      assertEquals(at.values.map(_.key).toList, List(Some("pair"), Some("trades")))
      assertEquals(at("trades").size, 2)
      assertEquals(at("trades").kind, Option(Kind.ARRAY))
      assertEquals(at("trades").key, Option("trades"))
    }
  }

  test("numbers at a place are those of the document") {
    val floats = kumihimo.Utf8.bytes("[16777217.0000000001,16777217,7.038531e-26,1e-46]")
    val read = Json.decode[List[Float]](floats)
    assertEquals(read, List(1.6777218e7f, 1.6777216e7f, 7.038531e-26f, 0f))
    for (form <- List(Json, Json.reading("relaxed"), Json.reading("python_read")))
      assertEquals(form.cursor(floats).as[List[Float]], read)
    val spelled = kumihimo.Utf8.bytes("[0.10000000000000000555111512312578270211815834045410156250,1.50]")
    assertEquals(
      Json.reading("relaxed").cursor(spelled).as[List[BigDecimal]],
      Json.decode[List[BigDecimal]](spelled)
    )
    // A double half way between two floats: its shortest digits stand beside it.
    val half = 2.158591723855352e-5
    for (form <- Forms.all) {
      val document = form.encode(List(half))
      assertEquals(form.cursor(document)(0).as[Float], form.decode[List[Float]](document).head, form.toString)
    }
    val digits = kumihimo.Utf8.bytes(List.fill(3000)("1e300").mkString("[", ",", "]"))
    assertEquals(Json.cursor(digits).as[List[BigInt]], Json.decode[List[BigInt]](digits))
    inEach("""{"a":7,"b":[1]}""") { (form, document) =>
      assertEquals(form.cursor(document).as[Value], form.decode[Value](document), form.toString)
    }
  }

  test("what is not there") {
    val at = Json.cursor(in(Json))
    assert(!at("no")(3)("such").exists)
    assertEquals(at("no").kind, None)
    assertEquals(at("no").as[Option[Int]], None)
    assertEquals(at("trades")(0)("note").as[Option[String]], None)
    assertEquals(refused(at("no").as[Int]), "type -1 null: the value is not there")
    assert(at("no").tryAs[Int].isLeft)
    assert(at("pair")("x").values.isEmpty)
  }

  test("what a codec refuses at a place has that of the document") {
    val json = """{"trades":[{"tid":1,"price":2},{"tid":"x","price":3},{"price":3},{"tid":1,"price":2,"note":4}]}"""
    inEach(json) { (form, bytes) =>
      val at = form.cursor(bytes)
      val whole = refused(form.decode[Wrong](bytes))
      val late = form.cursor(bytes)("trades")
      assertEquals(refused(at.as[Wrong]), whole, form.toString)
      assertEquals(refused(late(1).as[Trade]), whole, form.toString)
      val missing = refused(late(2).as[Trade])
      assert(missing.endsWith("""the field "tid" is missing"""), missing)
      assert(form.format.name == "tagged" || missing.contains("$.trades[2]:"), missing)
      assert(refused(late(3).as[Trade]).contains("$.trades[3].note:"))
    }
    assertEquals(refused(Json.cursor(kumihimo.Utf8.bytes("[1,]"))), "syntax 3 $[1]: a trailing comma before ']'")
  }

  test("codecs that ask for their place do not read the document again for it") {
    // By the square this would take hours.
    val many = Json.encode(List.tabulate(200000)(i => Trade(i.toLong, BigDecimal(i), None)))
    assertEquals(Json.cursor(many).as[List[Trade]].size, 200000)
    assertEquals(Json.cursor(many).values.map(_.as[Trade].tid).sum, 199999L * 100000)
  }

  test("errors at many places do not read the document again for each") {
    // By the square this would take hours, too.
    val many = Json.cursor(Json.encode(List.tabulate(200000)(i => Trade(i.toLong, BigDecimal(i), None))))
    assertEquals(many.values.count(_("tid").tryAs[String].isLeft), 200000)
    val own = Codec.int.imap[Int](_ => throw new ArithmeticException("no"))(i => i)
    assertEquals(many.values.map(_("tid").tryAs[Int](own)).count(_.left.exists(_.code == Code.HOST)), 200000)
    val last = many(199999)("tid").tryAs[String].left.getOrElse(fail("it was read"))
    assertEquals(last.path, "$[199999].tid")
    assertEquals(last.getMessage, intercept[DataException](many(199999)("tid").as[String]).getMessage)
    assertEquals(refused(many(199998)("tid").as[Int](own)).split(" ").toList.slice(2, 3), List("$[199998].tid:"))
  }

  test("parts by their paths") {
    for {
      form <- Forms.all
      level <- Level.values
    } {
      val parts = form.partial(Projection.of("trades[*].tid", "pair", "trades[1]", "no", "trades[*].note"), level)
      val bytes = in(form)
      for (_ <- 1 to 2) parts.decode(bytes) { found =>
        assertEquals(found.all[Long](0), Vector(1L, 2L), form.toString)
        assertEquals(found[String](1), "btc")
        assertEquals(found[Trade](2), frame.trades(1))
        assertEquals(found[Option[Int]](3), None)
        assertEquals(found.all[Option[String]](4), Vector(None, Some("n")))
        assert(found.has(1) && !found.has(3))
        intercept[IllegalArgumentException](found[Long](0))
      }
    }
  }

  test("what is wrong with parts has its place in the document") {
    inEach("""{"a":{"b":"x"},"c":[1,"y"],"d":{"tid":7}}""") { (form, bytes) =>
      val parts = form.partial("a.b", "c[*]", "d", "no")
      def wrong(make: Parts.Found => Any) = refused(parts.decode(bytes)(make))
      assert(wrong(_[Int](0)).contains("$.a.b: expected an integer"), wrong(_[Int](0)))
      assert(wrong(_.all[Int](1)).contains("$.c[1]: expected an integer"), wrong(_.all[Int](1)))
      assert(wrong(_[Trade](2)).endsWith("""the field "price" is missing"""), wrong(_[Trade](2)))
      assertEquals(wrong(_[Int](3)), "type -1 null: there is no $.no")
      assert(parts.tryDecode(bytes)(_[Int](0)).isLeft)
      assertEquals(parts.decode(bytes)(_[String](0)), "x")
    }
    assertEquals(
      refused(Json.partial("a").decode(kumihimo.Utf8.bytes("""{"a":1,"b":[}"""))(_[Int](0))).take(8),
      "syntax 1"
    )
    intercept[DataException](Json.partial("a["))
  }

  test("parts within parts, and by many threads") {
    val parts = Json.partial("pair", "trades[*].tid")
    val bytes = in(Json)
    assertEquals(
      parts.decode(bytes)(outer => (parts.decode(bytes)(_[String](0)), outer.all[Long](1))),
      ("btc", Vector(1L, 2L))
    )
    val threads =
      List.fill(4)(new Thread(() => for (_ <- 1 to 1000) assertEquals(parts.decode(bytes)(_[String](0)), "btc")))
    @volatile var failed: Throwable = null
    threads.foreach(_.setUncaughtExceptionHandler((_, e) => failed = e))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assertEquals(failed, null)
  }

  test("each document of a stream, read piece by piece, and left open") {
    Forms.all.foreach { form =>
      val bytes = List(in(form), in(form)).reduce(_ ++ _)
      var closed = false
      val stream = new ByteArrayInputStream(bytes) {
        override def read(to: Array[Byte], at: Int, count: Int): Int = super.read(to, at, math.min(count, 7))
        override def close(): Unit = closed = true
      }
      var seen = List.empty[Frame]
      form.each[Frame](stream)(seen ::= _)
      assertEquals(seen, List(frame, frame), form.toString)
      assert(!closed)
    }
  }

  test("a stream that has no end is read as it comes, and its first error ends it") {
    def endless: InputStream = new InputStream {
      private var at = 0L
      def read(): Int = {
        val c = "[1]\n[2]\n[\"x\"] ".charAt((at % 14).toInt)
        at += 1
        c.toInt
      }
      override def read(to: Array[Byte], from: Int, count: Int): Int = {
        val n = math.min(count, 5)
        (0 until n).foreach(i => to(from + i) = read().toByte)
        n
      }
    }
    var seen = Vector.empty[List[Int]]
    assertEquals(refused(Json.each[List[Int]](endless)(seen :+= _)), "type 1 $[0]: expected an integer, found text")
    assertEquals(seen, Vector(List(1), List(2)))
    assertEquals(
      refused(Json.limited(kumihimo.Limits.DEFAULT.withSize(2)).each[List[Int]](endless)(_ => ())).take(4),
      "size"
    )
  }

  test("a document in other forms, without values") {
    val odd = """{"b":1,"a":[1.50,"é",null],"b":18446744073709551615}"""
    inEach(odd) { (from, bytes) =>
      Forms.all.foreach(to =>
        inEach(odd)((same, wanted) => if (same eq to) sameBytes(to, from.convert(bytes, to), wanted))
      )
    }
    val digits = """[12345678901234567890123,1.50]"""
    assertEquals(
      new String(Tagged.convert(Json.convert(kumihimo.Utf8.bytes(digits), Tagged), Json)),
      digits.replace("50", "5")
    )
    assertEquals(refused(Json.convert(kumihimo.Utf8.bytes("[1] 2"), Cbor)).take(10), "trailing 4")
    assertEquals(intercept[DataException](Cbor.convert(Cbor.encode(Double.NaN), Json)).code, Code.UNSUPPORTED)
  }
}

object ReadsSuite {
  final case class Trade(tid: Long, price: BigDecimal, note: Option[String])
  object Trade { implicit val codec: Codec[Trade] = Codec.derived[Trade] }

  final case class Frame(pair: String, trades: List[Trade])
  object Frame { implicit val codec: Codec[Frame] = Codec.derived[Frame] }

  final case class Wrong(trades: List[Trade])
  object Wrong { implicit val codec: Codec[Wrong] = Codec.derived[Wrong] }
}
