package kumihimo.codec

import kumihimo.{Format, Reader}
import kumihimo.tape.{Cursor => Place}

import scala.util.control.NonFatal

/** The bytes of a document, out of their frame, of which parts are read. */
private[codec] final class Document(format: Format, bytes: Array[Byte], from: Int, to: Int) {

  /** What looking at the document gives, its errors with their place in words. */
  def placed[A](look: => A): A =
    try look
    catch { case e: DataException => throw Form.located(format, bytes, from, to, e) }

  /**
   * All that a reader has, by a codec.
   *
   * @param before
   *   bytes of the document that stand before those that the reader has
   */
  def whole[A](in: Reader, codec: Codec[A], before: Int): A =
    try {
      val value = codec.read(in)
      in.finish()
      value
    } catch { case e @ (NonFatal(_) | _: StackOverflowError) => throw refused(e, in, before) }

  /** The value at a place. Who asks for many of them and goes on after errors would have the document read again for
   * each, so that their places in words are found when they are asked for.
   */
  def read[A](place: Place, codec: Codec[A]): A = {
    val in = placed(place.read())
    try {
      val value = codec.read(in)
      in.finish()
      value
    } catch {
      case e @ (NonFatal(_) | _: StackOverflowError) =>
        val refusal = Form.refusal(e)
        throw Form.remembered(refusal.at(() => format.locate(bytes, from, to, Form.placed(e, refusal, in))))
    }
  }

  private[this] def refused(e: Throwable, in: Reader, before: Int): DataException = {
    val refusal = Form.placed(e, in)
    Form.located(format, bytes, from, to, if (before == 0) refusal else refusal.atByte(refusal.offset + before))
  }
}
