package kumihimo.codec

import kumihimo.codec.Forms._

final case class Person(name: String, age: Option[Int])
object Person { implicit val codec: Codec[Person] = Codec.derived[Person] }

final case class Everything(
    boolean: Boolean,
    byte: Byte,
    short: Short,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    char: Char,
    string: String,
    option: Option[Long],
    list: List[Person],
    map: Map[String, Int],
    person: Person
)
object Everything { implicit val codec: Codec[Everything] = Codec.derived[Everything] }

final case class Defaults(a: Int = 1, b: String = "b", c: List[Int] = List(1), d: Option[Int] = Some(1), e: Int)
object Defaults { implicit val codec: Codec[Defaults] = Codec.derived[Defaults] }

final case class Tree(value: Int, children: List[Tree])
object Tree { implicit val codec: Codec[Tree] = Codec.derived[Tree] }

final case class Sequences(vector: Vector[Int], seq: Seq[Int], indexed: IndexedSeq[String])
object Sequences { implicit val codec: Codec[Sequences] = Codec.derived[Sequences] }

final case class Linked(value: Int, next: Option[Linked])
object Linked { implicit val codec: Codec[Linked] = Codec.derived[Linked] }

final case class Pair[A, B](first: A, second: B)
object Pair { implicit def codec[A: Codec, B: Codec]: Codec[Pair[A, B]] = Codec.derived[Pair[A, B]] }

final case class UserId(value: Long) extends AnyVal
object UserId { implicit val codec: Codec[UserId] = Codec.derived[UserId] }
final case class User(id: UserId, @name("e-mail") @alias("mail", "email") address: String)
object User { implicit val codec: Codec[User] = Codec.derived[User] }

@snakeCase final case class Cased(firstName: String, parseHTTPReply: Int, @name("Other") otherName: Int)
object Cased { implicit val codec: Codec[Cased] = Codec.derived[Cased] }

@strict final case class Strict(a: Int)
object Strict { implicit val codec: Codec[Strict] = Codec.derived[Strict] }

final case class Keeping(a: Int, @rest more: Value.Fields)
object Keeping { implicit val codec: Codec[Keeping] = Codec.derived[Keeping] }

@elideEmpty final case class Elided(a: List[Int], b: String, c: Map[String, Int], d: Option[Int])
object Elided { implicit val codec: Codec[Elided] = Codec.derived[Elided] }

@elideDefaults final case class ElidedDefaults(a: Int = 1, b: List[Int] = Nil, c: String)
object ElidedDefaults { implicit val codec: Codec[ElidedDefaults] = Codec.derived[ElidedDefaults] }

final case class Defaulted(age: Option[Int] = Some(5), @elideEmpty tags: List[String] = List("a"))
object Defaulted { implicit val codec: Codec[Defaulted] = Codec.derived[Defaulted] }

@writeNone final case class Nulls(a: Option[Int])
object Nulls { implicit val codec: Codec[Nulls] = Codec.derived[Nulls] }

final case class Omitting(a: Int, @omit cache: List[Int] = List(7))
object Omitting { implicit val codec: Codec[Omitting] = Codec.derived[Omitting] }

final case class Empty()
object Empty { implicit val codec: Codec[Empty] = Codec.derived[Empty] }

case object Single { implicit val codec: Codec[Single.type] = Codec.derived[Single.type] }

final case class Wide(
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
    f35: Int
)
object Wide { implicit val codec: Codec[Wide] = Codec.derived[Wide] }

/** What is derived for case classes. */
class DerivationSuite extends munit.FunSuite {
  test("sequences of every size and class") {
    for (size <- List(0, 1, 2, 31, 32, 33, 100, 2000)) {
      val numbers = Vector.range(0, size)
      val texts = numbers.map(_.toString)
      val classes =
        List[Seq[Int]](numbers, numbers.toList, 0 until size, scala.collection.immutable.Queue(numbers: _*))
      for (form <- Forms.all; seq <- classes) {
        val value = Sequences(numbers, seq, texts)
        assertEquals(form.decode[Sequences](form.encode(value)), value)
      }
    }
  }

