package kumihimo.codec.scala3

import kumihimo.codec.*
import kumihimo.codec.Forms.*

object Corners3 {
  sealed trait Animal
  final case class Hen(name: String) extends Animal derives Codec
  final case class Cage[A <: Animal](animal: A, spare: Option[A] = None, more: List[A] = Nil) derives Codec

  final case class Ping(pong: Option[Pong]) derives Codec
  final case class Pong(pings: List[Ping]) derives Codec
  final case class Perfect[A](value: A, next: Option[Perfect[(A, A)]]) derives Codec

  final case class Closed private (code: Int, hint: String = "none") derives Codec
  object Closed { def of(code: Int): Closed = new Closed(code) }
  final case class Hidden(private val x: Int) derives Codec

  final case class Throwing(a: Int, b: Int = throw new IllegalStateException("none")) derives Codec
  final case class Odd(`type`: Int, `a-b`: Int, `a b`: Int, é: Int, `class`: Int, + : Int) derives Codec
  final case class Many(name: String, values: Int*) derives Codec

  final class Meters(val value: Double) extends AnyVal
  object Meters { given Codec[Meters] = Codec.derived }

  enum Term[A] {
    case Number(i: Int) extends Term[Int]
    case Truth(b: Boolean) extends Term[Boolean]
    case Plus(a: Term[Int], b: Term[Int]) extends Term[Int]
    case Zero extends Term[Int]
  }
  object Term {
    given int: Codec[Term[Int]] = Codec.derived
    given boolean: Codec[Term[Boolean]] = Codec.derived
  }

  enum Planet(val mass: Double) derives Codec {
    case Earth extends Planet(5.97)
    case Other(name: String, m: Double) extends Planet(m)
  }

  @discriminator("kind") enum Tree[+A] derives Codec {
    case Leaf
    case Node(value: A, left: Tree[A], right: Tree[A])
  }

  type Ints = List[Int]
  type Flipped[A, B] = (B, A)
  final case class Aliased(some: Ints, pair: Flipped[Int, String]) derives Codec
}

/** What `derives` makes of odd types, as Scala 2's macro does (`CornersSuite`), and of those that Scala 3 alone has. */
class Corners3Suite extends munit.FunSuite {
  import Corners3.*

  test("derives") {
    json(Cage(Hen("a"), Some(Hen("b"))), """{"animal":{"name":"a"},"spare":{"name":"b"},"more":[]}""")
    json(Ping(Some(Pong(List(Ping(None))))), """{"pong":{"pings":[{}]}}""")
    json(Perfect(1, Some(Perfect((2, 3), None))), """{"value":1,"next":{"value":[2,3]}}""")
    json(Closed.of(7), """{"code":7,"hint":"none"}""")
    assertEquals(Json.parse[Closed]("""{"code":7}"""), Closed.of(7))
    json(new Hidden(3), """{"x":3}""")
    json(Throwing(1, 2), """{"a":1,"b":2}""")
    json(Odd(1, 2, 3, 4, 5, 6), """{"type":1,"a-b":2,"a b":3,"é":4,"class":5,"+":6}""")
    json(Many("a", 1, 2), """{"name":"a","values":[1,2]}""")
    json(new Meters(1.5), "1.5")
  }

  test("enums with fields, parameters and arguments") {
    json[Term[Int]](
      Term.Plus(Term.Number(1), Term.Zero),
      """{"type":"Plus","a":{"type":"Number","i":1},"b":{"type":"Zero"}}"""
    )
    json[Term[Boolean]](Term.Truth(true), """{"type":"Truth","b":true}""")
    assert(refused[Term[Int]]("""{"type":"Truth","b":true}""").startsWith("type 8 $.type"))
    json[Planet](Planet.Earth, """{"type":"Earth"}""")
    json[Planet](Planet.Other("a", 1.5), """{"type":"Other","name":"a","m":1.5}""")
    json[Tree[Int]](
      Tree.Node(1, Tree.Leaf, Tree.Node(2, Tree.Leaf, Tree.Leaf)),
      """{"kind":"Node","value":1,"left":{"kind":"Leaf"},"right":{"kind":"Node","value":2,"left":{"kind":"Leaf"},"right":{"kind":"Leaf"}}}"""
    )
  }

  test("types by other names") {
    json(Aliased(List(1), ("a", 1)), """{"some":[1],"pair":["a",1]}""")
  }
}
