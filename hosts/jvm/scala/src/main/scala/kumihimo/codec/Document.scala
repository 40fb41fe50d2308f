package kumihimo.codec

import kumihimo.{Code, Format}
import kumihimo.tape.{Cursor => Place}

import scala.util.control.NonFatal

/** The bytes of a document, out of their frame, of which parts are read. */
private[codec] final class Document(format: Format, bytes: Array[Byte], from: Int, to: Int) {

  /** What reading gives, its errors with their place in words. */
  def placed[A](reading: => A): A =
    try reading
    catch {
      case e: DataException => throw located(e)
      case _: StackOverflowError =>
        throw new DataException(Code.DEPTH, "values are nested deeper than the stack is")
      case NonFatal(e) => throw new DataException(Code.HOST, s"the codec failed: ${e.getClass.getName}", e)
    }

  private[this] def located(e: DataException): DataException =
    if (e.path == null) format.locate(bytes, from, to, e) else e

  /** The value at a place. */
  def read[A](place: Place, codec: Codec[A]): A = placed {
    val reader = place.read()
    try {
      val value = codec.read(reader)
      reader.finish()
      value
    } catch {
      case e: DataException => throw Form.placed(e, reader)
      case NonFatal(e) => throw Form.placed(Form.failed(e), reader)
    }
  }
}
