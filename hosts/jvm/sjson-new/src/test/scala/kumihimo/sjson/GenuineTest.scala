package kumihimo.sjson

import java.util.Random

import _root_.sjsonnew.{JsonFormat, JsonReader}
import _root_.sjsonnew.BasicJsonProtocol._
import _root_.sjsonnew.support.scalajson.unsafe.{CompactPrinter, Converter => Genuine, Parser}

import scala.annotation.nowarn
import scala.util.{Failure, Success, Try}

/** The same codecs through sjson-new's own backend for Scala JSON and through ours, in one process. */
class GenuineTest extends munit.FunSuite {
  // On a machine that does much else some of it takes a minute.
  override val munitTimeout = scala.concurrent.duration.Duration(10, "minutes")

  import Samples._

  private def theirs[A](text: String)(implicit codec: JsonReader[A]): Try[A] =
    Parser.parseFromString(text).flatMap(js => Genuine.fromJson[A](js))

  /** Both write what the other reads, and in the same order of fields. */
  private def exchange[A](value: A)(implicit codec: JsonFormat[A], loc: munit.Location): Unit = {
    val ours = Json.text(value)
    val their = CompactPrinter(Genuine.toJsonUnsafe(value))
    assertEquals(theirs[A](ours), Success(value))
    assertEquals(Json.parse[A](their), value)
    assertEquals(fields(ours), fields(their))
  }

  /** The names of fields in the order of the text. */
  private def fields(text: String): List[String] = "\"((?:[^\"\\\\]|\\\\.)*)\":".r.findAllIn(text).toList

  test("values of every kind go both ways") {
    exchange(1)
    exchange(Long.MinValue)
    exchange(0.1)
    exchange(1e300)
    exchange(4.2f)
    exchange("a\n\"\u0001é日\ud83d\ude00")
    exchange(BigDecimal("123456789012345678901234567890.123456789"))
    exchange(BigInt("123456789012345678901234567890"))
    exchange(List(Option(1), None))
    exchange(Map("z" -> 1, "a" -> 2, "m" -> 3, "b" -> 4, "y" -> 5, "c" -> 6))
    exchange((1, "b", List(true)))
    exchange(Person("a", 1, None))
    exchange(Person("a", 1, Some("")))
    exchange(Peep("Bob", 23))
    exchange(House(Peep("a", 1), List(Peep("b", 2))))
    exchange(Vector[Shape](Circle(1), Square(2, Vector("x"))))(vectors(flat), munit.Location.generate)
    exchange(Vector[Shape](Circle(1), Square(2, Vector("x"))))(vectors(nested), munit.Location.generate)
  }

  test("the same text, number for number") {
    val values = List(0.0, -0.0, 1.0, 0.1, 100.0, 1234567.0, 1e6)
    values.foreach(x => assertEquals(Json.text(x), CompactPrinter(Genuine.toJsonUnsafe(x))))
    List("1", "-1.50", "1E+30", "18446744073709551616").foreach { n =>
      assertEquals(Json.text(BigDecimal(n)), CompactPrinter(Genuine.toJsonUnsafe(BigDecimal(n))))
    }
    // Theirs is no JSON, and is not read again.
    assertEquals(CompactPrinter(Genuine.toJsonUnsafe(Double.NaN)), "NaN")
    assertEquals(Json.text(Double.NaN), "null")
  }

  /** What both make of a document: the same value, or both refuse it. */
  private def agree[A](text: String)(implicit codec: JsonReader[A], loc: munit.Location): Unit =
    (theirs[A](text), Json.tryParse[A](text)) match {
      case (Success(a), Success(b)) => assertEquals(shown(b), shown(a), text)
      case (Failure(_), Failure(_)) => ()
      case (a, b) => fail(s"of $text sjson-new makes $a, Kumihimo $b")
    }

  private def shown(value: Any): Any = value match {
    case array: Array[_] => array.toList
    case x: Double => java.lang.Double.doubleToLongBits(x)
    case x: Float => java.lang.Float.floatToIntBits(x)
    case Square(x, names) => ("Square", shown(x), names) // NaN, which null is read as, is equal to nothing
    case Circle(x) => ("Circle", shown(x))
    case several: List[_] => several.map(shown)
    case other => other
  }

