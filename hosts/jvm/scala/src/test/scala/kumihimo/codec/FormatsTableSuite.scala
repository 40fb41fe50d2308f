package kumihimo.codec

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.time._
import java.util.UUID

import kumihimo.{Kind, Limits}

/** That Scala's column of a table in docs/formats.md says what is: the verb that values of each type are written by. */
class FormatsTableSuite extends munit.FunSuite {
  private val cells: Map[String, String] = {
    val file = Paths.get(sys.props("kumihimo.vectors")).getParent.getParent.resolve("docs").resolve("formats.md")
    val text = new String(Files.readAllBytes(file), UTF_8)
    val from = text.indexOf("## Java's and Scala's values")
    val lines = text.substring(from, text.indexOf("\n## ", from)).split("\n").filter(_.startsWith("| `"))
    lines.map(_.split("\\|")).map(row => row(1).trim.filter(_ != '`') -> row(4)).toMap
  }

  private def said[A](name: String, values: A*)(implicit codec: Codec[A], at: munit.Location): Unit =
    values.foreach { value =>
      val verb = Tagged.format.reader("", Limits.DEFAULT).reset(Tagged.encode(value)).kind() match {
        case Kind.NIL => "null"
        case Kind.BOOL => "boolean"
        case kind => kind.name.toLowerCase
      }
      val named = ("(?<![\\w.])" + java.util.regex.Pattern.quote(name) + "(?![\\w\\[])").r
      assert(
        named.findFirstIn(cells(verb)).isDefined,
        s"$name is written by $verb, of which the table has ${cells(verb)}"
      )
      assertEquals(Tagged.encode(Tagged.decode[A](Tagged.encode(value))).toList, Tagged.encode(value).toList)
    }

  test("the verb of each type") {
    val wide = BigInt(1) << 63
    said[Option[Int]]("None", None)
    said("java.util.Optional", java.util.Optional.empty[Int])
    said("Boolean", true)
    said("Byte", 1.toByte)
    said("Short", 1.toShort)
    said("Int", 1)
    said("Long", 1L)
    said("Year", Year.of(2020))
    said("BigInt", BigInt(1), wide, wide << 9)
    said("Float", 1f)
    said("Double", 1d)
    said("BigDecimal", BigDecimal("1.50"))
    said("String", "a")
    said("Char", 'a')
    said("Symbol", Symbol("a"))
    said("UUID", new UUID(1, 2))
    said("URI", URI.create("a:b"))
    said("Path", Paths.get("a"))
    said("Locale", java.util.Locale.ENGLISH)
    said("Currency", java.util.Currency.getInstance("JPY"))
    said("OffsetDateTime", OffsetDateTime.parse("2020-01-01T00:00+01:00"))
    said("ZonedDateTime", ZonedDateTime.parse("2020-01-01T00:00+01:00"))
    said("LocalTime", LocalTime.NOON)
    said("Duration", Duration.ZERO)
    said("Array[Byte]", Array[Byte](1))
    said("Instant", Instant.EPOCH)
    said("LocalDate", LocalDate.EPOCH)
    said("LocalDateTime", LocalDateTime.of(2020, 1, 1, 0, 0))
    said[Value]("Value.Extension", Value.Extension(5, new Value.Bytes(Array[Byte](1))))
    said("List", List(1))
    said("Vector", Vector(1))
    said("Set", Set(1))
    said("Array", Array(1))
    said("tuples", (1, 2))
    said("Map", Map("a" -> 1))
    said[Either[Int, Int]]("Either", Left(1))
    said("Unit", ())
  }
}
