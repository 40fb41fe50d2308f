package kumihimo.sjson

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.net.URI
import java.nio.file.Files
import java.util.UUID

import _root_.sjsonnew.{JsonFormat, JsonReader, JsonWriter}
import _root_.sjsonnew.BasicJsonProtocol._

/** Existing codecs, unchanged, on every format and frame. */
class RoundTripTest extends munit.FunSuite {
  import Samples._

  private def same[A](value: A)(implicit codec: JsonFormat[A], loc: munit.Location): Unit =
    Samples.forms.foreach { form =>
      val bytes = form.encode(value)
      assertEquals(form.decode[A](bytes), value, form.toString)
      val js = form.toJsonUnsafe(value)
      assertEquals(form.fromJsonUnsafe[A](js), value, form.toString)
      assertEquals(form.fromJsonUnsafe[A](form.value(bytes)), value, form.toString)
    }

  test("scalars") {
    List(0, 1, -1, 63, 64, 127, 128, 255, 256, 65535, 65536, Int.MaxValue, Int.MinValue).foreach(same(_))
    List(0L, Long.MaxValue, Long.MinValue, 1L << 53, -(1L << 40)).foreach(same(_))
    List(0.0, -0.0, 0.1, 1e300, 5e-324, 1.0, 1e23, Double.MaxValue).foreach(same(_))
    List(0f, 4.2f, Float.MinPositiveValue, Float.MaxValue, 16777217f).foreach(same(_))
    List("", "a", "é", "日本", "\ud83d\ude00", "\u0000\"\\/\n", "x" * 100000).foreach(same(_))
    List(true, false).foreach(same(_))
    same('x')
    same(7.toByte)
    same((-7).toShort)
    same(())
    same(Symbol("s"))
  }

  test("numbers of any size keep their digits") {
    val numbers = List(
      "0",
      "42",
      "-1.50",
      "0.1234567890123456789012345678901234567890",
      "1E+30",
      "1e-300",
      "18446744073709551615"
    )
    numbers.foreach(n => same(BigDecimal(n)))
    List("9223372036854775808", "-9223372036854775809", "1" + "0" * 100).foreach(n => same(BigInt(n)))
  }

  test("a float is the nearest one to the digits, not to their double") {
    assertEquals(Json.parse[Float]("16777217.0000000001"), 16777218f)
    assertEquals(Json.parse[Float]("9007199791611905"), 9.0072003e15f)
    assertEquals(Json.parse[Float]("18446742424442109953"), 1.8446743e19f)
    assertEquals(Json.parse[Float]("3.4028235e38"), Float.MaxValue)
    for (form <- List(Json.reading(""), Json.reading("relaxed")))
      assertEquals(form.parse[List[Float]]("[16777217.0000000001,1e-46,0.5]"), List(16777218f, 0f, 0.5f))
  }

  test("what is no number becomes null in JSON, and is read as NaN") {
    assertEquals(Json.text(Double.PositiveInfinity), "null")
    assert(Json.parse[Double]("null").isNaN)
    assert(Json.parse[Float]("null").isNaN)
    List(MessagePack, Cbor, Tagged).foreach { form =>
      assert(form.decode[Double](form.encode(Double.NaN)).isNaN)
      assertEquals(form.decode[Double](form.encode(Double.NegativeInfinity)), Double.NegativeInfinity)
    }
  }

  test("collections and tuples") {
    same(List(1, 2, 3))
    same(Vector.tabulate(1000)(_.toString))
    same(Map("a" -> List(1), "b" -> Nil))
    same(Map(1 -> "x", -2 -> "y"))
    same((1, "two", 3.0, Option(4), List.empty[Int]))
    same(Set("x"))
    assertEquals(Json.parse[Array[Int]]("[1,2]").toList, List(1, 2))
    same(List(Option(1), None))
  }

  test("the library's other types") {
    same(UUID.fromString("00000000-0000-0001-0000-000000000002"))
    same(new URI("https://example.org/a?b"))
    same(java.time.LocalDate.of(2026, 11, 24))
    same[Either[Int, String]](Left(1))
    same[Either[Int, String]](Right("r"))
  }

  test("codecs by hand and by caseClass") {
    same(Person("Ann", 30, Some("a")))
    same(Person("Bob", 40, None))
    same(List.tabulate(500)(i => Person(s"p$i", i, if (i % 3 == 0) None else Some(i.toString))))
  }

