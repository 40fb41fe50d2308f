package readme

import kumihimo.codec._

object Points {
  final case class Point(x: Int, y: Int)
  final case class Age(value: Int)

  // By the names of up to 22 fields.
  val point: Codec[Point] = Codec.record("x", "y")(Point.apply _)(p => (p.x, p.y))

  // By any number of them.
  val listed: Codec[Point] =
    LList.codec(LList.field[Int]("x") :*: LList.field[Int]("y") :*: LList.end)((p: Point) =>
      p.x :*: p.y :*: LNil
    ) { case x :*: y :*: LNil => Point(x, y) }

  // By a change of type.
  val age: Codec[Age] = Codec.int.emap(i => if (i > 0) Right(Age(i)) else Left("no age"))(_.value)

  // Against the writer and the reader.
  val joined: Codec[Point] = Codec.of[Point]((p, out) => out.str(s"${p.x},${p.y}")) { in =>
    val parts = in.str().split(',')
    Point(parts(0).toInt, parts(1).toInt)
  }
}
