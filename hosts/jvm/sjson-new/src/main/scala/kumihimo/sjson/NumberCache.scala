package kumihimo.sjson

/** The numbers of the names that codecs look up, on one tape; by identity, as in [[NameCache]]. */
private[sjson] final class NumberCache {
  private[this] val texts = new Array[String](NameCache.Slots)
  private[this] val numbers = new Array[Int](NameCache.Slots)

  /** How many names there were when the number was looked up: one that was not there can have come since. */
  private[this] val sizes = new Array[Int](NameCache.Slots)
  private[this] var keys: KeyTable = null
  private[this] var epoch = 0

  /** The number of a name, or `KeyTable.NONE`. */
  def find(on: KeyTable, text: String): Int = {
    if ((keys ne on) || epoch != on.epoch) forget(on)
    if (text.length > NameCache.Longest) on.find(text) else known(on, text)
  }

  private[this] def known(on: KeyTable, text: String): Int = {
    val slot = NameCache.slot(text)
    if ((texts(slot) eq text) && (numbers(slot) != KeyTable.NONE || sizes(slot) == on.size)) numbers(slot)
    else {
      texts(slot) = text
      sizes(slot) = on.size
      numbers(slot) = on.find(text)
      numbers(slot)
    }
  }

  private[this] def forget(on: KeyTable): Unit = {
    keys = on
    epoch = on.epoch
    java.util.Arrays.fill(texts.asInstanceOf[Array[AnyRef]], null)
  }
}
