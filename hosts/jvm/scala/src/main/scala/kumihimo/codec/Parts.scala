package kumihimo.codec

import java.lang.ref.SoftReference
import java.util.concurrent.atomic.AtomicReference

import kumihimo.{Code, Kept}
import kumihimo.path.{Level, Partial, Projection}

/**
 * A few values out of documents, by their paths; what else is there is passed over. Made once and kept, for any number
 * of documents and threads.
 *
 * {{{
 * val trades = Json.partial("last_price.price", "trades[*].tid")
 * trades.decode(bytes)(found => (found[Double](0), found.all[Long](1)))
 * }}}
 *
 * @param level
 *   how much of the rest of the document is checked
 */
final class Parts private[codec] (val form: Form, val projection: Projection, val level: Level) {
  // The last one that was used; another thread meanwhile makes its own.
  private[this] val kept = new AtomicReference(Parts.nothing)

  /** What is made of the values that a document has at the paths.
   *
   * @param make
   *   the values can be asked for only within it
   * @throws kumihimo.DataException
   *   as [[Form.decode]]; how much of the document must be right for that, the level says
   */
  def decode[A](bytes: Array[Byte])(make: Parts.Found => A): A = decode(bytes, 0, bytes.length)(make)

  /** The same of the document that stands from one offset to another. */
  def decode[A](bytes: Array[Byte], from: Int, to: Int)(make: Parts.Found => A): A =
    form.unpacked(bytes, from, to)(run(_, _, _, make))

  /** What is made of the values, or what is wrong with the document. */
  def tryDecode[A](bytes: Array[Byte])(make: Parts.Found => A): Either[DataException, A] =
    try Right(decode(bytes)(make))
    catch { case e: DataException => Left(e) }

  private[this] def run[A](bytes: Array[Byte], from: Int, to: Int, make: Parts.Found => A): A = {
    val before = kept.getAndSet(Parts.nothing).get
    val partial =
      if (before ne null) before
      else new Partial(form.format, form.readDialect, form.limits, level, projection)
    try {
      val document = new Document(form.format, bytes, from, to)
      make(document.placed(new Parts.Found(document, partial.run(bytes, from, to))))
    } finally
      if (Kept.allows(to - from.toLong)) {
        partial.forget()
        kept.set(new SoftReference(partial))
      }
  }

  override def toString: String =
    (0 until projection.size).map(projection.path(_)).mkString(s"$form(", ", ", ")")
}

object Parts {
  private val nothing = new SoftReference[Partial](null)

  /** The values that one document has at the paths. */
  final class Found private[codec] (document: Document, partial: Partial) {

    /** The value of a path, counted from 0; what is not there is what the codec has for a missing field. */
    def apply[A](path: Int)(implicit codec: Codec[A]): A = {
      if (partial.projection.wild(path)) throw new IllegalArgumentException(s"path $path has many values: all")
      value(path, 0, codec)
    }

    /** The values of a path with `[*]`, one for each element; where an element lacks the rest of the path, as above. */
    def all[A](path: Int)(implicit codec: Codec[A]): Vector[A] = {
      val values = Vector.newBuilder[A]
      val count = partial.count(path)
      values.sizeHint(count)
      var i = 0
      while (i < count) {
        values += value(path, i, codec)
        i += 1
      }
      values.result()
    }

    /** Whether the document has a value there. */
    def has(path: Int): Boolean = partial.value(path) ne null

    private[this] def value[A](path: Int, element: Int, codec: Codec[A]): A = partial.value(path, element) match {
      case null =>
        codec.absent match {
          case Some(value) => value
          case None =>
            throw new DataException(Code.TYPE, s"there is no ${partial.projection.path(path)}")
        }
      case reader => document.whole(reader, codec, partial.offset(path, element))
    }
  }
}
