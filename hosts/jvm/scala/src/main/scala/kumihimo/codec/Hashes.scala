package kumihimo.codec

import kumihimo.{Code, HashBudget}

/**
 * Guards hash tables against keys that were made to collide: such a table takes time by the square, seconds for
 * a document of a megabyte. The hashes of all keys are noted, and judged before the table is filled, by the work that
 * they would make (`HashBudget`). Equal keys take one place and count once.
 *
 * Up to `Few` keys nothing can happen, and nothing is noted.
 *
 * @param what
 *   the keys are, for the error
 */
private[codec] final class Hashes(what: String) {
  private[this] var hashes = new Array[Int](2 * Hashes.Few)
  private[this] var keys = new Array[Any](2 * Hashes.Few)
  private[this] var count = 0

  private[this] var digits = 0L

  /** A key of one of Scala's collections.
   *
   * @throws kumihimo.DataException
   *   where looking at the hash of such keys would take long
   */
  def add(key: Any, at: Int): Unit = {
    key match {
      case number: BigDecimal => measure(number.bigDecimal.scale, at)
      case _ => ()
    }
    note(key, key.##)
  }

  /** A key of one of Java's. */
  def addByHashCode(key: Any): Unit = note(key, key.hashCode)

  /** The hash of a whole number is that of all its digits, which its exponent may say are many. */
  private[this] def measure(scale: Int, at: Int): Unit =
    if (-scale > Hashes.FewDigits) {
      digits -= scale
      if (digits > Hashes.MostDigits)
        throw new DataException(Code.SIZE, "the exponents of keys would become too many digits", at.toLong)
    }

  private[this] def note(key: Any, hash: Int): Unit = {
    if (count == hashes.length) {
      val size = ArraySizes.grown(count)
      hashes = java.util.Arrays.copyOf(hashes, size)
      val more = new Array[Any](size)
      System.arraycopy(keys, 0, more, 0, count)
      keys = more
    }
    hashes(count) = hash
    keys(count) = key
    count += 1
  }

  /**
   * Throws where too many keys would meet in one place.
   *
   * @param chained
   *   the collection is a table of buckets that grows with it (the mutable ones), so that keys meet whose hashes
   * differ
   */
  def check(chained: Boolean, at: Int): Unit = {
    val order = new Array[Long](count)
    var i = 0
    while (i < count) {
      order(i) = hashes(i).toLong << 32 | i
      i += 1
    }
    java.util.Arrays.sort(order)
    val few = HashBudget.allows(looks(order), count.toLong) && !(chained && buckets(at, refuse = false))
    if (!few) {
      leaveEqualOut(order, at)
      if (chained) buckets(at, refuse = true)
    }
  }

  /** At all keys that have the hash of another one, if none are equal. */
  private[this] def looks(order: Array[Long]): Long = {
    var looks = 0L
    var from = 0
    var i = 1
    while (i < order.length) {
      if (order(i) >> 32 != order(from) >> 32) from = i
      else looks += (i - from) * Hashes.weight(keys(order(i).toInt))
      i += 1
    }
    looks
  }

  /** Keeps one of the keys that are equal, in the order of the first ones; by as many looks as the collection takes. */
  private[this] def leaveEqualOut(order: Array[Long], at: Int): Unit = {
    val budget = new HashBudget(what)
    budget.values(count.toLong)
    val again = new java.util.BitSet(count)
    var run = new Array[Any](Hashes.Few) // the keys with one hash that differ
    var known = 0
    var i = 0
    while (i < count) {
      val number = order(i).toInt
      val key = keys(number)
      if (i == 0 || order(i) >> 32 != order(i - 1) >> 32) known = 0
      var k = 0
      while (k < known && run(k) != key) k += 1
      if (k > 0) placed(at)(budget.look(k * Hashes.weight(key)))
      if (k < known) again.set(number)
      else {
        if (known == run.length) {
          val longer = new Array[Any](ArraySizes.grown(known))
          System.arraycopy(run, 0, longer, 0, known)
          run = longer
        }
        run(known) = key
        known += 1
      }
      i += 1
    }
    var kept = 0
    i = 0
    while (i < count) {
      if (!again.get(i)) {
        hashes(kept) = hashes(i)
        kept += 1
      }
      i += 1
    }
    count = kept
  }

  /** Whether too many meet in the buckets of a table of any size that it has while it grows. */
  private[this] def buckets(at: Int, refuse: Boolean): Boolean = {
    var bits = 32 - Integer.numberOfLeadingZeros(count)
    var full = false
    while (!full && bits >= 8) {
      val size = bits
      full = isFull(bits, h => (h ^ h >>> 16) & (1 << size) - 1) ||
        // The same of Scala 2.12.
        isFull(
          bits,
          h => Integer.rotateRight(Integer.reverseBytes(h * 0x9e3775cd) * 0x9e3775cd, size) >>> 32 - size
        )
      bits -= 1
    }
    if (full && refuse)
      throw new DataException(Code.SIZE, s"too many $what meet in a table", at.toLong)
    full
  }

  private[this] def isFull(bits: Int, bucket: Int => Int): Boolean = {
    // A table of this size holds no more keys than this.
    val held = Math.min(count, 1 << bits)
    val buckets = new Array[Int](1 << bits)
    var looks = 0L
    var i = 0
    while (i < held) {
      val b = bucket(hashes(i))
      looks += buckets(b)
      buckets(b) += 1
      i += 1
    }
    !HashBudget.allows(looks, count.toLong)
  }

  private[this] def placed(at: Int)(look: => Unit): Unit =
    try look
    catch {
      case e: DataException => throw new DataException(e.code, e.getMessage, at.toLong)
    }
}

private[codec] object Hashes {

  /** So many may be in a table without a look at their hashes. */
  val Few = 256

  /** Digits that the exponent of a number may say without being counted: as many as that of a double. */
  private val FewDigits = 308

  /** Digits that all exponents of keys may say: their hashes cost some milliseconds. */
  private val MostDigits = 1 << 20

  /** Whether the JDK's maps put keys with one hash into a tree, so that they may have any hashes. */
  def inTrees(key: Any): Boolean = key match {
    case _: String | _: java.lang.Number | _: java.lang.Character | _: java.lang.Boolean =>
      // Scala's numbers are no Comparable to the JDK.
      !key.isInstanceOf[scala.math.ScalaNumber]
    case _ => key.isInstanceOf[Enum[_]]
  }

  /** What it costs, at most, to see that another key equals it. */
  private def weight(key: Any): Long = key match {
    case text: String => 1L + (text.length >> 4)
    case all: Iterable[_] => weight(all.iterator)
    case product: Product => weight(product.productIterator)
    case _ => 1L
  }

  private def weight(parts: Iterator[Any]): Long = {
    var sum = 1L
    while (parts.hasNext) sum += weight(parts.next())
    sum
  }
}
