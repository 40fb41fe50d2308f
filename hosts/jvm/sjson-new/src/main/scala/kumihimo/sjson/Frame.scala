package kumihimo.sjson

/** An array or object that is being read; used again for the next one at its depth. */
private[sjson] final class Frame(cache: NumberCache) {
  var value: Value = null
  var document: Document = null
  var tape: KeyedTape = null
  var isObject = false

  /** Elements, or fields of different names. */
  var size = 0

  /** Of an array the next element, of an object what stands behind the field that was looked up last. */
  var cursor = 0
  var end = 0
  private[this] var first = 0

  /** The next field of the walk. */
  private[this] var walk = 0

  /** The fields to walk over, where the document says them (LList). */
  var names: Vector[String] = null
  private[this] var index = 0

  /** Numbers of the fields that belong to a pre-object; null where there are none. */
  private[this] var excluded: Array[Int] = null

  /** Where a key comes twice: for each number the node of the last, and the numbers that the walk has passed; else
    * null.
    */
  private[this] var lasts: java.util.HashMap[Int, Int] = null
  private[this] var walked: java.util.HashSet[Int] = null

  def begin(js: Value, on: KeyedTape): Unit = {
    set(js, on, js.node + 1, on.next(js.node), on.length(js.node))
    if (on.hasTwice(js.node)) collect()
  }

  /** Null, which is read as an empty array or object. */
  def beginEmpty(js: Value, on: KeyedTape): Unit = set(js, on, 0, 0, 0)

  /** Of the references those are stored that change: each store marks a card for the collector. */
  private[this] def set(js: Value, on: KeyedTape, from: Int, to: Int, n: Int): Unit = {
    value = js
    if (document ne js.document) document = js.document
    if (tape ne on) tape = on
    size = n
    first = from
    cursor = from
    walk = from
    end = to
    index = 0
    if (names ne null) names = null
    if (excluded ne null) excluded = null
    if (lasts ne null) {
      lasts = null
      walked = null
    }
  }

  /** Holds no document any longer. */
  def forget(): Unit = {
    value = null
    document = null
    tape = null
  }

  private[this] def collect(): Unit = {
    lasts = new java.util.HashMap
    walked = new java.util.HashSet
    var i = first
    while (i < end) {
      lasts.put(tape.key(i), i)
      i = tape.next(i)
    }
    size = lasts.size
  }

  /** Leaves out the fields that a pre-object has asked for. */
  def exclude(asked: java.util.ArrayList[String]): Unit = {
    val there = new Array[Int](asked.size)
    var n = 0
    for (i <- 0 until asked.size) {
      val number = cache.find(tape.keys, asked.get(i))
      if (number >= 0 && search(number) >= 0) {
        there(n) = number
        n += 1
        size -= 1
        excluded = java.util.Arrays.copyOf(there, n)
      }
    }
    cursor = first
  }

  /** A value of this array or object. */
  def at(node: Int): Value = new Value(document, tape, node)

  /** The node of a field's value, or -1. */
  def find(name: String): Int = {
    val at = cursor
    if (at < end && (excluded eq null) && (lasts eq null) && tape.keys.is(tape.key(at), name)) {
      cursor = tape.next(at)
      at
    } else search(cache.find(tape.keys, name))
  }

  private[this] def search(number: Int): Int =
    if (number < 0 || isExcluded(number)) -1
    else if (lasts ne null) lasts.getOrDefault(number, -1)
    else {
      var found = scan(number, cursor, end)
      if (found < 0) found = scan(number, first, cursor)
      if (found >= 0) cursor = tape.next(found)
      found
    }

  private[this] def scan(number: Int, from: Int, to: Int): Int = {
    var i = from
    while (i < to && tape.key(i) != number) i = tape.next(i)
    if (i < to) i else -1
  }

  private[this] def isExcluded(number: Int): Boolean =
    (excluded ne null) && {
      var i = 0
      while (i < excluded.length && excluded(i) != number) i += 1
      i < excluded.length
    }

  /** Whether the walk over the fields goes on; it stands on the next one then. */
  def hasNext: Boolean =
    if (names ne null) index < names.length
    else {
      while (walk < end && isPassed(tape.key(walk))) walk = tape.next(walk)
      walk < end
    }

  /** A field of a pre-object, or one whose name has been walked over. */
  private[this] def isPassed(number: Int): Boolean = isExcluded(number) || (walked ne null) && walked.contains(number)

  def next(): (String, Option[Value]) =
    if (names ne null) {
      val name = names(index)
      index += 1
      val node = find(name)
      (name, if (node < 0) None else Some(at(node)))
    } else {
      val number = tape.key(walk)
      val node = if (lasts eq null) walk else lasts.get(number)
      if (walked ne null) walked.add(number)
      walk = tape.next(walk)
      (tape.keys.text(number), Some(at(node)))
    }
}
