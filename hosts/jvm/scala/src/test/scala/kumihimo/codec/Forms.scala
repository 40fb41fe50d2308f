package kumihimo.codec

import munit.Assertions._

/** What most tests do: write a value in every format, and read it back. */
object Forms {
  val all: List[Form] = List(Json, MessagePack, Cbor, Tagged, Json.gzip, Tagged.gzip, Json.writing("pretty"))

  def sameInAll[A](value: A)(implicit codec: Codec[A], at: munit.Location): Unit =
    all.foreach { form =>
      val bytes = form.encode(value)
      assertEquals(form.decode[A](bytes), value, form.toString)
    }

  /** The JSON of a value, which is also read back as the value. */
  def json[A](value: A, text: String)(implicit codec: Codec[A], at: munit.Location): Unit = {
    assertEquals(Json.text(value), text)
    assertEquals(Json.parse[A](text), value)
    sameInAll(value)
  }

  def bytes(hex: String): Array[Byte] = {
    val digits = hex.filterNot(_.isWhitespace)
    digits.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
  }

  def hex(bytes: Array[Byte]): String = bytes.map(b => Integer.toHexString(b & 0xff | 0x100).substring(1)).mkString

  /** What a document is refused with: code, reason, offset, path. */
  def refused[A](document: String)(implicit codec: Codec[A], at: munit.Location): String = {
    val e = intercept[kumihimo.DataException](Json.parse[A](document))
    s"${e.code.text} ${e.offset} ${e.path}: ${e.reason}"
  }
}
