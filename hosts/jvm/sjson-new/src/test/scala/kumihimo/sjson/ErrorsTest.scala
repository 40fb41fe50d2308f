package kumihimo.sjson

import _root_.kumihimo.{Code, DataException, Limits}
import _root_.sjsonnew.{
  Builder,
  DeserializationException,
  JsonFormat,
  JsonReader,
  JsonWriter,
  SerializationException,
  Unbuilder
}
import _root_.sjsonnew.BasicJsonProtocol._

/** What is refused, and that the error says where. */
class ErrorsTest extends munit.FunSuite {
  import Samples._

  private def refused[A](read: => A): DeserializationException =
    try {
      val value = read
      fail(s"it was read: $value")
    } catch { case e: DeserializationException => e }

  private def place(e: DeserializationException): (Code, Long, String) = e.cause match {
    case inner: DataException => (inner.code, inner.offset, inner.path)
    case other => fail(s"the cause is $other")
  }

  test("a value of another kind, with offset and path") {
    val e = refused(Json.parse[List[Person]]("""[{"name":"a","age":1},{"name":"b","age":"x"}]"""))
    assertEquals(place(e), ((Code.TYPE, 40L, "$[1].age")))
    assertEquals(e.fieldNames, List("age"))
    assert(e.msg.contains("Expected Int"), e.msg)
    assert(e.msg.contains("at byte 40 (line 1, column 41)"), e.msg)
  }

  test("the same in binary formats") {
    List(MessagePack, Cbor, Tagged).foreach { form =>
      val bytes = form.encode(List(Map("name" -> "a", "age" -> "x")))
      val e = refused(form.decode[List[Person]](bytes))
      assertEquals(place(e)._3, "$[0].age", form.toString)
      assert(place(e)._2 > 0, form.toString)
    }
  }

  test("numbers that do not fit") {
    assertEquals(place(refused(Json.parse[Int]("2147483648")))._1, Code.RANGE)
    assertEquals(place(refused(Json.parse[Long]("9223372036854775808")))._1, Code.RANGE)
    assertEquals(place(refused(Json.parse[Int]("1.0")))._1, Code.TYPE)
    assertEquals(place(refused(Json.parse[Double]("1e400")))._1, Code.RANGE)
    assertEquals(Json.parse[Int]("-0"), 0)
    assertEquals(place(refused(Json.parse[Float]("1e300")))._1, Code.RANGE)
    assertEquals(place(refused(Json.parse[List[Float]]("[1,-3.5e38]"))), ((Code.RANGE, 3L, "$[1]")))
    List(MessagePack, Cbor, Tagged).foreach { form =>
      assertEquals(place(refused(form.decode[Float](form.encode(1e300))))._1, Code.RANGE)
      assertEquals(form.decode[Float](form.encode(Double.NegativeInfinity)), Float.NegativeInfinity)
    }
  }

  test("documents that are none") {
    val e = refused(Json.parse[Person]("""{"name":"a","age":}"""))
    assertEquals(place(e)._1, Code.SYNTAX)
    assertEquals(place(e)._2, 18L)
    assertEquals(place(e)._3, "$.age")
    assert(e.msg.contains("line 1, column 19"), e.msg)
    assertEquals(place(refused(Json.parse[Int]("1 2")))._1, Code.TRAILING)
    assertEquals(place(refused(Json.decode[String]("\"\u00e9\"".getBytes("ISO-8859-1"))))._1, Code.ENCODING)
    val whole = MessagePack.encode(List(1, 2, 3))
    assertEquals(place(refused(MessagePack.decode[List[Int]](whole.dropRight(1))))._1, Code.TRUNCATED)
    refused(Json.gzip.decode[Int](Array[Byte](1, 2, 3)))
  }

  test("errors of a codec's own have the place of what it read last") {
    val picky: JsonReader[Int] = new JsonReader[Int] {
      def read[J](jsOpt: Option[J], unbuilder: Unbuilder[J]): Int = {
        val n = IntJsonFormat.read(jsOpt, unbuilder)
        if (n < 0) _root_.sjsonnew.deserializationError("it is negative")
        n
      }
    }
    val format: JsonFormat[Int] = jsonFormat(picky, implicitly[JsonWriter[Int]](IntJsonFormat))
    val e = refused(Json.parse[List[Int]]("[1, 2, -3]")(lists(format)))
    assertEquals(place(e), ((Code.HOST, 7L, "$[2]")))
    assert(e.msg.startsWith("it is negative"), e.msg)
  }

