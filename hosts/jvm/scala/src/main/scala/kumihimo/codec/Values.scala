package kumihimo.codec

import java.util.ArrayDeque

/** What case classes have, for values that may be as deep as a document: without a call for each level. */
private[codec] object Values {
  def equal(one: Value, other: Value): Boolean = {
    val ones, others = new ArrayDeque[Value]
    ones.push(one)
    others.push(other)
    var same = true
    while (same && !ones.isEmpty) {
      val a = ones.pop()
      val b = others.pop()
      same = (a eq b) || ((a, b) match {
        case (Value.Items(some), Value.Items(more)) =>
          some.length == more.length && {
            some.foreach(ones.push(_))
            more.foreach(others.push(_))
            true
          }
        case (Value.Fields(some), Value.Fields(more)) =>
          some.length == more.length && {
            some.foreach(push(ones, _))
            more.foreach(push(others, _))
            true
          }
        case (_: Value.Items, _) | (_: Value.Fields, _) => false
        case _ => a == b
      })
    }
    same
  }

  def hash(value: Value): Int = {
    val open = new ArrayDeque[Value]
    open.push(value)
    var hash = 1
    while (!open.isEmpty)
      open.pop() match {
        case Value.Items(values) =>
          hash = (hash * 31 + 7) * 31 + values.length
          values.foreach(open.push(_))
        case Value.Fields(pairs) =>
          hash = (hash * 31 + 11) * 31 + pairs.length
          pairs.foreach(push(open, _))
        case leaf => hash = hash * 31 + leaf.hashCode
      }
    hash
  }

  /** As case classes show themselves. */
  def show(value: Value): String = {
    val out = new StringBuilder
    val open = new ArrayDeque[AnyRef]
    open.push(value)
    while (!open.isEmpty)
      open.pop() match {
        case Value.Items(values) =>
          out.append("Items(")
          open.push(")")
          for (i <- values.indices.reverse) {
            open.push(values(i))
            if (i > 0) open.push(", ")
          }
        case Value.Fields(pairs) =>
          out.append("Fields(")
          open.push(")")
          for (i <- pairs.indices.reverse) {
            open.push(pairs(i)._2)
            open.push(" -> ")
            open.push(pairs(i)._1)
            if (i > 0) open.push(", ")
          }
        case other => out.append(other.toString)
      }
    out.toString
  }

  private def push(to: ArrayDeque[Value], pair: (Value, Value)): Unit = {
    to.push(pair._1)
    to.push(pair._2)
  }
}
