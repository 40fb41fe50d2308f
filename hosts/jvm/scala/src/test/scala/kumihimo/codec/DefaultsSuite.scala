package kumihimo.codec

import kumihimo.codec.Forms._

import org.scalacheck.{Arbitrary, Gen, Prop, Test}
import org.scalacheck.Prop.propBoolean

final case class Plainly(
    a: Int = 1,
    b: String = "b",
    c: List[Int] = List(1),
    d: Option[Int] = Some(1),
    e: Double = 0.0,
    f: Map[String, Int] = Map("k" -> 1),
    g: Option[Option[Int]] = Some(None),
    h: Option[String],
    i: List[Int],
    j: Float = Float.NaN
)
object Plainly { implicit val codec: Codec[Plainly] = Codec.derived[Plainly] }

@elideEmpty final case class WithoutEmpty(
    a: Int = 1,
    b: String = "b",
    c: List[Int] = List(1),
    d: Option[Int] = Some(1),
    e: Double = Double.NaN,
    f: Map[String, Int] = Map("k" -> 1),
    g: Option[Option[Int]] = None,
    h: Option[String],
    i: List[Int],
    j: Float = 0f
)
object WithoutEmpty { implicit val codec: Codec[WithoutEmpty] = Codec.derived[WithoutEmpty] }

@elideDefaults final case class WithoutDefaults(
    a: Int = 1,
    b: String = "",
    c: List[Int] = Nil,
    d: Option[Int] = Some(1),
    e: Double = 0.0,
    f: Map[String, Int] = Map.empty,
    g: Option[Option[Int]] = Some(Some(1)),
    h: Option[String],
    i: List[Int],
    j: Float = Float.NaN
)
object WithoutDefaults { implicit val codec: Codec[WithoutDefaults] = Codec.derived[WithoutDefaults] }

@writeNone @elideDefaults final case class WithNone(
    a: Int = 1,
    b: String = "b",
    c: List[Int] = List(1),
    d: Option[Int] = None,
    e: Double = -0.0,
    f: Map[String, Int] = Map("k" -> 1),
    @elideEmpty g: Option[Option[Int]] = Some(None),
    h: Option[String],
    i: List[Int],
    j: Float = 1f
)
object WithNone { implicit val codec: Codec[WithNone] = Codec.derived[WithNone] }

@elideEmpty @elideDefaults final case class WithoutBoth(
    a: Int = 1,
    b: String = "b",
    @writeNone c: List[Int] = List(1),
    @writeNone d: Option[Int] = Some(1),
    e: Double = 0.0,
    f: Map[String, Int] = Map("k" -> 1),
    g: Option[Option[Int]] = None,
    h: Option[String],
    i: List[Int],
    j: Float = -0f
)
object WithoutBoth { implicit val codec: Codec[WithoutBoth] = Codec.derived[WithoutBoth] }

@elideDefaults final case class Arrays(
    a: Array[Int] = Array(1),
    b: Array[Double] = Array(Double.NaN),
    c: Double = 0.0
)
object Arrays { implicit val codec: Codec[Arrays] = Codec.derived[Arrays] }

@elideDefaults final case class Counted(a: Int = Counted.next(), b: Option[Int] = Some(Counted.next()), c: Int = 0)
object Counted {
  var made = 0
  def next(): Int = { made += 1; made }
  implicit val codec: Codec[Counted] = Codec.derived[Counted]
}

/** What is left out of documents, by every annotation, comes back as it was. */
class DefaultsSuite extends munit.FunSuite {
  private val doubles = Gen.oneOf(0.0, -0.0, 1.5, Double.NaN)
  private val floats = Gen.oneOf(0f, -0f, 1f, Float.NaN)
  private val texts = Gen.oneOf("", "b", "c")
  private val numbers = Gen.oneOf(Nil, List(1), List(1, 2))
  private val options = Gen.oneOf(None, Some(1), Some(2))
  private val maps = Gen.oneOf(Map.empty[String, Int], Map("k" -> 1), Map("k" -> 2))
  // Some(None) is null, as None is.
  private val nested = Gen.oneOf(None, Some(Some(1)), Some(Some(2)))
  private type All =
    (
        (Int, String, List[Int], Option[Int], Double),
        (Map[String, Int], Option[Option[Int]], Option[String], List[Int], Float)
    )
  private implicit val values: Arbitrary[All] = Arbitrary(
    Gen.zip(
      Gen.zip(Gen.oneOf(0, 1, 2), texts, numbers, options, doubles),
      Gen.zip(maps, nested, Gen.option(texts), numbers, floats)
    )
  )

  private def all[A <: Product](name: String)(make: All => A)(implicit codec: Codec[A]): Unit = test(name) {
    // By their text -0.0 is not 0.0, and NaN is NaN; JSON has no NaN.
    val forms = Forms.all.filterNot(_.format.isText) ++ List(Json, Json.writing("pretty"))
    val property = Prop.forAll { (all: All) =>
      val value = make(all)
      val isNumber = !all._1._5.isNaN && !all._2._5.isNaN
      forms.filter(form => isNumber || !form.format.isText).foldLeft(Prop(true)) { (so, form) =>
        val bytes = form.encode(value)
        so && (form.decode[A](bytes).toString == value.toString) :| s"$form: ${hex(bytes)}" &&
        (hex(form.encode(form.decode[A](bytes))) == hex(bytes)) :| s"$form again"
      }
    }
    val result = Test.check(Test.Parameters.default.withInitialSeed(15L).withMinSuccessfulTests(500), property)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result, org.scalacheck.util.Pretty.Params(1)))
  }

  all("no annotation") { case ((a, b, c, d, e), (f, g, h, i, j)) => Plainly(a, b, c, d, e, f, g, h, i, j) }
  all("@elideEmpty") { case ((a, b, c, d, e), (f, g, h, i, j)) => WithoutEmpty(a, b, c, d, e, f, g, h, i, j) }
  all("@elideDefaults") { case ((a, b, c, d, e), (f, g, h, i, j)) => WithoutDefaults(a, b, c, d, e, f, g, h, i, j) }
  all("@writeNone @elideDefaults") { case ((a, b, c, d, e), (f, g, h, i, j)) =>
    WithNone(a, b, c, d, e, f, g, h, i, j)
  }
  all("@elideEmpty @elideDefaults") { case ((a, b, c, d, e), (f, g, h, i, j)) =>
    WithoutBoth(a, b, c, d, e, f, g, h, i, j)
  }

  test("arrays and NaN that are the default") {
    assertEquals(Json.text(Arrays()), "{}")
    assertEquals(
      Cbor.decode[Arrays](Cbor.encode(Arrays(Array(2), Array(-0.0), -0.0))).b.toList.map(_.toString),
      List("-0.0")
    )
    assertEquals(Json.text(Arrays(Array(1, 2), Array(0.5), -0.0)), """{"a":[1,2],"b":[0.5],"c":-0.0}""")
  }

  test("a default is evaluated once for all that is written") {
    for (form <- Forms.all; value <- List(Counted(-1, Some(-2), 3), Counted(-7, None, 0)))
      assertEquals(form.decode[Counted](form.encode(value)), value, form.toString)
    val made = Counted.made
    (1 to 100).foreach(_ => MessagePack.encode(Counted(-1, None, 1)))
    assertEquals(Counted.made, made)
  }
}
