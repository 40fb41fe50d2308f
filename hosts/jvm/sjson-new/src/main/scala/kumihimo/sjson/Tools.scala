package kumihimo.sjson

import java.io.InputStream

import _root_.kumihimo.{Code, DataException, Reader, Writer}
import _root_.sjsonnew.JsonReader

/** What writes and reads one document after the other for a converter, so that its memory and the names it knows
  * are used again.
  */
private[sjson] final class Tools(form: Form) {
  val writer: Writer = form.newWriter
  val builder: FormatBuilder[Value] = new FormatBuilder[Value](
    ValueFacade,
    writer,
    new NameCache,
    infinities = !form.format.isText,
    textNumbers = form.textNumbers,
    canonical = false,
    () => form.document(whole())
  )
  private[this] lazy val reader: Reader = form.newReader
  private[this] lazy val tape = new KeyedTape
  private[this] lazy val unbuilder = form.newUnbuilder
  private[this] var buffer = Tools.Nothing

  private[this] def whole(): Array[Byte] = {
    builder.finish()
    writer.toByteArray
  }

  /** Bytes that are kept for the next document. */
  def size: Long = buffer.length + writer.size.toLong + taped

  /** Of the tape, once there is one. */
  private[this] var taped = 0L

  /** What fill has read. */
  def input: Array[Byte] = buffer

  /** Reads a stream to its end, and says how many bytes it had. */
  def fill(in: InputStream): Int = {
    var size = 0
    var ended = false
    while (!ended) {
      if (size == buffer.length) {
        if (size >= form.limits.size || size >= Int.MaxValue - 8) {
          throw Errors.wrapped(new DataException(Code.SIZE, s"a document of more than $size bytes"))
        }
        buffer = java.util.Arrays.copyOf(
          buffer,
          math.min(math.max(size * 2L, math.max(in.available + 1L, 8192L)), Int.MaxValue - 8L).toInt
        )
      }
      val n = in.read(buffer, size, buffer.length - size)
      if (n < 0) ended = true else size += n
    }
    size
  }

  /** Reads a document. Values that the codec keeps must not be asked afterwards: the tape is used again. */
  def read[A](bytes: Array[Byte], length: Int, codec: JsonReader[A]): A =
    try {
      form.record(tape, bytes, length, reader)
      unbuilder.reset()
      val root = new Value(new Document(bytes, length, form), tape, 0)
      Errors.placed(unbuilder)(codec.read(Some(root), unbuilder))
    } finally {
      // The caller's bytes are held no longer.
      taped = tape.memory
      tape.reset(Tools.Nothing, 0, false)
      reader.reset(Tools.Nothing)
      unbuilder.reset()
    }
}

private[sjson] object Tools {
  private val Nothing = new Array[Byte](0)
}
