package kumihimo.sjson

import _root_.kumihimo.{Code, DataException}
import _root_.sjsonnew.{DeserializationException, JsonReader}
import _root_.sjsonnew.BasicJsonProtocol._

import scala.concurrent.duration.DurationInt

/** Documents that were made to cost much. */
class HostileTest extends munit.FunSuite {
  // What would have no end without its bounds ends within this, on machines that do much else, too.
  override val munitTimeout = 10.minutes

  private def refused[A: JsonReader](text: String)(implicit loc: munit.Location): DataException =
    try {
      Json.parse[A](text)
      fail("it was read")
    } catch {
      case e: DeserializationException =>
        e.cause match {
          case inner: DataException => inner
          case other => fail(s"the cause is $other")
        }
    }

  /** 2^^bits different texts with one String.hashCode. */
  private def colliding(bits: Int): Seq[String] =
    (0 until 1 << bits).map(i => (0 until bits).map(b => if ((i >> b & 1) == 0) "Aa" else "BB").mkString)

  /** Different longs whose halves are equal, beyond Int: their hash is 0. */
  private def folded(n: Int): Seq[Long] = (1 to n).map(i => i.toLong << 32 | i.toLong)

  private def array(values: Seq[String]): String = values.mkString("[", ",", "]")
  private def map(keys: Seq[String]): String = keys.map(k => s""""$k":1""").mkString("{", ",", "}")

