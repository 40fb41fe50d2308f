package kumihimo.codec

import java.math.{BigDecimal => JBigDecimal, BigInteger}

import kumihimo.{Code, Kind, Reader, Writer}
import kumihimo.scalar.BigNumbers

/**
 * Scalars of the language, and the classes that box them. The names are those that derivation writes code for
 * in place.
 */
trait PrimitiveCodecs {
  implicit val boolean: Codec[Boolean] = new Codec[Boolean] {
    def write(value: Boolean, out: Writer): Unit = out.bool(value)
    def read(in: Reader): Boolean = in.bool()
  }

  implicit val byte: Codec[Byte] = new Codec[Byte] {
    def write(value: Byte, out: Writer): Unit = out.i32(value.toInt)
    def read(in: Reader): Byte = Scalars.byte(in)
  }

  implicit val short: Codec[Short] = new Codec[Short] {
    def write(value: Short, out: Writer): Unit = out.i32(value.toInt)
    def read(in: Reader): Short = Scalars.short(in)
  }

  implicit val int: Codec[Int] = new Codec[Int] {
    def write(value: Int, out: Writer): Unit = out.i32(value)
    def read(in: Reader): Int = in.i32()
  }

  implicit val long: Codec[Long] = new Codec[Long] {
    def write(value: Long, out: Writer): Unit = out.i64(value)
    def read(in: Reader): Long = in.i64()
  }

  implicit val float: Codec[Float] = new Codec[Float] {
    def write(value: Float, out: Writer): Unit = out.f32(value)
    def read(in: Reader): Float = in.f32()
  }

  implicit val double: Codec[Double] = new Codec[Double] {
    def write(value: Double, out: Writer): Unit = out.f64(value)
    def read(in: Reader): Double = in.f64()
  }

  implicit val char: Codec[Char] = new Codec[Char] {
    def write(value: Char, out: Writer): Unit = out.str(String.valueOf(value))
    def read(in: Reader): Char = Scalars.char(in)
  }

  implicit val string: Codec[String] = new Codec[String] {
    def write(value: String, out: Writer): Unit = out.str(value)
    def read(in: Reader): String = in.str()
    override def empty: Option[String] = Some("")
    override def isEmpty(value: String): Boolean = value.isEmpty
  }

  /** An empty map, as a record without fields is. */
  implicit val unit: Codec[Unit] = new Codec[Unit] {
    def write(value: Unit, out: Writer): Unit = {
      out.map(0)
      out.end()
    }
    def read(in: Reader): Unit = {
      in.map()
      while (in.hasNext()) {
        in.skip()
        in.skip()
      }
    }
    override def absent: Option[Unit] = Some(())
  }

  implicit val symbol: Codec[Symbol] = string.imap(Symbol(_))(_.name)

  implicit val javaBigInteger: Codec[BigInteger] = new Codec[BigInteger] {
    def write(value: BigInteger, out: Writer): Unit = Scalars.bigInteger(value, out)
    def read(in: Reader): BigInteger = Scalars.bigInteger(in)
  }

  implicit val javaBigDecimal: Codec[JBigDecimal] = new Codec[JBigDecimal] {
    def write(value: JBigDecimal, out: Writer): Unit = Scalars.bigDecimal(value, out)
    def read(in: Reader): JBigDecimal = Scalars.bigDecimal(in)
  }

  implicit val bigInt: Codec[BigInt] = new Codec[BigInt] {
    def write(value: BigInt, out: Writer): Unit =
      if (value.isValidLong) out.i64(value.toLong) else Scalars.bigInteger(value.bigInteger, out)
    def read(in: Reader): BigInt =
      if (in.kind() == Kind.I64) BigInt(in.i64()) else BigInt(Scalars.bigInteger(in))
  }

  implicit val bigDecimal: Codec[BigDecimal] = new Codec[BigDecimal] {
    def write(value: BigDecimal, out: Writer): Unit = Scalars.bigDecimal(value.bigDecimal, out)
    def read(in: Reader): BigDecimal = new BigDecimal(Scalars.bigDecimal(in), java.math.MathContext.UNLIMITED)
  }

