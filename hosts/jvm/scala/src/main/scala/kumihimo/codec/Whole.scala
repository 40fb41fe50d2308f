package kumihimo.codec

import java.io.{FilterInputStream, InputStream}

import kumihimo.{Code, Limits}
import kumihimo.frame.{Frame, Frames}

/**
 * The bytes of a stream up to its end, which are asked for only as far as a document may have them.
 *
 * @param bytes
 *   of which `size` count
 */
private[codec] final class Whole private (val bytes: Array[Byte], val size: Int)

private[codec] object Whole {

  /**
   * Reads a stream, out of its frame, and leaves it open.
   *
   * @param likely
   *   the number of bytes that there probably are
   * @throws kumihimo.DataException
   *   for a stream with more bytes than the limit
   */
  def of(in: InputStream, frame: Option[Frame], likely: Long, limits: Limits): Whole = frame match {
    case None => of(in, likely, limits)
    case Some(frame) =>
      // Closing it gives back what unpacks, and would close the stream below.
      val plain = Frames.unpack(frame, new FilterInputStream(in) { override def close(): Unit = () }, limits)
      try of(plain, likely * 4, limits)
      finally plain.close()
  }

  private def of(in: InputStream, likely: Long, limits: Limits): Whole = {
    val most = Math.min(limits.size, ArraySizes.Most - 1L)
    // One byte more, so that the stream's end is seen without another array.
    var bytes = new Array[Byte](Math.min(Math.max(likely + 1, 1 << 13), most + 1).toInt)
    var size = in.readNBytes(bytes, 0, bytes.length)
    while (size == bytes.length) {
      if (size > most) throw new DataException(Code.SIZE, s"the document is larger than $most bytes", most)
      bytes = java.util.Arrays.copyOf(bytes, Math.min(size * 2L, most + 1).toInt)
      size += in.readNBytes(bytes, size, bytes.length - size)
    }
    new Whole(bytes, size)
  }
}
