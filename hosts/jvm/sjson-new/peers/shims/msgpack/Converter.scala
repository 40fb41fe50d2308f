package sjsonnew
package support.msgpack

/** The calls of their backend that the tests make, on ours. */
object Converter {
  def toBinaryUnsafe[A](obj: A)(implicit writer: JsonWriter[A]): Array[Byte] =
    _root_.kumihimo.sjson.MessagePack.encode(obj)
  def fromBinaryUnsafe[A](bytes: Array[Byte])(implicit reader: JsonReader[A]): A =
    _root_.kumihimo.sjson.MessagePack.decode[A](bytes)
}