  implicit val boxedBoolean: Codec[java.lang.Boolean] = new Codec[java.lang.Boolean] {
    def write(value: java.lang.Boolean, out: Writer): Unit = out.bool(value.booleanValue)
    def read(in: Reader): java.lang.Boolean = java.lang.Boolean.valueOf(in.bool())
  }
  implicit val boxedByte: Codec[java.lang.Byte] = byte.imap(java.lang.Byte.valueOf(_: Byte))(_.byteValue)
  implicit val boxedShort: Codec[java.lang.Short] = short.imap(java.lang.Short.valueOf(_: Short))(_.shortValue)
  implicit val boxedInteger: Codec[java.lang.Integer] = int.imap(java.lang.Integer.valueOf(_: Int))(_.intValue)
  implicit val boxedLong: Codec[java.lang.Long] = long.imap(java.lang.Long.valueOf(_: Long))(_.longValue)
  implicit val boxedFloat: Codec[java.lang.Float] = float.imap(java.lang.Float.valueOf(_: Float))(_.floatValue)
  implicit val boxedDouble: Codec[java.lang.Double] = double.imap(java.lang.Double.valueOf(_: Double))(_.doubleValue)
  implicit val boxedCharacter: Codec[java.lang.Character] =
    char.imap(java.lang.Character.valueOf(_: Char))(_.charValue)
}

/** Scalars that are no verb of their own. Derived code calls it, too. */
object Scalars {
  def byte(in: Reader): Byte = {
    val at = start(in)
    val value = in.i32()
    if (value != value.toByte) throw range(value.toString, "a byte", at)
    value.toByte
  }

  def short(in: Reader): Short = {
    val at = start(in)
    val value = in.i32()
    if (value != value.toShort) throw range(value.toString, "a short", at)
    value.toShort
  }

  def char(in: Reader): Char = {
    val at = start(in)
    val text = in.str()
    if (text.length != 1) throw new DataException(Code.TYPE, s"${quoted(text)} is not one character", at.toLong)
    text.charAt(0)
  }

  def bigInteger(value: BigInteger, out: Writer): Unit =
    if (value.bitLength < 64) out.i64(value.longValue)
    else if (value.bitLength == 64 && value.signum > 0) out.u64(value.longValue)
    else out.big(BigNumbers.digits(value, out.limits))

  def bigInteger(in: Reader): BigInteger = in.kind() match {
    case Kind.I64 => BigInteger.valueOf(in.i64())
    case Kind.U64 => new BigInteger(java.lang.Long.toUnsignedString(in.u64()))
    case _ =>
      val at = in.position()
      val digits = written(in)
      try BigNumbers.integer(digits, in.limits, in.exponentDigits)
      catch {
        case _: NumberFormatException => throw range(digits, "a number", at)
        case e: DataException =>
          throw (if (e.code == Code.TYPE) range(digits, "an integer", at) else e.atByte(at.toLong))
      }
  }

  def bigDecimal(value: JBigDecimal, out: Writer): Unit = {
    BigNumbers.check(value, out.limits)
    if (value.scale == 0 && value.unscaledValue.bitLength < 64) out.i64(value.unscaledValue.longValue)
    else if (value.scale == 0) bigInteger(value.unscaledValue, out)
    else out.big(value.toString)
  }

  def bigDecimal(in: Reader): JBigDecimal = {
    in.kind()
    val at = in.position()
    val digits = written(in)
    try {
      val value = BigNumbers.decimal(digits, in.limits)
      if (in.hashBudget.isInElement) Hashes.count(value, digits, in.hashBudget)
      value
    } catch {
      case _: NumberFormatException => throw range(digits, "a decimal number", at)
      case e: DataException => throw e.atByte(at.toLong)
    }
  }

  /** The digits of a number; as text, too, since MessagePack has no numbers of any size. */
  private def written(in: Reader) = if (in.kind() == Kind.STR) in.str() else in.number()

  private def start(in: Reader): Int = {
    in.kind()
    in.position()
  }

  private[codec] def range(value: String, wanted: String, at: Int): DataException =
    new DataException(Code.RANGE, s"${cut(value)} is not $wanted", at.toLong)

  /** At most 40 characters of a value, for messages. */
  private[codec] def cut(text: String): String = if (text.length <= 40) text else text.substring(0, 37) + "..."

  private[codec] def quoted(text: String): String = "\"" + cut(text) + "\""
}
