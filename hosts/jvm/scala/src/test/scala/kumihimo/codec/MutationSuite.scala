package kumihimo.codec

import java.io.ByteArrayInputStream
import java.nio.file.Path
import java.time.{Instant, LocalDate}
import java.util.{Random, UUID}

import kumihimo.{Code, Format, Mutations}
import kumihimo.path.{Level, Projection}

import scala.concurrent.duration.DurationInt

/** Mutated documents through codecs of all sorts. */
class MutationSuite extends munit.FunSuite {
  // On a machine that does much else they take a minute.
  override val munitTimeout = 10.minutes

  test("documents that were mutated are read, or refused with a place") {
    assert(MutationRunner.mutations(1).count(3000, MutationRunner.tried(_, _, _)))
  }
}

/** The same for so many seconds, with another seed: `scala/Test/runMain kumihimo.codec.MutationRunner SECONDS SEED`. */
object MutationRunner {
  sealed trait Part
  final case class Wheel(size: Double, spokes: Int) extends Part
  final case class Bell(tone: String) extends Part
  case object Saddle extends Part
  object Part { implicit val codec: Codec[Part] = Codec.derived[Part] }

  final case class Thing(
      @alias("number") id: Int,
      name: Option[String],
      parts: List[Part],
      sizes: Map[String, BigDecimal],
      @elideEmpty days: Set[LocalDate],
      pair: (Long, Either[String, Boolean]),
      data: Array[Byte],
      counts: Vector[Float] = Vector(1f),
      key: Option[UUID] = None,
      at: Option[Instant] = None,
      inner: Option[Thing] = None,
      @rest more: Value.Fields = Value.Fields.empty
  )
  object Thing { implicit val codec: Codec[Thing] = Codec.derived[Thing] }

  private val thing = Thing(
    7,
    Some("é"),
    List(Wheel(1.5, 3), Bell("x"), Saddle),
    Map("a" -> BigDecimal("1.25")),
    Set(LocalDate.of(2020, 2, 29)),
    (1L, Right(true)),
    Array[Byte](0, 1, 2),
    key = Some(new UUID(1, 2)),
    at = Some(Instant.EPOCH)
  )

  private val codecs: Vector[Codec[_]] = Vector(
    Codec[Value],
    Codec[Thing],
    Codec[List[Thing]],
    Codec[Part],
    Codec[Map[String, Int]],
    Codec[Map[Int, Double]],
    Codec[Map[BigDecimal, String]],
    Codec[Set[String]],
    Codec[Set[BigInt]],
    Codec[List[BigDecimal]],
    Codec[Array[Long]],
    Codec[Either[Int, List[String]]],
    Codec[(String, Option[Float])],
    Codec[Instant],
    Codec[LocalDate],
    Codec[UUID],
    Codec[BigInt],
    Codec[Double]
  )

  private val paths = Projection.of("id", "parts[*].size", "sizes.a", "inner.parts", "[0]", "[*].x", "a.b")

  private val forms = List(Json, MessagePack, Cbor, Tagged)

  def mutations(seed: Long): Mutations = {
    val vectors = new Mutations(Path.of(sys.props("kumihimo.vectors")), seed)
    forms.foldLeft(vectors) { (all, form) =>
      all.`with`(
        form.format.name,
        form.encode(thing.copy(inner = Some(thing)))
      ).`with`(form.format.name, form.encode(List(thing)))
    }
  }

  def tried(format: Format, document: Array[Byte], pick: Random): Unit = {
    val dialects = format.readDialects
    val form = Form.of(format).reading(dialects.get(pick.nextInt(dialects.size)))
    val codec = codecs(pick.nextInt(codecs.size))
    decoded(form, document, codec)
    decoded(form, document, Codec[Value])
    decoded(form, document, Codec[Thing])
    refused(document, form.each(new ByteArrayInputStream(document))((_: Value) => ()))
    refused(document, form.convert(document, forms(pick.nextInt(forms.size))))
    val found = form.partial(paths, Level.values()(pick.nextInt(Level.values.length)))
    refused(
      document,
      found.decode(document) { values =>
        (
          values[Option[Int]](0),
          values.all[Option[Double]](1),
          values[Option[BigDecimal]](2),
          values[Option[List[Part]]](3)
        )
      }
    )
  }

  /** Read as a whole, and off a tape: both take it, or refuse it alike; and what is taken can be written. */
  private def decoded[A](form: Form, document: Array[Byte], codec: Codec[A]): Unit = {
    val whole = refused(document, form.decode(document)(codec))
    val lazily = refused(document, form.cursor(document).as(codec))
    if (whole.isRight != lazily.isRight) throw new AssertionError(s"decode: $whole, cursor: $lazily")
    whole.foreach(value => forms.foreach(to => refused(null, to.encode(value)(codec))))
  }

  private def refused[A](document: Array[Byte], call: => A): Either[String, A] =
    try Right(call)
    catch {
      case e: DataException =>
        val outside = (document ne null) && e.offset > document.length
        if (outside || e.code == Code.MISUSE || e.code == Code.HOST) throw new AssertionError(e.getMessage, e)
        Left(e.getMessage)
    }

  def main(arguments: Array[String]): Unit =
    if (!mutations(arguments(1).toLong).seconds("jvm_scala", arguments(0).toInt, tried(_, _, _))) sys.exit(1)
}
