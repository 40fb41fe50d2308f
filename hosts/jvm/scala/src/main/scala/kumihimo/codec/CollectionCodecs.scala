package kumihimo.codec

import kumihimo.{Reader, Writer}

import scala.collection.{immutable, mutable}

/** Collections of both libraries, immutable and mutable, and arrays. Maps have text for keys, by a KeyCodec. */
trait CollectionCodecs extends IndexedSeqCodecs {
  implicit def list[A](implicit element: Codec[A]): Codec[List[A]] = new Codec[List[A]] {
    def write(value: List[A], out: Writer): Unit = {
      out.array(value.length.toLong)
      var rest = value
      while (rest ne Nil) {
        element.write(rest.head, out)
        rest = rest.tail
      }
      out.end()
    }
    def read(in: Reader): List[A] = {
      in.array()
      if (!in.hasNext()) Nil
      else {
        val list = List.newBuilder[A]
        list += element.read(in)
        while (in.hasNext()) list += element.read(in)
        list.result()
      }
    }
    override def empty: Option[List[A]] = Some(Nil)
    override def isEmpty(value: List[A]): Boolean = value.isEmpty
  }

  implicit def vector[A](implicit element: Codec[A]): Codec[Vector[A]] =
    new SeqCodec[A, Vector[A]](element) {
      def builder = Vector.newBuilder[A]
      override def none = Vector.empty[A]
    }
  implicit def set[A](implicit element: Codec[A]): Codec[Set[A]] =
    new SeqCodec[A, Set[A]](element, Found.ByHash) {
      def builder = Set.newBuilder[A]
      override def none = Set.empty[A]
    }

  /** A map by the order of its own iterator. A key that comes twice has the value that comes last. */
  implicit def map[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[Map[K, V]] =
    new MapCodec[K, V, Map[K, V]](key, value) {
      def builder = Map.newBuilder[K, V]
      override def none = Map.empty[K, V]
    }
}

// Where a type is known as a bound alone (`Pair(1, List(2))`), the narrowest has to be found before those that it
// extends.

trait IndexedSeqCodecs extends SeqCodecs {
  implicit def indexedSeq[A](implicit element: Codec[A]): Codec[IndexedSeq[A]] =
    new SeqCodec[A, IndexedSeq[A]](element) {
      def builder = IndexedSeq.newBuilder[A]
      override def none = IndexedSeq.empty[A]
    }
}

trait SeqCodecs extends SomeCollectionCodecs {
  implicit def seq[A](implicit element: Codec[A]): Codec[Seq[A]] =
    new SeqCodec[A, Seq[A]](element) {
      def builder = Seq.newBuilder[A]
      override def none = Seq.empty[A]
    }
}

/**
 * The rest of them. ListMap and ListSet have none: they look through all they have to add one, so that a
 * document of a few megabytes would take hours.
 */
trait SomeCollectionCodecs extends ArrayCodecs with CollectionCodecsOfVersion with RareCollectionCodecs {
  implicit def hashSet[A](implicit element: Codec[A]): Codec[immutable.HashSet[A]] =
    new SeqCodec[A, immutable.HashSet[A]](element, Found.ByHash) { def builder = immutable.HashSet.newBuilder[A] }
  implicit def sortedSet[A](implicit element: Codec[A], order: Ordering[A]): Codec[immutable.SortedSet[A]] =
    new SeqCodec[A, immutable.SortedSet[A]](element, Found.ByOrder) {
      def builder = immutable.SortedSet.newBuilder[A]
    }
  implicit def treeSet[A](implicit element: Codec[A], order: Ordering[A]): Codec[immutable.TreeSet[A]] =
    new SeqCodec[A, immutable.TreeSet[A]](element, Found.ByOrder) { def builder = immutable.TreeSet.newBuilder[A] }
  implicit def bitSet: Codec[immutable.BitSet] =
    new BitSetCodec[immutable.BitSet] { def builder = BitSets.builder }
  implicit def queue[A](implicit element: Codec[A]): Codec[immutable.Queue[A]] =
    new SeqCodec[A, immutable.Queue[A]](element) { def builder = immutable.Queue.newBuilder[A] }
  implicit def iterable[A](implicit element: Codec[A]): Codec[Iterable[A]] =
    new SeqCodec[A, Iterable[A]](element) { def builder = Iterable.newBuilder[A] }

