package kumihimo.codec

import kumihimo.{Kind, Moment, Reader, Writer}

/**
 * A value of any shape, for the parts of a document that have no type: it comes back as it was, in any format.
 *
 * Its kinds are best called `Value.Integer` and so on: `import Value._` would hide classes of java.lang.
 */
sealed abstract class Value

object Value {
  case object Null extends Value
  final case class Bool(value: Boolean) extends Value
  final case class Integer(value: Long) extends Value

  /** An integer from 2^63 to 2^64-1, as the 64 bits it has. */
  final case class Unsigned(bits: Long) extends Value
  final case class Number(value: Double) extends Value

  /** A number in its own digits, by JSON's grammar, which neither a long nor a double can hold. */
  final case class Digits(value: String) extends Value
  final case class Text(value: String) extends Value

  /** The array belongs to the value, and must not be changed. */
  final class Bytes(val value: Array[Byte]) extends Value {
    override def equals(other: Any): Boolean = other match {
      case that: Bytes => java.util.Arrays.equals(value, that.value)
      case _ => false
    }
    override def hashCode: Int = java.util.Arrays.hashCode(value)
    override def toString: String = s"Bytes(${value.length})"
  }
  final case class Time(value: Moment) extends Value

  /** A typed extension of MessagePack. */
  final case class Extension(`type`: Int, data: Bytes) extends Value
  final case class Items(values: Vector[Value]) extends Value {
    override def equals(other: Any): Boolean = other match {
      case that: Items => Values.equal(this, that)
      case _ => false
    }
    override def hashCode: Int = Values.hash(this)
    override def toString: String = Values.show(this)
  }

  /** The pairs of a map in their order; a key that comes twice stands twice, and keys may be of any kind. */
  final case class Fields(pairs: Vector[(Value, Value)]) extends Value {

    /** The value of a key that is text; of several the last. */
    def get(key: String): Option[Value] = pairs.reverseIterator.collectFirst { case (Text(`key`), value) => value }

    override def equals(other: Any): Boolean = other match {
      case that: Fields => Values.equal(this, that)
      case _ => false
    }
    override def hashCode: Int = Values.hash(this)
    override def toString: String = Values.show(this)
  }

  object Fields {
    val empty: Fields = Fields(Vector.empty)
  }

  private[codec] def pair(pair: (Value, Value), out: Writer): Unit = {
    pair._1 match {
      case Text(key) => out.key(key)
      case key =>
        out.keyIsNext()
        codec.write(key, out)
    }
    codec.write(pair._2, out)
  }

  implicit val codec: Codec[Value] = new Codec[Value] {
    def write(value: Value, out: Writer): Unit = value match {
      case Null => out.nil()
      case Bool(b) => out.bool(b)
      case Integer(i) => out.i64(i)
      case Unsigned(bits) => out.u64(bits)
      case Number(d) => out.f64(d)
      case Digits(digits) => out.big(digits)
      case Text(text) => out.str(text)
      case bytes: Bytes => out.bin(bytes.value, 0, bytes.value.length)
      case Time(moment) => out.time(moment)
      case Extension(type_, data) => out.ext(type_, data.value, 0, data.value.length)
      case Items(values) =>
        out.array(values.length.toLong)
        values.foreach(write(_, out))
        out.end()
      case Fields(pairs) =>
        out.map(pairs.length.toLong)
        pairs.foreach(pair(_, out))
        out.end()
    }

    // As deep as the document: the reader's limit of depth holds.
    def read(in: Reader): Value = in.kind() match {
      case Kind.NIL =>
        in.nil()
        Null
      case Kind.BOOL => Bool(in.bool())
      case Kind.I64 => Integer(in.i64())
      case Kind.U64 => Unsigned(in.u64())
      case Kind.F64 => Number(in.f64())
      case Kind.BIG => Digits(in.number())
      case Kind.STR => Text(in.str())
      case Kind.BIN => new Bytes(in.bin())
      case Kind.TIME => Time(in.time())
      case Kind.EXT =>
        val type_ = in.ext()
        Extension(type_, new Bytes(in.extData()))
      case Kind.ARRAY =>
        val items = Vector.newBuilder[Value]
        in.array()
        while (in.hasNext()) items += read(in)
        Items(items.result())
      case Kind.MAP =>
        val pairs = Vector.newBuilder[(Value, Value)]
        in.map()
        while (in.hasNext()) {
          val key = if (in.kind() == Kind.STR) Text(in.key()) else read(in)
          pairs += ((key, read(in)))
        }
        Fields(pairs.result())
    }
  }
}
