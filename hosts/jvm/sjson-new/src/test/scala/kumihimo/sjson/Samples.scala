package kumihimo.sjson

import _root_.sjsonnew.{:*:, Builder, IsoLList, JsonFormat, LList, LNil, Unbuilder, deserializationError}
import _root_.sjsonnew.BasicJsonProtocol._

import scala.annotation.nowarn

/** Types with codecs of every kind that sjson-new's users have. */
object Samples {
  // Of a codec that is named: sjson-new's own calls take it as a given of Scala 3, or as an implicit of Scala 2.
  def vectors[A](one: JsonFormat[A]): JsonFormat[Vector[A]] = {
    implicit val each: JsonFormat[A] = one
    implicitly[JsonFormat[Vector[A]]]
  }
  def lists[A](one: JsonFormat[A]): JsonFormat[List[A]] = {
    implicit val each: JsonFormat[A] = one
    implicitly[JsonFormat[List[A]]]
  }

  final case class Person(name: String, age: Int, nick: Option[String])

  /** By hand, as Contraband generates them. */
  implicit val personFormat: JsonFormat[Person] = new JsonFormat[Person] {
    def write[J](x: Person, builder: Builder[J]): Unit = {
      builder.beginObject()
      builder.addField("name", x.name)
      builder.addField("age", x.age)
      builder.addField("nick", x.nick)
      builder.endObject()
    }
    def read[J](jsOpt: Option[J], unbuilder: Unbuilder[J]): Person = jsOpt match {
      case Some(js) =>
        unbuilder.beginObject(js)
        val name = unbuilder.readField[String]("name")
        val age = unbuilder.readField[Int]("age")
        val nick = unbuilder.readField[Option[String]]("nick")
        unbuilder.endObject()
        Person(name, age, nick)
      case None => deserializationError("Expected JsObject but found None")
    }
  }

  sealed trait Shape
  final case class Circle(radius: Double) extends Shape
  final case class Square(side: Double, names: Vector[String]) extends Shape

  implicit val circleFormat: JsonFormat[Circle] =
    caseClass(Circle(_: Double), (x: Circle) => Option(x.radius))("radius")
  implicit val squareFormat: JsonFormat[Square] =
    caseClass(Square(_: Double, _: Vector[String]), (x: Square) => Option((x.side, x.names)))("side", "names")

  /** `{"type":"Circle","radius":1.0}` */
  @nowarn("msg=Manifest") // which sjson-new 0.10 asks for
  val flat: JsonFormat[Shape] = flatUnionFormat2[Shape, Circle, Square]

  /** `{"value":{"radius":1.0},"type":"Circle"}`: the type stands behind the value. */
  @nowarn("msg=Manifest")
  val nested: JsonFormat[Shape] = unionFormat2[Shape, Circle, Square]

  final case class Peep(name: String, age: Int)

  implicit val peepIso: IsoLList.Aux[Peep, String :*: Int :*: LNil] = LList.iso(
    (p: Peep) => ("name", p.name) :*: ("age", p.age) :*: LNil,
    (l: String :*: Int :*: LNil) => Peep(l.head, l.tail.head)
  )

  final case class House(owner: Peep, others: List[Peep])

  implicit val houseIso: IsoLList.Aux[House, Peep :*: List[Peep] :*: LNil] = LList.iso(
    (h: House) => ("owner", h.owner) :*: ("others", h.others) :*: LNil,
    (l: Peep :*: List[Peep] :*: LNil) => House(l.head, l.tail.head)
  )

  val forms: List[Form] =
    List(Json, Json.writing("pretty"), MessagePack, Cbor, Cbor.writing("streaming"), Tagged).flatMap(form =>
      List(form, form.gzip, form.zstd, form.lz4)
    )
}
