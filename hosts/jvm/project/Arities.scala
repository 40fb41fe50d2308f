/** The sources that differ by a number or a type alone: tuples and records of 1 to 22 elements, arrays. */
object Arities {
  private val highest = 22

  def tuples: String = {
    val each = (1 to highest).map { n =>
      val types = (1 to n).map(i => s"A$i").mkString(", ")
      val tuple = if (n == 1) "Tuple1[A1]" else s"($types)"
      val codecs = (1 to n).map(i => s"c$i: Codec[A$i]").mkString(", ")
      val writes = (1 to n).map(i => s"      c$i.write(value._$i, out)").mkString("\n")
      val reads = (1 to n).map(i => s"      Tuples.next(in, $n, at)\n      val a$i = c$i.read(in)").mkString("\n")
      s"""  implicit def tuple$n[$types](implicit $codecs): Codec[$tuple] = new Codec[$tuple] {
         |    def write(value: $tuple, out: Writer): Unit = {
         |      out.array($n)
         |$writes
         |      out.end()
         |    }
         |    def read(in: Reader): $tuple = {
         |      in.array()
         |      val at = RecordCodec.opened(in)
         |$reads
         |      Tuples.end(in, $n, at)
         |      Tuple$n(${(1 to n).map(i => s"a$i").mkString(", ")})
         |    }
         |  }
         |""".stripMargin
    }
    s"""package kumihimo.codec
       |
       |import kumihimo.{Reader, Writer}
       |
       |/** Tuples: arrays of as many values. */
       |trait TupleCodecs {
       |${each.mkString("\n")}}
       |""".stripMargin
  }

  def records: String = {
    val each = (1 to highest).map { n =>
      val types = (1 to n).map(i => s"F$i").mkString(", ")
      val tuple = if (n == 1) "F1" else s"($types)"
      val names = (1 to n).map(i => s"name$i: String").mkString(", ")
      val codecs = (1 to n).map(i => s"c$i: Codec[F$i]").mkString(", ")
      def at(i: Int) = if (n == 1) "all" else s"all._$i"
      val sizes = (1 to n).map(i => s"(if (c$i.isAbsent(${at(i)})) 0 else 1)").mkString(" + ")
      val writes = (1 to n)
        .map(i =>
          s"      if (!c$i.isAbsent(${at(i)})) {\n        out.key(names.get(${i - 1}))\n" +
            s"        c$i.write(${at(i)}, out)\n      }"
        )
        .mkString("\n")
      val locals = (1 to n).map(i => s"      var f$i: F$i = null.asInstanceOf[F$i]").mkString("\n")
      val cases = (1 to n)
        .map(i => s"          case ${i - 1} =>\n            f$i = c$i.read(in)\n            seen |= ${1 << (i - 1)}")
        .mkString("\n")
      val fills = (1 to n)
        .map(i => s"        if ((seen & ${1 << (i - 1)}) == 0) f$i = RecordCodec.absent(c$i, name$i, at)")
        .mkString("\n")
      s"""  /** The codec of a class by the names of its fields, how it is made from them, and how it gives them. */
         |  def record[A, $types]($names)(make: ($types) => A)(fields: A => $tuple)(implicit
         |      $codecs
         |  ): RecordCodec[A] = new RecordCodec[A] {
         |    private[this] val names = Names.of(${(1 to n).map(i => s"name$i").mkString(", ")})
         |    def fieldNames: Names = names
         |    def size(value: A, tag: Name): Int = {
         |      val all = fields(value)
         |      $sizes
         |    }
         |    def writeFields(value: A, out: Writer, tag: Name): Unit = {
         |      val all = fields(value)
         |$writes
         |    }
         |    def readFields(in: Reader, at: Int, tag: Name): A = {
         |$locals
         |      var seen = 0
         |      var found = in.field(names, 0)
         |      while (found != Names.END) {
         |        found match {
         |$cases
         |          case _ => RecordCodec.unknown(in, tag, strict = false)
         |        }
         |        found = in.field(names, found + 1)
         |      }
         |      if (seen != ${(1 << n) - 1}) {
         |$fills
         |      }
         |      make(${(1 to n).map(i => s"f$i").mkString(", ")})
         |    }
         |  }
         |""".stripMargin
    }
    s"""package kumihimo.codec
       |
       |import kumihimo.{Name, Names, Reader, Writer}
       |
       |/** Records whose codecs are written by hand:
       |  * `Codec.record("name", "age")(Person.apply _)(p => (p.name, p.age))`.
       |  */
       |trait RecordCodecs {
       |${each.mkString("\n")}}
       |""".stripMargin
  }

  /** Each of the types of values that are not objects, but bytes; how one is written, and how it is read. */
  private val primitives = Seq(
    ("Boolean", "out.bool(value(i))", "in.bool()"),
    ("Short", "out.i32(value(i).toInt)", "Scalars.short(in)"),
    ("Int", "out.i32(value(i))", "in.i32()"),
    ("Long", "out.i64(value(i))", "in.i64()"),
    ("Float", "out.f32(value(i))", "in.f32()"),
    ("Double", "out.f64(value(i))", "in.f64()")
  )

  def arrays: String = {
    val each = primitives.map { case (element, write, read) =>
      s"""  implicit val ${element.toLowerCase}Array: Codec[Array[$element]] = new Codec[Array[$element]] {
         |    def write(value: Array[$element], out: Writer): Unit = {
         |      out.array(value.length.toLong)
         |      var i = 0
         |      while (i < value.length) {
         |        $write
         |        i += 1
         |      }
         |      out.end()
         |    }
         |    def read(in: Reader): Array[$element] = {
         |      var items = new Array[$element](8)
         |      var size = 0
         |      in.array()
         |      while (in.hasNext()) {
         |        if (size == items.length) items = java.util.Arrays.copyOf(items, ArraySizes.grown(size))
         |        items(size) = $read
         |        size += 1
         |      }
         |      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
         |    }
         |    override def empty: Option[Array[$element]] = Some(new Array[$element](0))
         |    override def isEmpty(value: Array[$element]): Boolean = value.length == 0
         |  }
         |""".stripMargin
    }
    s"""package kumihimo.codec
       |
       |import kumihimo.{Reader, Writer}
       |
       |/** Arrays of primitives, whose values are never boxed. */
       |trait PrimitiveArrayCodecs extends AnyArrayCodecs {
       |${each.mkString("\n")}}
       |""".stripMargin
  }
}
