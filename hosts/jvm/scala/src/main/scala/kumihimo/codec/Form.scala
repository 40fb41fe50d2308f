package kumihimo.codec

import java.io.{InputStream, OutputStream}
import java.lang.ref.WeakReference
import java.nio.file.{Files, Path}

import kumihimo.{Code, Format, Formats, Limits, Reader, Writer}
import kumihimo.frame.{Frame, Frames, PackBuffer}
import kumihimo.tape.TapeReader

import scala.util.control.NonFatal

/**
 * The form of whole documents: a format, its dialects, its limits, and the compression around it. Immutable. A thread
 * keeps writers and readers of the last few formats, dialects and limits, none of more than a few megabytes.
 *
 * What a codec throws is a DataException with the code HOST, the exception as its cause, and when reading the place.
 *
 * {{{
 * Json.encode(person)                       // Array[Byte]
 * Json.decode[Person](bytes)                // or a DataException with code, offset, line, column and path
 * MessagePack.gzip.encode(people)
 * Json.writing("pretty").text(person)
 * }}}
 */
final class Form private (
    val format: Format,
    val writeDialect: String,
    val readDialect: String,
    val limits: Limits,
    val frame: Option[Frame]
) extends FormReads {

  /** The same, written by another dialect of the format (`Json.writing("pretty")`).
   *
   * @throws java.lang.IllegalArgumentException
   *   for a dialect that is none
   */
  def writing(dialect: String): Form = {
    format.writer(dialect, limits)
    new Form(format, dialect, readDialect, limits, frame)
  }

  /** The same, read by another dialect of the format. */
  def reading(dialect: String): Form = {
    format.reader(dialect, limits)
    new Form(format, writeDialect, dialect, limits, frame)
  }

  /** The same with other limits. */
  def limited(limits: Limits): Form = new Form(format, writeDialect, readDialect, limits, frame)

  /** The same in a frame: `Json.in(Frames.named("zstd"))`. */
  def in(frame: Frame): Form = new Form(format, writeDialect, readDialect, limits, Some(frame))

  /** The same, compressed by gzip. */
  lazy val gzip: Form = in(Form.Gzip)

  /** The same, compressed by zstd, whose library must be there when it is used. */
  lazy val zstd: Form = in(Form.Zstd)

  /** The same, compressed by lz4. */
  lazy val lz4: Form = in(Form.Lz4)

  /** The bytes of the document that says this value. */
  def encode[A](value: A)(implicit codec: Codec[A]): Array[Byte] =
    if (frame.isDefined) packed(value, codec) else writing(value, codec)(_.toByteArray)

  /** The document as text.
   *
   * @throws java.lang.IllegalArgumentException
   *   for a form that is no text: a binary format, or one in a frame
   */
  def text[A](value: A)(implicit codec: Codec[A]): String = {
    needText()
    new String(encode(value), java.nio.charset.StandardCharsets.UTF_8)
  }

  /** Writes the document to a stream, and leaves that open. */
  def encodeTo[A](value: A, out: OutputStream)(implicit codec: Codec[A]): Unit =
    if (frame.isDefined) out.write(packed(value, codec)) else writing(value, codec)(_.writeTo(out))

  /** Writes the document to a file, which is replaced once the document is whole. */
  def save[A](value: A, file: Path)(implicit codec: Codec[A]): Unit =
    if (frame.isDefined) {
      Files.write(file, packed(value, codec))
      ()
    } else
      writing(value, codec) { writer =>
        val out = Files.newOutputStream(file)
        try writer.writeTo(out)
        finally out.close()
      }

  /** The value that a document says.
   *
   * @throws kumihimo.DataException
   *   with code, offset, path, in text also line and column
   */
  def decode[A](bytes: Array[Byte])(implicit codec: Codec[A]): A = decode[A](bytes, 0, bytes.length)

  /** The value of the document that stands from one offset to another. */
  def decode[A](bytes: Array[Byte], from: Int, to: Int)(implicit codec: Codec[A]): A = {
    java.util.Objects.checkFromToIndex(from, to, bytes.length)
    if (frame.isEmpty) read(bytes, from, to, codec)
    else {
      val plain = Frames.unpack(frame.get, bytes, from, to, limits)
      read(plain, 0, plain.length, codec)
    }
  }

  /** The value that a text says.
   *
   * @throws java.lang.IllegalArgumentException
   *   for a form that is no text, as in `text`
   */
  def parse[A](text: String)(implicit codec: Codec[A]): A = {
    needText()
    decode[A](kumihimo.Utf8.bytes(text))
  }

  /** The value, or what is wrong with the document or its codec; nothing is thrown but what ends programs. */
  def tryDecode[A](bytes: Array[Byte])(implicit codec: Codec[A]): Either[DataException, A] =
    try Right(decode[A](bytes))
    catch { case e: DataException => Left(e) }

  /** Reads one document, up to the stream's end, which is left open. Of a stream with more bytes than the limit of size
   * says no more are read.
   */
  def decodeFrom[A](in: InputStream)(implicit codec: Codec[A]): A = decodeFrom(in, 0, codec)

  /** Reads a file that holds one document; no more of it than the limit of size says. */
  def load[A](file: Path)(implicit codec: Codec[A]): A = {
    val in = Files.newInputStream(file)
    try decodeFrom(in, Files.size(file), codec)
    finally in.close()
  }

  override def toString: String = {
    val dialects = List(writeDialect, readDialect).filter(_.nonEmpty)
    format.name + dialects.map(":" + _).mkString + frame.fold("")("." + _.name)
  }

  private[this] def needText(): Unit =
    if (!format.isText || frame.isDefined) throw new IllegalArgumentException(s"$this is no text")

  private[this] def decodeFrom[A](in: InputStream, likely: Long, codec: Codec[A]): A = {
    val whole = Whole.of(in, frame, likely, limits)
    read(whole.bytes, 0, whole.size, codec)
  }

  /** @param pieces
   *    where the writer may pass on what is done, or null
   */
  private[this] def writing[A, B](value: A, codec: Codec[A], pieces: OutputStream = null)(use: Writer => B): B = {
    val place = Pool.place(this)
    val writer = place.takeWriter()
    try {
      Form.write(value, writer, codec, pieces)
      use(writer)
    } finally {
      if (pieces ne null) writer.streamTo(null)
      place.giveWriter(writer)
    }
  }

  private[this] def read[A](bytes: Array[Byte], from: Int, to: Int, codec: Codec[A]): A = {
    val place = Pool.place(this)
    val reader = place.takeReader()
    try {
      reader.reset(bytes, from, to)
      val value = codec.read(reader)
      reader.finish()
      value
    } catch {
      case e @ (NonFatal(_) | _: StackOverflowError) =>
        throw Form.located(format, bytes, from, to, Form.placed(e, reader))
    } finally place.giveReader(reader, to - from)
  }

  private[this] def packed[A](value: A, codec: Codec[A]): Array[Byte] = {
    val out = new PackBuffer(frame.get)
    try writing(value, codec, out)(out.finish)
    finally out.close()
  }
}

