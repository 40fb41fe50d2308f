package kumihimo.codec.scala3

import kumihimo.codec.*
import kumihimo.codec.Forms.*

case class Person3(name: String, age: Option[Int] = None) derives Codec

enum Color derives Codec {
  case Red, Green
  @name("blue") case Blue
}

enum Shape derives Codec {
  case Circle(radius: Double)
  case Rectangle(width: Double, height: Double)
  case Point
}

@wrapped enum Maybe[+A] derives Codec {
  case Just(value: A)
  case Nothing
}

case class Node[A](value: A, next: Option[Node[A]]) derives Codec

opaque type Celsius = Double
object Celsius {
  def apply(value: Double): Celsius = value
  given Codec[Celsius] = Codec.double
}
case class Reading(at: String, value: Celsius) derives Codec

final class No
case class Of(no: No)

/** What Scala 3 alone has. */
class Scala3Suite extends munit.FunSuite {
  test("derives") {
    json(Person3("Bob"), """{"name":"Bob"}""")
    json(Node(1, Some(Node(2, None))), """{"value":1,"next":{"value":2}}""")
  }

  test("enums") {
    json(Color.Green, "\"Green\"")
    json(Color.Blue, "\"blue\"")
    json[Shape](Shape.Circle(1.5), """{"type":"Circle","radius":1.5}""")
    json[Shape](Shape.Point, """{"type":"Point"}""")
    json[Maybe[Int]](Maybe.Just(1), """{"Just":{"value":1}}""")
    json[Maybe[Int]](Maybe.Nothing, """{"Nothing":{}}""")
  }

  test("opaque types") {
    json(Reading("a", Celsius(36.6)), """{"at":"a","value":36.6}""")
  }

  test("what cannot be derived says so") {
    val errors = compiletime.testing.typeCheckErrors("Codec.derived[Of]")
    assert(
      errors.exists(_.message.contains("for the field no of kumihimo.codec.scala3.Of")),
      errors.map(_.message).mkString
    )
  }
}
