package kumihimo.codec

import kumihimo.{Name, Names, Reader, Writer}

import scala.annotation.tailrec

/**
 * A list whose elements have types of their own, for codecs of classes with any number of fields, written by hand:
 *
 * {{{
 * val person: Codec[Person] = LList.codec(LList.field[String]("name") :*: LList.field[Option[Int]]("age") :*:
 * LList.end)(
 *   (p: Person) => p.name :*: p.age :*: LNil)(
 *   { case name :*: age :*: LNil => Person(name, age) })
 * }}}
 */
sealed trait LList

final case class :*:[+H, +T <: LList](head: H, tail: T) extends LList

case object LNil extends LList

object LList {
  type LNil = kumihimo.codec.LNil.type

  implicit final class Prepend[L <: LList](private val list: L) extends AnyVal {
    def :*:[H](head: H): H :*: L = kumihimo.codec.:*:(head, list)
  }

  /** A field by its name, with the codec of its type. */
  def field[A](name: String)(implicit codec: Codec[A]): Field[A] = new Field(name, codec)

  /** No more fields. */
  val end: Fields[LNil] = new Fields[LNil](Nil, _ => LNil)

  final class Field[A] private[LList] (val name: String, val codec: Codec[A])

  /** Names and codecs of the elements of a list. */
  final class Fields[L <: LList] private[LList] (
      private[LList] val all: List[Field[_]],
      private[LList] val gather: List[Any] => L
  ) {
    def :*:[A](field: Field[A]): Fields[A :*: L] =
      new Fields[A :*: L](
        field :: all,
        values => kumihimo.codec.:*:(values.head.asInstanceOf[A], gather(values.tail))
      )
  }

  /** The codec of a class that is as good as a list of fields. */
  def codec[A, L <: LList](fields: Fields[L])(to: A => L)(from: L => A): RecordCodec[A] = new RecordCodec[A] {
    private[this] val names = Names.of(fields.all.map(_.name): _*)
    private[this] val codecs = fields.all.map(_.codec.asInstanceOf[Codec[Any]]).toArray

    @tailrec private[this] def count(rest: LList, number: Int, sum: Int): Int = rest match {
      case head :*: tail => count(tail, number + 1, if (codecs(number).isAbsent(head)) sum else sum + 1)
      case LNil => sum
    }

    def fieldNames: Names = names

    def size(value: A, tag: Name): Int = count(to(value), 0, 0)

    def writeFields(value: A, out: Writer, tag: Name): Unit = {
      @tailrec def each(rest: LList, number: Int): Unit = rest match {
        case head :*: tail =>
          if (!codecs(number).isAbsent(head)) {
            out.key(names.get(number))
            codecs(number).write(head, out)
          }
          each(tail, number + 1)
        case LNil => ()
      }
      each(to(value), 0)
    }

    def readFields(in: Reader, at: Int, tag: Name): A = {
      val values = new Array[Any](codecs.length)
      val seen = new Array[Boolean](codecs.length)
      var found = in.field(names, 0)
      while (found != Names.END) {
        if (found >= 0) {
          values(found) = codecs(found).read(in)
          seen(found) = true
        } else RecordCodec.unknown(in, tag, strict = false)
        found = in.field(names, found + 1)
      }
      for (i <- values.indices) if (!seen(i)) values(i) = RecordCodec.absent(codecs(i), names.get(i).text, at)
      from(fields.gather(values.toList))
    }
  }
}
