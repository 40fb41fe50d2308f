package kumihimo.codec

import kumihimo.codec.Forms._

sealed trait Pet
final case class Dog(name: String, age: Int) extends Pet
@name("cat") @alias("Katze") final case class Cat(lives: Int) extends Pet
case object Rock extends Pet
object Pet { implicit val codec: Codec[Pet] = Codec.derived[Pet] }

@discriminator("kind") sealed abstract class Kinded
object Kinded {
  final case class A(x: Int) extends Kinded
  @strict final case class B(kindly: Option[Boolean]) extends Kinded
  implicit val codec: Codec[Kinded] = Codec.derived[Kinded]
}

@wrapped sealed trait Wrapped
object Wrapped {
  final case class A(x: Int) extends Wrapped
  case object B extends Wrapped
  implicit val codec: Codec[Wrapped] = Codec.derived[Wrapped]
}

@adjacent("type", "value") sealed trait Adjacent
object Adjacent {
  final case class A(x: Int) extends Adjacent
  final case class B(y: List[Adjacent]) extends Adjacent
  implicit val codec: Codec[Adjacent] = Codec.derived[Adjacent]
}

sealed trait Suit
object Suit {
  case object Hearts extends Suit
  @name("spades") @alias("pik") case object Spades extends Suit
  implicit val codec: Codec[Suit] = Codec.derived[Suit]
}

sealed trait Expr
object Expr {
  final case class Number(value: Double) extends Expr
  final case class Add(left: Expr, right: Expr) extends Expr
  sealed trait Unary extends Expr
  final case class Minus(of: Expr) extends Unary
  implicit val codec: Codec[Expr] = Codec.derived[Expr]
}

sealed trait Result[+A]
final case class Success[A](value: A) extends Result[A]
final case class Failure(why: String) extends Result[Nothing]
object Result { implicit def codec[A: Codec]: Codec[Result[A]] = Codec.derived[Result[A]] }

/** What is derived for sealed traits. */
class UnionSuite extends munit.FunSuite {
  test("the type in a field beside the others") {
    json[Pet](Dog("Rex", 3), """{"type":"Dog","name":"Rex","age":3}""")
    json[Pet](Cat(9), """{"type":"cat","lives":9}""")
    json[Pet](Rock, """{"type":"Rock"}""")
    json[Kinded](Kinded.A(1), """{"kind":"A","x":1}""")
    assertEquals(Json.parse[Pet]("""{"type":"Katze","lives":9}"""), Cat(9))
  }

  test("that field may stand anywhere") {
    val forms = List(Json, MessagePack, Cbor, Tagged)
    val documents = List(
      List("name" -> "\"Rex\"", "type" -> "\"Dog\"", "age" -> "3"),
      List("age" -> "3", "x" -> "[{\"type\":1}]", "name" -> "\"Rex\"", "type" -> "\"Dog\"")
    )
    for (pairs <- documents; form <- forms) {
      val text = pairs.map { case (k, v) => s""""$k":$v""" }.mkString("{", ",", "}")
      val bytes = form.encode(Json.parse[Value](text))
      assertEquals(
        form.decode[List[Pet]](form.encode(Json.parse[Value](s"[$text,$text]"))),
        List[Pet](Dog("Rex", 3), Dog("Rex", 3))
      )
      assertEquals(form.decode[Pet](bytes), Dog("Rex", 3): Pet)
    }
    assertEquals(Json.parse[Kinded]("""{"kindly":true,"kind":"B"}"""), Kinded.B(Some(true)))
    assertEquals(Json.parse[Kinded]("""{"kind":"B"}"""), Kinded.B(None))
  }

  test("other styles") {
    json[Wrapped](Wrapped.A(1), """{"A":{"x":1}}""")
    json[Wrapped](Wrapped.B, """{"B":{}}""")
    json[Adjacent](Adjacent.A(1), """{"type":"A","value":{"x":1}}""")
    json[Adjacent](Adjacent.B(List(Adjacent.A(1))), """{"type":"B","value":{"y":[{"type":"A","value":{"x":1}}]}}""")
    assertEquals(Json.parse[Adjacent]("""{"value":{"x":1},"type":"A"}"""), Adjacent.A(1))
    json[Suit](Suit.Hearts, "\"Hearts\"")
    json[Suit](Suit.Spades, "\"spades\"")
    assertEquals(Json.parse[Suit]("\"pik\""), Suit.Spades)
  }

  test("recursive and generic ones") {
    json[Expr](
      Expr.Add(Expr.Number(1.5), Expr.Minus(Expr.Number(2))),
      """{"type":"Add","left":{"type":"Number","value":1.5},""" +
        """"right":{"type":"Minus","of":{"type":"Number","value":2.0}}}"""
    )
    json[Result[Int]](Success(1), """{"type":"Success","value":1}""")
    json[Result[Int]](Failure("no"), """{"type":"Failure","why":"no"}""")
  }

  test("errors") {
    assertEquals(refused[Pet]("""{"type":"Cow"}"""), "type 8 $.type: \"Cow\" is none of Dog, cat, Rock")
    assertEquals(refused[Pet]("""{"name":"x"}"""), "type 0 $: the field \"type\" is missing")
    assertEquals(refused[Pet]("""{"type":"Dog","name":"Rex"}"""), "type 0 $: the field \"age\" is missing")
    assertEquals(refused[Wrapped]("""{"C":1}"""), "type 0 $: not a map of one of A, B alone")
    assertEquals(refused[Wrapped]("""{"A":{"x":1},"B":{}}"""), "type 0 $: not a map of one of A, B alone")
    assertEquals(refused[Adjacent]("""{"type":"A"}"""), "type 0 $: the field \"value\" is missing")
    assertEquals(refused[Suit]("\"x\""), "type 0 $: \"x\" is none of Hearts, spades, pik")
    assertEquals(refused[Kinded]("""{"kind":"B","x":1}"""), "type 16 $.x: the field \"x\" is not known")
  }
}
