package kumihimo.codec

import java.io.{ByteArrayOutputStream, InputStream, OutputStream}
import java.lang.ref.SoftReference
import java.nio.file.{Files, Path}

import kumihimo.{Code, Format, Formats, Limits, Reader, Writer}
import kumihimo.frame.{Frame, Frames}

/**
 * The form of whole documents: a format, its dialects, its limits, and the compression around it. Immutable; made once
 * and kept, since each keeps a writer and a reader for every thread that uses it.
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
) {
  private[this] val pools = ThreadLocal.withInitial[Form.Pool](() => new Form.Pool)

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

  /** The bytes of the document that says this value. */
  def encode[A](value: A)(implicit codec: Codec[A]): Array[Byte] =
    writing(value, codec)(writer => if (frame.isEmpty) writer.toByteArray else packed(writer))

  /** The document as text; only of formats that are text, without a frame. */
  def text[A](value: A)(implicit codec: Codec[A]): String = {
    if (!format.isText || frame.isDefined) throw new IllegalArgumentException(s"$this is no text")
    new String(encode(value), java.nio.charset.StandardCharsets.UTF_8)
  }

  /** Writes the document to a stream, and leaves that open. */
  def encodeTo[A](value: A, out: OutputStream)(implicit codec: Codec[A]): Unit = writing(value, codec) { writer =>
    if (frame.isEmpty) writer.writeTo(out) else out.write(packed(writer))
  }

  /** Writes the document to a file, which is replaced. */
  def save[A](value: A, file: Path)(implicit codec: Codec[A]): Unit = {
    val out = Files.newOutputStream(file)
    try encodeTo(value, out)
    finally out.close()
  }

  /** The value that a document says.
   *
   * @throws kumihimo.DataException
   *   with code, offset, path, in text also line and column
   */
  def decode[A](bytes: Array[Byte])(implicit codec: Codec[A]): A = decode[A](bytes, 0, bytes.length)

  /** The value of the document that stands from one offset to another. */
  def decode[A](bytes: Array[Byte], from: Int, to: Int)(implicit codec: Codec[A]): A =
    if (frame.isEmpty) read(bytes, from, to, codec)
    else {
      val plain = Frames.unpack(frame.get, bytes, from, to, limits)
      read(plain, 0, plain.length, codec)
    }

  /** The value that a text says. */
  def parse[A](text: String)(implicit codec: Codec[A]): A = decode[A](kumihimo.Utf8.bytes(text))

  /** The value, or what is wrong with the document. */
  def tryDecode[A](bytes: Array[Byte])(implicit codec: Codec[A]): Either[DataException, A] =
    try Right(decode[A](bytes))
    catch { case e: DataException => Left(e) }

  /** Reads one document, up to the stream's end. */
  def decodeFrom[A](in: InputStream)(implicit codec: Codec[A]): A = decode[A](in.readAllBytes())

  /** Reads a file that holds one document. */
  def load[A](file: Path)(implicit codec: Codec[A]): A = decode[A](Files.readAllBytes(file))

  override def toString: String = {
    val dialects = List(writeDialect, readDialect).filter(_.nonEmpty)
    format.name + dialects.map(":" + _).mkString + frame.fold("")("." + _.name)
  }

  private[this] def writing[A, B](value: A, codec: Codec[A])(use: Writer => B): B = {
    val pool = pools.get
    val writer = pool.takeWriter(this)
    try {
      writer.reset()
      codec.write(value, writer)
      writer.finish()
      use(writer)
    } catch {
      case _: StackOverflowError => throw new DataException(Code.DEPTH, "values are nested deeper than the stack is")
    } finally pool.giveWriter(writer)
  }

  private[this] def read[A](bytes: Array[Byte], from: Int, to: Int, codec: Codec[A]): A = {
    val pool = pools.get
    val reader = pool.takeReader(this)
    try {
      reader.reset(bytes, from, to)
      val value = codec.read(reader)
      reader.finish()
      value
    } catch {
      case e: DataException => throw format.locate(bytes, from, to, e)
      case _: StackOverflowError =>
        val e = new DataException(Code.DEPTH, "values are nested deeper than the stack is", reader.consumed().toLong)
        throw format.locate(bytes, from, to, e)
    } finally pool.giveReader(reader)
  }

  private[this] def packed(writer: Writer): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(256 + writer.size / 4)
    val out = Frames.pack(frame.get, bytes, Frame.USUAL)
    writer.writeTo(out)
    out.close()
    bytes.toByteArray
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
  private val Nothing = new Array[Byte](0)

  /**
   * What one thread keeps for the next document. A codec that begins a document inside another one gets its
   * own.
   */
  private final class Pool {
    private[this] var writer: SoftReference[Writer] = new SoftReference(null)
    private[this] var reader: SoftReference[Reader] = new SoftReference(null)
    private[this] var writing, reading = false

    def takeWriter(form: Form): Writer = {
      val kept = if (writing) null else writer.get
      if (kept eq null) form.format.writer(form.writeDialect, form.limits)
      else {
        writing = true
        kept
      }
    }

    def giveWriter(used: Writer): Unit =
      if (writer.get eq used) writing = false
      else if (!writing) writer = new SoftReference(used)

    def takeReader(form: Form): Reader = {
      val kept = if (reading) null else reader.get
      if (kept eq null) form.format.reader(form.readDialect, form.limits)
      else {
        reading = true
        kept
      }
    }

    def giveReader(used: Reader): Unit = {
      // It holds the bytes of its document no longer.
      used.reset(Nothing, 0, 0)
      if (reader.get eq used) reading = false
      else if (!reading) reader = new SoftReference(used)
    }
  }
}
