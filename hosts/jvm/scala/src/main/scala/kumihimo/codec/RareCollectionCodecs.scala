package kumihimo.codec

import scala.collection.{concurrent, immutable, mutable}

/** Collections that are seldom asked for. */
trait RareCollectionCodecs {
  implicit def linearSeq[A](implicit element: Codec[A]): Codec[immutable.LinearSeq[A]] =
    new SeqCodec[A, immutable.LinearSeq[A]](element) { def builder = immutable.LinearSeq.newBuilder[A] }
  implicit def collectionSet[A](implicit element: Codec[A]): Codec[scala.collection.Set[A]] =
    new SeqCodec[A, scala.collection.Set[A]](element, Found.ByHash) {
      def builder = scala.collection.Set.newBuilder[A]
    }
  implicit def collectionMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[scala.collection.Map[K, V]] =
    new MapCodec[K, V, scala.collection.Map[K, V]](key, value) { def builder = scala.collection.Map.newBuilder[K, V] }
  implicit def intMap[V](implicit value: Codec[V]): Codec[immutable.IntMap[V]] =
    new MapCodec[Int, V, immutable.IntMap[V]](KeyCodec.int, value, Found.Otherwise) {
      def builder = new mutable.ListBuffer[(Int, V)].mapResult(pairs => immutable.IntMap(pairs: _*))
    }
  implicit def longMap[V](implicit value: Codec[V]): Codec[immutable.LongMap[V]] =
    new MapCodec[Long, V, immutable.LongMap[V]](KeyCodec.long, value, Found.Otherwise) {
      def builder = new mutable.ListBuffer[(Long, V)].mapResult(pairs => immutable.LongMap(pairs: _*))
    }
  implicit def concurrentMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[concurrent.Map[K, V]] =
    new MapCodec[K, V, concurrent.Map[K, V]](key, value) { def builder = concurrent.TrieMap.newBuilder[K, V] }
  implicit def trieMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[concurrent.TrieMap[K, V]] =
    new MapCodec[K, V, concurrent.TrieMap[K, V]](key, value) { def builder = concurrent.TrieMap.newBuilder[K, V] }

  implicit def mutableBitSet: Codec[mutable.BitSet] =
    new BitSetCodec[mutable.BitSet] { def builder = mutable.BitSet.newBuilder }
  implicit def mutableSortedSet[A](implicit element: Codec[A], order: Ordering[A]): Codec[mutable.SortedSet[A]] =
    new SeqCodec[A, mutable.SortedSet[A]](element, Found.ByOrder) { def builder = mutable.SortedSet.newBuilder[A] }
  implicit def mutableTreeSet[A](implicit element: Codec[A], order: Ordering[A]): Codec[mutable.TreeSet[A]] =
    new SeqCodec[A, mutable.TreeSet[A]](element, Found.ByOrder) { def builder = mutable.TreeSet.newBuilder[A] }
  implicit def mutableSortedMap[K, V](implicit
      key: KeyCodec[K],
      value: Codec[V],
      order: Ordering[K]
  ): Codec[mutable.SortedMap[K, V]] =
    new MapCodec[K, V, mutable.SortedMap[K, V]](key, value, Found.Otherwise) {
      def builder = mutable.SortedMap.newBuilder[K, V]
    }
  implicit def mutableTreeMap[K, V](implicit
      key: KeyCodec[K],
      value: Codec[V],
      order: Ordering[K]
  ): Codec[mutable.TreeMap[K, V]] =
    new MapCodec[K, V, mutable.TreeMap[K, V]](key, value, Found.Otherwise) {
      def builder = mutable.TreeMap.newBuilder[K, V]
    }

  implicit def javaSet[A](implicit element: Codec[A]): Codec[java.util.Set[A]] = new JavaSetCodec[A](element)
}
