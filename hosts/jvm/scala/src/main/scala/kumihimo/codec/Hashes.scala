package kumihimo.codec

import kumihimo.Code

/**
 * Guards hash tables against keys that were made to collide: such a table takes time by the square, seconds for
 * a document of a megabyte. The hashes of all keys are noted, and judged before the table is filled. Equal keys take one
 * place and count once.
 *
 * Up to `Few` keys nothing can happen, and nothing is noted.
 */
private[codec] final class Hashes {
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
    leaveEqualOut(at)
    if (chained && count > 0) {
      var bits = 31 - Integer.numberOfLeadingZeros(count)
      while (bits >= 8) {
        check(bits, h => (h ^ h >>> 16) & (1 << bits) - 1, at)
        // The same of Scala 2.12.
        check(
          bits,
          h => Integer.rotateRight(Integer.reverseBytes(h * 0x9e3775cd) * 0x9e3775cd, bits) >>> 32 - bits,
          at
        )
        bits -= 1
      }
      bits = 32 - Integer.numberOfLeadingZeros(count)
      check(bits, h => (h ^ h >>> 16) & (1 << bits) - 1, at)
      check(bits, h => Integer.rotateRight(Integer.reverseBytes(h * 0x9e3775cd) * 0x9e3775cd, bits) >>> 32 - bits, at)
    }
  }

  /** Keeps one of the keys that are equal, in the order of the first ones. */
  private[this] def leaveEqualOut(at: Int): Unit = {
    val order = new Array[Long](count)
    var i = 0
    while (i < count) {
      order(i) = hashes(i).toLong << 32 | i
      i += 1
    }
    java.util.Arrays.sort(order)
    val again = new java.util.BitSet(count)
    val run = new Array[Any](Hashes.Most) // the keys with one hash that differ
    var known = 0
    i = 0
    while (i < count) {
      val number = order(i).toInt
      if (i == 0 || order(i) >> 32 != order(i - 1) >> 32) known = 0
      var k = 0
      while (k < known && run(k) != keys(number)) k += 1
      if (k < known) again.set(number)
      else if (known == Hashes.Most) throw flooded(at)
      else {
        run(known) = keys(number)
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

  private[this] def check(bits: Int, bucket: Int => Int, at: Int): Unit = {
    // A table of this size holds no more keys than this.
    val held = Math.min(count, 1 << bits)
    val buckets = new Array[Int](1 << bits)
    var i = 0
    while (i < held) {
      val b = bucket(hashes(i))
      buckets(b) += 1
      if (buckets(b) > Hashes.Most) throw flooded(at)
      i += 1
    }
  }

  private[this] def flooded(at: Int) =
    new DataException(Code.SIZE, s"more than ${Hashes.Most} keys have one hash", at.toLong)
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

  /** So many may meet: a look at each of them costs about as much as reading a key. */
  val Most = 256
}
