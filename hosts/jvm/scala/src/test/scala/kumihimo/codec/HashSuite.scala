package kumihimo.codec

import kumihimo.codec.Forms._
import kumihimo.hash.HashWriter

/** Hashes of values. */
class HashSuite extends munit.FunSuite {
  test("a hash depends on the value, and on nothing else") {
    val bob = Person("Bob", Some(7))
    assertEquals(Hash.of256(bob).length, 32)
    assertEquals(Hash.of128(bob).length, 16)
    assertEquals(hex(Hash.of256(bob)), hex(Hash.of256(Json.parse[Person]("""{"age":7,"name":"Bob"}"""))))
    assertEquals(hex(Hash.of128(Json.parse[Value](Json.text(bob)))), hex(Hash.of128(bob)))
    val others = List(Person("Bob", None), Person("Bo", Some(7)), Person("Bob", Some(8)))
    others.foreach(o => assertNotEquals(hex(Hash.of128(o)), hex(Hash.of128(bob))))
    assertNotEquals(hex(Hash.of128(List("ab", "c"))), hex(Hash.of128(List("a", "bc"))))
    assertNotEquals(hex(Hash.of128(List(List(1), List(2)))), hex(Hash.of128(List(List(1, 2)))))
  }

  test("the order of a map's pairs counts, or not") {
    val ab = scala.collection.mutable.LinkedHashMap("a" -> List(Map("x" -> 1)), "b" -> Nil)
    val ba = scala.collection.mutable.LinkedHashMap("b" -> Nil, "a" -> List(Map("x" -> 1)))
    assertNotEquals(hex(Hash.of256(ab)), hex(Hash.of256(ba)))
    List(HashWriter.hash256.unordered, HashWriter.hash128.unordered).foreach { writer =>
      assertEquals(hex(Hash.by(writer, ab)), hex(Hash.by(writer, ba)))
      ab("b") = List(Map("x" -> 1))
      assertNotEquals(hex(Hash.by(writer, ab)), hex(Hash.by(writer, ba)))
      ab("b") = Nil
    }
  }

  test("long values, in pieces") {
    val long = List.fill(10000)("some text that is hashed, é")
    assertEquals(hex(Hash.of128(long)), hex(Hash.of128(long)))
    assertNotEquals(hex(Hash.of128(long)), hex(Hash.of128(long.updated(9999, "other"))))
  }

  test("a hundred thousand inputs do not meet") {
    val seen = new java.util.HashSet[BigInt]
    (0 until 100000).foreach(i => seen.add(BigInt(Hash.of128(i).take(12))))
    assertEquals(seen.size, 100000)
  }
}
