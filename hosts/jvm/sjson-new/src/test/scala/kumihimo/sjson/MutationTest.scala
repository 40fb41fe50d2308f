package kumihimo.sjson

import java.nio.file.Path
import java.util.Random

import _root_.kumihimo.{Code, DataException, Format, Mutations}
import _root_.sjsonnew.{DeserializationException, JsonFormat}
import _root_.sjsonnew.BasicJsonProtocol._

import scala.concurrent.duration.DurationInt

/** Mutated documents through sjson-new's codecs. */
class MutationTest extends munit.FunSuite {
  // On a machine that does much else they take a minute.
  override val munitTimeout = 10.minutes

  test("documents that were mutated are read, or refused with a place") {
    assert(MutationRunner.mutations(1).count(3000, MutationRunner.tried(_, _, _)))
  }
}

/** The same for so many seconds, with another seed:
  * `sjson-new/Test/runMain kumihimo.sjson.MutationRunner SECONDS SEED`.
  */
object MutationRunner {
  import Samples._

  private val formats: Vector[JsonFormat[_]] = Vector(
    implicitly[JsonFormat[List[Person]]],
    implicitly[JsonFormat[Person]],
    implicitly[JsonFormat[House]],
    flat,
    nested,
    implicitly[JsonFormat[Map[String, Int]]],
    implicitly[JsonFormat[List[BigDecimal]]],
    implicitly[JsonFormat[Option[Vector[Double]]]],
    implicitly[JsonFormat[Set[String]]],
    implicitly[JsonFormat[(String, BigInt)]],
    implicitly[JsonFormat[Either[Int, Boolean]]]
  )

  private val forms = List(Json, MessagePack, Cbor, Tagged)

  def mutations(seed: Long): Mutations = {
    val vectors = new Mutations(Path.of(sys.props("kumihimo.vectors")), seed)
    forms.foldLeft(vectors) { (all, form) =>
      val name = form.format.name
      all
        .`with`(name, form.encode(List(Person("a", 1, Some("b")), Person("é", 2, None))))
        .`with`(name, form.encode(House(Peep("a", 1), List(Peep("b", 2)))))
        .`with`(name, form.encode[Shape](Square(1.5, Vector("x", "y")))(flat))
        .`with`(name, form.encode[Shape](Circle(2))(nested))
    }
  }

  def tried(format: Format, document: Array[Byte], pick: Random): Unit = {
    val dialects = format.readDialects
    val form =
      forms.find(_.format.name == format.name).get.reading(dialects.get(pick.nextInt(dialects.size)))
    formats.foreach(read(form, document, _))
    form.tryValue(document).failed.foreach(known(_, document))
  }

  private def read[A](form: Form, document: Array[Byte], codec: JsonFormat[A]): Unit =
    form.tryDecode[A](document)(codec).failed.foreach(known(_, document))

  /** sjson-new's own exceptions have ours as their cause; what its codecs raise besides has ours suppressed. */
  private def known(failure: Throwable, document: Array[Byte]): Unit = {
    val ours = (failure +: failure.getSuppressed.toList).collectFirst {
      case e: DeserializationException if e.cause.isInstanceOf[DataException] => e.cause.asInstanceOf[DataException]
    }
    ours match {
      case Some(e) if e.offset <= document.length && e.code != Code.MISUSE =>
      case _ => throw new AssertionError(failure.toString, failure)
    }
  }

  def main(arguments: Array[String]): Unit =
    if (!mutations(arguments(1).toLong).seconds("jvm_sjson", arguments(0).toInt, tried(_, _, _))) sys.exit(1)
}