  test("keys and texts of one hash are refused") {
    val texts = colliding(14)
    assertEquals(texts.map(_.hashCode).distinct.size, 1)
    assertEquals(refused[Map[String, Int]](map(texts)).code, Code.SIZE)
    assertEquals(refused[Set[String]](array(texts.map(t => s""""$t""""))).code, Code.SIZE)
    assertEquals(refused[Set[String]](array(texts.map(t => s""""é$t""""))).code, Code.SIZE)
    assertEquals(refused[Set[String]](array(texts.map(t => s""""$t\\n""""))).code, Code.SIZE)
  }

  test("zeros behind points, which a hash would divide away one by one") {
    def ending(many: Int) = array((1 to many).map(i => s"$i." + "0" * 9000))
    assertEquals(refused[Set[BigDecimal]](ending(300)).code, Code.SIZE)
    assertEquals(Json.parse[Set[BigDecimal]](ending(3)), Set(BigDecimal(1), BigDecimal(2), BigDecimal(3)))
    assertEquals(Json.parse[List[BigDecimal]](array((1 to 20000).map(i => s"$i.5000"))).size, 20000)
  }

  test("so are numbers") {
    assertEquals(refused[Set[Long]](array(folded(100000).map(_.toString))).code, Code.SIZE)
    assertEquals(refused[Map[Long, Int]](map(folded(100000).map(_.toString))).code, Code.SIZE)
    // Doubles that are no Float and no Long, whose halves are equal.
    val doubles = (0 until 20000).map(i => java.lang.Double.longBitsToDouble(0x3ff00001L + i << 32 | 0x3ff00001L + i))
    assertEquals(refused[Set[Double]](array(doubles.map(_.toString))).code, Code.SIZE)
    val bytes = Cbor.encode(doubles)
    assert(Cbor.tryDecode[Set[Double]](bytes).isFailure)
    assert(MessagePack.tryDecode[Set[Long]](MessagePack.encode(folded(20000))).isFailure)
  }

  test("so are maps and sets that cost too much together") {
    def many(value: String) = array(Seq.fill(30)(value))
    val set = array(folded(7000).map(_.toString))
    val one = map(folded(7000).map(_.toString))
    val texts = colliding(13).take(5000)
    assertEquals(Json.parse[List[Set[Long]]](s"[$set]").head.size, 7000)
    assertEquals(Json.parse[List[Map[Long, Int]]](s"[$one]").head.size, 7000)
    assertEquals(Json.parse[Map[String, Int]](map(texts)).size, 5000)
    for (_ <- 1 to 3) assertEquals(Json.parse[Set[Long]](set).size, 7000)
    assertEquals(refused[List[Set[Long]]](many(set)).code, Code.SIZE)
    assertEquals(refused[List[Map[Long, Int]]](many(one)).code, Code.SIZE)
    assertEquals(refused[List[Map[String, Int]]](many(map(texts))).code, Code.SIZE)
    assertEquals(refused[List[Set[String]]](many(array(texts.map(t => s""""$t"""")))).code, Code.SIZE)
    val grid = array((0 until 100).flatMap(x => (0 until 100).map(y => (x.toLong << 32 | y).toString)))
    assertEquals(Json.parse[List[Set[Long]]](many(grid)).map(_.size).distinct, List(10000))
  }

  test("the error says where") {
    val e = refused[Map[String, Set[String]]](s"""{"a":[],"b":${array(colliding(14).map(t => s""""$t""""))}}""")
    assert(e.offset > 0)
    assert(e.getMessage.contains("too many elements of an array have equal hashes"), e.getMessage)
  }

  test("what is equal may come as often as it likes, and so may few of one hash") {
    val same = array(Seq.fill(50000)("\"Aa\"") ++ Seq.fill(50000)("\"BB\""))
    assertEquals(Json.parse[Set[String]](same), Set("Aa", "BB"))
    assertEquals(Json.parse[List[Long]](array(Seq.fill(5000)("4294967297"))).size, 5000)
    assertEquals(Json.parse[List[Double]](array(Seq.fill(5000)("0.1"))).size, 5000)
    assertEquals(Json.parse[Set[String]](array(colliding(9).map(t => s""""$t""""))).size, 512)
    assertEquals(Json.parse[Map[String, Int]](map((0 until 100000).map(i => s"key$i"))).size, 100000)
    assertEquals(Json.parse[Set[Long]](array((-50000 until 50000).map(_.toString))).size, 100000)
    val mixed = array((0 until 5000).flatMap(i => Seq(i.toString, s"$i.5", s""""$i"""", "null", "[]")))
    assert(Json.tryValue(mixed.getBytes).isSuccess)
  }

  test("many values with equal hashes that mean no harm") {
    val longs = (0 until 5000).map(_ * 4294967297L).toVector
    assertEquals(Json.parse[Vector[Long]](array(longs.map(_.toString))), longs)
    val grid = (0 until 300).flatMap(x => (0 until 300).map(y => (x.toLong << 32 | y).toString))
    assertEquals(Json.parse[Set[Long]](array(grid)).size, 90000)
    assertEquals(Json.parse[Map[Long, Int]](map(grid)).size, 90000)
  }

  test("names of one document do not slow the next ones") {
    val tape = new KeyedTape
    def record(text: String): Unit = {
      val bytes = text.getBytes
      Json.record(tape, bytes, bytes.length)
      ()
    }
    record(map((0 until 100000).map(i => s"key$i")))
    assertEquals(tape.keys.size, 100000)
    record("""{"a":1,"b":2}""")
    assertEquals(tape.keys.size, 2)
    assertEquals(tape.memoryForNames, KeyedTape.FEW_NAMES)
    // The number of a name is another one now, and so are the maps'.
    record("""{"b":{"a":1,"b":2},"a":{"b":1,"b":2}}""")
    assert(!tape.hasTwice(0) && !tape.hasTwice(1) && tape.hasTwice(4))
  }

  test("a name as long as a document is forgotten") {
    val tape = new KeyedTape
    val bytes = s"""{"${"n" * 1000000}":1}""".getBytes
    Json.record(tape, bytes, bytes.length)
    tape.reset(new Array[Byte](0), 0, false)
    assertEquals(tape.keys.size, 0)
  }

  test("long names are not prepared and kept") {
    val cache = new NameCache
    val long = "n" * 1000
    assertEquals(List(cache.find(long), cache.find(long), cache.find(long)), List.fill(3)(null))
    assertEquals(cache.find("name"), null)
    assertEquals(cache.find("name").text, "name")
  }

  test("what a large document needed is not kept") {
    var made = 0
    var large = 0L
    val spare = new Spare[Array[Byte]](() => { made += 1; new Array[Byte](0) }, bytes => bytes.length + large)
    spare.using(_ => ())
    spare.using(_ => ())
    assertEquals(made, 1)
    large = Spare.Most + 1
    spare.using(_ => ())
    spare.using(_ => ())
    assertEquals(made, 2)
  }

  test("exponents of a document's integers are bounded together") {
    assertEquals(
      Json.parse[List[BigInt]](array(Seq.fill(10)("1e4900"))).map(_.bitLength).distinct,
      List(16278)
    )
    assertEquals(refused[List[BigInt]](array(Seq.fill(5000)("1e4900"))).code, Code.SIZE)
    assertEquals(refused[List[BigDecimal]](array(Seq.fill(5000)("1e4900"))).code, Code.SIZE)
    assertEquals(Json.parse[List[BigDecimal]](array(Seq.fill(5000)("1e30"))).size, 5000)
    assertEquals(Json.parse[List[BigDecimal]](array(Seq.fill(5000)("1e-4900"))).size, 5000)
    // Each document has its own count.
    for (_ <- 0 until 100) Json.parse[List[BigInt]](array(Seq.fill(10)("1e4900")))
  }
}
