package kumihimo

/**
 * Codecs for Scala: `import kumihimo.codec._` is all that a program needs.
 *
 * {{{
 * import kumihimo.codec._
 *
 * case class Person(name: String, age: Option[Int])
 * object Person { implicit val codec: Codec[Person] = Codec.derived[Person] }
 *
 * Json.text(Person("Bob", None))                        // {"name":"Bob"}
 * val bytes = Person("Ann", Some(7)).in(MessagePack.gzip)
 * MessagePack.gzip.decode[Person](bytes)
 * }}}
 */
package object codec {

  /** What is wrong with a document or a value, and where. */
  type DataException = kumihimo.DataException

  val Json: Form = Form.named("json")
  val MessagePack: Form = Form.named("msgpack")
  val Cbor: Form = Form.named("cbor")
  val Tagged: Form = Form.named("tagged")

  /** `value.in(Json)`, the bytes of the document; not `to`, which would take `1 to 10` away. */
  implicit final class InForm[A](private val value: A) extends AnyVal {
    def in(form: Form)(implicit codec: Codec[A]): Array[Byte] = form.encode(value)
  }
}
