package kumihimo.codec

import kumihimo.Writer
import kumihimo.hash.HashWriter

/** Hashes of values, by what their codecs write: keys of caches. They do not depend on a format. */
object Hash {
  private val writers256 = ThreadLocal.withInitial[HashWriter](() => HashWriter.hash256())
  private val writers128 = ThreadLocal.withInitial[HashWriter](() => HashWriter.hash128())

  /** 32 bytes, by SHA-256. */
  def of256[A](value: A)(implicit codec: Codec[A]): Array[Byte] = by(writers256.get, value)

  /** 16 bytes, by SipHash without a key: not against somebody who makes values so that their hashes meet. */
  def of128[A](value: A)(implicit codec: Codec[A]): Array[Byte] = by(writers128.get, value)

  /** By a writer with a key, or one that does not heed the order of maps. */
  def by[A](writer: Writer, value: A)(implicit codec: Codec[A]): Array[Byte] = {
    writer.reset()
    codec.write(value, writer)
    writer.finish()
    writer.toByteArray
  }
}
