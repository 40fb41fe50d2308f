package kumihimo.sjson

import java.nio.charset.StandardCharsets.UTF_8

import _root_.kumihimo.{DataException, Limits}

/** A value of a document, in place of the trees of sjson-new's other backends: the document's bytes, and where it
  * stands in them.
  *
  * What is read is the value's own part. It can be read by several threads at once.
  */
final class Value private[sjson] (
    private[sjson] val document: Document,
    known: KeyedTape,
    private[sjson] val node: Int
) {

  private[sjson] def tape: KeyedTape = if (known ne null) known else document.tape

  private[sjson] def isSame(that: Value): Boolean = (document eq that.document) && node == that.node

  /** The value as a document of its own, in the format and frame that it came in. */
  def toBytes: Array[Byte] =
    document.form.packed(if (node == 0) document.bytes else document.form.play(tape, node))

  /** The value as JSON. */
  def toJson: String = new String(Json.play(tape, node), UTF_8)

  /** Whether both say the same, in any format; fields must come in the same order. NaN is equal to NaN. */
  override def equals(other: Any): Boolean = other match {
    case that: Value => (this eq that) || java.util.Arrays.equals(said, that.said)
    case _ => false
  }

  override def hashCode: Int = java.util.Arrays.hashCode(said)

  private def said: Array[Byte] = Value.Anything.play(tape, node)

  /** The beginning of the value as JSON: no more than 40 characters, since it gets into messages. */
  override def toString: String =
    try Value.cut(toJson)
    catch { case e: DataException => s"(${e.getMessage})" }
}

private[sjson] object Value {
  private final val Most = 40

  /** JSON, and words and escapes for all that has no place in it: writing a value by it never fails. */
  private val Anything =
    Json.writing("+escapes=ascii+non_finite=literal+extension=object+invalid=keep").limited(
      Limits.DEFAULT.withDepth(Int.MaxValue)
    )

  def cut(text: String): String =
    if (text.length <= Most) text
    else text.substring(0, if (Character.isHighSurrogate(text.charAt(Most - 1))) Most - 1 else Most) + "..."
}

/** The bytes of one document, without a frame, as far as length; its tape is made when it is first needed. */
private[sjson] final class Document(val bytes: Array[Byte], val length: Int, val form: Form) {
  lazy val tape: KeyedTape = form.record(new KeyedTape, bytes, length)

  def root: Value = new Value(this, null, 0)
}