  implicit def mutableSeq[A](implicit element: Codec[A]): Codec[mutable.Seq[A]] =
    new SeqCodec[A, mutable.Seq[A]](element) { def builder = mutable.Seq.newBuilder[A] }
  implicit def mutableIndexedSeq[A](implicit element: Codec[A]): Codec[mutable.IndexedSeq[A]] =
    new SeqCodec[A, mutable.IndexedSeq[A]](element) { def builder = mutable.IndexedSeq.newBuilder[A] }
  implicit def mutableBuffer[A](implicit element: Codec[A]): Codec[mutable.Buffer[A]] =
    new SeqCodec[A, mutable.Buffer[A]](element) { def builder = mutable.Buffer.newBuilder[A] }
  implicit def arrayBuffer[A](implicit element: Codec[A]): Codec[mutable.ArrayBuffer[A]] =
    new SeqCodec[A, mutable.ArrayBuffer[A]](element) { def builder = mutable.ArrayBuffer.newBuilder[A] }
  implicit def listBuffer[A](implicit element: Codec[A]): Codec[mutable.ListBuffer[A]] =
    new SeqCodec[A, mutable.ListBuffer[A]](element) { def builder = mutable.ListBuffer.newBuilder[A] }
  implicit def mutableQueue[A](implicit element: Codec[A]): Codec[mutable.Queue[A]] =
    new SeqCodec[A, mutable.Queue[A]](element) { def builder = mutable.Queue.newBuilder[A] }
  implicit def mutableSet[A](implicit element: Codec[A]): Codec[mutable.Set[A]] =
    new SeqCodec[A, mutable.Set[A]](element, Found.InBuckets) { def builder = mutable.Set.newBuilder[A] }
  implicit def mutableHashSet[A](implicit element: Codec[A]): Codec[mutable.HashSet[A]] =
    new SeqCodec[A, mutable.HashSet[A]](element, Found.InBuckets) { def builder = mutable.HashSet.newBuilder[A] }
  implicit def linkedHashSet[A](implicit element: Codec[A]): Codec[mutable.LinkedHashSet[A]] =
    new SeqCodec[A, mutable.LinkedHashSet[A]](element, Found.InBuckets) {
      def builder = mutable.LinkedHashSet.newBuilder[A]
    }

