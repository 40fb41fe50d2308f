package kumihimo.sjson

import _root_.kumihimo.DataException
import _root_.kumihimo.hash.HashWriter
import _root_.sjsonnew.{Builder, BuilderFacade, FContext, SupportHasher, serializationError}

/** Hashes of values by their codecs ([[kumihimo.hash.HashWriter]], where fields come in any order).
  *
  * Maps that are equal have one hash, whatever the order in which they were filled, and so have decimal numbers of
  * one value. There is none of 32 bits: among 100,000 keys one pair would have the same.
  *
  * {{{ Hasher256.hashUnsafe(report).hex }}}
  */
sealed abstract class Hasher private[sjson] (writer: () => HashWriter) extends SupportHasher[Digest] {
  implicit def facade: BuilderFacade[Digest] = DigestFacade

  private[this] val spare = new Spare[Hashing](() => new Hashing(writer()), _ => Hashing.Size)

  override def makeBuilder: Builder[Digest] = new Hashing(writer()).builder

  override def hashUnsafe[A](obj: A)(implicit codec: _root_.sjsonnew.HashWriter[A]): Digest =
    spare.using(_.hash(obj, codec))

  private object DigestFacade extends BuilderFacade[Digest] {
    def jnull(): Digest = scalar(_.writeNull())
    def jfalse(): Digest = scalar(_.writeBoolean(false))
    def jtrue(): Digest = scalar(_.writeBoolean(true))
    def jdouble(d: Double): Digest = scalar(_.writeDouble(d))
    def jbigdecimal(d: BigDecimal): Digest = scalar(_.writeBigDecimal(d))
    def jnumstring(s: String): Digest = jbigdecimal(BigDecimal(s))
    def jintstring(s: String): Digest = jbigdecimal(BigDecimal(s))
    def jint(i: Int): Digest = scalar(_.writeInt(i))
    def jlong(l: Long): Digest = scalar(_.writeLong(l))
    def jstring(s: String): Digest = scalar(_.writeString(s))
    def singleContext(): FContext[Digest] = whole()
    def arrayContext(): FContext[Digest] = whole()
    def objectContext(): FContext[Digest] = whole()

    private[this] def scalar(write: Builder[Digest] => Unit): Digest = {
      val builder = makeBuilder
      write(builder)
      builder.result.get
    }

    private[this] def whole() =
      serializationError("A hash is one of a whole document: it is not put together from others")
  }
}

/** 128 bits, of SipHash: enough where nobody wants two values to meet. */
object Hasher128 extends Hasher(() => HashWriter.hash128().unordered())

/** 256 bits, of SHA-256: for whatever else. */
object Hasher256 extends Hasher(() => HashWriter.hash256().unordered())

/** The writer of one document after the other whose verbs are hashed. */
private[sjson] final class Hashing(writer: HashWriter) {
  val builder: FormatBuilder[Digest] =
    new FormatBuilder[Digest](
      null,
      writer,
      new NameCache,
      infinities = true,
      textNumbers = false,
      canonical = true,
      () => finish()
    )

  def hash[A](value: A, codec: _root_.sjsonnew.HashWriter[A]): Digest =
    try {
      builder.reset()
      codec.write(value, builder)
      finish()
    } catch {
      case e: DataException => throw Errors.unwritable(e)
      case _: StackOverflowError => throw Errors.unwritable(Errors.tooDeep)
    }

  private[this] def finish(): Digest = {
    builder.finish()
    new Digest(writer.toByteArray)
  }
}

private[sjson] object Hashing {

  /** Bytes, about: the names, and the state of hashes of open maps; a document is kept by none of them. */
  final val Size = 1L << 20
}

/** A hash: 16 or 32 bytes. */
final class Digest private[sjson] (private[this] val content: Array[Byte]) {

  /** A copy. */
  def bytes: Array[Byte] = content.clone

  def hex: String = content.map(b => f"${b & 0xff}%02x").mkString

  override def toString: String = hex
  override def hashCode: Int = java.util.Arrays.hashCode(content)
  override def equals(other: Any): Boolean = other match {
    case that: Digest => that.isSame(content)
    case _ => false
  }

  private def isSame(bytes: Array[Byte]): Boolean = java.util.Arrays.equals(bytes, content)
}
