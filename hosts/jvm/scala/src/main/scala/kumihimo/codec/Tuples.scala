package kumihimo.codec

import kumihimo.{Code, Reader}

/** What the codecs of tuples share; derived code calls it, too. */
object Tuples {
  def next(in: Reader, length: Int, at: Int): Unit = if (!in.hasNext()) throw wrong(length, at)
  def end(in: Reader, length: Int, at: Int): Unit = if (in.hasNext()) throw wrong(length, at)

  private def wrong(length: Int, at: Int) =
    new DataException(
      Code.TYPE,
      s"an array of $length values is wanted here, and this one has more or fewer",
      at.toLong
    )
}