object Form {

  /** Documents of a format in its default dialects, without a frame. */
  def of(format: Format): Form = new Form(format, "", "", Limits.DEFAULT, None)

  /** The forms that codecs are written for: what their types can hold, every one of them says. */
  private[codec] def named(name: String): Form = {
    // By default MessagePack refuses numbers that none of its types holds.
    val dialect = if (name == "msgpack") "big_text" else ""
    new Form(Formats.named(name), dialect, "", Limits.DEFAULT, None)
  }

  /** The format, and the frame around it, that a document's first bytes tell. */
  def detect(bytes: Array[Byte]): Form = {
    val frame = Option(Frames.of(bytes))
    val plain = frame.fold(bytes)(f => Frames.unpack(f, bytes, Limits.DEFAULT))
    val format = Formats.of(plain)
    if (format == null) throw new DataException(Code.SYNTAX, "the first bytes are those of no format", 0)
    val form = named(format.name)
    frame.fold(form)(form.in)
  }

  private val Gzip = Frames.named("gzip")
  private val Zstd = Frames.named("zstd")
  private val Lz4 = Frames.named("lz4")

  /**
   * What reading a document of this thread has thrown last. Where it is thrown through the reading of another one, a
   * codec has read a document in a value of that, and its place is none there.
   */
  private val thrown = new ThreadLocal[WeakReference[DataException]]

  private[codec] def tooDeep() = new DataException(Code.DEPTH, "values are nested deeper than the stack is")

  /** Writes a whole document; what goes wrong is a DataException. */
  private[codec] def write[A](value: A, writer: Writer, codec: Codec[A], pieces: OutputStream): Unit =
    try {
      writer.reset()
      if (pieces ne null) writer.streamTo(pieces)
      codec.write(value, writer)
      writer.finish()
    } catch {
      case e: DataException => throw e
      case _: StackOverflowError => throw tooDeep()
      case NonFatal(e) => throw failed(e)
    }

  /** An exception of a codec's own code, whose message may hold values of the document. */
  private[codec] def failed(e: Throwable): DataException = {
    val message = if (e.getMessage == null) "" else ": " + Scalars.cut(e.getMessage)
    val name = e.getClass.getName
    val reason = s"the codec failed: ${name.substring(name.lastIndexOf('.') + 1)}$message"
    new DataException(Code.HOST, reason, e)
  }

  /** What a codec has thrown, as an error of this document, whose place it has only where it says so itself. */
  private[codec] def refusal(thrown: Throwable): DataException = thrown match {
    case e: DataException => if (isForeign(e)) new DataException(e.code, e.getMessage, e) else e
    case _: StackOverflowError => tooDeep()
    case e => failed(e)
  }

  /** The same with a place: that of the last byte that was read, where it has none of its own. */
  private[codec] def placed(thrown: Throwable, in: Reader): DataException = placed(thrown, refusal(thrown), in)

  private[codec] def placed(thrown: Throwable, refusal: DataException, in: Reader): DataException =
    if (refusal.offset >= 0) refusal
    else refusal.atByte(if (thrown.isInstanceOf[StackOverflowError]) in.consumed().toLong else last(in))

  private[this] def last(in: Reader): Long = in match {
    case tape: TapeReader => tape.lastPosition().toLong
    case _ => RecordCodec.opened(in).toLong
  }

  /** Whether the place that an error has is one of another document. */
  private[this] def isForeign(e: DataException) = {
    val inner = thrown.get
    (inner ne null) && (inner.get eq e)
  }

  /** The error with its place in words, which is thrown then. */
  private[codec] def located(
      format: Format,
      bytes: Array[Byte],
      from: Int,
      to: Int,
      e: DataException
  ): DataException =
    remembered(format.locate(bytes, from, to, e))

  /** An error of a document, which is thrown then. */
  private[codec] def remembered(e: DataException): DataException = {
    thrown.set(new WeakReference(e))
    e
  }
}
