package kumihimo.codec

import java.util.concurrent.atomic.AtomicReferenceArray

/**
 * The default values of a record's fields, to compare with when it is written; derived code makes it. Each is evaluated
 * once, so that it is the same for all that a document says of the record.
 */
final class DefaultValues(count: Int, make: Int => Any) {
  private[this] val made = new AtomicReferenceArray[Any](count)

  def apply(index: Int): Any = {
    val value = made.get(index)
    if (value == null) first(index) else if (value.asInstanceOf[AnyRef] eq DefaultValues.Null) null else value
  }

  private[this] def first(index: Int): Any = {
    val value = make(index)
    made.compareAndSet(index, null, if (value == null) DefaultValues.Null else value)
    apply(index)
  }
}

object DefaultValues {
  private val Null = new Object

  /** Whether a value is the default: arrays by their elements, NaN as NaN, and -0.0 is not 0.0. */
  def same(value: Double, default: Double): Boolean = java.lang.Double.compare(value, default) == 0
  def same(value: Float, default: Float): Boolean = java.lang.Float.compare(value, default) == 0
  def sameArray(value: Any, default: Any): Boolean = java.util.Objects.deepEquals(value, default)
}
