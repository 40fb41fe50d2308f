package kumihimo.codec

import kumihimo.Code

/** How arrays grow that hold as many values as a document turns out to have. */
private[codec] object ArraySizes {

  /** An array has no more elements. */
  final val Most = Int.MaxValue - 8

  /** The next size of an array that is full.
   *
   * @throws kumihimo.DataException
   *   where it is as large as arrays can be
   */
  def grown(size: Int): Int =
    if (size <= Most / 2) size * 2
    else if (size < Most) Most
    else throw new DataException(Code.SIZE, "more values than an array can hold")
}
