package kumihimo.codec

import java.io.OutputStream

import kumihimo.{Differential => Core, Formats}

/** Answers as `kumihimo.Differential` does, by the calls of a Form: `./dev fuzz jvm` compares with the engine. */
object Differential {
  private val skipping = Codec.of[Unit]((_, _) => ())(_.skip())

  def main(arguments: Array[String]): Unit = Core.serve(answer(_, _, _))

  private def answer(document: Array[Byte], parts: Array[String], out: OutputStream): Unit = {
    val from = Form.of(Formats.named(parts(0))).reading(parts(1))
    val to = Form.of(Formats.named(parts(2))).writing(parts(3))
    val read = verdict(from.decode[Unit](document)(skipping))
    val answer =
      try {
        val made = from.convert(document, to)
        if (read == "ok") Right(made) else Left(s"differs taken, but $read")
      } catch {
        case e: DataException =>
          val said = Core.said(e)
          // What a writer refuses as a whole has a place here: that of the last byte that was read.
          if (read == "ok") Left(s"$said | ${e.code.text} -1 -")
          else Left(if (said == read) said else s"$said | $read")
      }
    differences(from, document, read).orElse(answer.left.toOption) match {
      case Some(said) => out.write(s"$said\n".getBytes("UTF-8"))
      case None =>
        val made = answer.getOrElse(Array.empty[Byte])
        out.write(s"ok ${made.length}\n".getBytes("US-ASCII"))
        out.write(made)
    }
  }

  /** Where values and places are not refused as documents are. Bytes that are no text have no String. */
  private def differences(form: Form, document: Array[Byte], read: String): Option[String] = {
    val value = verdict(form.decode[Value](document))
    val lazily = verdict(form.cursor(document).as[Value])
    if (value.startsWith("encoding")) None
    else if (value != read) Some(s"differs: a value $value, a document $read")
    else if ((lazily == "ok") != (read == "ok")) Some(s"differs: a place $lazily, a document $read")
    else None
  }

  private def verdict(call: => Any): String =
    try {
      call
      "ok"
    } catch { case e: DataException => Core.said(e) }
}
