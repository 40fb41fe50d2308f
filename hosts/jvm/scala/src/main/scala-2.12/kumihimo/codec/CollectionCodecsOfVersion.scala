package kumihimo.codec

import scala.collection.immutable

/** Collections that only this version of the library has. */
trait CollectionCodecsOfVersion {
  implicit def stream[A](implicit element: Codec[A]): Codec[Stream[A]] =
    new SeqCodec[A, Stream[A]](element) { def builder = Stream.newBuilder[A] }
  implicit def immutableSeq[A](implicit element: Codec[A]): Codec[immutable.Seq[A]] =
    new SeqCodec[A, immutable.Seq[A]](element) { def builder = immutable.Seq.newBuilder[A] }
  implicit def immutableIndexedSeq[A](implicit element: Codec[A]): Codec[immutable.IndexedSeq[A]] =
    new SeqCodec[A, immutable.IndexedSeq[A]](element) { def builder = immutable.IndexedSeq.newBuilder[A] }
  implicit def traversable[A](implicit element: Codec[A]): Codec[Traversable[A]] =
    Codec.iterable[A].imap(items => items: Traversable[A])(_.toIterable)
}
