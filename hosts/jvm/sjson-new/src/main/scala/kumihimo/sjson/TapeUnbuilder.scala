package kumihimo.sjson

import java.math.{BigDecimal => JBigDecimal}

import _root_.kumihimo.{Code, DataException, ExponentDigits, Kind}
import _root_.kumihimo.scalar.{BigNumbers, FloatNarrow}
import _root_.sjsonnew.{BasicJsonProtocol, JsonFormat, JsonReader, Unbuilder, UnbuilderState}

/** sjson-new's unbuilder over a tape. Fields are looked up where the last one stood first: codecs ask in the order
  * of the document.
  *
  * A key that comes twice has its last value, at the place of its first.
  *
  * @param textNumbers whether the format writes decimal numbers as text, which is then read as a number
  * @param numberedTruth whether the format writes truth values as 0 and 1
  */
private[sjson] final class TapeUnbuilder(textNumbers: Boolean, numberedTruth: Boolean, cache: NumberCache)
    extends Unbuilder[Value](ValueFacade) {
  import TapeUnbuilder._

  private[this] var at: Int = Begin
  private[this] var frames = new Array[Frame](8)
  private[this] var depth = 0

  /** The object that a pre-object has looked into, and the names it has asked for there. */
  private[this] var pre: Value = null
  private[this] val asked = new java.util.ArrayList[String]

  /** The value that was read or looked up last: where an error of the codec's own has its place. */
  private[this] var lastDocument: Document = null
  private[this] var lastNode = 0

  /** What the numbers of one document may cost: digits by exponents, zeros that hashes divide away. */
  private[this] val exponents = new ExponentDigits
  private[this] var zeros = 0L
  private[this] var counted: Document = null

  private[sjson] def last: Option[Value] =
    if (lastDocument eq null) None else Some(new Value(lastDocument, null, lastNode))

  /** Begins another document. */
  def reset(): Unit = {
    at = Begin
    depth = 0
    pre = null
    lastDocument = null
    counted = null
    var i = 0
    while (i < frames.length && (frames(i) ne null)) {
      frames(i).forget()
      i += 1
    }
  }

  override def state: UnbuilderState = states(at)
  override def isInObject: Boolean = at == InObject

  // ---- scalars ----

  override def readInt(js: Value): Int = {
    enter(js)
    val n = integer(js, "Int")
    if (n != n.toInt) fail(js, Code.RANGE, s"$n does not fit an Int")
    leave()
    n.toInt
  }

  override def readLong(js: Value): Long = {
    enter(js)
    val n = integer(js, "Long")
    leave()
    n
  }

  override def readDouble(js: Value): Double = {
    enter(js)
    val tape = js.tape
    val x = tape.kind(js.node) match {
      case Kind.F64 => tape.f64(js.node)
      case Kind.I64 => tape.bits(js.node).toDouble
      case Kind.U64 => unsigned(tape.bits(js.node)).doubleValue
      case Kind.BIG => real(js, tape)
      case Kind.NIL => Double.NaN
      case _ => wrong(js, "Double")
    }
    leave()
    x
  }

  override def readFloat(js: Value): Float = {
    enter(js)
    val tape = js.tape
    val x = tape.kind(js.node) match {
      case Kind.F64 => float(js, tape)
      case Kind.I64 => tape.bits(js.node).toFloat
      case Kind.U64 => unsigned(tape.bits(js.node)).floatValue
      case Kind.BIG => ranged(js, java.lang.Float.parseFloat(tape.text(js.node)))
      case Kind.NIL => Float.NaN
      case _ => wrong(js, "Float")
    }
    leave()
    x
  }

  override def readBigDecimal(js: Value): BigDecimal = {
    enter(js)
    val tape = js.tape
    val x = tape.kind(js.node) match {
      case Kind.I64 => BigDecimal(tape.bits(js.node))
      case Kind.U64 => BigDecimal(new JBigDecimal(unsigned(tape.bits(js.node))))
      case Kind.BIG => decimal(js, tape.text(js.node))
      case Kind.F64 if finite(tape.f64(js.node)) =>
        val digits = tape.digits(js.node)
        if (digits eq null) BigDecimal(tape.f64(js.node)) else decimal(js, digits)
      case Kind.STR if textNumbers => decimal(js, tape.text(js.node))
      case _ => wrong(js, "BigDecimal")
    }
    leave()
    x
  }

  override def readBoolean(js: Value): Boolean = {
    enter(js)
    val tape = js.tape
    val bits = tape.bits(js.node)
    if (!tape.is(js.node, Kind.BOOL) && !(numberedTruth && tape.is(js.node, Kind.I64) && (bits >>> 1) == 0))
      wrong(js, "Boolean")
    leave()
    bits != 0
  }

  override def readString(js: Value): String = {
    enter(js)
    if (!js.tape.is(js.node, Kind.STR)) wrong(js, "String")
    leave()
    js.tape.text(js.node)
  }

  override def isJnull(js: Value): Boolean = js.tape.is(js.node, Kind.NIL)
  override def isObject(js: Value): Boolean = js.tape.is(js.node, Kind.MAP)

  // ---- arrays ----

  override def beginArray(js: Value): Int = {
    val frame = begin(js, Kind.ARRAY, "an array")
    at = InArray
    frame.size
  }

  override def nextElement: Value = {
    if (at != InArray) unexpected()
    val frame = frames(depth - 1)
    if (frame.cursor == frame.end) fail(frame.value, Code.RANGE, "The array has no more elements")
    val found = frame.at(frame.cursor)
    lastNode = frame.cursor
    frame.cursor = frame.tape.next(frame.cursor)
    found
  }

  override def endArray(): Unit = {
    if (at != InArray) unexpected()
    pop(End)
  }

  // ---- objects ----

  override def beginObject(js: Value, fieldNames: Option[Vector[String]]): Int = {
    val frame = begin(js, Kind.MAP, "an object")
    at = InObject
    if ((pre ne null) && pre.isSame(js)) {
      pre = null
      frame.exclude(asked)
    }
    fieldNames match {
      case Some(names) => frame.names = names
      case None =>
    }
    frame.size
  }

  override def beginObject(js: Value): Int = beginObject(js, None)

  override def endObject(): Unit = {
    if (at != InObject) unexpected()
    pop(End)
  }

  override def beginPreObject(js: Value): Int = {
    val frame = begin(js, Kind.MAP, "an object")
    at = InObject
    pre = js
    asked.clear()
    frame.size
  }

  override def endPreObject(): Unit = {
    if (at != InObject) unexpected()
    pop(Begin)
  }

  override def hasNextField: Boolean = {
    if (at != InObject) unexpected()
    frames(depth - 1).hasNext
  }

  override def nextFieldOpt(): (String, Option[Value]) = {
    if (at != InObject) unexpected()
    val frame = frames(depth - 1)
    if (!frame.hasNext) fail(frame.value, Code.RANGE, "The object has no more fields")
    frame.next()
  }

  override def lookupField(name: String): Option[Value] = {
    val node = find(name)
    if (node < 0) None else Some(frames(depth - 1).at(node))
  }

  /** The codecs of single values are known, and get theirs without an object that says where it stands. */
  override def readField[A](name: String)(implicit reader: JsonReader[A]): A = {
    val codec = reader.getClass
    if (codec eq Texts) {
      val node = find(name)
      if (node < 0) "".asInstanceOf[A]
      else {
        val frame = frames(depth - 1)
        if (frame.tape.is(node, Kind.STR)) frame.tape.text(node).asInstanceOf[A] else wrong(frame.at(node), "String")
      }
    } else if (codec eq Truths) {
      val node = find(name)
      if (node < 0) false.asInstanceOf[A]
      else {
        val frame = frames(depth - 1)
        if (frame.tape.is(node, Kind.BOOL)) (frame.tape.bits(node) != 0).asInstanceOf[A]
        else readBoolean(frame.at(node)).asInstanceOf[A]
      }
    } else if (codec eq Options) {
      val node = find(name)
      if (node < 0) None.asInstanceOf[A] else reader.read(Some(frames(depth - 1).at(node)), this)
    } else if (codec eq Sequences) collection(name, Kind.ARRAY, reader)
    else if (codec eq Maps) collection(name, Kind.MAP, reader)
    else reader.read(lookupField(name), this)
  }

  /** An empty array or object is to its codec what an absent one is, which costs nothing. */
  private[this] def collection[A](name: String, kind: Kind, reader: JsonReader[A]): A = {
    val node = find(name)
    if (node < 0) reader.read(None, this)
    else {
      val frame = frames(depth - 1)
      val tape = frame.tape
      val empty = tape.is(node, Kind.NIL) || tape.is(node, kind) && tape.length(node) == 0
      reader.read(if (empty) None else Some(frame.at(node)), this)
    }
  }

  /** The node of a field of the innermost object, or -1. */
  private[this] def find(name: String): Int = {
    if (at != InObject) unexpected()
    if (pre ne null) asked.add(name)
    val frame = frames(depth - 1)
    val node = frame.find(name)
    if (node >= 0) {
      // A store of a reference marks a card for the collector.
      if (lastDocument ne frame.document) lastDocument = frame.document
      lastNode = node
    }
    node
  }

  // ---- the state ----

  private[this] def begin(js: Value, kind: Kind, what: String): Frame = {
    enter(js)
    val tape = js.tape
    if (depth == frames.length)
      frames = java.util.Arrays.copyOf(frames.asInstanceOf[Array[AnyRef]], depth * 2).asInstanceOf[Array[Frame]]
    var frame = frames(depth)
    if (frame eq null) {
      frame = new Frame(cache)
      frames(depth) = frame
    }
    if (tape.is(js.node, kind)) frame.begin(js, tape)
    else if (tape.is(js.node, Kind.NIL)) frame.beginEmpty(js, tape)
    else wrong(js, what)
    frame.isObject = kind == Kind.MAP
    depth += 1
    frame
  }

  private[this] def pop(outermost: Int): Unit = {
    depth -= 1
    at = if (depth == 0) outermost else if (frames(depth - 1).isObject) InObject else InArray
  }

  private[this] def enter(js: Value): Unit = {
    if (at == End) unexpected()
    if (lastDocument ne js.document) lastDocument = js.document
    lastNode = js.node
  }

  private[this] def leave(): Unit = if (at == Begin) at = End

  // ---- numbers ----

  private[this] def integer(js: Value, wanted: String): Long = {
    val tape = js.tape
    tape.kind(js.node) match {
      case Kind.I64 => tape.bits(js.node)
      // JSON's -0
      case Kind.F64 if tape.bits(js.node) == Long.MinValue => 0
      case Kind.U64 => fail(js, Code.RANGE, s"$js does not fit $wanted")
      case _ => wrong(js, wanted)
    }
  }

  /** The float nearest to the number as it is written: of its digits, where a double has been made of these. */
  private[this] def float(js: Value, tape: KeyedTape): Float = {
    val x = tape.f64(js.node)
    val digits = if (FloatNarrow.decides(x)) null else tape.digits(js.node)
    val nearest = if (digits eq null) x.toFloat else java.lang.Float.parseFloat(digits)
    if (finite(x)) ranged(js, nearest) else nearest
  }

  private[this] def ranged(js: Value, x: Float): Float = {
    if (!java.lang.Float.isFinite(x)) fail(js, Code.RANGE, s"$js is beyond every Float")
    x
  }

  private[this] def real(js: Value, tape: KeyedTape): Double = {
    val x = tape.real(js.node)
    if (!finite(x)) fail(js, Code.RANGE, s"$js is beyond every Double")
    x
  }

  /** With as many digits as there are. Codecs ask for the integer of it (BigInt's does), and for its hash (a Set's),
    * and the unbuilder does not see them do so: what that costs is counted wherever it may be asked for.
    */
  private[this] def decimal(js: Value, digits: String): BigDecimal =
    try {
      val x = BigNumbers.decimal(digits, js.document.form.limits)
      count(js.document)
      if (x.scale < 0) exponents.take(-x.scale.toLong, digits.length)
      zeros += BigNumbers.zerosWork(x, digits)
      if (zeros > MostZeros) fail(js, Code.SIZE, "numbers end in too many zeros behind their points")
      BigDecimal.exact(x)
    } catch {
      case _: NumberFormatException => wrong(js, "BigDecimal")
      case e: DataException => fail(js, e.code, e.reason)
    }

  /** One count for the document that is being read; a codec that reads another one begins another. */
  private[this] def count(document: Document): Unit =
    if (counted ne document) {
      counted = document
      exponents.begin()
      zeros = 0
    }

  // ---- errors ----

  private[this] def wrong(js: Value, wanted: String): Nothing =
    fail(js, Code.TYPE, s"Expected $wanted, but got ${js.tape.kind(js.node).text}")

  private[this] def fail(js: Value, code: Code, reason: String): Nothing = throw new Errors.Unplaced(js, code, reason)

  private[this] def unexpected(): Nothing = _root_.sjsonnew.deserializationError(s"Unexpected builder state: $state")
}

private[sjson] object TapeUnbuilder {
  private final val Begin = 0
  private final val InArray = 1
  private final val InObject = 2
  private final val End = 3

  private val states =
    Array[UnbuilderState](UnbuilderState.Begin, UnbuilderState.InArray, UnbuilderState.InObject, UnbuilderState.End)

  private val Texts = BasicJsonProtocol.StringJsonFormat.getClass
  private val Truths = BasicJsonProtocol.BooleanJsonFormat.getClass
  // Found, not called: for Scala 3 what they ask for is given, for Scala 2 implicit.
  private val (options, sequences, maps) = {
    import BasicJsonProtocol._
    (
      implicitly[JsonFormat[Option[Int]]],
      implicitly[JsonFormat[Vector[Int]]],
      implicitly[JsonFormat[Map[String, Int]]]
    )
  }
  private val Options = options.getClass
  private val Sequences = sequences.getClass
  private val Maps = maps.getClass

  /** In looks, as equal hashes are counted. */
  private final val MostZeros = 20000000L

  private def finite(x: Double): Boolean = java.lang.Double.isFinite(x)

  private def unsigned(bits: Long): java.math.BigInteger =
    new java.math.BigInteger(java.lang.Long.toUnsignedString(bits))
}
