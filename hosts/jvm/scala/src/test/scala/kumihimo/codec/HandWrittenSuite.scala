package kumihimo.codec

import kumihimo.codec.Forms._

final case class Point(x: Int, y: Option[Int])
final case class Even(value: Int)

/** Codecs that are written by hand. */
class HandWrittenSuite extends munit.FunSuite {
  private val bob = Point(1, None)

  test("by the fields of a record") {
    implicit val codec: Codec[Point] = Codec.record("x", "y")(Point.apply _)(p => (p.x, p.y))
    json(bob, """{"x":1}""")
    json(Point(1, Some(2)), """{"x":1,"y":2}""")
    assertEquals(refused[Point]("""{"y":1}"""), "type 0 $: the field \"x\" is missing")
  }

  test("by a list of fields") {
    import LList._
    implicit val codec: Codec[Point] =
      LList.codec(field[Int]("x") :*: field[Option[Int]]("y") :*: LList.end)((p: Point) =>
        p.x :*: p.y :*: kumihimo.codec.LNil
      ) { case x :*: y :*: _ => Point(x, y) }
    json(bob, """{"x":1}""")
    json(Point(1, Some(2)), """{"x":1,"y":2}""")
    assertEquals(refused[Point]("""{"y":1}"""), "type 0 $: the field \"x\" is missing")
  }

  test("against the writer and the reader") {
    implicit val codec: Codec[Point] = Codec.of[Point] { (point, out) =>
      out.array(2)
      out.i32(point.x)
      Codec[Option[Int]].write(point.y, out)
      out.end()
    } { in =>
      in.array()
      in.hasNext()
      val x = in.i32()
      in.hasNext()
      val y = Codec[Option[Int]].read(in)
      in.hasNext()
      Point(x, y)
    }
    json(bob, "[1,null]")
  }

  test("by a change of type") {
    implicit val codec: Codec[Even] =
      Codec.int.emap(i => if (i % 2 == 0) Right(Even(i)) else Left(s"$i is odd"))((e: Even) => e.value)
    json(Even(2), "2")
    assertEquals(refused[List[Even]]("[2,3]"), "range 3 $[1]: 3 is odd")
  }

  test("a codec of its own wins over the library's, in derived code too") {
    assertEquals(Json.text(Shouting("a")), """{"text":"A"}""")
  }

  test("a missing field that becomes another value, and empty ones left out") {
    implicit val codec: Codec[Point] = {
      implicit val number: Codec[Int] = Codec.int.orElse(42)
      Codec.record("x", "y")(Point.apply _)(p => (p.x, p.y))
    }
    assertEquals(Json.parse[Point]("{}"), Point(42, None))
    val lists = Codec.record("l")((l: List[Int]) => l)(l => l)(Codec.list[Int].elidingEmpty)
    assertEquals(Json.text(List.empty[Int])(lists), "{}")
    assertEquals(Json.parse[List[Int]]("{}")(lists), Nil)
  }

  test("forms") {
    assertEquals(Form.detect(bob0.in(MessagePack.gzip)).toString, "msgpack:big_text.gzip")
    assertEquals(Form.detect(bob0.in(Json)).decode[Person](bob0.in(Json)), bob0)
    assertEquals(Json.tryDecode[Person](bytes("7b")).isLeft, true)
    intercept[IllegalArgumentException](Json.writing("none"))
    val file = java.nio.file.Files.createTempFile("kumihimo", ".json")
    try {
      Json.save(bob0, file)
      assertEquals(Json.load[Person](file), bob0)
    } finally java.nio.file.Files.delete(file)
  }

  private val bob0 = Person("Bob", Some(1))

  test("a document inside a document") {
    implicit val nested: Codec[Point] = Codec.string.imap(Json.parse[(Int, Option[Int])](_))(t => Json.text(t)).imap(
      t => Point(t._1, t._2)
    )(p => (p.x, p.y))
    json(List(Point(1, None), Point(2, Some(3))), """["[1,null]","[2,3]"]""")
  }
}

final case class Shouting(text: String)
object Shouting {
  implicit val codec: Codec[Shouting] = {
    implicit val loud: Codec[String] = Codec.string.imap(_.toLowerCase)(_.toUpperCase)
    Codec.derived[Shouting]
  }
}
