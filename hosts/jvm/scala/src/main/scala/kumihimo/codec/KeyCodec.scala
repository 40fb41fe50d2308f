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
    private[codec] override def decode(text: String, limits: Limits): L = to(self.decode(text, limits))
  }

  /** The key of a text in a document of these limits. */
  private[codec] def decode(text: String, limits: Limits): K = decode(text)

  private[codec] final def decodeAt(text: String, in: Reader, at: Int): K =
    try decode(text, in.limits)
    catch {
      case e: IllegalArgumentException =>
        val reason = if (e.getMessage == null) "" else ": " + Scalars.cut(e.getMessage)
        throw new DataException(Code.TYPE, s"${Scalars.quoted(text)} is no key of this map$reason", at.toLong)
    }
}

object KeyCodec {
  def apply[K](implicit codec: KeyCodec[K]): KeyCodec[K] = codec

  def of[K](encodes: K => String)(decodes: String => K): KeyCodec[K] = new KeyCodec[K] {
    def encode(key: K): String = encodes(key)
    def decode(text: String): K = decodes(text)
  }

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
  implicit val bigInt: KeyCodec[BigInt] = number[BigInt](_.toString) { (text, limits) =>
    BigNumbers.number(text, limits) match {
      case whole: BigInteger => BigInt(whole)
      case _ => throw new IllegalArgumentException("not an integer")
    }
  }
  implicit val bigDecimal: KeyCodec[BigDecimal] = number[BigDecimal](_.toString) { (text, limits) =>
    new BigDecimal(BigNumbers.decimal(text, limits), java.math.MathContext.UNLIMITED)
  }
  implicit val uuid: KeyCodec[UUID] = of[UUID](_.toString)(Texts.uuid)
  implicit val uri: KeyCodec[java.net.URI] = of[java.net.URI](_.toString)(java.net.URI.create)
  implicit val localDate: KeyCodec[java.time.LocalDate] =
    time[java.time.LocalDate](_.toString)(java.time.LocalDate.parse(_))
  implicit val instant: KeyCodec[java.time.Instant] = time[java.time.Instant](_.toString)(java.time.Instant.parse(_))
  implicit val year: KeyCodec[java.time.Year] = of[java.time.Year](_.toString) { text =>
    val year = java.lang.Integer.parseInt(Texts.number(text))
    if (year < java.time.Year.MIN_VALUE || year > java.time.Year.MAX_VALUE)
      throw new IllegalArgumentException("not a year")
    java.time.Year.of(year)
  }
  implicit val yearMonth: KeyCodec[java.time.YearMonth] =
    time[java.time.YearMonth](Times.yearMonths.format(_))(java.time.YearMonth.parse(_, Times.yearMonths))

  implicit def javaEnum[E <: java.lang.Enum[E]](implicit tag: scala.reflect.ClassTag[E]): KeyCodec[E] =
    of[E](_.name)(java.lang.Enum.valueOf(tag.runtimeClass.asInstanceOf[Class[E]], _))

  private def number[K](print: K => String)(parse: (String, Limits) => K): KeyCodec[K] = new KeyCodec[K] {
    def encode(key: K): String = print(key)
    def decode(text: String): K = decode(text, Limits.DEFAULT)
    private[codec] override def decode(text: String, limits: Limits): K =
      try parse(text, limits)
      catch { case e: DataException => throw new IllegalArgumentException(e.reason) }
  }

  private def time[K](print: K => String)(parse: String => K): KeyCodec[K] = of[K](print) { text =>
    try parse(text)
    catch { case e: java.time.DateTimeException => throw new IllegalArgumentException(e.getMessage) }
  }
}
