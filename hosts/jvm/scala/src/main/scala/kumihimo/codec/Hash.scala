package kumihimo.codec

import kumihimo.Writer
import kumihimo.hash.HashWriter

/** Hashes of values, by what their codecs write: keys of caches. They do not depend on a format. */
object Hash {
  private val writers256 = ThreadLocal.withInitial[Pool.Spare[HashWriter]](() => new Pool.Spare)
  private val writers128 = ThreadLocal.withInitial[Pool.Spare[HashWriter]](() => new Pool.Spare)

  /** 32 bytes, by SHA-256. A codec may ask for the hash of a part while it writes. */
  def of256[A](value: A)(implicit codec: Codec[A]): Array[Byte] = kept(value, writers256.get, HashWriter.hash256())

  /** 16 bytes, by SipHash without a key: not against somebody who makes values so that their hashes meet. */
  def of128[A](value: A)(implicit codec: Codec[A]): Array[Byte] = kept(value, writers128.get, HashWriter.hash128())

  private[this] def kept[A: Codec](value: A, spare: Pool.Spare[HashWriter], make: => HashWriter): Array[Byte] = {
    val before = spare.take()
    val writer = if (before ne null) before else make
    try by(writer, value)
    finally spare.give(writer, writer.capacity)
  }

  /** By a writer with a key, or one that does not heed the order of maps; it must not be at work. */
  def by[A](writer: Writer, value: A)(implicit codec: Codec[A]): Array[Byte] = {
    writer.reset()
    codec.write(value, writer)
    writer.finish()
    writer.toByteArray
  }
}
