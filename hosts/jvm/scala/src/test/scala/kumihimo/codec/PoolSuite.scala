package kumihimo.codec

import java.io.{ByteArrayInputStream, InputStream}

import kumihimo.{Code, Kept, Limits}
import kumihimo.codec.Forms._

final case class Signed(text: String)
object Signed {
  private val plain: Codec[String] = Codec.string
  implicit val codec: Codec[Signed] = Codec.of[Signed] { (signed, out) =>
    out.str(hex(Hash.of256(signed.text)(plain)) + hex(Hash.of128(signed.text)(plain)))
  }(in => Signed(in.str()))
}

/** What a thread keeps from one document to the next, and what it reads of a stream. */
class PoolSuite extends munit.FunSuite {
  test("a form that is made for one document finds what another one left") {
    def place() = Pool.place(Json.limited(Limits.DEFAULT.withDepth(77)).writing("pretty"))
    assert(place() eq place())
    assert(Pool.place(Json) eq Pool.place(Json.gzip))
    assert(Pool.place(Json) ne Pool.place(Cbor))
    val writer = place().takeWriter()
    place().giveWriter(writer)
    assert(place().takeWriter() eq writer)
  }

  test("a codec inside another one gets its own") {
    val place = Pool.place(Json)
    val first = place.takeWriter()
    val second = place.takeWriter()
    assert(first ne second)
    place.giveWriter(second)
    place.giveWriter(first)
    assert(place.takeWriter() eq first)
  }

  test("what a large document has left is not held") {
    val spare = new Pool.Spare[Array[Byte]]
    val large = new java.lang.ref.WeakReference(new Array[Byte](1000))
    spare.give(large.get, Kept.MOST_BYTES + 1)
    System.gc()
    assert(spare.take() eq null)
    val text = "x" * (Kept.MOST_BYTES + 1)
    Json.text(text)
    val writer = Pool.place(Json).takeWriter()
    assert(writer.capacity <= Kept.MOST_BYTES || {
      Pool.place(Json).giveWriter(writer); Pool.place(Json).takeWriter() eq writer
    })
  }

  test("a hash of a part inside the hash of the whole") {
    val parts = List("a", "b")
    val signed = parts.map(t => hex(Hash.of256(t)) + hex(Hash.of128(t)))
    assertEquals(hex(Hash.of256(parts.map(Signed(_)))), hex(Hash.of256(signed)))
    assertEquals(hex(Hash.of128(parts.map(Signed(_)))), hex(Hash.of128(signed)))
    intercept[IllegalStateException](Hash.of256(1)(Codec.of[Int]((_, _) => throw new IllegalStateException)(_.i32())))
    assertEquals(hex(Hash.of256(parts.map(Signed(_)))), hex(Hash.of256(signed)))
  }

  /** White space without end, which counts what is asked for. */
  private final class Endless extends InputStream {
    var asked = 0L
    def read(): Int = { asked += 1; ' ' }
    override def read(to: Array[Byte], from: Int, n: Int): Int = {
      java.util.Arrays.fill(to, from, from + n, ' '.toByte)
      asked += n
      n
    }
  }

  test("of a stream no more is read than a document may have") {
    val endless = new Endless
    val e = intercept[DataException](Json.limited(Limits.DEFAULT.withSize(100000)).decodeFrom[Int](endless))
    assertEquals(e.code, Code.SIZE)
    assert(endless.asked <= 100001, endless.asked.toString)
    val packed = Json.gzip.encode("x" * 1000000)
    val small = Json.gzip.limited(Limits.DEFAULT.withSize(1000))
    assertEquals(intercept[DataException](small.decodeFrom[String](new ByteArrayInputStream(packed))).code, Code.SIZE)
  }

  test("streams and files of any length up to that, and left open") {
    for (n <- List(0, 1, 8000, 8190, 8191, 8192, 20000); form <- List(Json, MessagePack, Cbor.gzip)) {
      val text = "x" * n
      var closed = false
      val in = new ByteArrayInputStream(form.encode(text)) { override def close(): Unit = closed = true }
      assertEquals(form.decodeFrom[String](in), text)
      assert(!closed)
      val exact = Json.limited(Limits.DEFAULT.withSize(n + 2L))
      assertEquals(exact.decodeFrom[String](new ByteArrayInputStream(Json.encode(text))), text)
      val file = java.nio.file.Files.createTempFile("kumihimo", ".data")
      try {
        form.save(text, file)
        assertEquals(form.load[String](file), text)
        java.nio.file.Files.write(file, Json.encode(text))
        intercept[DataException](Json.limited(Limits.DEFAULT.withSize(n + 1L)).load[String](file))
      } finally java.nio.file.Files.delete(file)
    }
  }

  test("how arrays grow") {
    assertEquals(ArraySizes.grown(8), 16)
    assertEquals(ArraySizes.grown(1 << 30), Int.MaxValue - 8)
    assertEquals(intercept[DataException](ArraySizes.grown(Int.MaxValue - 8)).code, Code.SIZE)
  }
}
