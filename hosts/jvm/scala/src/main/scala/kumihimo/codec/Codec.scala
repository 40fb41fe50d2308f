package kumihimo.codec

import kumihimo.{Code, Reader, Writer}

import scala.annotation.implicitNotFound

/**
 * How values of one type become the verbs of a document, and are read back: written once, it runs on every format.
 *
 * A codec is found as an implicit value. There are those of the standard library (here), derived ones
 * (`Codec.derived`, in Scala 3 `derives Codec`), and those written by hand: over the fields of a record
 * (`Codec.record`, `LList`), by a change of type (`imap`, `emap`), or straight against the writer and the reader
 * (`Codec.of`).
 *
 * Codecs hold no state of a document and may be shared by threads.
 */
@implicitNotFound(
  "there is no Codec[${A}]: derive one with Codec.derived[${A}] (Scala 3: `derives Codec`), or write one with Codec.of"
)
abstract class Codec[A] { self =>

  /** Writes one value: a scalar, or a container with its end. */
  def write(value: A, out: Writer): Unit

  /** Reads one value.
   *
   * @throws kumihimo.DataException
   *   with the place of what is wrong
   */
  def read(in: Reader): A

  /** What a field of this type is where the document has none; without a value such a document is refused. */
  def absent: Option[A] = None

  /** Whether a field with this value is left out when a record is written; then `absent` has a value. */
  def isAbsent(value: A): Boolean = false

  /** The value that fields marked `@elideEmpty` are left out with, and have where the document has none. */
  def empty: Option[A] = absent

  /** Whether a field marked `@elideEmpty` is left out with this value. */
  def isEmpty(value: A): Boolean = isAbsent(value)

  /** A codec of a type that has as many values as this one. */
  final def imap[B](to: A => B)(from: B => A): Codec[B] = new Codec[B] {
    def write(value: B, out: Writer): Unit = self.write(from(value), out)
    def read(in: Reader): B = to(self.read(in))
    override def absent: Option[B] = self.absent.map(to)
    override def isAbsent(value: B): Boolean = self.isAbsent(from(value))
    override def empty: Option[B] = self.empty.map(to)
    override def isEmpty(value: B): Boolean = self.isEmpty(from(value))
  }

  /** A codec of a narrower type: `Left` says why a value is none of it, in words that errors have as they are. */
  final def emap[B](to: A => Either[String, B])(from: B => A): Codec[B] = new Codec[B] {
    def write(value: B, out: Writer): Unit = self.write(from(value), out)
    def read(in: Reader): B = {
      in.kind()
      val at = in.position()
      to(self.read(in)) match {
        case Right(value) => value
        case Left(reason) => throw new DataException(Code.RANGE, reason, at.toLong)
      }
    }
  }

  /** The same values, and this one for a field that the document does not have. It is written like any other. */
  final def orElse(missing: => A): Codec[A] = new Codec[A] {
    def write(value: A, out: Writer): Unit = self.write(value, out)
    def read(in: Reader): A = self.read(in)
    override def absent: Option[A] = Some(missing)
    override def isAbsent(value: A): Boolean = self.isAbsent(value)
    override def empty: Option[A] = self.empty
    override def isEmpty(value: A): Boolean = self.isEmpty(value)
  }

  /** The same values; a field is left out with an empty one, and has that where the document has none. */
  final def elidingEmpty: Codec[A] = new Codec[A] {
    def write(value: A, out: Writer): Unit = self.write(value, out)
    def read(in: Reader): A = self.read(in)
    override def absent: Option[A] = self.empty
    override def isAbsent(value: A): Boolean = self.isEmpty(value)
    override def empty: Option[A] = self.empty
    override def isEmpty(value: A): Boolean = self.isEmpty(value)
  }
}

/** The codecs of the standard library, and the ways to make others. */
object Codec
    extends DerivedCodecs
    with PrimitiveCodecs
    with JavaCodecs
    with TimeCodecs
    with OptionCodecs
    with CollectionCodecs
    with TupleCodecs
    with RecordCodecs {

  /** The codec of a type. */
  def apply[A](implicit codec: Codec[A]): Codec[A] = codec

  /** A codec written by hand. */
  def of[A](writes: (A, Writer) => Unit)(reads: Reader => A): Codec[A] = new Codec[A] {
    def write(value: A, out: Writer): Unit = writes(value, out)
    def read(in: Reader): A = reads(in)
  }

  /** A codec that is made when it is first needed: for types that contain themselves, in codecs written by hand. */
  def later[A](make: => Codec[A]): Codec[A] = new Codec[A] {
    private[this] lazy val made = make
    def write(value: A, out: Writer): Unit = made.write(value, out)
    def read(in: Reader): A = made.read(in)
    override def absent: Option[A] = made.absent
    override def isAbsent(value: A): Boolean = made.isAbsent(value)
    override def empty: Option[A] = made.empty
    override def isEmpty(value: A): Boolean = made.isEmpty(value)
  }

  /** The values of an Enumeration by their names. */
  def enumeration[E <: Enumeration](values: E): Codec[values.Value] = {
    val all = values.values.toArray[values.Value]
    new TextCodec[values.Value](all.map(_.toString), all) {
      def text(value: values.Value): String = value.toString
    }
  }
}
