package kumihimo.sjson

import java.math.{BigDecimal => JBigDecimal}

import _root_.kumihimo.{Sink, Writer}
import _root_.sjsonnew.{Builder, BuilderFacade, BuilderState}
import _root_.sjsonnew.serializationError

/** sjson-new's builder over a writer: each call becomes a verb at once, and no tree is built.
  *
  * Fields of a pre-object (flat unions, LList) are written when they come, and the object that follows goes on
  * behind them. So what follows must be an object; sjson-new's own backends drop the fields of the pre-object
  * there, and write what cannot be read.
  *
  * @param infinities whether the format has NaN and the infinities; if not, they become null, which is read as NaN
  * @param textNumbers whether BigDecimals, and so BigInts, are written as text, as sjson-new writes them in
  *   MessagePack
  * @param canonical whether decimal numbers of one value have one form: 1.50 is 1.5
  * @param document what has been written, asked for once it is whole
  */
private[sjson] final class FormatBuilder[J](
    facade: BuilderFacade[J],
    writer: Writer,
    names: NameCache,
    infinities: Boolean,
    textNumbers: Boolean,
    canonical: Boolean,
    document: () => J
) extends Builder[J](facade) {
  import FormatBuilder._

  private[this] var at: Int = Begin

  /** For each open container whether it is an object. */
  private[this] var levels = new Array[Boolean](16)
  private[this] var depth = 0

  /** An object is open in the writer whose fields so far came from a pre-object. */
  private[this] var begun = false

  /** Begins another document. */
  def reset(): Unit = {
    writer.reset()
    at = Begin
    depth = 0
    begun = false
  }

  override def state: BuilderState = states(at)
  override def isInObject: Boolean = at == InObject

  override def writeInt(x: Int): Unit = { value(); writer.i32(x); after() }
  override def writeLong(x: Long): Unit = { value(); writer.i64(x); after() }
  override def writeBoolean(x: Boolean): Unit = { value(); writer.bool(x); after() }
  override def writeNull(): Unit = { value(); writer.nil(); after() }

  override def writeDouble(x: Double): Unit = {
    value()
    if (infinities || java.lang.Double.isFinite(x)) writer.f64(x) else writer.nil()
    after()
  }

  override def writeBigDecimal(x: BigDecimal): Unit = {
    value()
    if (textNumbers) writer.str(x.toString) else decimal(if (canonical) shortest(x.bigDecimal) else x.bigDecimal)
    after()
  }

  override def writeString(x: String): Unit =
    if (at == InObject) {
      writer.key(x)
      at = InField
    } else {
      value()
      writer.str(x)
      after()
    }

  override def addFieldName(field: String): Unit = {
    if (at != InObject) wrong()
    val name = names.find(field)
    if (name ne null) writer.key(name) else writer.key(field)
    at = InField
  }

  override def beginArray(): Unit = {
    value()
    writer.array(Sink.UNKNOWN)
    push(false)
    at = InArray
  }

  override def endArray(): Unit = {
    if (at != InArray || begun) wrong()
    writer.end()
    pop()
    after()
  }

  override def beginObject(): Unit = {
    if (begun) begun = false
    else {
      value()
      writer.map(Sink.UNKNOWN)
    }
    push(true)
    at = InObject
  }

  override def endObject(): Unit = {
    if (at != InObject) wrong()
    writer.end()
    pop()
    after()
  }

  override def beginPreObject(): Unit = beginObject()

  override def endPreObject(): Unit = {
    if (at != InObject) wrong()
    pop()
    begun = true
  }

  /** The document so far, once it is whole. */
  override def result: Option[J] = if (at == End) Some(document()) else None

  /** Ends the document: nothing at all is null, as everywhere in sjson-new, and a pre-object alone is an object. */
  def finish(): Unit = {
    if (at == Begin) if (begun) writer.end() else writer.nil()
    else if (at != End) serializationError("The document ends in an open array or object")
    writer.finish()
  }

  /** A value must be able to stand here. */
  private[this] def value(): Unit = if (at > InField || begun) wrong()

  private[this] def after(): Unit = at = if (at == InArray) InArray else if (at == InField) InObject else End

  private[this] def push(isObject: Boolean): Unit = {
    if (depth == levels.length) levels = java.util.Arrays.copyOf(levels, depth * 2)
    levels(depth) = isObject
    depth += 1
  }

  /** Back to where the container stands as a value. */
  private[this] def pop(): Unit = {
    depth -= 1
    at = if (depth == 0) Begin else if (levels(depth - 1)) InField else InArray
  }

  private[this] def wrong(): Nothing =
    if (begun) serializationError("Fields have been written for an object (beginPreObject), and no object follows")
    else serializationError(s"Unexpected builder state: $state")

  private[this] def decimal(x: JBigDecimal): Unit =
    if (x.scale != 0) writer.big(x.toString)
    else {
      val digits = x.unscaledValue
      if (digits.bitLength < 64) writer.i64(digits.longValue)
      else if (digits.bitLength == 64 && digits.signum > 0) writer.u64(digits.longValue)
      else writer.big(digits.toString)
    }

  private[this] def shortest(x: JBigDecimal): JBigDecimal = {
    val stripped = x.stripTrailingZeros
    if (stripped.scale < 0 && stripped.precision - stripped.scale <= 40) stripped.setScale(0) else stripped
  }
}

private[sjson] object FormatBuilder {
  private final val Begin = 0
  private final val InArray = 1
  private final val InField = 2
  private final val InObject = 3
  private final val End = 4

  private val states =
    Array[BuilderState](
      BuilderState.Begin,
      BuilderState.InArray,
      BuilderState.InField,
      BuilderState.InObject,
      BuilderState.End
    )
}
