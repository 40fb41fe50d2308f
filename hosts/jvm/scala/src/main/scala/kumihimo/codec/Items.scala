package kumihimo.codec

import scala.collection.{IndexedSeq, Seq}

/** How the values of a sequence are gone through; what derived code calls, and not for other use. */
object Items {

  /** Values up to which it costs less to ask for each by its index: a Vector has one array for them. */
  private final val Few = 32

  /** What goes through the values, or null where each is to be asked for by its index. */
  def iterator[A](values: Seq[A], count: Int): Iterator[A] =
    if (count <= Few && values.isInstanceOf[IndexedSeq[_]]) null else values.iterator
}
