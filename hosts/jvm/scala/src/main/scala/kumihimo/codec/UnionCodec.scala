package kumihimo.codec

import kumihimo.{Code, Name, Names, Reader, Writer}
import kumihimo.tape.TapeReader

/** How a document tells which of the types of a sealed trait a value has. */
sealed abstract class Tagging

object Tagging {

  /** `{"type":"Dog","name":"Rex"}` */
  final case class Field(name: String) extends Tagging

  /** `{"Dog":{"name":"Rex"}}` */
  case object Wrapped extends Tagging

  /** `{"type":"Dog","value":{"name":"Rex"}}` */
  final case class Adjacent(name: String, content: String) extends Tagging
}

/**
 * A codec of a sealed trait.
 *
 * @param types
 *   for each of its types the name and its aliases
 * @param codecs
 *   theirs, by the same numbers
 */
abstract class UnionCodec[A](types: Array[Array[String]], tagging: Tagging, codecs: Nested) extends Codec[A] {

  /** The number of the type that a value has. */
  def ordinal(value: A): Int

  private[this] val written = types.map(names => new Name(names(0)))
  private[this] val records = new Array[RecordCodec[Any]](types.length)
  private[this] val numbers = {
    val map = new java.util.HashMap[String, Integer]
    for (i <- types.indices; name <- types(i))
      if (map.put(name, i) != null) throw new IllegalArgumentException(s"the type $name stands twice")
    map
  }
  // Field: the discriminator alone. Wrapped: every name. Adjacent: discriminator and content.
  private[this] val keys = tagging match {
    case Tagging.Field(name) => Names.of(name)
    case Tagging.Wrapped => Names.of(types.flatMap(names => names.toSeq): _*)
    case Tagging.Adjacent(name, content) => Names.of(name, content)
  }

  private[this] val style = tagging match {
    case _: Tagging.Field => 0
    case Tagging.Wrapped => 1
    case _: Tagging.Adjacent => 2
  }

  final def write(value: A, out: Writer): Unit = {
    val number = ordinal(value)
    if (style == 0) {
      val codec = record(number)
      val tag = keys.get(0)
      out.map(codec.size(value, tag) + 1L)
      out.key(tag)
      out.str(written(number).text)
      codec.writeFields(value, out, tag)
    } else if (style == 1) {
      out.map(1)
      out.key(written(number))
      codecs(number).write(value, out)
    } else {
      out.map(2)
      out.key(keys.get(0))
      out.str(written(number).text)
      out.key(keys.get(1))
      codecs(number).write(value, out)
    }
    out.end()
  }

  final def read(in: Reader): A = {
    in.map()
    val at = RecordCodec.opened(in)
    val value = if (style == 0) readField(in, at) else if (style == 1) readWrapped(in, at) else readAdjacent(in, at)
    value.asInstanceOf[A]
  }

  private[this] def readField(in: Reader, at: Int): Any = {
    val first = in.mark()
    if (in.field(keys, 0) == 0) record(number(in)).readFields(in, at, keys.get(0)) else readBehind(in, at, first)
  }

  /** The discriminator stands behind other fields: it is looked for, and the fields are read from the first. */
  private[this] def readBehind(in: Reader, at: Int, first: Reader.Mark): Any = {
    in.rewind(first)
    val outermost = isOutermost(in)
    val codec = record(if (outermost) search(in, at) else remembered(in, at, first))
    in.rewind(first)
    if (outermost) Ahead.within(in)(codec.readFields(in, at, keys.get(0))) else codec.readFields(in, at, keys.get(0))
  }

  /** Whether nothing is remembered here; on a tape all is, and passing a value over costs nothing. */
  private[this] def isOutermost(in: Reader) = in match {
    case _: TapeReader => false
    case _ => Ahead.of(in) eq null
  }

  /** The number of the type that stands somewhere in the map that is open. */
  private[this] def search(in: Reader, at: Int): Int = {
    var found = in.field(keys, 0)
    while (found != 0) {
      if (found == Names.END) throw RecordCodec.missing(keys.get(0).text, at)
      in.skip()
      found = in.field(keys, 0)
    }
    number(in)
  }

  /** The same, where it has been seen before; a type that is no text is searched for, and refused. */
  private[this] def remembered(in: Reader, at: Int, first: Reader.Mark): Int = {
    val ahead = Ahead.of(in)
    val found = if (ahead eq null) null else ahead.find(keys, at, first)
    if (found ne null) number(found.name, found.at)
    else {
      in.rewind(first)
      search(in, at)
    }
  }

  private[this] def readWrapped(in: Reader, at: Int): Any = {
    if (in.field(keys, 0) < 0) throw new DataException(Code.TYPE, s"not a map of one of ${shown()} alone", at.toLong)
    val value = codecs(numbers.get(in.lastKey())).read(in)
    if (in.hasNext()) throw new DataException(Code.TYPE, s"not a map of one of ${shown()} alone", at.toLong)
    value
  }

  private[this] def readAdjacent(in: Reader, at: Int): Any = {
    val first = in.mark()
    if (in.field(keys, 0) == 0) readContent(in, at, number(in))
    else {
      in.rewind(first)
      val outermost = isOutermost(in)
      val type_ = if (outermost) search(in, at) else remembered(in, at, first)
      in.rewind(first)
      if (outermost) Ahead.within(in)(readContent(in, at, type_)) else readContent(in, at, type_)
    }
  }

  private[this] def readContent(in: Reader, at: Int, type_ : Int): Any = {
    var value: Any = null
    var read = false
    var found = in.field(keys, 1)
    while (found != Names.END) {
      if (found == 1) {
        value = codecs(type_).read(in)
        read = true
      } else in.skip()
      found = in.field(keys, 1)
    }
    if (!read) throw RecordCodec.missing(keys.get(1).text, at)
    value
  }

  private[this] def record(number: Int): RecordCodec[Any] = {
    val known = records(number)
    if (known ne null) known else link(number)
  }

  /** Looked at once, since types contain each other. */
  private[this] def link(number: Int): RecordCodec[Any] = (codecs(number): Codec[_]) match {
    case codec: RecordCodec[_] =>
      val tag = keys.get(0)
      if (codec.fieldNames.find(tag.utf8, 0, tag.utf8.length) >= 0)
        throw new DataException(
          Code.HOST,
          s"${written(number).text} has a field ${tag.text} of its own, which tells the types from each other: name " +
            "one of them otherwise (@name, @discriminator), or use @wrapped or @adjacent"
        )
      records(number) = codec.asInstanceOf[RecordCodec[Any]]
      records(number)
    case _ =>
      throw new DataException(
        Code.HOST,
        s"the codec of ${written(number).text} is no RecordCodec, so that no field can stand beside " +
          "its own: use @wrapped or @adjacent"
      )
  }

  /** The number of the type that the next value names. */
  private[this] def number(in: Reader): Int = {
    in.kind()
    val at = in.position()
    number(in.str(), at)
  }

  private[this] def number(name: String, at: Int): Int = {
    val number = numbers.get(name)
    if (number eq null)
      throw new DataException(Code.TYPE, s"${Scalars.quoted(name)} is none of ${shown()}", at.toLong)
    number.intValue
  }

  private[this] def shown() = written.take(8).mkString(", ") + (if (written.length > 8) ", ..." else "")
}
