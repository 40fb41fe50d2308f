package kumihimo.codec

import kumihimo.Limits
import kumihimo.codec.Forms._

sealed trait Late
object Late {
  final case class Node(n: List[Late], pad: Option[String]) extends Late
  final case class Leaf(x: Int) extends Late
  implicit val codec: Codec[Late] = Codec.derived[Late]
}

@discriminator("kind") sealed trait Other
object Other {
  final case class Holder(late: Beside) extends Other
  implicit val codec: Codec[Other] = Codec.derived[Other]
}
@adjacent("tag", "content") sealed trait Beside
object Beside {
  final case class Of(other: Option[Other], x: Int) extends Beside
  implicit val codec: Codec[Beside] = Codec.derived[Beside]
}

/** Types that stand behind the fields of their values, in each other. */
class LateTypeSuite extends munit.FunSuite {
  private val forms = List(Json, MessagePack, Cbor, Tagged)
  private val type_ : Value = Value.Text("type")

  private def late(value: Late): Value = value match {
    case Late.Node(n, pad) =>
      val pads = pad.map(p => (Value.Text("pad"): Value, Value.Text(p): Value)).toVector
      Value.Fields((pads :+ ((Value.Text("n"), Value.Items(n.map(late).toVector)))) :+ ((type_, Value.Text("Node"))))
    case Late.Leaf(x) => Value.Fields(Vector(Value.Text("x") -> Value.Integer(x.toLong), type_ -> Value.Text("Leaf")))
  }

  private def nested(depth: Int) =
    (1 to depth).foldLeft(Late.Leaf(0): Late)((inner, i) =>
      Late.Node(List(Late.Leaf(i), inner, Late.Leaf(-i)), Some("p"))
    )

  test("they are found wherever they stand") {
    for (form <- forms; depth <- List(0, 1, 2, 3, 10, 100)) {
      val value = nested(depth)
      assertEquals(form.decode[Late](form.encode(late(value))), value, s"$form $depth")
      val many = List(value, Late.Leaf(1), value)
      val document = form.encode(Value.Items(many.map(late).toVector): Value)
      assertEquals(form.decode[List[Late]](document), many)
      assertEquals(form.cursor(document).as[List[Late]], many)
      assertEquals(form.cursor(document)(0).as[Late], value)
      assertEquals(form.partial("$[0]").decode(document)(_[Late](0)), value)
    }
    // Of the inner ones some stand in front.
    val mixed =
      """{"n":[{"type":"Node","n":[{"n":[{"x":1,"type":"Leaf"}],"type":"Node"},{"type":"Leaf","x":2}]}],""" +
        """"type":"Node"}"""
    val node = (inner: List[Late]) => Late.Node(inner, None): Late
    assertEquals(Json.parse[Late](mixed), node(List(node(List(node(List(Late.Leaf(1))), Late.Leaf(2))))))
    val styles =
      """{"late":{"content":{"x":1,"other":{"late":{"content":{"x":2},"tag":"Of"},"kind":"Holder"}},"tag":"Of"},""" +
        """"kind":"Holder"}"""
    val inner = Other.Holder(Beside.Of(None, 2))
    for (form <- forms) {
      val document = form.encode(Json.parse[Value](styles))
      val read = Other.Holder(Beside.Of(Some(inner), 1)): Other
      assertEquals(form.decode[Other](document), read)
      assertEquals(form.cursor(document).as[Other], read)
    }
  }

  test("what is wrong inside is found, and where") {
    assertEquals(
      refused[Late]("""{"n":[{"n":[{"x":1}],"type":"Node"}],"type":"Node"}"""),
      "type 12 $.n[0].n[0]: the field \"type\" is missing"
    )
    assertEquals(
      refused[Late]("""{"n":[{"x":1,"type":"No"}],"type":"Node"}"""),
      "type 20 $.n[0].type: \"No\" is none of Node, Leaf"
    )
    assert(refused[Late]("""{"n":[{"x":1,"type":[]}],"type":"Node"}""").startsWith("type 20 $.n[0].type: "))
    assertEquals(Json.parse[Late]("""{"x":1,"type":"Leaf"}"""), Late.Leaf(1): Late)
  }

  test("the bytes that are passed grow as the document does, and not by its depth") {
    for (form <- forms) {
      def passed(depth: Int): (Long, Int) = {
        val bytes = form.encode(late(nested(depth)))
        val in = new CountingReader(form.format.reader(form.readDialect, Limits.DEFAULT))
        in.reset(bytes, 0, bytes.length)
        assertEquals(Codec[Late].read(in), nested(depth))
        (in.passed, bytes.length)
      }
      val (bytes, size) = passed(400)
      assert(bytes < size * 4L, s"$form: $bytes of $size")
    }
  }
}
