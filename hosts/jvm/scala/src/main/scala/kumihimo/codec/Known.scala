package kumihimo.codec

/** What derivation knows while a program is compiled: names in the styles of other languages, and our own codecs. */
private[codec] object Known {

  private val ours = "kumihimo.codec."

  /** Where in this library a codec stands, by the full name of its owner; nothing of all others. */
  def own(owner: String): String = if (owner.startsWith(ours)) owner.substring(ours.length) else ""

  /** Of the traits of this library's codecs those whose values all stand in documents. */
  val neverAbsent: Set[String] =
    Set("CollectionCodecs", "IndexedSeqCodecs", "SeqCodecs", "SomeCollectionCodecs", "CollectionCodecsOfVersion") ++
      Set("ArrayCodecs", "AnyArrayCodecs", "PrimitiveArrayCodecs", "TimeCodecs")

  def snake(name: String): String = joined(name, '_')
  def kebab(name: String): String = joined(name, '-')
  def pascal(name: String): String = if (name.isEmpty) name else s"${name.charAt(0).toUpper}${name.substring(1)}"

  // A word begins at a capital behind a small letter or digit, and at the last capital of several: parseHTTPReply,
  // http.
  private def joined(name: String, between: Char) = {
    val out = new StringBuilder
    for (i <- name.indices) {
      val c = name.charAt(i)
      val begins =
        c.isUpper && i > 0 && (!name.charAt(i - 1).isUpper || i + 1 < name.length && name.charAt(i + 1).isLower)
      if (begins && name.charAt(i - 1) != '_') out.append(between)
      out.append(if (c == '_') between else c.toLower)
    }
    out.toString
  }
}
