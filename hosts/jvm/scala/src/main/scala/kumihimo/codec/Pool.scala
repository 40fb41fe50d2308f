package kumihimo.codec

import java.lang.ref.{SoftReference, WeakReference}

import kumihimo.{Format, Kept, Limits, Reader, Writer}

/**
 * What one thread keeps for its next document: the writers and readers of the last few formats, dialects and limits. A
 * form that is made for one document finds there what another one like it has left.
 */
private[codec] final class Pool private {
  private[this] val places = new Array[Pool.Place](Pool.Places)
  private[this] var oldest = 0

  private def place(form: Form): Pool.Place = {
    var i = 0
    while (i < places.length) {
      val place = places(i)
      if ((place ne null) && place.suits(form)) return place
      i += 1
    }
    val place = new Pool.Place(form.format, form.writeDialect, form.readDialect, form.limits)
    places(oldest) = place
    oldest = (oldest + 1) % places.length
    place
  }
}

private[codec] object Pool {

  /** Kinds of forms that a thread keeps something for. */
  private final val Places = 4

  private val pools = new ThreadLocal[SoftReference[Pool]]

  /** The place of the current thread for such a form. */
  def place(form: Form): Place = {
    val kept = pools.get
    val pool = if (kept eq null) null else kept.get
    if (pool ne null) pool.place(form)
    else {
      val made = new Pool
      pools.set(new SoftReference(made))
      made.place(form)
    }
  }

  /**
   * A writer and a reader. Who takes one has it alone: a codec that begins a document inside another one finds none
   * here, and gets its own.
   */
  final class Place(format: Format, writeDialect: String, readDialect: String, limits: Limits) {
    private[this] val writers = new Spare[Writer]
    private[this] val readers = new Spare[Reader]

    def suits(form: Form): Boolean =
      (form.format eq format) && form.writeDialect == writeDialect && form.readDialect == readDialect &&
        ((form.limits eq limits) || form.limits == limits)

    def takeWriter(): Writer = {
      val kept = writers.take()
      if (kept ne null) kept else format.writer(writeDialect, limits)
    }

    def giveWriter(used: Writer): Unit = writers.give(used, used.capacity)

    def takeReader(): Reader = {
      val kept = readers.take()
      if (kept ne null) kept else format.reader(readDialect, limits)
    }

    /** After a document of so many bytes, which the reader holds no longer. */
    def giveReader(used: Reader, bytes: Int): Unit = {
      used.release()
      readers.give(used, bytes)
    }
  }

  /** One of something, while nobody has taken it. What a large document has left is there up to the next collection. */
  final class Spare[A <: AnyRef] {
    private[this] var kept: A = _
    private[this] var large: WeakReference[A] = _

    /** What was given last, or null. */
    def take(): A = {
      val one = if ((kept eq null) && (large ne null)) large.get else kept
      kept = null.asInstanceOf[A]
      large = null
      one
    }

    /** It has grown by as many bytes, or some multiple of them. */
    def give(one: A, bytes: Int): Unit =
      if (Kept.allows(bytes.toLong)) kept = one else large = new WeakReference(one)
  }
}
