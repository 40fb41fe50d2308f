package kumihimo.codec

import kumihimo.{Kind, Limits, Moment, Names, Reader}

/**
 * Counts the bytes that are passed over or read, as often as they are: what a pass over a document costs, without a
 * clock.
 */
final class CountingReader(in: Reader) extends Reader {
  var passed = 0L

  private def counted[A](read: => A): A = {
    val from = in.consumed()
    val value = read
    passed += in.consumed() - from
    value
  }

  def reset(data: Array[Byte], from: Int, to: Int): Reader = { in.reset(data, from, to); this }
  def limits(): Limits = in.limits
  def kind(): Kind = in.kind()
  def position(): Int = in.position()
  def consumed(): Int = in.consumed()
  def nil(): Unit = counted(in.nil())
  def bool(): Boolean = counted(in.bool())
  def i64(): Long = counted(in.i64())
  def u64(): Long = counted(in.u64())
  def f64(): Double = counted(in.f64())
  def number(): String = counted(in.number())
  def str(): String = counted(in.str())
  def field(names: Names, expected: Int): Int = counted(in.field(names, expected))
  def lastKey(): String = in.lastKey()
  override def lastKeyIsText(): Boolean = in.lastKeyIsText()
  def bin(): Array[Byte] = counted(in.bin())
  def time(): Moment = counted(in.time())
  def ext(): Int = counted(in.ext())
  def extData(): Array[Byte] = in.extData()
  def array(): Long = counted(in.array())
  def map(): Long = counted(in.map())
  def hasNext(): Boolean = counted(in.hasNext())
  def skip(): Unit = counted(in.skip())
  def mark(): Reader.Mark = in.mark()
  def rewind(mark: Reader.Mark): Unit = in.rewind(mark)
  def finish(): Unit = in.finish()
}
