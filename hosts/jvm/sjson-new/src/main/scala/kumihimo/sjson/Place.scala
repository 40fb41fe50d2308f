package kumihimo.sjson

import _root_.kumihimo.{Code, DataException, Kind, PathText, Reader}

/** Where a value stands: found by reading the document again, when somebody has failed. */
private[sjson] final class Place(val offset: Long, val path: String, val names: List[String])

private[sjson] object Place {

  /** The place of a node of the document's tape. A dialect may let bytes pass as text that no String can hold: the path
    * then counts the pairs of maps.
    */
  def of(reader: Reader, bytes: Array[Byte], length: Int, node: Int): Place =
    try find(reader.reset(bytes, 0, length), node, named = true)
    catch {
      case e: DataException if e.code == Code.ENCODING => find(reader.reset(bytes, 0, length), node, named = false)
    }

  private def find(reader: Reader, node: Int, named: Boolean): Place = {
    val levels = new java.util.ArrayDeque[Level]
    var left = node
    // Each value is a node, in the order of the document.
    while (left > 0) {
      left -= 1
      reader.kind() match {
        case Kind.ARRAY => reader.array(); levels.push(new Level(false, named))
        case Kind.MAP => reader.map(); levels.push(new Level(true, named))
        case _ => reader.skip()
      }
      while (!reader.hasNext()) levels.pop()
      levels.peek().next(reader)
    }
    reader.kind()
    val path = new PathText
    val names = List.newBuilder[String]
    levels.descendingIterator.forEachRemaining { level =>
      if (!level.isMap) path.index(level.index)
      else if (level.key eq null) path.pair(level.index)
      else {
        path.key(level.key)
        names += level.key
      }
    }
    new Place(reader.position().toLong, path.toString, names.result())
  }

  private final class Level(val isMap: Boolean, named: Boolean) {
    var index = -1L
    var key: String = null

    def next(reader: Reader): Unit = {
      index += 1
      if (isMap) {
        if (named && reader.kind() == Kind.STR) key = reader.key()
        else {
          key = null
          reader.skip()
        }
      }
    }
  }
}