  test("a field that is None is left out, and may be missing") {
    json(Person("Bob", None), """{"name":"Bob"}""")
    json(Person("Ann", Some(7)), """{"name":"Ann","age":7}""")
    assertEquals(Json.parse[Person]("""{"age":null,"name":"Bob"}"""), Person("Bob", None))
  }

  test("fields of every kind, in any order") {
    val value = Everything(
      true,
      1,
      2,
      3,
      4L,
      0.5f,
      0.25,
      'c',
      "s",
      Some(5L),
      List(Person("a", None)),
      Map("k" -> 1),
      Person("b", Some(1))
    )
    json(
      value,
      """{"boolean":true,"byte":1,"short":2,"int":3,"long":4,"float":0.5,"double":0.25,"char":"c","string":"s",""" +
        """"option":5,"list":[{"name":"a"}],"map":{"k":1},"person":{"name":"b","age":1}}"""
    )
    val turned =
      """{"person":{"age":1,"name":"b"},"map":{"k":1},"list":[{"name":"a"}],"option":5,"string":"s","char":"c",""" +
        """"double":0.25,"float":0.5,"long":4,"int":3,"unknown":[{"x":[]}],"short":2,"byte":1,"boolean":true}"""
    assertEquals(Json.parse[Everything](turned), value)
  }

  test("fixed bytes in every format") {
    val bob = Person("Bob", Some(7))
    assertEquals(hex(bob.in(MessagePack)), "82a46e616d65a3426f62a361676507")
    assertEquals(hex(bob.in(Cbor)), "a2646e616d6563426f626361676507")
    assertEquals(Json.text(bob), """{"name":"Bob","age":7}""")
    assertEquals(MessagePack.decode[Person](bytes("82a46e616d65a3426f62a361676507")), bob)
    assertEquals(Cbor.decode[Person](bytes("bf646e616d6563426f626361676507ff")), bob)
  }

  test("defaults") {
    assertEquals(Json.parse[Defaults]("""{"e":5}"""), Defaults(e = 5))
    assertEquals(Json.parse[Defaults]("""{"e":5,"d":null,"c":[]}"""), Defaults(c = Nil, d = None, e = 5))
    json(Defaults(2, "c", Nil, Some(3), 4), """{"a":2,"b":"c","c":[],"d":3,"e":4}""")
  }

  test("what a default would replace is written") {
    assertEquals(Json.text(Defaulted(None, Nil)), """{"age":null,"tags":[]}""")
    for (value <- List(Defaulted(), Defaulted(None, Nil), Defaulted(Some(1), List("b")), Defaulted(tags = Nil)))
      assertEquals(Json.parse[Defaulted](Json.text(value)), value)
  }

  test("recursive types") {
    json(Tree(1, List(Tree(2, Nil))), """{"value":1,"children":[{"value":2,"children":[]}]}""")
    json(Linked(1, Some(Linked(2, None))), """{"value":1,"next":{"value":2}}""")
  }

  test("type parameters") {
    json(Pair(1, List("a")), """{"first":1,"second":["a"]}""")
    json(Pair(Pair(1, 2), Option("x")), """{"first":{"first":1,"second":2},"second":"x"}""")
    assertEquals(Json.parse[Pair[Int, Option[Int]]]("""{"first":1}"""), Pair(1, Option.empty[Int]))
  }

  test("value classes, names and aliases") {
    json(User(UserId(7), "a@b"), """{"id":7,"e-mail":"a@b"}""")
    assertEquals(Json.parse[User]("""{"id":7,"mail":"a@b"}"""), User(UserId(7), "a@b"))
    assertEquals(Json.parse[User]("""{"email":"a@b","id":7}"""), User(UserId(7), "a@b"))
    json(Cased("a", 1, 2), """{"first_name":"a","parse_http_reply":1,"Other":2}""")
  }

