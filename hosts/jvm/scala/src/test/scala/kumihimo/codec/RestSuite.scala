package kumihimo.codec

sealed trait Event
final case class Noted(@rest more: Value.Fields, x: Int = 1, y: Option[Int] = None) extends Event
object Noted { implicit val codec: Codec[Noted] = Codec.derived[Noted] }
object Event { implicit val codec: Codec[Event] = Codec.derived[Event] }

final case class Typed(`type`: Int, x: Int) extends Clash
object Typed { implicit val codec: Codec[Typed] = Codec.derived[Typed] }
sealed trait Clash
object Clash { implicit val codec: Codec[Clash] = Codec.derived[Clash] }

final case class ByHand(`type`: String) extends HandClash
object ByHand { implicit val codec: Codec[ByHand] = Codec.record("type")(ByHand(_))(_.`type`) }
sealed trait HandClash
object HandClash { implicit val codec: Codec[HandClash] = Codec.derived[HandClash] }

/** Fields that a record keeps without knowing them, and fields of one name. */
class RestSuite extends munit.FunSuite {
  private def fields(pairs: (Value, Value)*) = Value.Fields(pairs.toVector)
  private val one = Value.Integer(1)

  test("keys of any kind are kept as they were, in their order") {
    val keys = List[Value](
      Value.Integer(7),
      Value.Text("a"),
      Value.Bool(true),
      Value.Null,
      Value.Number(0.5),
      Value.Items(Vector(one, Value.Text("x"))),
      Value.Text("b"),
      new Value.Bytes(Array[Byte](1, 2)),
      Value.Extension(5, new Value.Bytes(Array[Byte](3))),
      Value.Fields(Vector(Value.Text("k") -> one))
    )
    for (form <- List(MessagePack, Cbor, Tagged)) {
      val usable = keys.filter(key => scala.util.Try(form.encode(fields(key -> one): Value)).isSuccess)
      assert(usable.length >= 8, s"$form $usable")
      for (at <- 0 to usable.length) {
        val known = Vector[(Value, Value)](Value.Text("x") -> Value.Integer(5))
        val pairs = usable.zipWithIndex.map { case (k, i) =>
          (k, Value.Items(Vector(Value.Integer(i.toLong))))
        }.toVector
        val document = form.encode(Value.Fields(pairs.take(at) ++ known ++ pairs.drop(at)): Value)
        val read = form.decode[Noted](document)
        assertEquals(read, Noted(Value.Fields(pairs), 5), s"$form $at")
        assertEquals(form.decode[Noted](form.encode(read)), read)
        val tagged = Value.Text("type") -> Value.Text("Noted")
        val event = form.encode(Value.Fields((pairs.take(at) :+ tagged) ++ known ++ pairs.drop(at)): Value)
        assertEquals(form.decode[Event](event), read: Event, s"$form $at")
      }
    }
  }

  test("no key stands twice") {
    val text = (key: String) => Value.Text(key): Value
    assertEquals(Json.text(Noted(fields(text("x") -> Value.Integer(9), text("z") -> one), 2)), """{"x":2,"z":1}""")
    assertEquals(Json.text(Noted(fields(text("y") -> one), 2)), """{"x":2}""")
    val event: Event = Noted(fields(text("type") -> text("Other"), text("x") -> one), 2)
    assertEquals(Json.text(event), """{"type":"Noted","x":2}""")
    assertEquals(Json.text(Noted(fields(text("type") -> text("Other")))), """{"x":1,"type":"Other"}""")
    // Their counts are announced.
    List(MessagePack, Cbor, Tagged).foreach(form =>
      assertEquals(form.decode[Event](form.encode(event)), Noted(Value.Fields.empty, 2): Event)
    )
  }

  test("values of any depth are compared, hashed and shown") {
    def deep(leaf: Value) = (1 to 100000).foldLeft(leaf) { (inner, i) =>
      if (i % 2 == 0) Value.Items(Vector(one, inner)) else Value.Fields(Vector(Value.Text("k") -> inner))
    }
    assertEquals(deep(one) == deep(one), true)
    assertEquals(deep(one) == deep(Value.Integer(2)), false)
    assertEquals(deep(one).hashCode, deep(one).hashCode)
    assert(deep(one).toString.startsWith("Items(Integer(1), Fields(Text(k) -> Items("))
    assertEquals(Value.Items(Vector(one)) == fields(one -> one), false)
    assertEquals(Value.Items(Vector(one)) == Value.Items(Vector(one, one)), false)
  }

  test("a field that is named as what tells the types") {
    List[() => Any](
      () => Json.text(Typed(1, 2): Clash),
      () => Json.parse[Clash]("""{"type":"Typed","x":2}"""),
      () => Json.text(ByHand("a"): HandClash)
    ).foreach { call =>
      val e = intercept[DataException](call())
      assert(e.reason.contains("has a field type of its own"), e.reason)
    }
    val twice = compileErrors(
      """{ @adjacent("x", "x") sealed trait T
           object T { case class A() extends T; val c: Codec[T] = Codec.derived[T] } }"""
    )
    assert(twice.contains("needs two names"), twice)
    val named = compileErrors(
      "{ sealed trait U; object U { case class A(`type`: Int) extends U; val c: Codec[U] = Codec.derived[U] } }"
    )
    assert(named.contains("has a field type"), named)
  }
}
