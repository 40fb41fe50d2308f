package kumihimo.codec

import kumihimo.{Code, Reader, Writer}

/**
 * Values that each have a name: enums, and sealed traits of objects alone.
 *
 * @param names
 *   of the values, in their order; more names than values are aliases, and `aliased` says whose
 */
abstract class TextCodec[A](names: Array[String], values: Array[A], aliased: Array[Int] = new Array[Int](0))
    extends Codec[A] {
  private[this] val byName = {
    val map = new java.util.HashMap[String, A]
    var i = 0
    while (i < names.length) {
      val value = if (i < values.length) values(i) else values(aliased(i - values.length))
      if (map.put(names(i), value) != null)
        throw new IllegalArgumentException(s"the name ${names(i)} stands for two values")
      i += 1
    }
    map
  }

  /** The name that a value is written by. */
  def text(value: A): String

  def write(value: A, out: Writer): Unit = out.str(text(value))

  def read(in: Reader): A = {
    in.kind()
    val at = in.position()
    val name = in.str()
    val value = byName.get(name)
    if (value == null) throw new DataException(Code.TYPE, unknown(name), at.toLong)
    value
  }

  /** The value of a name.
   *
   * @throws java.lang.IllegalArgumentException
   *   for another text
   */
  private[codec] def named(name: String): A = {
    val value = byName.get(name)
    if (value == null) throw new IllegalArgumentException(unknown(name))
    value
  }

  private[this] def unknown(name: String) = {
    val known = names.take(8).mkString(", ") + (if (names.length > 8) ", ..." else "")
    s"${Scalars.quoted(name)} is none of $known"
  }
}

/** Objects by their names; derived code makes it. */
final class NamedCodec[A](names: Array[String], values: Array[Any], aliased: Array[Int])
    extends TextCodec[A](names, values.asInstanceOf[Array[A]], aliased) {
  private[this] val byValue = {
    val map = new java.util.HashMap[Any, String]
    for (i <- values.indices) map.put(values(i), names(i))
    map
  }

  def text(value: A): String = byValue.get(value)
}
