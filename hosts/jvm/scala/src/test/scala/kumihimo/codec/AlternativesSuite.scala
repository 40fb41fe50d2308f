package kumihimo.codec

import kumihimo.{Kind, Reader}

import scala.concurrent.duration.DurationInt
import scala.util.Random

/** Codecs that read a value twice: a reader comes back to its mark from wherever another codec has failed. */
class AlternativesSuite extends munit.FunSuite {
  import AlternativesSuite._

  // On a machine that does much else it takes a minute.
  override val munitTimeout = 10.minutes

  private val forms = Forms.all

  private def value(random: Random, depth: Int): Value = random.nextInt(if (depth == 0) 6 else 9) match {
    case 0 => Value.Null
    case 1 => Value.Bool(random.nextBoolean())
    case 2 => Value.Integer(random.nextLong() >> random.nextInt(64))
    case 3 => Value.Number(random.nextInt(1000) / 8.0)
    case 4 => Value.Text("é\n\"" * random.nextInt(3))
    case 5 => Value.Text("a" * random.nextInt(40))
    case 6 => Value.Items(Vector.fill(random.nextInt(4))(value(random, depth - 1)))
    case _ =>
      Value.Fields(Vector.tabulate(random.nextInt(4))(i => Value.Text(s"k$i") -> value(random, depth - 1)))
  }

  test("a value of any shape, behind codecs that refuse it in its midst") {
    val random = new Random(14)
    val tried: List[Codec[_]] = List(
      Codec[List[Map[String, Int]]],
      Codec[Map[String, Map[String, List[Boolean]]]],
      Codec[Map[String, List[Long]]],
      Codec[List[List[String]]],
      Codec[Linked],
      Codec[Expr],
      Codec[(Int, List[Int], Map[String, Option[String]])],
      Codec[List[Tree]]
    )
    for (_ <- 1 to 400) {
      val one = value(random, 5)
      implicit val patient: Codec[Value] = new Patient(tried)
      forms.foreach { form =>
        val bytes = form.encode(Vector(one, one))(Codec.vector(Value.codec))
        assertEquals(form.decode[Vector[Value]](bytes), Vector(one, one), form.toString)
        assertEquals(form.cursor(bytes).as[Vector[Value]], Vector(one, one), form.toString)
        assertEquals(form.partial("[*]").decode(bytes)(_.all[Value](0)), Vector(one, one), form.toString)
      }
    }
  }

  test("one of two types, whichever fits") {
    implicit val either: Codec[Either[List[Int], Map[String, List[Int]]]] = firstOf(Codec.list[Int], Codec.map)
    val mixed = Vector(Left(List(1, 2)), Right(Map("a" -> List(1))), Left(Nil))
    forms.foreach { form =>
      val bytes = form.encode(mixed)
      assertEquals(form.decode[Vector[Either[List[Int], Map[String, List[Int]]]]](bytes), mixed, form.toString)
    }
    val e =
      intercept[DataException](Json.parse[List[Either[List[Int], Map[String, List[Int]]]]]("""[[1],{"a":[1,"x"]}]"""))
    assertEquals((e.offset, e.path), (13L, "$[1].a[1]"))
  }
}

object AlternativesSuite {

  /** Reads a value by each of some codecs, and then as it is, going back each time. */
  final class Patient(tried: List[Codec[_]]) extends Codec[Value] {
    def write(value: Value, out: kumihimo.Writer): Unit = Value.codec.write(value, out)
    def read(in: Reader): Value = {
      tried.foreach { codec =>
        val mark = in.mark()
        try codec.read(in)
        catch { case _: DataException => () }
        in.rewind(mark)
      }
      in.kind() match {
        case Kind.ARRAY =>
          val items = Vector.newBuilder[Value]
          in.array()
          while (in.hasNext()) items += read(in)
          Value.Items(items.result())
        case Kind.MAP =>
          val pairs = Vector.newBuilder[(Value, Value)]
          in.map()
          while (in.hasNext()) {
            val key = Value.Text(in.key())
            pairs += key -> read(in)
          }
          Value.Fields(pairs.result())
        case _ => Value.codec.read(in)
      }
    }
  }

  def firstOf[A, B](one: Codec[A], other: Codec[B]): Codec[Either[A, B]] =
    Codec.of[Either[A, B]]((value, out) => value.fold(one.write(_, out), other.write(_, out))) { in =>
      val mark = in.mark()
      try Left(one.read(in))
      catch {
        case _: DataException =>
          in.rewind(mark)
          Right(other.read(in))
      }
    }
}