  test("unknown fields: passed over, refused, kept") {
    assertEquals(Json.parse[Person]("""{"x":{"y":[1]},"name":"a"}"""), Person("a", None))
    assertEquals(refused[Strict]("""{"a":1,"b":[]}"""), "type 11 $.b: the field \"b\" is not known")
    val kept = Keeping(1, Value.Fields(Vector(Value.Text("b") -> Value.Items(Vector(Value.Null, Value.Integer(2))))))
    json(kept, """{"a":1,"b":[null,2]}""")
    json(Keeping(1, Value.Fields.empty), """{"a":1}""")
  }

  test("what is left out on request") {
    json(Elided(Nil, "", Map.empty, None), "{}")
    json(Elided(List(1), "b", Map("x" -> 1), Some(2)), """{"a":[1],"b":"b","c":{"x":1},"d":2}""")
    json(ElidedDefaults(1, Nil, "c"), """{"c":"c"}""")
    json(ElidedDefaults(2, List(1), "c"), """{"a":2,"b":[1],"c":"c"}""")
    assertEquals(Json.text(Nulls(None)), """{"a":null}""")
    json(Omitting(1), """{"a":1}""")
    assertEquals(Json.parse[Omitting]("""{"a":1,"cache":[1]}"""), Omitting(1))
  }

  test("no fields, and more than 32") {
    json(Empty(), "{}")
    json(Single, "{}")
    val wide = Wide(
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
      31, 32, 33, 34, 35
    )
    sameInAll(wide)
    val text = Json.text(wide)
    assertEquals(refused[Wide](text.replace(",\"f34\":34", "")), "type 0 $: the field \"f34\" is missing")
  }

  test("errors say where") {
    assertEquals(refused[Person]("{}"), "type 0 $: the field \"name\" is missing")
    assertEquals(refused[List[Person]]("""[{"name":"a"},{"age":1}]"""), "type 14 $[1]: the field \"name\" is missing")
    assert(refused[Everything]("""{"list":[{"name":1}]}""").startsWith("type 17 $.list[0].name: "))
    assert(refused[Person]("""{"name":"a"}x""").startsWith("trailing 12 $: "))
    assert(refused[Person]("""{"name":"a""").startsWith("truncated 8 $.name: "), refused[Person]("""{"name":"a"""))
  }

  test("a value in a message is cut") {
    val secret = "s" * 100
    val e = intercept[kumihimo.DataException](Json.parse[java.util.UUID]("\"" + secret + "\""))
    assert(!e.getMessage.contains("s" * 41), e.getMessage)
  }

  test("deep types meet the limit, never the stack's end") {
    val deep = 100000
    val list = (1 to deep).foldLeft(Linked(0, None))((l, i) => Linked(i, Some(l)))
    all.foreach { form =>
      val e = intercept[kumihimo.DataException](form.encode(list))
      assertEquals(e.code, kumihimo.Code.DEPTH, form.toString)
      // With such a limit the stack decides. Indentation of this depth would take more memory than there is.
      if (form.writeDialect != "pretty") {
        val wide = form.limited(kumihimo.Limits.DEFAULT.withDepth(10000000))
        intercept[kumihimo.DataException] {
          wide.decode[Linked](wide.encode((1 to 1000000).foldLeft(Linked(0, None))((l, i) => Linked(i, Some(l)))))
        }
      }
    }
    val e = intercept[kumihimo.DataException](Json.parse[Linked]("{\"next\":" * deep))
    assertEquals(e.code, kumihimo.Code.DEPTH)
    val raised = Json.limited(kumihimo.Limits.DEFAULT.withDepth(10000000))
    val f = intercept[kumihimo.DataException](raised.parse[Linked]("{\"next\":" * 1000000))
    assert(f.code == kumihimo.Code.DEPTH || f.code == kumihimo.Code.TRUNCATED)
  }
}
