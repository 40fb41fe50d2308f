package kumihimo.sjson

import java.lang.ref.SoftReference
import java.util.concurrent.atomic.AtomicReference

/** Keeps what the last use left for the next one, as long as there is memory, and unless a large document has made it
  * large. Whoever comes while it is in use (another thread, or a codec that begins a document inside another one)
  * gets a new one.
  *
  * @param size bytes that a T holds
  */
private[sjson] final class Spare[T <: AnyRef](make: () => T, size: T => Long) {
  private[this] val kept = new AtomicReference[SoftReference[T]]

  def using[B](work: T => B): B = {
    val reference = kept.getAndSet(null)
    val there = if (reference eq null) null.asInstanceOf[T] else reference.get
    if (there eq null) {
      val made = make()
      try work(made)
      finally if (size(made) <= Spare.Most) kept.set(new SoftReference(made))
    } else {
      try work(there)
      finally if (size(there) <= Spare.Most) kept.set(reference)
    }
  }
}

private[sjson] object Spare {

  /** Bytes: what documents of some megabytes need is worth keeping. */
  final val Most = 64L << 20
}
