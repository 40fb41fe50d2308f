package kumihimo.codec

import kumihimo.Code
import kumihimo.codec.Forms._

/** Derivation where types are odd; what Scala 2's macro makes of them, Scala 3's makes, too. */
class CornersSuite extends munit.FunSuite {
  import Corners._

  test("type parameters with bounds, of a higher kind, of no field") {
    json(Cage(Hen("a")), """{"animal":{"name":"a"},"more":[]}""")
    json(
      Cage(Hen("a"), Some(Hen("b")), List(Hen("c"))),
      """{"animal":{"name":"a"},"spare":{"name":"b"},"more":[{"name":"c"}]}"""
    )
    assertEquals(Json.parse[Cage[Hen]]("""{"animal":{"name":"a"}}"""), Cage(Hen("a")))
    json(Held[List](List(1)), """{"in":[1]}""")
    json(Held[Option](None), "{}")
    json(Key[String](7), """{"id":7}""")
  }

  test("types that contain each other, and themselves with another argument") {
    json(Ping(Some(Pong(List(Ping(None))))), """{"pong":{"pings":[{}]}}""")
    json(
      Perfect(1, Some(Perfect((2, 3), Some(Perfect(((4, 5), (6, 7)), None))))),
      """{"value":1,"next":{"value":[2,3],"next":{"value":[[4,5],[6,7]]}}}"""
    )
    val node = Graph(Map("a" -> Graph(Map.empty, Vector.empty)), Vector((Graph(Map.empty, Vector.empty), 1)))
    json(node, """{"named":{"a":{"named":{},"pairs":[]}},"pairs":[[{"named":{},"pairs":[]},1]]}""")
  }

  test("constructors and fields that are private") {
    json(Sealed.of(7), """{"code":7,"hint":"none"}""")
    assertEquals(Json.parse[Sealed]("""{"code":7}"""), Sealed.of(7))
    json(new Hidden(3), """{"x":3}""")
  }

  test("a default value that throws") {
    json(Throwing(1, 2), """{"a":1,"b":2}""")
    val e = intercept[DataException](Json.parse[List[Throwing]]("""[{"a":1}]"""))
    assertEquals(e.code, Code.HOST)
    assert(e.path.startsWith("$[0]"), e.path)
    assert(e.getCause.isInstanceOf[IllegalStateException])
    val f = intercept[DataException](Json.encode(ThrowingNone(None)))
    assertEquals(f.code, Code.HOST)
    json(ThrowingNone(Some(1)), """{"a":1}""")
  }

  test("names that are no identifiers") {
    json(Odd(1, 2, 3, 4, 5, 6), """{"type":1,"a-b":2,"a b":3,"é":4,"class":5,"+":6}""")
    json(
      Shadowing(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
      """{"in":1,"out":2,"value":3,"tag":4,"at":5,"names":6,"nested":7,"scala":8,"kumihimo":9,"codec":10}"""
    )
    json[`Odd-Type`](`Odd-Type`.`A+`(1), """{"type":"A+","x":1}""")
  }

  test("a parameter that is repeated") {
    json(Many("a", 1, 2), """{"name":"a","values":[1,2]}""")
    json(Many("a"), """{"name":"a","values":[]}""")
  }

  test("fields that override others, and a companion with methods of its own") {
    json(Overriding(1, "a"), """{"x":1,"y":"a"}""")
  }

  test("value classes") {
    json(new Meters(1.5), "1.5")
    json(Distance(new Meters(2), Some(Id[String](7))), """{"of":2.0,"by":7}""")
  }

  test("sealed types in each other") {
    val shapes = List[Figure](Figure.Circle(1), Figure.Dot, Figure.Square(2, Some(Figure.Dot)))
    json(
      shapes,
      """[{"type":"Circle","radius":1},{"type":"Dot"},{"type":"Square","side":2,"inside":{"type":"Dot"}}]"""
    )
  }

  test("of types by their argument those that can be") {
    json[Term[Int]](
      Term.Plus(Term.Number(1), Term.Number(2)),
      """{"type":"Plus","a":{"type":"Number","i":1},"b":{"type":"Number","i":2}}"""
    )
    assertEquals(
      refused[Term[Int]]("""{"type":"Truth","b":true}"""),
      "type 8 $.type: \"Truth\" is none of Number, Plus"
    )
    json[Term[Boolean]](Term.Truth(true), """{"type":"Truth","b":true}""")
  }

  test("classes within methods and objects") {
    final case class Local(a: Int, b: Int = 5)
    implicit val codec: Codec[Local] = Codec.derived[Local]
    json(Local(1, 2), """{"a":1,"b":2}""")
    assertEquals(Json.parse[Local]("""{"a":1}"""), Local(1))
    val outer = new Outer(3)
    implicit val inner: Codec[outer.Inner] = outer.codec
    json(outer.Inner(1), """{"a":1,"b":3}""")
    assertEquals(Json.parse[outer.Inner]("""{"a":1}"""), outer.Inner(1, 3))
  }

  test("more than 64 fields") {
    val many = Seventy.of((1 to 70).toArray)
    sameInAll(many)
    val text = Json.text(many)
    assertEquals(refused[Seventy](text.replace(",\"f65\":65", "")), "type 0 $: the field \"f65\" is missing")
    val turned = text.drop(1).dropRight(1).split(",").reverse.mkString("{", ",", "}")
    assertEquals(Json.parse[Seventy](turned), many)
    all.foreach(form => assertEquals(form.decode[Seventy](Json.convert(turned.getBytes, form)), many))
  }

  test("what cannot be derived says so") {
    def says(errors: String, what: String)(implicit at: munit.Location) = assert(errors.contains(what), errors)
    says(compileErrors("Codec.derived[Twice]"), "the field mail stands twice")
    says(compileErrors("Codec.derived[TwoLists]"), "more than one list of parameters")
    says(compileErrors("Codec.derived[TwoRests]"), "@rest")
    says(compileErrors("Codec.derived[Java]"), "neither a case class nor a sealed trait")
    says(compileErrors("Codec.derived[Sealed]"), "Sealed")
    says(compileErrors("Codec.derived[Missing]"), "there is no Codec[Object]")
  }
}

object Corners {
  sealed trait Animal
  final case class Hen(name: String) extends Animal
  object Hen { implicit val codec: Codec[Hen] = Codec.derived[Hen] }
  final case class Cage[A <: Animal](animal: A, spare: Option[A] = None, more: List[A] = Nil)
  object Cage { implicit def codec[A <: Animal: Codec]: Codec[Cage[A]] = Codec.derived[Cage[A]] }

