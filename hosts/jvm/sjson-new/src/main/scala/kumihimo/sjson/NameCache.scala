package kumihimo.sjson

import _root_.kumihimo.Name

/** The names of fields that codecs write again and again, prepared.
  *
  * A codec names its fields by the same String objects each time, so they are compared by identity. A name is
  * prepared when it comes the second time; names that never come again cost one store.
  */
private[sjson] final class NameCache {
  private[this] val texts = new Array[String](NameCache.Slots)
  private[this] val names = new Array[Name](NameCache.Slots)

  /** The name, or null where it comes for the first time, or is too long to be kept. */
  def find(text: String): Name = if (text.length > NameCache.Longest) null else known(text)

  private[this] def known(text: String): Name = {
    val slot = NameCache.slot(text)
    if (texts(slot) eq text) {
      val name = names(slot)
      if (name ne null) name else prepare(slot, text)
    } else {
      texts(slot) = text
      names(slot) = null
      null
    }
  }

  private[this] def prepare(slot: Int, text: String): Name = {
    names(slot) = new Name(text)
    names(slot)
  }
}

private[sjson] object NameCache {
  final val Slots = 1024

  /** Characters: fields that programs name are shorter; what is longer is data, and would be kept with its document. */
  final val Longest = 64

  /** Where a name is kept: String keeps its hash. */
  def slot(text: String): Int = {
    val h = text.hashCode * 0x9e3779b1
    h >>> 22
  }
}
