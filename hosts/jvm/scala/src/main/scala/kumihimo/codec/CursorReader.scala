package kumihimo.codec

import kumihimo.{ExponentDigits, HashBudget, Kind, Limits, Moment, Names, Reader, Sink}
import kumihimo.tape.TapeReader

/**
 * A tape's reader that does not say where it stands. Codecs ask for their place in case something is wrong; on a tape
 * each answer would cost a pass over the document.
 */
private[codec] final class CursorReader(tape: TapeReader) extends Reader {
  def reset(data: Array[Byte], from: Int, to: Int): Reader = throw new UnsupportedOperationException
  def limits(): Limits = tape.limits
  override def exponentDigits(): ExponentDigits = tape.exponentDigits()
  override def hashBudget(): HashBudget = tape.hashBudget()
  def kind(): Kind = tape.kind()
  def position(): Int = 0
  def consumed(): Int = 0
  def nil(): Unit = tape.nil()
  override def tryNil(): Boolean = tape.tryNil()
  def bool(): Boolean = tape.bool()
  def i64(): Long = tape.i64()
  override def i32(): Int = tape.i32()
  def u64(): Long = tape.u64()
  def f64(): Double = tape.f64()
  override def f32(): Float = tape.f32()
  def number(): String = tape.number()
  def str(): String = tape.str()
  override def key(): String = tape.key()
  def field(names: Names, expected: Int): Int = tape.field(names, expected)
  def lastKey(): String = tape.lastKey()
  override def lastKeyIsText(): Boolean = tape.lastKeyIsText()
  def bin(): Array[Byte] = tape.bin()
  def time(): Moment = tape.time()
  def ext(): Int = tape.ext()
  def extData(): Array[Byte] = tape.extData()
  def array(): Long = tape.array()
  def map(): Long = tape.map()
  def hasNext(): Boolean = tape.hasNext()
  def skip(): Unit = tape.skip()
  def mark(): Reader.Mark = tape.mark()
  def rewind(mark: Reader.Mark): Unit = tape.rewind(mark)
  def finish(): Unit = tape.finish()
  override def feed(sink: Sink): Unit = tape.feed(sink)
}