  final case class Held[F[_]](in: F[Int])
  object Held { implicit def codec[F[_]](implicit in: Codec[F[Int]]): Codec[Held[F]] = Codec.derived[Held[F]] }

  final case class Key[A](id: Long)
  object Key { implicit def codec[A]: Codec[Key[A]] = Codec.derived[Key[A]] }

  final case class Ping(pong: Option[Pong])
  object Ping { implicit val codec: Codec[Ping] = Codec.derived[Ping] }
  final case class Pong(pings: List[Ping])
  object Pong { implicit val codec: Codec[Pong] = Codec.derived[Pong] }

  final case class Perfect[A](value: A, next: Option[Perfect[(A, A)]])
  object Perfect { implicit def codec[A: Codec]: Codec[Perfect[A]] = Codec.derived[Perfect[A]] }

  final case class Graph(named: Map[String, Graph], pairs: Vector[(Graph, Int)])
  object Graph { implicit val codec: Codec[Graph] = Codec.derived[Graph] }

  final case class Sealed private (code: Int, hint: String = "none")
  object Sealed {
    def of(code: Int): Sealed = new Sealed(code)
    implicit val codec: Codec[Sealed] = Codec.derived[Sealed]
  }
  final case class Hidden(private val x: Int)
  object Hidden { implicit val codec: Codec[Hidden] = Codec.derived[Hidden] }

  final case class Throwing(a: Int, b: Int = throw new IllegalStateException("none"))
  object Throwing { implicit val codec: Codec[Throwing] = Codec.derived[Throwing] }
  final case class ThrowingNone(a: Option[Int] = throw new IllegalStateException("none"))
  object ThrowingNone { implicit val codec: Codec[ThrowingNone] = Codec.derived[ThrowingNone] }

  final case class Odd(`type`: Int, `a-b`: Int, `a b`: Int, é: Int, `class`: Int, + : Int)
  object Odd { implicit val codec: Codec[Odd] = Codec.derived[Odd] }
  final case class Shadowing(
      in: Int,
      out: Int,
      value: Int,
      tag: Int,
      at: Int,
      names: Int,
      nested: Int,
      scala: Int,
      kumihimo: Int,
      codec: Int
  )
  object Shadowing { implicit val codec: Codec[Shadowing] = Codec.derived[Shadowing] }
  sealed trait `Odd-Type`
  object `Odd-Type` {
    final case class `A+`(x: Int) extends `Odd-Type`
    case object `B-` extends `Odd-Type`
    implicit val codec: Codec[`Odd-Type`] = Codec.derived[`Odd-Type`]
  }

  final case class Many(name: String, values: Int*)
  object Many { implicit val codec: Codec[Many] = Codec.derived[Many] }

