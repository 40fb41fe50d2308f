package kumihimo.sjson

import _root_.kumihimo.{Code, DataException}
import _root_.sjsonnew.{DeserializationException, SerializationException}

/** The exceptions of sjson-new around ours, which know the place. */
private[sjson] object Errors {

  def wrapped(e: DataException): DeserializationException = new DeserializationException(e.getMessage, e, Nil)

  /** What is wrong with a value. */
  def at(js: Value, code: Code, reason: String): DeserializationException = {
    val document = js.document
    val place = Place.of(document.form.newReader, document.bytes, document.length, js.node)
    val e =
      document.form.format.locate(document.bytes, 0, document.length, new DataException(code, reason, place.offset))
    val there = e.at(e.line, e.column, place.path)
    new DeserializationException(there.getMessage, there, place.names)
  }

  /** What is wrong with a value, whose place is looked for when the read has failed: codecs that try one thing after
    * another, as an Either's does for each element of a list, would have the document read again for each.
    */
  final class Unplaced(val js: Value, val code: Code, reason: String)
      extends DeserializationException(reason, null, Nil)

  def tooDeep: DataException = new DataException(Code.DEPTH, "values are nested deeper than the stack is")

  // sjson-new's takes no cause for Scala 2, and for Scala 3 lets none be added.
  private final class Unwritable(e: DataException) extends SerializationException(e.getMessage) {
    override def getCause: Throwable = e
  }

  def unwritable(e: DataException): SerializationException = new Unwritable(e)

  /** Runs a codec. What it raises itself gets the place of the value that it read last: sjson-new's exception and a
    * type that no union knows as another exception, all others as one that is suppressed.
    */
  def placed[A](unbuilder: TapeUnbuilder)(read: => A): A =
    try read
    catch {
      case e: Unplaced => throw at(e.js, e.code, e.msg)
      case e: DeserializationException if e.cause.isInstanceOf[DataException] => throw e
      case e @ (_: RuntimeException | _: StackOverflowError) => throw unbuilder.last.fold(e)(js => at(js, e))
    }

  private[this] def at(js: Value, raised: Throwable): Throwable = raised match {
    case e: DeserializationException => around(at(js, Code.HOST, e.msg), e)
    case e: DataException => around(at(js, e.code, e.getMessage), e)
    case e: MatchError => around(at(js, Code.TYPE, s"no type goes by the name of $js"), e)
    case _: StackOverflowError => at(js, Code.DEPTH, tooDeep.reason)
    case e => around(e, at(js, Code.HOST, "raised while this value was read"))
  }

  private[this] def around(outer: Throwable, inner: Throwable): Throwable = {
    outer.addSuppressed(inner)
    outer
  }
}