  implicit def hashMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[immutable.HashMap[K, V]] =
    new MapCodec[K, V, immutable.HashMap[K, V]](key, value) { def builder = immutable.HashMap.newBuilder[K, V] }
  implicit def sortedMap[K, V](implicit
      key: KeyCodec[K],
      value: Codec[V],
      order: Ordering[K]
  ): Codec[immutable.SortedMap[K, V]] =
    new MapCodec[K, V, immutable.SortedMap[K, V]](key, value, Found.Otherwise) {
      def builder = immutable.SortedMap.newBuilder[K, V]
    }
  implicit def treeMap[K, V](implicit
      key: KeyCodec[K],
      value: Codec[V],
      order: Ordering[K]
  ): Codec[immutable.TreeMap[K, V]] =
    new MapCodec[K, V, immutable.TreeMap[K, V]](key, value, Found.Otherwise) {
      def builder = immutable.TreeMap.newBuilder[K, V]
    }
  implicit def mutableMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[mutable.Map[K, V]] =
    new MapCodec[K, V, mutable.Map[K, V]](key, value, Found.InBuckets) { def builder = mutable.Map.newBuilder[K, V] }
  implicit def mutableHashMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[mutable.HashMap[K, V]] =
    new MapCodec[K, V, mutable.HashMap[K, V]](key, value, Found.InBuckets) {
      def builder = mutable.HashMap.newBuilder[K, V]
    }
  implicit def linkedHashMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[mutable.LinkedHashMap[K, V]] =
    new MapCodec[K, V, mutable.LinkedHashMap[K, V]](key, value, Found.InBuckets) {
      def builder = mutable.LinkedHashMap.newBuilder[K, V]
    }
}

private[codec] object BitSets {
  def builder: mutable.Builder[Int, immutable.BitSet] = immutable.BitSet.newBuilder

  /** A set takes as many bits as its largest element says. */
  private val most = 1 << 20

  /** Those of its digits, and one that stands before them: the same in each format. */
  def characters(element: Int): Int = {
    var all = 2
    var rest = element / 10
    while (rest > 0) {
      all += 1
      rest /= 10
    }
    all
  }

  private def refused = s"an element of a BitSet is from 0 to $most"

  val element: Codec[Int] =
    Codec.int.emap(i => if (i >= 0 && i <= most) Right(i) else Left(refused))((i: Int) =>
      if (i <= most) i else throw new DataException(kumihimo.Code.RANGE, refused)
    )
}

/** A set of bits, which fills memory by its largest element: what is beyond its text counts for the document. */
private[codec] abstract class BitSetCodec[C <: Iterable[Int]] extends SeqCodec[Int, C](BitSets.element) {
  override def read(in: Reader): C = {
    in.array()
    if (!in.hasNext()) none
    else {
      val at = RecordCodec.opened(in)
      val items = builder
      var largest = 0
      var characters = 0L
      var more = true
      while (more) {
        val item = BitSets.element.read(in)
        items += item
        largest = Math.max(largest, item)
        characters += BitSets.characters(item)
        more = in.hasNext()
      }
      try in.exponentDigits.takeBits(largest + 1L, characters)
      catch { case e: DataException => throw e.atByte(at.toLong) }
      items.result()
    }
  }
}

/** Whether a collection finds its elements by hashes. */
private[codec] object Found {
  final val Otherwise = 0

  /** By all bits of them: the immutable ones. */
  final val ByHash = 1

  /** By some: the mutable ones. */
  final val InBuckets = 2

  /** By an order, for which numbers are compared, too. */
  final val ByOrder = 3

  /** Whether numbers are compared whose hashes differ: by an order, and by Scala 2.12 in one bucket. */
  def comparesNumbers(found: Int): Boolean = found == InBuckets || found == ByOrder
}

/** An array of values, for whatever is walked by an iterator and made by a builder. */
private[codec] abstract class SeqCodec[A, C <: Iterable[A]](element: Codec[A], found: Int = Found.Otherwise)
    extends Codec[C] {
  def builder: mutable.Builder[A, C]

  /** The empty one: many are, and a builder for them would cost more than all else. */
  def none: C = builder.result()

  def write(value: C, out: Writer): Unit = {
    out.array(value.size.toLong)
    val each = value.iterator
    while (each.hasNext) element.write(each.next(), out)
    out.end()
  }

  def read(in: Reader): C = {
    in.array()
    if (!in.hasNext()) none
    else {
      val items = builder
      if (found == Found.Otherwise) {
        items += element.read(in)
        while (in.hasNext()) items += element.read(in)
      } else readSet(in, items)
      items.result()
    }
  }

  private[this] def readSet(in: Reader, items: mutable.Builder[A, C]): Unit = {
    in.hashBudget.beginSet(Found.comparesNumbers(found))
    try
      if (found != Found.ByOrder) readHashed(in, items)
      else {
        items += element.read(in)
        while (in.hasNext()) items += element.read(in)
      }
    finally in.hashBudget.endSet()
  }

  private[this] def readHashed(in: Reader, items: mutable.Builder[A, C]): Unit = {
    val at = RecordCodec.opened(in)
    var count = 0
    var more = true
    while (more && count < Hashes.Few) {
      items += element.read(in)
      count += 1
      more = in.hasNext()
    }
    if (more) {
      val rest = new mutable.ArrayBuffer[A]
      val hashes = new Hashes(in.hashBudget, "elements of a set", at)
      while (more) {
        val from = in.consumed()
        val item = element.read(in)
        rest += item
        hashes.add(item, in.consumed() - from)
        more = in.hasNext()
      }
      if (found == Found.InBuckets) hashes.checkBuckets()
      items ++= rest
    }
  }

  override def empty: Option[C] = Some(none)
  override def isEmpty(value: C): Boolean = value.isEmpty
}

/** A map by its key's text. */
private[codec] abstract class MapCodec[K, V, C <: Iterable[(K, V)]](
    keys: KeyCodec[K],
    values: Codec[V],
    found: Int = Found.ByHash
) extends Codec[C] {
  def builder: mutable.Builder[(K, V), C]

  /** The empty one. */
  def none: C = builder.result()

  def write(value: C, out: Writer): Unit = {
    out.map(value.size.toLong)
    val limits = out.limits
    val each = value.iterator
    while (each.hasNext) {
      val pair = each.next()
      out.key(keys.encode(pair._1, limits))
      values.write(pair._2, out)
    }
    out.end()
  }

  def read(in: Reader): C = {
    in.map()
    val at = RecordCodec.opened(in)
    if (!in.hasNext()) none
    else {
      in.hashBudget.beginMap(found == Found.Otherwise || Found.comparesNumbers(found))
      try pairs(in, at)
      finally in.hashBudget.endMap()
    }
  }

  private[this] def pairs(in: Reader, at: Int): C = {
    val items = builder
    var count = 0
    var more = true
    while (more && (count < Hashes.Few || found == Found.Otherwise)) {
      items += pair(in)
      count += 1
      more = in.hasNext()
    }
    if (more) readMany(in, items, at)
    items.result()
  }

  private[this] def pair(in: Reader): (K, V) = {
    val key = MapCodec.key(keys, in)
    (key, values.read(in))
  }

  private[this] def readMany(in: Reader, items: mutable.Builder[(K, V), C], at: Int): Unit = {
    val rest = new mutable.ArrayBuffer[(K, V)]
    val hashes = new Hashes(in.hashBudget, "keys of a map", at)
    var more = true
    while (more) {
      val from = in.consumed()
      val key = MapCodec.key(keys, in)
      hashes.add(key, in.consumed() - from)
      rest += ((key, values.read(in)))
      more = in.hasNext()
    }
    if (found == Found.InBuckets) hashes.checkBuckets()
    items ++= rest
  }

  override def empty: Option[C] = Some(none)
  override def isEmpty(value: C): Boolean = value.isEmpty
}

private[codec] object MapCodec {

  /**
   * The next key; a number stands for its digits, as other writers have keys of their own types in binary
   * formats.
   */
  def key[K](keys: KeyCodec[K], in: Reader): K =
    if (keys eq KeyCodec.string) text(in).asInstanceOf[K]
    else {
      in.kind()
      val at = in.position()
      keys.decodeAt(text(in), in, at)
    }

  private[codec] def text(in: Reader): String = in.kind() match {
    case kumihimo.Kind.I64 | kumihimo.Kind.U64 | kumihimo.Kind.F64 | kumihimo.Kind.BIG => in.number()
    case kumihimo.Kind.BOOL => in.bool().toString
    case _ => in.key()
  }
}
