package kumihimo.codec

import kumihimo.{Code, Kind}
import kumihimo.tape.{Cursor => Place}

/**
 * A place in a document that was read and checked, but of which nothing is made until it is asked for. Asking for what
 * is not there gives a place that does not exist, so that a chain of steps needs one test at its end.
 *
 * {{{
 * val frame = Json.cursor(bytes)
 * frame("last_price")("price").as[Double]
 * frame("trades").values.map(_("tid").as[Long]).sum
 * frame("comment").as[Option[String]]                   // None where the field is not there
 * }}}
 *
 * The document must not change while its places are used, and until the message of an error has been asked for: where
 * in the document the error is, is found then.
 *
 * What equal hashes and exponents may cost is one budget for all that is read from the places of a document; a place
 * that is read again costs nothing more.
 */
final class Cursor private[codec] (document: Document, place: Place) {

  /** The value of a field; of a key that comes twice the last one. */
  def apply(key: String): Cursor = new Cursor(document, place.get(key))

  /** The i-th value of an array, counted from 0. */
  def apply(i: Int): Cursor = new Cursor(document, place.get(i))

  def exists: Boolean = place.exists

  /** What the value is; None where there is none. */
  def kind: Option[Kind] = Option(place.kind)

  def isNull: Boolean = place.isNull

  /** Values of an array, pairs of a map; 0 of all others. */
  def size: Int = place.size

  /** The values of an array, or of a map, each of which then knows its [[key]]; nothing of all others. */
  def values: Iterator[Cursor] = {
    val places = place.iterator
    new Iterator[Cursor] {
      def hasNext: Boolean = places.hasNext
      def next(): Cursor = new Cursor(document, places.next())
    }
  }

  /** Of a map's value its key as text; a key that is no text is what JSON would write for it. */
  def key: Option[String] = Option(place.key)

  /** The value by a codec; what is not there is what the codec has for a missing field.
   *
   * @throws kumihimo.DataException
   *   as [[Form.decode]]; where nothing is there and the codec needs something, with `Code.TYPE`
   */
  def as[A](implicit codec: Codec[A]): A =
    if (exists) document.read(place, codec)
    else
      codec.absent match {
        case Some(value) => value
        case None => throw new DataException(Code.TYPE, "the value is not there")
      }

  /** The value, or what is wrong with it. */
  def tryAs[A](implicit codec: Codec[A]): Either[DataException, A] =
    try Right(as[A])
    catch { case e: DataException => Left(e) }

  override def toString: String = kind.fold("nothing")(_.text)
}
