package kumihimo.codec

import kumihimo.Writer
import kumihimo.hash.HashWriter

/** Hashes of values, by what their codecs write: keys of caches. They do not depend on a format. */
object Hash {
  private val writers256 = ThreadLocal.withInitial[Pool.Spare[HashWriter]](() => new Pool.Spare)
  private val writers128 = ThreadLocal.withInitial[Pool.Spare[HashWriter]](() => new Pool.Spare)

  /** 32 bytes, by SHA-256. A codec may ask for the hash of a part while it writes. */
  def of256[A](value: A)(implicit codec: Codec[A]): Array[Byte] = {
    val spare = writers256.get
    val kept = spare.take()
    val writer = if (kept ne null) kept else HashWriter.hash256()
    try by(writer, value)
    finally spare.give(writer, writer.capacity)
  }

  /** 16 bytes, by SipHash without a key: not against somebody who makes values so that their hashes meet. */
  def of128[A](value: A)(implicit codec: Codec[A]): Array[Byte] = {
    val spare = writers128.get
    val kept = spare.take()
    val writer = if (kept ne null) kept else HashWriter.hash128()
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
