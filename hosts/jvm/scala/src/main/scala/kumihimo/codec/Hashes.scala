package kumihimo.codec

import kumihimo.Code

/**
 * Guards hash tables against keys that were made to collide: such a table takes time by the square, seconds for
 * a document of a megabyte. The hashes of all keys are noted, and judged before the table is filled.
 *
 * Up to `Few` keys nothing can happen, and nothing is noted.
 */
private[codec] final class Hashes {
  private[this] var hashes = new Array[Int](2 * Hashes.Few)
  private[this] var count = 0

  def add(key: Any): Unit = {
    if (count == hashes.length) hashes = java.util.Arrays.copyOf(hashes, count * 2)
    hashes(count) = key.##
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
    val sorted = java.util.Arrays.copyOf(hashes, count)
    java.util.Arrays.sort(sorted)
    var run = 1
    var i = 1
    while (i < count) {
      run = if (sorted(i) == sorted(i - 1)) run + 1 else 1
      if (run > Hashes.Most) throw flooded(at)
      i += 1
    }
    if (chained) {
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

  /** So many may meet: a look at each of them costs about as much as reading a key. */
  val Most = 256
}