  sealed abstract class Base(val x: Int)
  final case class Overriding(override val x: Int, y: String) extends Base(x)
  object Overriding {
    def apply(x: Int): Overriding = Overriding(x, "none")
    def apply(text: String): Overriding = Overriding(text.toInt)
    implicit val codec: Codec[Overriding] = Codec.derived[Overriding]
  }

  final class Meters(val value: Double) extends AnyVal
  object Meters { implicit val codec: Codec[Meters] = Codec.derived[Meters] }
  final case class Id[A](value: Long) extends AnyVal
  object Id { implicit def codec[A]: Codec[Id[A]] = Codec.derived[Id[A]] }
  final case class Distance(of: Meters, by: Option[Id[String]])
  object Distance { implicit val codec: Codec[Distance] = Codec.derived[Distance] }

  sealed trait Figure
  object Figure {
    sealed trait Round extends Figure
    final case class Circle(radius: Int) extends Round
    case object Dot extends Round
    sealed abstract class Cornered extends Figure
    final case class Square(side: Int, inside: Option[Figure]) extends Cornered
    implicit val codec: Codec[Figure] = Codec.derived[Figure]
  }

  sealed trait Term[A]
  object Term {
    final case class Number(i: Int) extends Term[Int]
    final case class Truth(b: Boolean) extends Term[Boolean]
    final case class Plus(a: Term[Int], b: Term[Int]) extends Term[Int]
    implicit val int: Codec[Term[Int]] = Codec.derived[Term[Int]]
    implicit val boolean: Codec[Term[Boolean]] = Codec.derived[Term[Boolean]]
  }

  final class Outer(default: Int) {
    case class Inner(a: Int, b: Int = default)
    val codec: Codec[Inner] = Codec.derived[Inner]
  }

  final case class Twice(@alias("mail") address: String, mail: String)
  final case class TwoLists(a: Int)(b: Int = a) { def sum: Int = a + b }
  final case class TwoRests(@rest a: Value.Fields, @rest b: Value.Fields)
  final class Java
  final case class Missing(a: Object)

  final case class Seventy(
      f01: Int,
      f02: Int,
      f03: Int,
      f04: Int,
      f05: Int,
      f06: Int,
      f07: Int,
      f08: Int,
      f09: Int,
      f10: Int,
      f11: Int,
      f12: Int,
      f13: Int,
      f14: Int,
      f15: Int,
      f16: Int,
      f17: Int,
      f18: Int,
      f19: Int,
      f20: Int,
      f21: Int,
      f22: Int,
      f23: Int,
      f24: Int,
      f25: Int,
      f26: Int,
      f27: Int,
      f28: Int,
      f29: Int,
      f30: Int,
      f31: Int,
      f32: Int,
      f33: Int,
      f34: Int,
      f35: Int,
      f36: Int,
      f37: Int,
      f38: Int,
      f39: Int,
      f40: Int,
      f41: Int,
      f42: Int,
      f43: Int,
      f44: Int,
      f45: Int,
      f46: Int,
      f47: Int,
      f48: Int,
      f49: Int,
      f50: Int,
      f51: Int,
      f52: Int,
      f53: Int,
      f54: Int,
      f55: Int,
      f56: Int,
      f57: Int,
      f58: Int,
      f59: Int,
      f60: Int,
      f61: Int,
      f62: Int,
      f63: Int,
      f64: Int,
      f65: Int,
      f66: Int,
      f67: Int,
      f68: Int,
      f69: Int,
      f70: Int
  )
  object Seventy {
    def of(a: Array[Int]): Seventy = Seventy(
      a(0),
      a(1),
      a(2),
      a(3),
      a(4),
      a(5),
      a(6),
      a(7),
      a(8),
      a(9),
      a(10),
      a(11),
      a(12),
      a(13),
      a(14),
      a(15),
      a(16),
      a(17),
      a(18),
      a(19),
      a(20),
      a(21),
      a(22),
      a(23),
      a(24),
      a(25),
      a(26),
      a(27),
      a(28),
      a(29),
      a(30),
      a(31),
      a(32),
      a(33),
      a(34),
      a(35),
      a(36),
      a(37),
      a(38),
      a(39),
      a(40),
      a(41),
      a(42),
      a(43),
      a(44),
      a(45),
      a(46),
      a(47),
      a(48),
      a(49),
      a(50),
      a(51),
      a(52),
      a(53),
      a(54),
      a(55),
      a(56),
      a(57),
      a(58),
      a(59),
      a(60),
      a(61),
      a(62),
      a(63),
      a(64),
      a(65),
      a(66),
      a(67),
      a(68),
      a(69)
    )
    implicit val codec: Codec[Seventy] = Codec.derived[Seventy]
  }
}
