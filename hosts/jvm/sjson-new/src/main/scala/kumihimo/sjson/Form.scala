package kumihimo.sjson

import java.io.{InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import _root_.kumihimo.{DataException, Format, Limits, Reader, Utf8, Writer}
import _root_.kumihimo.frame.{Frame => Compression, Frames, PackBuffer}
import _root_.sjsonnew.{Builder, Facade, JsonReader, JsonWriter, SupportConverter, Unbuilder}

import scala.util.Try

/** The form of whole documents, for sjson-new's codecs: a format, its dialects, its limits, and the compression around
  * it. What `kumihimo.codec.Form` is for codecs of ours, by the same names; in sjson-new's other backends it is the
  * Converter. Immutable, and for all threads.
  *
  * {{{
  * Json.text(person)                                  // String
  * MessagePack.encode(person)                         // Array[Byte]
  * Json.gzip.save(report, path); Json.gzip.load[UpdateReport](path)
  * Json.toJson(person)                                // Try[Value], as in every backend
  * }}}
  *
  * What cannot be read is a DeserializationException, whose cause is a [[kumihimo.DataException]] with code, offset
  * and path; so are errors that a codec raises itself. Names with `try` have it in a Try, and so have sjson-new's own
  * without `Unsafe`.
  */
final class Form private[sjson] (
    val format: Format,
    val writeDialect: String,
    val readDialect: String,
    val limits: Limits,
    val frame: Option[Compression]
) extends SupportConverter[Value] {

  implicit def facade: Facade[Value] = ValueFacade

  private[this] val spare = new Spare[Tools](() => new Tools(this), _.size)

  // ---- other forms ----

  /** The same, written by another dialect of the format (`Json.writing("pretty")`).
    *
    * @throws java.lang.IllegalArgumentException for a dialect that is none; the message names all
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
  def in(frame: Compression): Form = new Form(format, writeDialect, readDialect, limits, Some(frame))

  def gzip: Form = in(Frames.named("gzip"))

  def zstd: Form = in(Frames.named("zstd"))

  def lz4: Form = in(Frames.named("lz4"))

  // ---- bytes, text, streams, files ----

  /** The document's bytes, in the frame. */
  def encode[A](value: A)(implicit codec: JsonWriter[A]): Array[Byte] =
    write(value, codec)(writer => if (frame.isEmpty) writer.toByteArray else packed(writer))

  def tryEncode[A](value: A)(implicit codec: JsonWriter[A]): Try[Array[Byte]] = Try(encode(value))

  /** @throws sjsonnew.DeserializationException with code, offset and path */
  def decode[A](bytes: Array[Byte])(implicit codec: JsonReader[A]): A = {
    val plain = unpacked(bytes)
    spare.using(_.read(plain, plain.length, codec))
  }

  def tryDecode[A](bytes: Array[Byte])(implicit codec: JsonReader[A]): Try[A] = Try(decode[A](bytes))

  /** The document as text; of JSON without a frame. */
  def text[A](value: A)(implicit codec: JsonWriter[A]): String = {
    textOnly()
    write(value, codec)(writer => new String(writer.toByteArray, UTF_8))
  }

  /** The value that a text says; of JSON without a frame. */
  def parse[A](text: String)(implicit codec: JsonReader[A]): A = {
    textOnly()
    decode[A](Utf8.bytes(text))
  }

  def tryParse[A](text: String)(implicit codec: JsonReader[A]): Try[A] = Try(parse[A](text))

  /** Writes one document, and leaves the stream open. */
  def encodeTo[A](value: A, out: OutputStream)(implicit codec: JsonWriter[A]): Unit =
    write(value, codec)(writer => if (frame.isEmpty) writer.writeTo(out) else out.write(packed(writer)))

  /** Reads one document, up to the stream's end. */
  def decodeFrom[A](in: InputStream)(implicit codec: JsonReader[A]): A = spare.using { tools =>
    val size = tools.fill(in)
    if (frame.isEmpty) tools.read(tools.input, size, codec)
    else {
      val plain = unframed(tools.input, size)
      tools.read(plain, plain.length, codec)
    }
  }

  /** Writes a file, which is replaced once the document is whole. */
  def save[A](value: A, file: Path)(implicit codec: JsonWriter[A]): Unit = write(value, codec) { writer =>
    if (frame.isDefined) Files.write(file, packed(writer))
    else {
      val out = Files.newOutputStream(file)
      try writer.writeTo(out)
      finally out.close()
    }
    ()
  }

  def load[A](file: Path)(implicit codec: JsonReader[A]): A = {
    val in = Files.newInputStream(file)
    try decodeFrom[A](in)
    finally in.close()
  }

  // ---- values, as in every backend ----

  override def makeBuilder: Builder[Value] = new Tools(this).builder

  override def makeUnbuilder: Unbuilder[Value] = newUnbuilder

  override def toJsonUnsafe[A](value: A)(implicit codec: JsonWriter[A]): Value =
    write(value, codec)(writer => document(writer.toByteArray))

  override def fromJsonUnsafe[A](js: Value)(implicit codec: JsonReader[A]): A = fromJsonOptionUnsafe(Some(js))

  override def fromJsonOptionUnsafe[A](js: Option[Value])(implicit codec: JsonReader[A]): A = {
    val unbuilder = newUnbuilder
    Errors.placed(unbuilder)(codec.read(js, unbuilder))
  }

  /** The value that a document's bytes say, checked; for fromJson. */
  def value(bytes: Array[Byte]): Value = {
    val root = document(unpacked(bytes))
    root.tape
    root
  }

  def tryValue(bytes: Array[Byte]): Try[Value] = Try(value(bytes))

  override def toString: String = {
    val dialects = List(writeDialect, readDialect).filter(_.nonEmpty)
    format.name + dialects.map(":" + _).mkString + frame.fold("")("." + _.name)
  }

  // ---- what the others of this package ask for ----

  private[sjson] def document(bytes: Array[Byte]): Value = new Document(bytes, bytes.length, this).root

  private[sjson] def newWriter: Writer = format.writer(writeDialect, limits)

  /** MessagePack has no type for decimal numbers. */
  private[sjson] val textNumbers = format.name == "msgpack"

  /** Whether doubles are read from digits, and are not these digits themselves. */
  private[this] val hasDigits = format.isText && readDialect != "exact_decimals"

  /** The first layout of tagged has no truth values. */
  private[sjson] def newUnbuilder: TapeUnbuilder =
    new TapeUnbuilder(textNumbers, numberedTruth = format.name == "tagged", new NumberCache)

  /** A part of a tape as a document of this format, without the frame. */
  private[sjson] def play(tape: KeyedTape, node: Int): Array[Byte] = {
    val writer = newWriter
    KeyedFeed.value(tape, node, writer)
    writer.finish()
    writer.toByteArray
  }

  private[sjson] def packed(plain: Array[Byte]): Array[Byte] =
    if (frame.isEmpty) plain.clone else Frames.pack(frame.get, plain)

  private[sjson] def record(tape: KeyedTape, bytes: Array[Byte], length: Int): KeyedTape =
    record(tape, bytes, length, newReader)

  private[sjson] def record(tape: KeyedTape, bytes: Array[Byte], length: Int, reader: Reader): KeyedTape =
    try {
      tape.reset(bytes, length, hasDigits)
      reader.reset(bytes, 0, length).feed(tape)
      reader.finish()
      tape
    } catch { case e: DataException => throw Errors.wrapped(format.locate(bytes, 0, length, e)) }

  private[sjson] def newReader: Reader = format.reader(readDialect, limits)

  private[this] def textOnly(): Unit =
    if (!format.isText || frame.isDefined) throw new IllegalArgumentException(s"$this is no text; ask for bytes")

  private[this] def unpacked(bytes: Array[Byte]): Array[Byte] =
    if (frame.isEmpty) bytes else unframed(bytes, bytes.length)

  private[this] def unframed(bytes: Array[Byte], length: Int): Array[Byte] =
    try Frames.unpack(frame.get, bytes, 0, length, limits)
    catch { case e: DataException => throw Errors.wrapped(e) }

  private[this] def write[A, B](value: A, codec: JsonWriter[A])(use: Writer => B): B = spare.using { tools =>
    try {
      tools.builder.reset()
      codec.write(value, tools.builder)
      tools.builder.finish()
      use(tools.writer)
    } catch {
      case e: DataException => throw Errors.unwritable(e)
      case _: StackOverflowError => throw Errors.unwritable(Errors.tooDeep)
    }
  }

  private[this] def packed(writer: Writer): Array[Byte] = {
    val out = new PackBuffer(frame.get)
    try out.finish(writer)
    finally out.close()
  }
}
