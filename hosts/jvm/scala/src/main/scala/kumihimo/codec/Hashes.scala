package kumihimo.codec

import kumihimo.{HashBudget, HashRuns}
import kumihimo.scalar.BigNumbers

/**
 * Guards one hash table against keys that were made to collide: such a table takes time by the square, seconds for a
 * document of a megabyte. The keys are counted before the table is filled, by the work that they would make
 * (`HashRuns`). Equal keys take one place and count once.
 *
 * Up to `Few` keys nothing can happen, and nothing is counted.
 *
 * @param budget
 *   of the document
 * @param what
 *   the keys are, for the error
 * @param at
 *   the offset that errors have
 */
private[codec] final class Hashes(budget: HashBudget, what: String, at: Int) {
  private[this] val runs = new HashRuns(budget, what)
  private[this] var keys = new Array[Any](2 * Hashes.Few)

  /** A key of one of Scala's collections.
   *
   * @throws kumihimo.DataException
   *   where keys with equal hashes cost too much
   */
  def add(key: Any): Unit = count(key, key.##)

  /** A key of one of Java's. */
  def addByHashCode(key: Any): Unit = count(key, key.hashCode)

  private[this] def count(key: Any, hash: Int): Unit = {
    var known = runs.find(hash)
    if (known != HashRuns.NONE) placed(runs.look(Hashes.weight(key, budget.comparison())))
    while (known != HashRuns.NONE && keys(known) != key) known = runs.before(known)
    if (known == HashRuns.NONE) keep(key)
  }

  private[this] def keep(key: Any): Unit = {
    val number = runs.add()
    if (number == keys.length) {
      val more = new Array[Any](ArraySizes.grown(number))
      System.arraycopy(keys, 0, more, 0, number)
      keys = more
    }
    keys(number) = key
  }

  /**
   * Of a collection that is a table of buckets which grows with it (the mutable ones), so that keys meet whose hashes
   * differ: throws where they would cost too much in a table of any size that it has while it grows.
   */
  def checkBuckets(): Unit = {
    var bits = 32 - Integer.numberOfLeadingZeros(runs.size)
    var most = 0L
    while (bits >= 8) {
      val size = bits
      most = Math.max(most, looks(bits, h => (h ^ h >>> 16) & (1 << size) - 1))
      // The same of Scala 2.12.
      most = Math.max(
        most,
        looks(bits, h => Integer.rotateRight(Integer.reverseBytes(h * 0x9e3775cd) * 0x9e3775cd, size) >>> 32 - size)
      )
      bits -= 1
    }
    placed(runs.lookBesides(most))
  }

  private[this] def looks(bits: Int, bucket: Int => Int): Long = {
    // A table of this size holds no more keys than this.
    val held = Math.min(runs.size, 1 << bits)
    val buckets = new Array[Int](1 << bits)
    var looks = 0L
    var i = 0
    while (i < held) {
      val b = bucket(runs.hash(i))
      looks += buckets(b)
      buckets(b) += 1
      i += 1
    }
    looks
  }

  private[this] def placed(look: => Unit): Unit =
    try look
    catch {
      case e: DataException => throw e.atByte(at.toLong)
    }
}

private[codec] object Hashes {

  /** So many may be in a table without a look at their hashes. */
  val Few = 256

  /** Of whole numbers with more digits than these another hash is taken, which costs less. */
  private val MostHashed = 4934

  /**
   * Counts a decimal number that is an element of a set, or a part of one, or a key. Its hash is that of all digits of
   * a whole number, which its exponent may say are many; and to see whether it is whole, the zeros behind its point are
   * divided away one by one.
   */
  def count(number: java.math.BigDecimal, written: String, budget: HashBudget): Unit = {
    val scale = number.scale
    val whole = if (scale < 0) HashBudget.work(Math.min(-scale.toLong, MostHashed.toLong)) else 0L
    budget.decimal(written.length, whole + BigNumbers.zerosWork(number, written))
  }

  /** Whether the JDK's maps put keys with one hash into a tree, so that they may have any hashes. */
  def inTrees(key: Any): Boolean = key match {
    case _: String | _: java.lang.Number | _: java.lang.Character | _: java.lang.Boolean =>
      // Scala's numbers are no Comparable to the JDK.
      !key.isInstanceOf[scala.math.ScalaNumber]
    case _ => key.isInstanceOf[Enum[_]]
  }

  /** What it costs, at most, to see that another key equals it. */
  private def weight(key: Any, decimal: Long): Long = key match {
    case text: String => 1L + (text.length >> 4)
    case _: BigDecimal => 1L + decimal
    case number: BigInt => 1L + (number.bitLength >> 9)
    case all: Iterable[_] => weight(all.iterator, decimal)
    case product: Product => weight(product.productIterator, decimal)
    case _ => 1L
  }

  private def weight(parts: Iterator[Any], decimal: Long): Long = {
    var sum = 1L
    while (parts.hasNext) sum += weight(parts.next(), decimal)
    sum
  }
}
