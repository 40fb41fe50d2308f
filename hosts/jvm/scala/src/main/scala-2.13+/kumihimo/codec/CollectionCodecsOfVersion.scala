package kumihimo.codec

import scala.collection.{immutable, mutable}
import scala.reflect.ClassTag

/** Collections that only these versions of the library have. */
trait CollectionCodecsOfVersion {
  implicit def lazyList[A](implicit element: Codec[A]): Codec[LazyList[A]] =
    new SeqCodec[A, LazyList[A]](element) { def builder = LazyList.newBuilder[A] }
  implicit def arraySeq[A](implicit element: Codec[A], tag: ClassTag[A]): Codec[immutable.ArraySeq[A]] =
    new SeqCodec[A, immutable.ArraySeq[A]](element) { def builder = immutable.ArraySeq.newBuilder[A] }
  implicit def mutableArraySeq[A](implicit element: Codec[A], tag: ClassTag[A]): Codec[mutable.ArraySeq[A]] =
    new SeqCodec[A, mutable.ArraySeq[A]](element) { def builder = mutable.ArraySeq.newBuilder[A] }
  implicit def arrayDeque[A](implicit element: Codec[A]): Codec[mutable.ArrayDeque[A]] =
    new SeqCodec[A, mutable.ArrayDeque[A]](element) { def builder = mutable.ArrayDeque.newBuilder[A] }
  implicit def vectorMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[immutable.VectorMap[K, V]] =
    new MapCodec[K, V, immutable.VectorMap[K, V]](key, value) { def builder = immutable.VectorMap.newBuilder[K, V] }
  implicit def collectionSeq[A](implicit element: Codec[A]): Codec[scala.collection.Seq[A]] =
    new SeqCodec[A, scala.collection.Seq[A]](element) { def builder = scala.collection.Seq.newBuilder[A] }
}
