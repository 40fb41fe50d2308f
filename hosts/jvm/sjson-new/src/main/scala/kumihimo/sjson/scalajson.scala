package kumihimo.sjson

import java.io.{File, Writer}
import java.nio.ByteBuffer
import java.nio.file.Files

import _root_.kumihimo.Utf8
import _root_.sjsonnew.IsoString

import scala.util.Try

/** The names of `sjsonnew.support.scalajson.unsafe`, on our JSON: a program that imports them from here needs no
  * other change.
  *
  * {{{
  * import kumihimo.sjson.scalajson.{CompactPrinter, Converter, Parser}
  * }}}
  */
object scalajson {
  val Converter: Form = Json

  /** Values as text and back: what sbt's FileBasedStore asks for. */
  implicit val isoString: IsoString[Value] = IsoString.iso(js => CompactPrinter(js), text => Parser.parseUnsafe(text))

  object Parser {
    def parseUnsafe(text: String): Value = Json.value(Utf8.bytes(text))
    def parseFromString(text: String): Try[Value] = Try(parseUnsafe(text))
    def parseFromFile(file: File): Try[Value] = Try(Json.value(Files.readAllBytes(file.toPath)))
    def parseFromPath(path: String): Try[Value] = parseFromFile(new File(path))
    def parseFromByteBuffer(buffer: ByteBuffer): Try[Value] = Try {
      val bytes = new Array[Byte](buffer.remaining)
      buffer.duplicate.get(bytes)
      Json.value(bytes)
    }
  }

  object CompactPrinter {
    def apply(js: Value): String = js.toJson
    def print(js: Value, out: Writer): Unit = out.write(js.toJson)
  }

  object PrettyPrinter {
    private[this] val form = Json.writing("pretty")

    def apply(js: Value): String = new String(form.play(js.tape, js.node), java.nio.charset.StandardCharsets.UTF_8)
    def print(js: Value, out: Writer): Unit = out.write(apply(js))
  }
}