  test("unions") {
    List(flat, nested).foreach { codec =>
      same[Shape](Circle(1))(codec, munit.Location.generate)
      same[Shape](Square(2, Vector("a", "b")))(codec, munit.Location.generate)
    }
    assertEquals(Json.text[Shape](Circle(1))(flat), """{"type":"Circle","radius":1.0}""")
    assertEquals(Json.text[Shape](Circle(1))(nested), """{"value":{"radius":1.0},"type":"Circle"}""")
    implicit val shape: JsonFormat[Shape] = flat
    same(Vector[Shape](Circle(1), Square(2, Vector.empty), Circle(3)))
    same(Map("x" -> (Circle(1): Shape)))
  }

  test("LList, also inside another one") {
    same(Peep("Bob", 23))
    same(House(Peep("a", 1), List(Peep("b", 2), Peep("c", 3))))
    assertEquals(Json.text(Peep("Bob", 23)), """{"$fields":["name","age"],"name":"Bob","age":23}""")
    assertEquals(Json.parse[Peep]("""{"$fields":["name","age"],"age":23,"name":"Bob"}"""), Peep("Bob", 23))
    assertEquals(Json.parse[Peep]("""{"name":"Bob","age":23}"""), Peep("Bob", 23))
  }

  test("fields in any order, missing, unknown") {
    assertEquals(
      Json.parse[Person]("""{"nick":"n","x":[{"name":1}],"age":3,"name":"B"}"""),
      Person("B", 3, Some("n"))
    )
    assertEquals(Json.parse[Person]("{}"), Person("", 0, None))
    assertEquals(Json.parse[Person]("null"), Person("", 0, None))
    assertEquals(Json.parse[Person]("""{"nick":null,"name":"B"}"""), Person("B", 0, None))
  }

  test("keys that are nearly the expected ones") {
    val usual = "[" + List.fill(5)("""{"name":"a","age":1,"nick":"b"}""").mkString(",") + "]"
    val person = Person("a", 1, Some("b"))
    List(
      "{\"name\" : \"a\", \"age\"\t:1 ,\n\"nick\":\"b\"}",
      "{\"n\\u0061me\":\"a\",\"age\":1,\"nick\":\"b\"}",
      """{"name2":"x","name":"a","age":1,"nick":"b"}""",
      """{"nam":"x","name":"a","ag":2,"age":1,"nick":"b","":0}""",
      """{"name\"":"x","name":"a","age":1,"nick":"b"}""",
      """{"nick":"b","age":1,"name":"a"}""",
      """{"name":"x","age":1,"nick":"b","name":"a"}"""
    ).foreach { text =>
      assertEquals(Json.parse[List[Person]](usual), List.fill(5)(person))
      assertEquals(Json.parse[Person](text), person, text)
    }
    // Whole documents alone are read, wherever they break off.
    (1 until usual.length).foreach { n =>
      assert(Json.tryParse[List[Person]](usual.take(n)).isFailure, usual.take(n))
    }
    assert(Json.tryParse[Person]("""{"name" "a"}""").isFailure)
  }

  test("empty arrays and objects where fields are collections") {
    type Fields = (List[Int], Map[String, Int], Vector[String])
    final case class Bags(a: List[Int], b: Map[String, Int], c: Vector[String])
    implicit val bags: JsonFormat[Bags] =
      caseClass(
        Bags(_: List[Int], _: Map[String, Int], _: Vector[String]),
        (x: Bags) => Option((x.a, x.b, x.c): Fields)
      )(
        "a",
        "b",
        "c"
      )
    same(Bags(Nil, Map.empty, Vector.empty))
    same(Bags(List(1), Map("x" -> 1), Vector("y")))
    assertEquals(Json.parse[Bags]("""{"a":null,"b":null}"""), Bags(Nil, Map.empty, Vector.empty))
    List("""{"a":{}}""", """{"b":[]}""", """{"c":""}""", """{"a":false}""").foreach { text =>
      assert(Json.tryParse[Bags](text).isFailure, text)
    }
  }

  test("of a key that comes twice the last counts") {
    assertEquals(Json.parse[Person]("""{"name":"a","age":1,"name":"b"}"""), Person("b", 1, None))
    assertEquals(
      Json.parse[Map[String, Int]]("""{"a":1,"b":2,"a":3,"c":4}"""),
      Map("a" -> 3, "b" -> 2, "c" -> 4)
    )
    assertEquals(
      Json.parse[Map[String, Map[String, Int]]]("""{"a":{"a":1},"a":{"b":2}}"""),
      Map("a" -> Map("b" -> 2))
    )
  }

