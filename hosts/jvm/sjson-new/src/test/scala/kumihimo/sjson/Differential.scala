package kumihimo.sjson

import java.io.{ByteArrayOutputStream, OutputStream}

import _root_.kumihimo.{Code, DataException, Differential => Core}
import _root_.sjsonnew.DeserializationException

/** Answers as `kumihimo.Differential` does, unless a value is refused by other words than its document is: `./dev fuzz
  * jvm` compares with the engine.
  */
object Differential {
  private val forms = List(Json, MessagePack, Cbor, Tagged)

  def main(arguments: Array[String]): Unit = Core.serve(answer(_, _, _))

  private def answer(document: Array[Byte], parts: Array[String], out: OutputStream): Unit = {
    val form = forms.find(_.format.name == parts(0)).get.reading(parts(1))
    val core = new ByteArrayOutputStream
    Core.answer(document, parts, core)
    val said = refusal(form, document)
    // A document may be broken and have what cannot be written, and either is named.
    if (said.isEmpty || core.toString("UTF-8").split(" \\| |\n").contains(said)) core.writeTo(out)
    else out.write(s"$said\n".getBytes("UTF-8"))
  }

  private def refusal(form: Form, document: Array[Byte]): String = form.tryValue(document).failed.map {
    case e: DeserializationException => e.cause match {
        // Keys that are no text and texts that are none, which sjson-new's values do not have.
        case ours: DataException if ours.code == Code.TYPE || ours.code == Code.ENCODING => ""
        case ours: DataException => Core.said(ours)
        case other => s"differs $other"
      }
    case other => s"differs $other"
  }.getOrElse("")
}