  test("documents of a foreign shape") {
    val texts = List(
      "null",
      "true",
      "0",
      "-0",
      "1",
      "1.0",
      "1.5",
      "1e2",
      "2147483648",
      "9223372036854775808",
      "-9223372036854775809",
      "0.1",
      "123456789.123456789123456789",
      "\"\"",
      "\"1\"",
      "\"a\"",
      "[]",
      "[1]",
      "[1,2]",
      "[null]",
      "[[1]]",
      "{}",
      "{\"a\":1}",
      "{\"a\":null}",
      "{\"name\":\"x\"}",
      "{\"name\":\"x\",\"age\":2}",
      "{\"age\":2,\"name\":\"x\"}",
      "{\"name\":\"x\",\"age\":2,\"nick\":\"y\"}",
      "{\"name\":\"x\",\"age\":2,\"nick\":null}",
      "{\"name\":null}",
      "{\"age\":\"x\"}",
      "{\"type\":\"Circle\",\"radius\":1}",
      "{\"radius\":1,\"type\":\"Circle\"}",
      "{\"type\":\"Circle\"}",
      "{\"type\":\"Line\"}",
      "{\"type\":\"Square\",\"side\":1,\"names\":[\"a\"]}",
      "{\"value\":{\"radius\":1},\"type\":\"Circle\"}",
      "{\"type\":\"Circle\",\"value\":{\"radius\":1}}",
      "{\"value\":{},\"type\":\"Circle\"}",
      "{\"type\":\"Circle\",\"type\":\"Circle\"}",
      "{\"$fields\":[\"name\",\"age\"],\"name\":\"Bob\",\"age\":23}",
      "{\"$fields\":[\"name\",\"age\"],\"age\":23}",
      "{\"$fields\":[\"name\"],\"name\":\"Bob\"}",
      "{\"name\":\"Bob\",\"age\":23}",
      "{\"name\":\"a\",\"name\":\"b\"}",
      "[",
      "{\"a\"}",
      "01",
      "",
      "1 2"
    )
    texts.foreach { text =>
      agree[Int](text)
      agree[Long](text)
      agree[Double](text)
      agree[Float](text)
      agree[Boolean](text)
      agree[String](text)
      agree[BigDecimal](text)
      agree[BigInt](text)
      agree[Byte](text)
      agree[Char](text)
      agree[Unit](text)
      agree[Option[Int]](text)
      agree[List[Int]](text)
      agree[Array[Int]](text)
      agree[List[Option[String]]](text)
      agree[(Int, Int)](text)
      agree[Map[String, Int]](text)
      agree[Map[Int, Int]](text)
      agree[Either[Int, String]](text)
      agree[Either[Person, List[Int]]](text)
      agree[Person](text)
      agree[Peep](text)
      agree[House](text)
      agree[Shape](text)(flat, munit.Location.generate)
      agree[Shape](text)(nested, munit.Location.generate)
    }
  }

  /** A union in a union, both flat; each asks an object for its type before it is read. */
  @nowarn("msg=Manifest")
  private val kinds: JsonFormat[AnyRef] = {
    implicit val shape: JsonFormat[Shape] = flat
    flatUnionFormat2[AnyRef, Person, Shape]("kind")
  }

  test("a flat union in a flat union") {
    exchange[AnyRef](Person("a", 1, None))(kinds, munit.Location.generate)
    exchange(Vector[AnyRef](Person("b", 2, None), Person("a", 1, None)))(vectors(kinds), munit.Location.generate)
    // sjson-new writes by the exact class, so an inner union is only read.
    intercept[MatchError](Genuine.toJsonUnsafe[AnyRef](Circle(1))(kinds))
    intercept[MatchError](Json.text[AnyRef](Circle(1))(kinds))
    agree[AnyRef]("""{"kind":"Shape","type":"Circle","radius":1}""")(kinds, munit.Location.generate)
  }