  test("an object with a hundred thousand keys, each twice") {
    val fields = (0 until 200000).map(i => s""""k${i % 100000}":$i""").mkString("{", ",", "}")
    val read = Json.parse[Map[String, Int]](fields)
    assertEquals(read.size, 100000)
    assertEquals(read("k7"), 100007)
  }

  test("streams and files") {
    val people = List(Person("a", 1, None), Person("b", 2, Some("c")))
    Samples.forms.foreach { form =>
      val out = new ByteArrayOutputStream
      form.encodeTo(people, out)
      assertEquals(form.decodeFrom[List[Person]](new ByteArrayInputStream(out.toByteArray)), people)
      val file = Files.createTempFile("kumihimo", ".bin")
      try {
        form.save(people, file)
        assertEquals(form.load[List[Person]](file), people)
      } finally Files.delete(file)
    }
  }

  test("a codec that reads and writes a document inside another one") {
    val inside: JsonFormat[Person] =
      projectFormat[Person, String](p => Json.text(p), t => Json.parse[Person](t))
    val person = Person("a", 1, Some("b"))
    assertEquals(Json.parse[Person](Json.text(person)(inside))(inside), person)
  }

  test("many threads with one converter and one value") {
    val people = List.tabulate(200)(i => Person(s"p$i", i, None))
    val shared = Json.toJsonUnsafe(people)
    val failures = new java.util.concurrent.atomic.AtomicInteger
    val threads = List.fill(8)(new Thread(() =>
      for (_ <- 0 until 50) {
        if (Json.decode[List[Person]](Json.encode(people)) != people) failures.incrementAndGet()
        if (Json.fromJsonUnsafe[List[Person]](shared) != people) failures.incrementAndGet()
      }
    ))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assertEquals(failures.get, 0)
  }

  test("values of one form are read by another") {
    val person = Person("a", 1, Some("b"))
    assertEquals(MessagePack.fromJsonUnsafe[Person](Json.toJsonUnsafe(person)), person)
    assertEquals(Cbor.toJsonUnsafe(person).toJson, Json.text(person))
    assertEquals(Tagged.toJsonUnsafe(person), Json.toJsonUnsafe(person))
  }

  test("values that JSON cannot say are equal and have a hash") {
    val here = List(
      Cbor.toJsonUnsafe(List(Double.NaN, Double.PositiveInfinity)),
      MessagePack.value(Array[Byte](0xd4.toByte, 5, 1)),
      Cbor.value(Array[Byte](0x41, 1)),
      Json.limited(_root_.kumihimo.Limits.DEFAULT.withDepth(5000)).value(("[" * 3000 + "]" * 3000).getBytes)
    )
    assertEquals(here.toSet.size, here.size)
    assertEquals(here(0), MessagePack.toJsonUnsafe(List(Double.NaN, Double.PositiveInfinity)))
    assertEquals(here(0).hashCode, MessagePack.toJsonUnsafe(List(Double.NaN, Double.PositiveInfinity)).hashCode)
    assertNotEquals(here(0), Json.value("[\"NaN\",\"Infinity\"]".getBytes))
  }

  test("the facade puts values together and takes them apart") {
    val facade = Json.facade
    val context = facade.objectContext()
    context.addField("a")
    context.add(facade.jint(1))
    context.addField("b")
    val list = facade.arrayContext()
    list.add(facade.jstring("x"))
    list.add(facade.jnull())
    context.add(list.finish)
    val made = context.finish
    assertEquals(made.toJson, """{"a":1,"b":["x",null]}""")
    assertEquals(facade.extractObject(made)._2, Vector("a", "b"))
    assertEquals(facade.extractInt(facade.extractObject(made)._1("a")), 1)
    assert(facade.isJnull(facade.extractArray(facade.extractObject(made)._1("b"))(1)))
  }

  test("JsonReader and JsonWriter apart") {
    val writer: JsonWriter[Int] = contramapWriter[Int, Int](_ + 1)
    val reader: JsonReader[Int] = mapReader[Int, Int](_ - 1)
    assertEquals(Json.parse[Int](Json.text(6)(writer))(reader), 6)
  }
}
