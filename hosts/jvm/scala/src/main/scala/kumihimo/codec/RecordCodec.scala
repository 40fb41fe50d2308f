package kumihimo.codec

import kumihimo.{Code, Name, Names, Reader, Writer}

/**
 * A codec whose values are maps of named fields. Derived codecs are subclasses; their three methods are
 * straight-line code over the fields.
 */
abstract class RecordCodec[A] extends Codec[A] {

  /** The names of its fields, and those that are read besides. */
  def fieldNames: Names

  /**
   * How many fields of this value are written.
   *
   * @param tag
   *   the field that tells the type, is no field of the record and is not counted, or null
   */
  def size(value: A, tag: Name): Int

  /** Writes the fields of an open map; `tag` as in `size`. */
  def writeFields(value: A, out: Writer, tag: Name): Unit

  /**
   * Reads the fields of an open map, and its end.
   *
   * @param at
   *   the offset that errors of the record as a whole have
   * @param tag
   *   the field that told the type and is no field of the record, or null
   */
  def readFields(in: Reader, at: Int, tag: Name): A

  final def write(value: A, out: Writer): Unit = {
    out.map(size(value, null).toLong)
    writeFields(value, out, null)
    out.end()
  }

  final def read(in: Reader): A = {
    in.map()
    readFields(in, RecordCodec.opened(in), null)
  }
}

/** What derived code calls; not for other use. */
object RecordCodec {

  /** Values up to which it costs less to ask for each by its index: a Vector has one array for them. */
  private final val Few = 32

  /** What goes through the values of a sequence, or null where each is to be asked for by its index. */
  def iterator[A](values: collection.Seq[A], count: Int): Iterator[A] =
    if (count <= Few && values.isInstanceOf[collection.IndexedSeq[_]]) null else values.iterator

  /** An offset inside the header of the map that was opened last. */
  def opened(in: Reader): Int = Math.max(0, in.consumed() - 1)

  /** A field that the record does not have. */
  def unknown(in: Reader, tag: Name, strict: Boolean): Unit =
    if (!strict || isTag(in, tag)) in.skip()
    else {
      in.kind()
      throw new DataException(
        Code.TYPE,
        s"the field ${Scalars.quoted(in.lastKey())} is not known",
        in.position().toLong
      )
    }

  private[codec] def isTag(in: Reader, tag: Name): Boolean =
    (tag ne null) && in.lastKeyIsText && tag.text == in.lastKey()

  /** What a field is where the document has none. */
  def absent[A](codec: Codec[A], name: String, at: Int): A = codec.absent match {
    case Some(value) => value
    case None => throw missing(name, at)
  }

  /** What a field that is left out with an empty value is where the document has none. */
  def empty[A](codec: Codec[A], name: String, at: Int): A = codec.empty match {
    case Some(value) => value
    case None => absent(codec, name, at)
  }

  def missing(name: String, at: Int): DataException =
    new DataException(Code.TYPE, s"the field ${Scalars.quoted(name)} is missing", at.toLong)
}

/**
 * The codecs that a derived one calls. Each is found when it is first called, since types contain each other;
 * made twice by two threads they are equal.
 */
final class Nested(count: Int, make: Int => Codec[_]) {
  private[this] val made = new Array[Codec[Any]](count)

  def apply(index: Int): Codec[Any] = {
    val codec = made(index)
    if (codec ne null) codec else link(index)
  }

  private[this] def link(index: Int): Codec[Any] = {
    val codec = make(index).asInstanceOf[Codec[Any]]
    made(index) = codec
    codec
  }
}

/** A record without fields: an object, or a class with none. */
final class SingletonCodec[A](value: A, strict: Boolean) extends RecordCodec[A] {
  def fieldNames: Names = SingletonCodec.none
  def size(value: A, tag: Name): Int = 0
  def writeFields(value: A, out: Writer, tag: Name): Unit = ()
  def readFields(in: Reader, at: Int, tag: Name): A = {
    while (in.field(SingletonCodec.none, 0) != Names.END) RecordCodec.unknown(in, tag, strict)
    value
  }
  override def absent: Option[A] = None
}

object SingletonCodec {
  private val none = Names.of()
}
