package kumihimo.codec

import kumihimo.Code

import scala.collection.{immutable, mutable}
import scala.concurrent.duration.DurationInt

final case class Uid(text: String)

/** A key of which nothing is known. */
final class Opaque(val text: String) {
  override def equals(other: Any): Boolean = other match {
    case that: Opaque => text == that.text
    case _ => false
  }
  override def hashCode: Int = text.hashCode
}

/** Documents that mean harm: they are refused before they cost much time or memory. */
class HostileSuite extends munit.FunSuite {
  // What would have no end without its bounds ends within this, on machines that do much else, too.
  override val munitTimeout = 10.minutes

  // "Aa" and "BB" have one hash, and so have all texts made of them.
  private def colliding(bits: Int) =
    (0 until 1 << bits).map(i => (0 until bits).map(b => if ((i >> b & 1) == 0) "Aa" else "BB").mkString)

  private def refused[A](document: String, code: Code)(implicit codec: Codec[A], at: munit.Location): Unit = {
    val e = intercept[DataException](Json.parse[A](document))
    assertEquals(e.code, code, e.getMessage)
  }

  private val texts = colliding(14)
  private val map = texts.map(k => s""""$k":1""").mkString("{", ",", "}")
  private val array = texts.map(k => s""""$k"""").mkString("[", ",", "]")

  test("keys that were made to collide") {
    refused[Map[String, Int]](map, Code.SIZE)
    refused[immutable.HashMap[String, Int]](map, Code.SIZE)
    refused[mutable.Map[String, Int]](map, Code.SIZE)
    refused[mutable.HashMap[String, Int]](map, Code.SIZE)
    refused[mutable.LinkedHashMap[String, Int]](map, Code.SIZE)
    refused[Set[String]](array, Code.SIZE)
    refused[mutable.Set[String]](array, Code.SIZE)
    refused[mutable.LinkedHashSet[String]](array, Code.SIZE)
    assertEquals(Json.parse[immutable.TreeMap[String, Int]](map).size, texts.size)
    assertEquals(Json.parse[java.util.Map[String, Int]](map).size, texts.size)
    assertEquals(Json.parse[List[String]](array).size, texts.size)
  }

  test("keys that meet in the buckets of a table alone") {
    val numbers = (1 to 20000).map(i => i << 16 | i)
    refused[mutable.Set[Int]](numbers.mkString("[", ",", "]"), Code.SIZE)
    assertEquals(Json.parse[Set[Int]](numbers.mkString("[", ",", "]")), numbers.toSet)
  }

  test("many keys that mean no harm") {
    val numbers = (1 to 50000).map(i => s""""key $i":$i""").mkString("{", ",", "}")
    assertEquals(Json.parse[Map[String, Int]](numbers).size, 50000)
    assertEquals(Json.parse[mutable.Map[String, Int]](numbers).size, 50000)
    assertEquals(Json.parse[mutable.Set[Int]]((1 to 50000).mkString("[", ",", "]")).size, 50000)
  }

  test("many keys with equal hashes that mean no harm") {
    val grid = (0 until 300).flatMap(x => (0 until 300).map(y => x.toLong << 32 | y)).toSet
    val keys = grid.iterator.map(k => k -> 1).toMap
    assertEquals(Json.parse[Set[Long]](Json.text(grid)), grid)
    assertEquals(Json.parse[mutable.Set[Long]](Json.text(grid)).size, grid.size)
    assertEquals(Json.parse[Map[Long, Int]](Json.text(keys)), keys)
    assertEquals(Json.parse[Set[Long]]((0 until 5000).map(_ * 4294967297L).mkString("[", ",", "]")).size, 5000)
  }

  test("maps and sets that cost too much together") {
    val some = texts.take(5000)
    val one = some.map(k => s""""$k":1""").mkString("{", ",", "}")
    val set = some.map(k => s""""$k"""").mkString("[", ",", "]")
    def many(value: String) = List.fill(20)(value).mkString("[", ",", "]")
    implicit val key: KeyCodec[Uid] = KeyCodec.string.imap(Uid(_))(_.text)
    assertEquals(Json.parse[List[Map[String, Int]]](s"[$one]").head.size, 5000)
    for (_ <- 1 to 3) assertEquals(Json.parse[Set[String]](set).size, 5000)
    refused[List[Map[String, Int]]](many(one), Code.SIZE)
    refused[List[mutable.HashMap[String, Int]]](many(one), Code.SIZE)
    refused[List[Set[String]]](many(set), Code.SIZE)
    refused[List[java.util.Map[Uid, Int]]](many(one), Code.SIZE)
    refused[(Set[String], Map[String, Int], Set[String])](s"[$set,$one,$set]", Code.SIZE)
    val parts = Json.partial("[*]")
    val e = intercept[DataException](parts.decode(many(set).getBytes)(_.all[Set[String]](0)))
    assertEquals(e.code, Code.SIZE)
    assertEquals(Json.cursor(many(set).getBytes)(7).as[Set[String]].size, 5000)
    assertEquals(intercept[DataException](Json.cursor(many(set).getBytes).as[List[Set[String]]]).code, Code.SIZE)

    val grid = (0 until 100).flatMap(x => (0 until 100).map(y => x.toLong << 32 | y)).toSet
    val grids = List.fill(20)(grid)
    assertEquals(Json.parse[List[Set[Long]]](Json.text(grids)), grids)
    assertEquals(Json.parse[List[mutable.Set[Long]]](Json.text(grids)).map(_.size).distinct, List(grid.size))
  }

  // Taken, it would cost a minute.
  test("a flood is refused by its name") {
    val flood = (1 to 100000).map(_ * 4294967297L)
    val set = intercept[DataException](Json.parse[Set[Long]](flood.mkString("[", ",", "]")))
    val map =
      intercept[DataException](Json.parse[Map[Long, Int]](flood.map(k => "\"" + k + "\":1").mkString("{", ",", "}")))
    assert(set.getMessage.contains("elements of a set"), set.getMessage)
    assert(map.getMessage.contains("keys of a map"), map.getMessage)
  }

  test("many elements that are equal") {
    val five = (1 to 3000).map(i => s""""kind ${i % 5}"""").mkString("[", ",", "]")
    assertEquals(Json.parse[Set[String]](five).size, 5)
    assertEquals(Json.parse[mutable.Set[String]](five).size, 5)
    assertEquals(Json.parse[Set[Int]](List.fill(600)(1).mkString("[", ",", "]")), Set(1))
    assertEquals(Json.parse[Map[String, Int]](List.fill(600)(""""a":1""").mkString("{", ",", "}")), Map("a" -> 1))
  }

  test("numbers whose digits or exponents have no end") {
    val digits = "9" * 100001
    refused[BigInt](digits, Code.SIZE)
    refused[BigDecimal](digits, Code.SIZE)
    refused[BigDecimal]("1e2000000000", Code.RANGE)
    refused[BigInt]("1e2000000000", Code.SIZE)
    refused[Map[BigInt, Int]](s"""{"$digits":1}""", Code.TYPE)
    assertEquals(Json.parse[BigInt]("9" * 100000), BigInt("9" * 100000))
    intercept[DataException](Json.encode(BigInt(2).pow(400000)))
  }

  test("numbers are as large as the form's limits say") {
    val few = kumihimo.Limits.DEFAULT.withNumberDigits(30).withNumberExponent(10)
    val digits = "9" * 31
    val limited = List(Json.limited(few), Json.reading("exact_decimals").limited(few))
    // Before and behind readers of other limits, which a thread keeps.
    for (_ <- 1 to 2; form <- limited) {
      def refusedBy[A: Codec](text: String, code: Code) =
        assertEquals(intercept[DataException](form.parse[A](text)).code, code, text)
      assertEquals(Json.parse[BigInt](digits), BigInt(digits))
      assertEquals(Json.parse[BigDecimal]("1e11"), BigDecimal("1e11"))
      refusedBy[BigInt](digits, Code.SIZE)
      refusedBy[BigDecimal](s"0.$digits", Code.SIZE)
      refusedBy[BigDecimal]("1e11", Code.RANGE)
      refusedBy[BigDecimal]("1e-11", Code.RANGE)
      refusedBy[Map[BigInt, Int]](s"""{"$digits":1}""", Code.TYPE)
      refusedBy[Map[BigDecimal, Int]]("""{"1e11":1}""", Code.TYPE)
      assertEquals(form.parse[BigInt](digits.tail), BigInt(digits.tail))
      assertEquals(form.parse[BigDecimal]("1e-10"), BigDecimal("1e-10"))
      assertEquals(form.parse[BigDecimal]("0." + digits.drop(2)), BigDecimal("0." + digits.drop(2)))
      assertEquals(form.parse[Map[BigInt, Int]](s"""{"${digits.tail}":1}"""), Map(BigInt(digits.tail) -> 1))
      assertEquals(intercept[DataException](form.text(BigInt(digits))).code, Code.SIZE)
      assertEquals(intercept[DataException](form.text(BigDecimal("1e11"))).code, Code.RANGE)
      assertEquals(form.text(-BigInt(digits.tail)), "-" + digits.tail)
    }
    val wide = Json.limited(kumihimo.Limits.DEFAULT.withNumberDigits(200000).withNumberExponent(100000))
    val long = "9" * 150000
    assertEquals(wide.text(wide.parse[BigInt](long)), long)
    assertEquals(wide.parse[BigDecimal]("1e-90000"), BigDecimal("1e-90000"))
  }

  test("numbers whose exponents become many digits together") {
    refused[List[BigInt]](List.fill(100000)("1e4900").mkString("[", ",", "]"), Code.SIZE)
    refused[Set[BigDecimal]]((1 to 20000).map(i => s"1.${i}e4900").mkString("[", ",", "]"), Code.SIZE)
    refused[Map[BigDecimal, Int]]((1 to 6).map(i => s""""${i}e2147483647":1""").mkString("{", ",", "}"), Code.TYPE)
    val few = (1 to 1000).map(i => s"${i}e300").mkString("[", ",", "]")
    assertEquals(Json.parse[Set[BigDecimal]](few).size, 1000)
    assertEquals(Json.parse[List[BigInt]](few).size, 1000)
  }

  // Taken, each would cost minutes: two numbers of unlike scales are compared by all digits of the longer one, and the
  // zeros behind a point are divided away one by one for a hash.
  test("numbers that are long to compare, or to hash") {
    val long = "0." + "1" * 90000
    val short = (10 until 20000).map(i => s"0.$i")
    val compared = (long +: short).mkString("[", ",", "]")
    val zeros = (1 to 300).map(i => s"$i." + "0" * 9000).mkString("[", ",", "]")
    def keys(of: String) = of.drop(1).dropRight(1).split(",").map(n => s""""$n":1""").mkString("{", ",", "}")
    // Numbers whose hashes differ are not compared in these.
    val unlike = (long +: (10000 until 20000).filter(_ % 10 != 0).map(i => s"0.$i")).mkString("[", ",", "]")
    assertEquals(Json.parse[Set[BigDecimal]](unlike).size, 9001)
    assertEquals(Json.parse[Map[BigDecimal, Int]](keys(unlike)).size, 9001)
    refused[Set[BigDecimal]](zeros, Code.SIZE)
    refused[Map[BigDecimal, Int]](keys(zeros), Code.SIZE)
    for (numbers <- List(compared, zeros)) {
      refused[immutable.TreeSet[BigDecimal]](numbers, Code.SIZE)
      refused[mutable.Set[Option[BigDecimal]]](numbers, Code.SIZE)
      refused[java.util.Set[BigDecimal]](numbers, Code.SIZE)
      refused[immutable.TreeMap[BigDecimal, Int]](keys(numbers), Code.SIZE)
      refused[java.util.Map[BigDecimal, Int]](keys(numbers), Code.SIZE)
      assertEquals(Json.parse[List[BigDecimal]](numbers).size, numbers.count(_ == ',') + 1)
      assertEquals(Json.parse[List[Option[BigDecimal]]](numbers).size, numbers.count(_ == ',') + 1)
    }
    assertEquals(Json.parse[Set[BigDecimal]](s"[1.${"0" * 9000},${long.take(9000)}]").size, 2)
  }

  test("long numbers that are compared with few others, in any order") {
    val long = s"[0.${"7" * 10000}]"
    val few = ("1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5,9.5,10.5," * 6).dropRight(1)
    assertEquals(Json.parse[Set[BigDecimal]](s"[0.${"7" * 72000}]").size, 1)
    for (sets <- List(s"[$long,[$few]]", s"[[$few],$long]")) {
      assertEquals(Json.parse[List[Set[BigDecimal]]](sets).size, 2)
      assertEquals(Json.parse[List[immutable.TreeSet[BigDecimal]]](sets).size, 2)
      assertEquals(Json.parse[List[java.util.Set[BigDecimal]]](sets).size, 2)
    }
    // What small sets compare, they compare in each set anew; and a set of maps compares what the maps have.
    val four = List.fill(40)(s"[0.${"7" * 50000},1.25,2.25,3.25]").mkString("[", ",", "]")
    refused[List[Set[BigDecimal]]](four, Code.SIZE)
    val maps = (s"""{"a":0.${"7" * 72000}}""" +: (1 to 2000).map(i => s"""{"a":0.$i}""")).mkString("[", ",", "]")
    refused[mutable.Set[Map[String, BigDecimal]]](maps, Code.SIZE)
  }

  test("keys that are long to compare") {
    val uris = colliding(11).map(s => s""""/${"%41" * 430}$s":1""").mkString("{", ",", "}")
    refused[Map[java.net.URI, Int]](uris, Code.SIZE)
    refused[java.util.Map[java.net.URI, Int]](uris, Code.SIZE)
    val texts = uris.drop(1).dropRight(1).replace(":1", "")
    refused[Set[java.net.URI]](s"[$texts]", Code.SIZE)
    implicit val opaque: KeyCodec[Opaque] = KeyCodec.string.imap(new Opaque(_))(_.text)
    refused[Map[Opaque, Int]](uris, Code.SIZE)
    val data = colliding(11).map(s => new Value.Bytes(("x" * 1000 + s).getBytes))
    val bytes = MessagePack.encode(data.toVector: Vector[Value])
    assertEquals(intercept[DataException](MessagePack.decode[Set[Value]](bytes)).code, Code.SIZE)
    assertEquals(MessagePack.decode[Vector[Value]](bytes).size, data.size)
  }

  test("null in a set of Java's with many elements") {
    implicit val nulls: Codec[String] =
      Codec.of[String]((s, out) => if (s == null) out.nil() else out.str(s))(in =>
        if (in.tryNil()) null else in.str()
      )
    val many = (1 to 300).map(i => s""""$i"""").mkString("[", ",", ",null]")
    assertEquals(Json.parse[java.util.Set[String]](many).size, 301)
  }

  test("a period of too many weeks as a key") {
    refused[Map[java.time.Period, Int]]("""{"P2147483647W":1}""", Code.TYPE)
  }

  test("exponents in sets become no digits without end, however the sets are made") {
    val set = (1 to 200).map(i => s"${i}e4900").mkString("[", ",", "]")
    val sets = List.fill(100)(set).mkString("[", ",", "]")
    assertEquals(Json.parse[List[Set[BigDecimal]]](s"[$set,$set]").map(_.size), List(200, 200))
    refused[List[Set[BigDecimal]]](sets, Code.SIZE)
    refused[List[Set[Option[BigDecimal]]]](sets, Code.SIZE)
    refused[List[mutable.Set[(BigDecimal, Int)]]](sets.replaceAll("(\\d+e4900)", "[$1,1]"), Code.SIZE)
    refused[Map[String, Set[Either[Int, BigDecimal]]]](
      s"""{"a":[${List.fill(15000)("""{"Right":1e4900}""").mkString(",")}]}""",
      Code.SIZE
    )
    // Nobody asks for the hashes of these.
    assertEquals(Json.parse[List[List[BigDecimal]]](sets).size, 100)
    assertEquals(
      Json.parse[List[(Set[Int], BigDecimal)]](sets.replace("]", "").replace("[", "").split(",").map(n =>
        s"[[1],$n]"
      ).mkString("[", ",", "]")).size,
      20000
    )
  }

  test("places of a document have one budget, and each counts once") {
    val some = texts.take(3000).map(k => s""""$k"""").mkString("[", ",", "]")
    val many = Json.cursor(List.fill(20)(some).mkString("[", ",", "]").getBytes)
    for (_ <- 1 to 5) assertEquals(many(3).as[Set[String]].size, 3000)
    val read = many.values.takeWhile(_.tryAs[Set[String]].isRight).length
    assert(read >= 2 && read < 10, read.toString)
    assertEquals(many(19).tryAs[Set[String]].left.map(_.code), Left(Code.SIZE))
    assertEquals(many(3).as[Set[String]].size, 3000)
    val numbers = Json.cursor(List.fill(1000)("1e4900").mkString("[", ",", "]").getBytes)
    for (_ <- 1 to 1000) assertEquals(numbers(3).as[BigInt], BigInt(10).pow(4900))
    assert(numbers.values.count(_.tryAs[BigInt].isRight) < 20)
  }

  test("keys of Java's maps that are in no tree") {
    implicit val key: KeyCodec[Uid] = KeyCodec.string.imap(Uid(_))(_.text)
    refused[java.util.Map[Uid, Int]](map, Code.SIZE)
    val many = (1 to 5000).map(i => s""""key $i":$i""").mkString("{", ",", "}")
    val read = Json.parse[java.util.Map[Uid, Int]](many)
    assertEquals(read.size, 5000)
    assertEquals(read.keySet.iterator.next(), Uid("key 1"))
    assertEquals(Json.text(read), many)
    val again = List.fill(3000)(""""a":1""").mkString("{", ",", ",\"a\":2}")
    assertEquals(Json.parse[java.util.Map[Uid, Int]](again), java.util.Collections.singletonMap(Uid("a"), 2))
  }

  test("a set of bits as large as its largest element") {
    refused[immutable.BitSet]("[2147483647]", Code.RANGE)
    refused[immutable.BitSet]("[-1]", Code.RANGE)
    val large = List.fill(3000)("[1048576]").mkString("[", ",", "]")
    refused[List[immutable.BitSet]](large, Code.SIZE)
    refused[List[mutable.BitSet]](large, Code.SIZE)
    refused[List[Map[String, immutable.BitSet]]](large.replace("[1", "{\"a\":[1").replace("6]", "6]}"), Code.SIZE)
    val few = List.fill(100)("[1048576]").mkString("[", ",", "]")
    for (_ <- 1 to 3) assertEquals(Json.parse[List[immutable.BitSet]](few).size, 100)
    val full = List.fill(1000)((0 until 64).map(_ * 400)).map(_.mkString("[", ",", "]")).mkString("[", ",", "]")
    assertEquals(Json.parse[List[mutable.BitSet]](full).map(_.size).distinct, List(64))
    val sets = Json.cursor(large.getBytes)
    for (_ <- 1 to 1000) assertEquals(sets(3).as[mutable.BitSet].size, 1)
    assert(sets.values.count(_.tryAs[immutable.BitSet].isRight) < 200)
  }

  test("counts that are lies") {
    // Arrays and maps of 2^32-1 values, in a few bytes.
    List("ddffffffff01", "dfffffffff0101").foreach { hex =>
      intercept[DataException](MessagePack.decode[List[Int]](Forms.bytes(hex)))
      intercept[DataException](MessagePack.decode[Map[String, Int]](Forms.bytes(hex)))
      intercept[DataException](MessagePack.decode[Array[Int]](Forms.bytes(hex)))
    }
  }
}
