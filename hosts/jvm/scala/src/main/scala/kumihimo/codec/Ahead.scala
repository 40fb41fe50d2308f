package kumihimo.codec

import kumihimo.{Kind, Names, Reader}

/**
 * Where the type of a value stands behind its other fields, these are passed over to find it, and then read. Where such
 * values are in each other, the innermost would be passed over once for each of those around it. So inside of the
 * outermost one all such types are found in one pass, and remembered up to its end.
 */
private[codec] final class Ahead private (private val in: Reader, private val outer: Ahead) {

  /** For each name that types stand by: of the maps that begin at an offset their types. */
  private[this] val names = new java.util.HashMap[String, java.util.HashMap[Integer, Ahead.Found]](2)

  /**
   * The type of the map that is open.
   *
   * @param first
   *   before its first field
   * @return
   *   null where it has none that is text
   */
  def find(keys: Names, at: Int, first: Reader.Mark): Ahead.Found = {
    val tag = keys.get(0).text
    if (!names.containsKey(tag)) names.put(tag, new java.util.HashMap)
    val found = names.get(tag)
    if (!found.containsKey(at)) {
      in.rewind(first)
      look(keys, at, found)
    }
    found.get(at)
  }

  /** Finds the types of all maps in the one that is open. */
  private[this] def look(keys: Names, at: Int, found: java.util.HashMap[Integer, Ahead.Found]): Unit = {
    // Of the containers that are open, the offsets of maps.
    var open = new Array[Int](16)
    open(0) = at
    var depth = 0
    while (depth >= 0) {
      val isArray = open(depth) == Ahead.Array
      val field = if (!isArray) in.field(keys, 0) else if (in.hasNext()) Names.OTHER else Names.END
      if (field == Names.END) depth -= 1
      else {
        val kind = in.kind()
        if (field == 0 && kind == Kind.STR) {
          val place = in.position()
          found.putIfAbsent(open(depth), new Ahead.Found(in.str(), place))
        } else if (kind == Kind.MAP || kind == Kind.ARRAY) {
          depth += 1
          if (depth == open.length) open = java.util.Arrays.copyOf(open, ArraySizes.grown(depth))
          if (kind == Kind.MAP) in.map() else in.array()
          open(depth) = if (kind == Kind.MAP) RecordCodec.opened(in) else Ahead.Array
        } else in.skip()
      }
    }
  }
}

private[codec] object Ahead {
  private final val Array = -1
  private val current = new ThreadLocal[Ahead]

  /** The name of a type, and its offset. */
  final class Found(val name: String, val at: Int)

  /** What is remembered of a document that is being read, or null outside of values whose types stand behind. */
  def of(in: Reader): Ahead = {
    var ahead = current.get
    while ((ahead ne null) && (ahead.in ne in)) ahead = ahead.outer
    ahead
  }

  /** Reads the outermost value, whose type is known. */
  def within[A](in: Reader)(read: => A): A = {
    val outer = current.get
    current.set(new Ahead(in, outer))
    try read
    finally if (outer eq null) current.remove() else current.set(outer)
  }
}
