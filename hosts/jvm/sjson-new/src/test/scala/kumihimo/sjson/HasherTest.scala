package kumihimo.sjson

import _root_.kumihimo.hash.HashWriter
import _root_.sjsonnew.BasicJsonProtocol._
import _root_.sjsonnew.JsonFormat

class HasherTest extends munit.FunSuite {
  import Samples._

  test("the hash is that of the verbs") {
    val writer = HashWriter.hash256().unordered()
    writer.map(2)
    writer.key("name")
    writer.str("Ann")
    writer.key("age")
    writer.i64(30)
    writer.end()
    writer.finish()
    assertEquals(Hasher256.hashUnsafe(Person("Ann", 30, None)).bytes.toList, writer.toByteArray.toList)
    assertEquals(Hasher256.hashUnsafe(Person("Ann", 30, None)).hex.length, 64)
  }

  test("equal maps have one hash, whatever their order") {
    val keys = (0 until 50).map(i => s"k$i")
    val there = keys.foldLeft(Map.empty[String, Int])((m, k) => m.updated(k, k.hashCode))
    val back = keys.reverse.foldLeft(Map.empty[String, Int])((m, k) => m.updated(k, k.hashCode))
    assertEquals(Hasher256.hashUnsafe(there), Hasher256.hashUnsafe(back))
  }

  test("equal decimals have one hash") {
    assertEquals(Hasher256.hashUnsafe(BigDecimal("1.50")), Hasher256.hashUnsafe(BigDecimal("1.5")))
    assertEquals(Hasher256.hashUnsafe(BigDecimal("100")), Hasher256.hashUnsafe(BigDecimal("1E+2")))
    assertEquals(Hasher256.hashUnsafe(BigInt(7)), Hasher256.hashUnsafe(7))
  }

  test("what differs has another hash") {
    implicit val shape: JsonFormat[Shape] = flat
    val hashes = List(
      Hasher128.hashUnsafe(1),
      Hasher128.hashUnsafe(1.5),
      Hasher128.hashUnsafe("1"),
      Hasher128.hashUnsafe(true),
      Hasher128.hashUnsafe(List(1)),
      Hasher128.hashUnsafe(List(List(1))),
      Hasher128.hashUnsafe(Option.empty[Int]),
      Hasher128.hashUnsafe(Map("a" -> 1)),
      Hasher128.hashUnsafe(Map("b" -> 1)),
      Hasher128.hashUnsafe[Shape](Circle(1)),
      Hasher128.hashUnsafe(Peep("Bob", 23))
    )
    assertEquals(hashes.distinct.size, hashes.size)
  }

  test("half a million keys, all different") {
    val hashes = new java.util.HashSet[Digest]
    for (i <- 0 until 500000) hashes.add(Hasher128.hashUnsafe(i))
    assertEquals(hashes.size, 500000)
  }

  test("of sixteen and thirty-two bytes") {
    assertEquals(Hasher128.hashUnsafe("x").bytes.length, 16)
    assertEquals(Hasher256.hashUnsafe("x").bytes.length, 32)
    assert(Hasher256.hash("half \ud83d").isFailure)
  }
}
