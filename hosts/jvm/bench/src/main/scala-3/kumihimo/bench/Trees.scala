package kumihimo.bench

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Compares what contenders write: as Jackson's trees, in which numbers of one value are one, whatever their
  * classes.
  */
object Trees {
  private val mapper = new ObjectMapper

  def same(what: String, a: Array[Byte], b: Array[Byte]): Unit = {
    val equal =
      mapper.readTree(a).equals((x: JsonNode, y: JsonNode) => if (equals(x, y)) 0 else 1, mapper.readTree(b))
    require(equal, s"$what differs")
  }

  private def equals(x: JsonNode, y: JsonNode): Boolean =
    x.equals(y) || x.isNumber && y.isNumber && x.doubleValue == y.doubleValue
}