  test("an exception of another type stays what it is") {
    val e = intercept[IllegalArgumentException](Json.parse[List[java.util.UUID]]("""["no uuid"]"""))
    assert(e.getSuppressed.exists(_.getMessage.contains("$[0]")))
  }

  test("a union's type that is none") {
    val e = refused(Json.parse[Shape]("""{"type":"Line","length":1}""")(flat))
    assertEquals(place(e)._3, "$.type")
    assert(e.msg.contains("Line"), e.msg)
  }

  test("no more than 40 characters of a value get into a message") {
    val secret = "s" * 1000
    val e = refused(Json.parse[Shape](s"""{"type":"$secret"}""")(flat))
    assert(!e.msg.contains("s" * 41), e.msg)
    assert(Json.toJsonUnsafe(secret).toString.length <= 43)
  }

  test("limits: depth, size, digits, exponents") {
    val deep = "[" * 2000 + "]" * 2000
    assertEquals(place(refused(Json.parse[List[Int]](deep)))._1, Code.DEPTH)
    val small = Json.limited(Limits.DEFAULT.withSize(10))
    refused(small.decodeFrom[String](new java.io.ByteArrayInputStream(("\"" + "x" * 20000 + "\"").getBytes)))
    intercept[SerializationException](small.encode("x" * 20000))
    assertEquals(place(refused(Json.parse[BigInt]("1" * 100001)))._1, Code.SIZE)
    assertEquals(Json.parse[BigInt]("1" * 100000), BigInt("1" * 100000))
    assertEquals(place(refused(Json.parse[BigInt]("1e999999999")))._1, Code.RANGE)
    assertEquals(place(refused(Json.parse[BigInt]("1e-999999999")))._1, Code.RANGE)
    val few = Json.limited(Limits.DEFAULT.withNumberDigits(30).withNumberExponent(10))
    assertEquals(place(refused(few.parse[BigInt]("1" * 31)))._1, Code.SIZE)
    assertEquals(place(refused(few.parse[BigDecimal]("1e11")))._1, Code.RANGE)
    assertEquals(few.parse[BigDecimal]("1e-10"), BigDecimal("1e-10"))
    assertEquals(few.parse[BigInt]("1" * 30), BigInt("1" * 30))
  }

  test("what cannot be written") {
    val e = intercept[SerializationException](Json.encode("half \ud83d"))
    assert(e.getCause.isInstanceOf[DataException])
    assert(Json.tryEncode("half \ud83d").isFailure)
    assertEquals(Json.text("whole again"), "\"whole again\"")
  }

  test("calls in an order that makes no document") {
    def writes(f: Builder[Value] => Unit): Unit = { intercept[SerializationException](f(Json.makeBuilder)); () }
    writes(_.endArray())
    writes(_.endObject())
    writes(_.addFieldName("x"))
    writes { b => b.writeInt(1); b.writeInt(2) }
    writes { b => b.beginObject(); b.writeInt(1) }
    writes { b => b.beginObject(); b.beginArray() }
    writes { b => b.beginArray(); b.endObject() }
    writes { b => b.beginPreObject(); b.endPreObject(); b.writeInt(1) }
    def reads(f: Unbuilder[Value] => Unit): Unit = { intercept[DeserializationException](f(Json.makeUnbuilder)); () }
    val list = Json.value("[1]".getBytes)
    reads(_.nextElement)
    reads(_.endArray())
    reads(_.lookupField("x"))
    reads { u => u.beginArray(list); u.nextElement; u.nextElement }
    reads { u => u.beginArray(list); u.endArray(); u.beginArray(list) }
    reads(_.beginObject(list))
  }

  test("a document that is not ended is not taken for null") {
    val open: JsonWriter[Int] = new JsonWriter[Int] {
      def write[J](obj: Int, builder: Builder[J]): Unit = builder.beginArray()
    }
    intercept[SerializationException](Json.encode(1)(open))
    val nothing: JsonWriter[Int] = new JsonWriter[Int] { def write[J](obj: Int, builder: Builder[J]): Unit = () }
    assertEquals(Json.text(1)(nothing), "null")
  }

  test("a type that contains itself, deeper than the limit") {
    final case class Tree(children: List[Tree])
    implicit lazy val tree: JsonFormat[Tree] = lazyFormat(projectFormat[Tree, List[Tree]](_.children, Tree(_)))
    var deep = Tree(Nil)
    for (_ <- 0 until 5000) deep = Tree(List(deep))
    intercept[SerializationException](Json.encode(deep))
  }
}
