package kumihimo.codec

import kumihimo.{Reader, Writer}

/** A set of Java's, read as one that keeps the order of the document. */
private[codec] final class JavaSetCodec[A](element: Codec[A]) extends Codec[java.util.Set[A]] {
  def write(set: java.util.Set[A], out: Writer): Unit = {
    out.array(set.size.toLong)
    val each = set.iterator
    while (each.hasNext) element.write(each.next(), out)
    out.end()
  }

  def read(in: Reader): java.util.Set[A] = {
    in.array()
    val at = RecordCodec.opened(in)
    in.hashBudget.beginSet(true) // numbers with one hash are put into a tree
    try elements(in, at)
    finally in.hashBudget.endSet()
  }

  private[this] def elements(in: Reader, at: Int): java.util.Set[A] = {
    val set = new java.util.LinkedHashSet[A]
    var count = 0
    var more = in.hasNext()
    while (more && count < Hashes.Few) {
      set.add(element.read(in))
      count += 1
      more = in.hasNext()
    }
    if (more) {
      val rest = new java.util.ArrayList[A]
      val hashes = new Hashes(in.hashBudget, "elements of a set", at)
      while (more) {
        val from = in.consumed()
        val item = element.read(in)
        if (!Hashes.inTrees(item)) hashes.addByHashCode(item, in.consumed() - from)
        rest.add(item)
        more = in.hasNext()
      }
      hashes.checkBuckets()
      set.addAll(rest)
    }
    set
  }

  override def empty: Option[java.util.Set[A]] = Some(new java.util.LinkedHashSet[A])
  override def isEmpty(set: java.util.Set[A]): Boolean = set.isEmpty
}
