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
   * @param bytes
   *   that it has in the document
   * @throws kumihimo.DataException
   *   where keys with equal hashes cost too much
   */
  def add(key: Any, bytes: Int): Unit = count(key, key.##, bytes)

  /** A key of one of Java's. */
  def addByHashCode(key: Any, bytes: Int): Unit = count(key, java.util.Objects.hashCode(key), bytes)

  private[this] def count(key: Any, hash: Int, bytes: Int): Unit = {
    var known = runs.find(hash)
    if (known != HashRuns.NONE) {
      val weight = Hashes.weight(key, budget.comparison(), Math.max(bytes, 0))
      placed(runs.look(weight))
    }
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

  /** What it costs, at most, to see that another key equals it: more for whatever may be long.
   *
   * @param bytes
   *   that it has in the document, which is all that is known of a class of the program's own
   */
  private def weight(key: Any, decimal: Long, bytes: Int): Long = key match {
    case null => 1L
    case text: String => 1L + (text.length >> 4)
    case number: BigDecimal => 1L + decimal + (number.bigDecimal.unscaledValue.bitLength >> 9)
    case number: java.math.BigDecimal => 1L + decimal + (number.unscaledValue.bitLength >> 9)
    case number: BigInt => 1L + (number.bitLength >> 9)
    case number: java.math.BigInteger => 1L + (number.bitLength >> 9)
    case data: Value.Bytes => 1L + (data.value.length >> 4)
    case path: java.nio.file.Path => 1L + (path.toString.length >> 4)
    // Two URIs are compared character by character, without heed to the case of some.
    case uri: java.net.URI => 1L + uri.toString.length
    case all: Iterable[_] => weight(all.iterator, decimal, bytes)
    case product: Product => weight(product.productIterator, decimal, bytes)
    case _: java.lang.Number | _: java.lang.Character | _: java.lang.Boolean | _: Enum[_] | _: java.util.UUID => 1L
    case _: java.time.temporal.TemporalAccessor | _: java.time.temporal.TemporalAmount | _: Symbol => 1L
    case _ => 1L + bytes
  }

  private def weight(parts: Iterator[Any], decimal: Long, bytes: Int): Long = {
    var sum = 1L
    while (parts.hasNext) sum += weight(parts.next(), decimal, bytes)
    sum
  }
}
