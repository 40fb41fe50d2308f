package kumihimo.codec

import kumihimo.{Kind, Name, Names, Reader, Writer}

import scala.collection.immutable.VectorBuilder

/**
 * The fields that a record does not have, and keeps, in the order of the document; derived code calls it.
 *
 * @param from
 *   the place of the record's first field
 */
final class KeptFields(private[this] var from: Reader.Mark) {
  private[this] var pairs: VectorBuilder[(Value, Value)] = _

  /** The field whose key was found last; not the one that told the type. */
  def keep(in: Reader, tag: Name): Unit =
    if (!in.lastKeyIsText) keepOdd(in)
    else if (RecordCodec.isTag(in, tag)) in.skip()
    else {
      val key = Value.Text(in.lastKey())
      add(key, Value.codec.read(in))
    }

  /**
   * The key, which is no text, has been passed: back to where the last one of them ended, and to the first behind
   * that, which it is.
   */
  private[this] def keepOdd(in: Reader): Unit = {
    in.rewind(from)
    var looking = true
    while (looking && in.hasNext())
      if (in.kind() == Kind.STR) {
        in.skip()
        in.skip()
      } else {
        val key = Value.codec.read(in)
        add(key, Value.codec.read(in))
        looking = false
      }
    from = in.mark()
  }

  private[this] def add(key: Value, value: Value): Unit = {
    if (pairs eq null) pairs = new VectorBuilder
    pairs += ((key, value))
  }

  def result: Value.Fields = if (pairs eq null) Value.Fields.empty else Value.Fields(pairs.result())
}

/**
 * Writes the fields that a record kept. Those whose names it has itself are left out, and so is one that is named as
 * what tells the type: the record's own stand in the document, and no key twice.
 */
final class KeptFieldsWriter(names: Names) {
  private[this] val known = {
    val set = new java.util.HashSet[String]
    for (i <- 0 until names.size) set.add(names.get(i).text)
    set
  }

  /** How many of them are written. */
  def size(rest: Value.Fields, tag: Name): Int = rest.pairs.count(pair => stands(pair._1, tag))

  def write(rest: Value.Fields, out: Writer, tag: Name): Unit =
    rest.pairs.foreach(pair => if (stands(pair._1, tag)) Value.pair(pair, out))

  private[this] def stands(key: Value, tag: Name) = key match {
    case Value.Text(text) => !known.contains(text) && ((tag eq null) || tag.text != text)
    case _ => true
  }
}
