package kumihimo.sjson

import java.nio.file.{Files, Path}

import _root_.kumihimo.{Code, DataException, Limits}
import _root_.sjsonnew.{Builder, DeserializationException, JsonWriter, SerializationException}
import _root_.sjsonnew.BasicJsonProtocol._

/** Bytes that are no text, keys that are none, files that stand there. */
class RoughTest extends munit.FunSuite {
  import Samples._

  private def file(bytes: Array[Byte]): Path = {
    val made = Files.createTempFile("kumihimo", ".bin")
    made.toFile.deleteOnExit()
    Files.write(made, bytes)
  }

  /** Each question mark is a byte that is no UTF-8. */
  private def broken(text: String): Path =
    file(text.getBytes("ISO-8859-1").map(b => if (b == '?') 0xff.toByte else b))

  private val anyBytes = Json.reading("ruby_read")

  test("names that are no text, as some dialects allow, are passed over") {
    List(
      """{"name":"a","age":1,"?":2}""",
      """{"?":2,"name":"a","age":1}""",
      """{"name":"a","?":2,"age":1}""",
      """{"?":2,"??":2,"name":"a","age":1}"""
    ).foreach { text =>
      val people = anyBytes.load[List[Person]](broken(List.fill(5)(text).mkString("[", ",", "]")))
      assertEquals(people, List.fill(5)(Person("a", 1, None)), text)
    }
  }

  test("but not read, and what is said has its place") {
    def refused(read: => Any): DataException = intercept[DeserializationException](read).cause match {
      case inner: DataException => inner
      case other => fail(s"the cause is $other")
    }
    val e = refused(anyBytes.load[List[String]](broken("""["a","?"]""")))
    assertEquals((e.code, e.offset, e.path), (Code.ENCODING, 5L, "$[1]"))
    assertEquals(refused(anyBytes.load[Map[String, Int]](broken("""{"?":2}"""))).code, Code.ENCODING)
  }

  test("keys that are numbers are text as in JSON") {
    val pairs = Map(1e23 -> 1, 0.5 -> 2, 1e-7 -> 3, Double.NegativeInfinity -> 4)
    List(Cbor, Tagged, MessagePack).foreach { form =>
      val writer = form.format.writer("", Limits.DEFAULT)
      writer.map(pairs.size.toLong)
      pairs.foreach { case (key, value) =>
        writer.keyIsNext()
        writer.f64(key)
        writer.i32(value)
      }
      writer.end()
      writer.finish()
      assertEquals(
        form.load[Map[String, Int]](file(writer.toByteArray)),
        Map("1e+23" -> 1, "0.5" -> 2, "1e-07" -> 3, "-Infinity" -> 4),
        form.toString
      )
    }
  }

  test("what an Either tries first is not looked for in the whole document") {
    val many = List.fill(100000)(Right("a"): Either[Int, String])
    assertEquals(Json.parse[List[Either[Int, String]]](Json.text(many)), many)
  }

  test("a file is replaced by whole documents alone") {
    val failing: JsonWriter[Int] = new JsonWriter[Int] {
      def write[J](obj: Int, builder: Builder[J]): Unit = builder.beginArray()
    }
    Samples.forms.foreach { form =>
      val path = file(Array.empty)
      form.save(7, path)
      intercept[SerializationException](form.save(8, path)(failing))
      assertEquals(form.load[Int](path), 7, form.toString)
      form.save(8, path)
      assertEquals(form.load[Int](path), 8, form.toString)
    }
  }
}
