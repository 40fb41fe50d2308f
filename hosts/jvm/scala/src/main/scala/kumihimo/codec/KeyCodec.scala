package kumihimo.codec

import java.math.BigInteger
import java.util.UUID

import kumihimo.{Code, Limits, Reader}
import kumihimo.scalar.BigNumbers

import scala.annotation.implicitNotFound

/**
 * How the keys of a map become text, which every format has keys of: `Map(1 -> "a")` is `{"1":"a"}`.
 */
@implicitNotFound("there is no KeyCodec[${K}], which a map with such keys needs: make one with KeyCodec.of")
abstract class KeyCodec[K] { self =>
  def encode(key: K): String

  /** The key of a text; what is none throws `IllegalArgumentException`, which becomes an error of the document. */
  def decode(text: String): K

  final def imap[L](to: K => L)(from: L => K): KeyCodec[L] = new KeyCodec[L] {
    def encode(key: L): String = self.encode(from(key))
    def decode(text: String): L = to(self.decode(text))
    private[codec] override def encode(key: L, limits: Limits): String = self.encode(from(key), limits)
    private[codec] override def decode(text: String, in: Reader): L = to(self.decode(text, in))
  }

  /** The text of a key in a document of these limits.
   *
   * @throws kumihimo.DataException
   *   for a key that could not be read again
   */
  private[codec] def encode(key: K, limits: Limits): String = encode(key)

  /** The key of a text in the document that is read. */
  private[codec] def decode(text: String, in: Reader): K = decode(text)

  private[codec] final def decodeAt(text: String, in: Reader, at: Int): K =
    try decode(text, in)
    catch {
      case e: IllegalArgumentException =>
        val reason = if (e.getMessage == null) "" else ": " + Scalars.cut(e.getMessage)
        throw new DataException(Code.TYPE, s"${Scalars.quoted(text)} is no key of this map$reason", at.toLong)
    }
}

object KeyCodec extends TimeKeys {
  def apply[K](implicit codec: KeyCodec[K]): KeyCodec[K] = codec

  def of[K](encodes: K => String)(decodes: String => K): KeyCodec[K] = new PrintedKey[K](encodes, decodes)

  implicit val string: KeyCodec[String] = of[String](key => key)(text => text)
  implicit val boolean: KeyCodec[Boolean] = of[Boolean](_.toString) {
    case "true" => true
    case "false" => false
    case _ => throw new IllegalArgumentException("neither true nor false")
  }
  implicit val byte: KeyCodec[Byte] = of[Byte](_.toString)(text => java.lang.Byte.parseByte(Texts.number(text)))
  implicit val short: KeyCodec[Short] = of[Short](_.toString)(text => java.lang.Short.parseShort(Texts.number(text)))
  implicit val int: KeyCodec[Int] = of[Int](_.toString)(text => java.lang.Integer.parseInt(Texts.number(text)))
  implicit val long: KeyCodec[Long] = of[Long](_.toString)(text => java.lang.Long.parseLong(Texts.number(text)))
  implicit val float: KeyCodec[Float] = of[Float](_.toString)(Texts.float)
  implicit val double: KeyCodec[Double] = of[Double](_.toString)(Texts.double)
  implicit val char: KeyCodec[Char] = of[Char](_.toString) { text =>
    if (text.length == 1) text.charAt(0) else throw new IllegalArgumentException("not one character")
  }
  implicit val symbol: KeyCodec[Symbol] = of[Symbol](_.name)(Symbol(_))
  implicit val bigInt: KeyCodec[BigInt] = new NumberKey[BigInt] {
    def encode(key: BigInt): String = key.toString
    private[codec] override def encode(key: BigInt, limits: Limits): String =
      BigNumbers.digits(key.bigInteger, limits)
    protected def parse(text: String, limits: Limits): BigInt = BigNumbers.number(text, limits) match {
      case whole: BigInteger => BigInt(whole)
      case _ => throw new IllegalArgumentException("not an integer")
    }
  }
  implicit val bigDecimal: KeyCodec[BigDecimal] = new NumberKey[BigDecimal] {
    def encode(key: BigDecimal): String = key.toString
    private[codec] override def encode(key: BigDecimal, limits: Limits): String = {
      BigNumbers.check(key.bigDecimal, limits)
      key.toString
    }
    protected def parse(text: String, limits: Limits): BigDecimal =
      new BigDecimal(BigNumbers.decimal(text, limits), java.math.MathContext.UNLIMITED)
    private[codec] override def decode(text: String, in: Reader): BigDecimal = {
      val key = super.decode(text, in)
      Hashes.count(key.bigDecimal, text, in.hashBudget)
      key
    }
  }
  implicit val javaBigInteger: KeyCodec[BigInteger] = bigInt.imap(_.bigInteger)(BigInt(_))
  implicit val javaBigDecimal: KeyCodec[java.math.BigDecimal] =
    bigDecimal.imap(_.bigDecimal)(new BigDecimal(_, java.math.MathContext.UNLIMITED))

  implicit val uuid: KeyCodec[UUID] = of[UUID](_.toString)(Texts.uuid)
  implicit val uri: KeyCodec[java.net.URI] = of[java.net.URI](_.toString)(java.net.URI.create)
  implicit def javaEnum[E <: java.lang.Enum[E]](implicit tag: scala.reflect.ClassTag[E]): KeyCodec[E] =
    of[E](_.name)(java.lang.Enum.valueOf(tag.runtimeClass.asInstanceOf[Class[E]], _))

  /** By the names that a codec has for its values: of an enum, an Enumeration, a sealed trait of objects alone.
   *
   * @throws java.lang.IllegalArgumentException
   *   for another codec
   */
  def named[K](implicit codec: Codec[K]): KeyCodec[K] = codec match {
    case names: TextCodec[K] => of[K](names.text)(names.named)
    case _ => throw new IllegalArgumentException("only values that are names can be keys by their codec")
  }

  /** A number of any size, as large as limits say. */
  private abstract class NumberKey[K] extends KeyCodec[K] {
    protected def parse(text: String, limits: Limits): K
    final def decode(text: String): K = within(text, Limits.DEFAULT)
    private[codec] override def decode(text: String, in: Reader): K = within(text, in.limits)

    private[this] def within(text: String, limits: Limits): K =
      try parse(text, limits)
      catch { case e: DataException => throw new IllegalArgumentException(e.reason) }
  }
}

private[codec] final class PrintedKey[K](print: K => String, parse: String => K) extends KeyCodec[K] {
  def encode(key: K): String = print(key)
  def decode(text: String): K = parse(text)
}