  test("objects from a seed, their fields absent, more, in another order, repeated, null, of another kind") {
    val random = new Random(14)
    def pick[A](from: Vector[A]): A = from(random.nextInt(from.length))
    val names =
      Vector("name", "age", "nick", "type", "kind", "radius", "side", "names", "value", "owner", "others", "x", "")
    val scalars = Vector("null", "true", "0", "-1", "2147483648", "1.5", "\"a\"", "\"Circle\"", "\"Square\"") ++
      Vector("\"Shape\"", "\"Person\"", "[]", "[\"a\"]", "[1,null]", "{}", "[\"name\",\"age\"]")
    val good = Vector(
      Vector("name" -> "\"a\"", "age" -> "1", "nick" -> "\"b\""),
      Vector("type" -> "\"Circle\"", "radius" -> "1.5"),
      Vector("type" -> "\"Square\"", "side" -> "2", "names" -> "[\"a\",\"b\"]"),
      Vector("kind" -> "\"Shape\"", "type" -> "\"Circle\"", "radius" -> "1"),
      Vector("kind" -> "\"Person\"", "name" -> "\"a\"", "age" -> "1"),
      Vector("value" -> """{"radius":1}""", "type" -> "\"Circle\""),
      Vector("owner" -> """{"name":"a","age":1}""", "others" -> """[{"age":2,"name":"b"},null]"""),
      Vector("$fields" -> """["name","age"]""", "name" -> "\"a\"", "age" -> "1")
    )
    // Where a key comes twice sjson-new loses as many of the last keys, without a word.
    var keysRepeat = false
    def changed(fields: Vector[(String, String)], depth: Int): String = {
      var made = fields
      for (_ <- 0 until random.nextInt(4)) {
        val at = if (made.isEmpty) 0 else random.nextInt(made.length)
        random.nextInt(6) match {
          case 0 => made = made.patch(at, Nil, 1)
          case 1 => made = made.patch(at, Vector(pick(names) -> value(depth)), 0)
          case 2 => made = made.reverse
          case 3 if made.nonEmpty => made = made :+ (made(at)._1 -> value(depth))
          case 4 if made.nonEmpty => made = made.updated(at, made(at)._1 -> value(depth))
          case _ => if (made.nonEmpty) made = made.updated(at, pick(names) -> made(at)._2)
        }
      }
      if (made.map(_._1).distinct.size < made.size) keysRepeat = true
      made.map { case (name, value) => s""""$name":$value""" }.mkString("{", ",", "}")
    }
    def value(depth: Int): String =
      if (depth == 0 || random.nextInt(3) > 0) pick(scalars)
      else if (random.nextBoolean()) changed(pick(good), depth - 1)
      else Vector.fill(random.nextInt(3))(value(depth - 1)).mkString("[", ",", "]")
    for (_ <- 0 until 5000) {
      keysRepeat = false
      val text = changed(pick(good), 2)
      agree[Person](text)
      agree[Option[Person]](text)
      agree[Shape](text)(flat, munit.Location.generate)
      agree[Shape](text)(nested, munit.Location.generate)
      if (!keysRepeat) {
        agree[Peep](text)
        agree[House](text)
        agree[Map[String, Int]](text)
        agree[Map[String, Option[Person]]](text)
        agree[Either[Person, Map[String, Int]]](text)
        agree[AnyRef](text)(kinds, munit.Location.generate)
        agree[List[Shape]](s"[$text,$text]")(lists(flat), munit.Location.generate)
      }
    }
  }

  test("values from a seed go both ways") {
    val random = new Random(7)
    def text(): String = {
      val n = random.nextInt(12)
      val made = new StringBuilder
      for (_ <- 0 until n) {
        random.nextInt(8) match {
          case 0 => made.append(random.nextInt(0x20).toChar)
          case 1 => made.append((0x80 + random.nextInt(0x700)).toChar)
          case 2 => made.append((0x3000 + random.nextInt(0x5000)).toChar)
          case 3 => made.appendAll(Character.toChars(0x1f600 + random.nextInt(64)))
          case 4 => made.append("\"\\/" (random.nextInt(3)))
          case _ => made.append(('a' + random.nextInt(26)).toChar)
        }
      }
      made.toString
    }
    def person(): Person =
      Person(text(), random.nextInt() >> random.nextInt(32), if (random.nextBoolean()) Some(text()) else None)
    for (_ <- 0 until 300) {
      val people = List.fill(random.nextInt(5))(person())
      exchange(people)
      exchange(people.map(p => p.name -> p).toMap)
      exchange(List.fill(random.nextInt(5))(java.lang.Double.longBitsToDouble(random.nextLong())).filterNot(x =>
        x.isNaN || x.isInfinite
      ))
      exchange(List.fill(random.nextInt(5))(random.nextLong() >> random.nextInt(64)))
      exchange(List.fill(random.nextInt(3))(BigDecimal(new java.math.BigDecimal(
        new java.math.BigInteger(100, random),
        random.nextInt(40)
      ))))
    }
  }
}
