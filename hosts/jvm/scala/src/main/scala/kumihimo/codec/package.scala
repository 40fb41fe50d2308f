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
 * val bytes = Person("Ann", Some(7)).to(MessagePack.gzip)
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

  /** `value.to(Json)` */
  implicit final class ToForm[A](private val value: A) extends AnyVal {
    def to(form: Form)(implicit codec: Codec[A]): Array[Byte] = form.encode(value)
  }
}
