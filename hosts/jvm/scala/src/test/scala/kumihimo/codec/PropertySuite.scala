package kumihimo.codec

import kumihimo.codec.Forms._

import org.scalacheck.{Arbitrary, Gen, Prop, Test}
import org.scalacheck.Prop.propBoolean

/** Values by chance, in every format and back. */
class PropertySuite extends munit.FunSuite {
  private def all[A: Arbitrary](name: String)(implicit codec: Codec[A]): Unit = test(name) {
    val property = Prop.forAll { (value: A) =>
      Forms.all.foldLeft(Prop(true)) { (so, form) =>
        so && (form.decode[A](form.encode(value)) == value) :| s"$form: ${hex(form.encode(value))}"
      }
    }
    // The same values every time.
    val result =
      Test.check(Test.Parameters.default.withInitialSeed(14L).withMinSuccessfulTests(100).withMaxSize(30), property)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result, org.scalacheck.util.Pretty.Params(1)))
  }

  // Half a surrogate pair is no text.
  private val text: Gen[String] = Gen.listOf(Gen.oneOf(Gen.choose(0, 0xd7ff), Gen.choose(0xe000, 0x10ffff))).map(
    points => new String(points.toArray, 0, points.length)
  )
  private implicit val texts: Arbitrary[String] = Arbitrary(text)
  private implicit val people: Arbitrary[Person] =
    Arbitrary(for (n <- text; a <- Arbitrary.arbitrary[Option[Int]]) yield Person(n, a))
  private implicit val pets: Arbitrary[Pet] = Arbitrary(
    Gen.oneOf(text.map(Dog(_, 3)), Arbitrary.arbitrary[Int].map(Cat(_)), Gen.const(Rock))
  )
  private def tree(depth: Int): Gen[Tree] = for {
    value <- Arbitrary.arbitrary[Int]
    children <- if (depth == 0) Gen.const(Nil) else Gen.resize(3, Gen.listOf(tree(depth - 1)))
  } yield Tree(value, children)
  private implicit val trees: Arbitrary[Tree] = Arbitrary(tree(4))

  all[Int]("int")
  all[Long]("long")
  all[Double]("double")
  all[Float]("float")
  all[String]("string")
  all[BigInt]("big integers")
  all[List[Option[Long]]]("lists of options")
  all[Map[String, Vector[Double]]]("maps")
  all[Map[Int, (Boolean, Byte, Short)]]("maps by numbers")
  all[Either[String, Set[Long]]]("either")
  all[Person]("records")
  all[List[Pet]]("sealed traits")
  all[Tree]("trees")
}
