package kumihimo.codec

import java.io.{FilterInputStream, InputStream}

import kumihimo.Documents
import kumihimo.frame.Frames
import kumihimo.path.{Level, Projection}
import kumihimo.tape.Tape

/** What a form does with documents besides whole values: places in them, parts of them, streams, other forms. */
trait FormReads { self: Form =>

  /** A document that is read and checked, but of which nothing is made until it is asked for.
   *
   * @throws kumihimo.DataException
   *   where the document is broken, as [[decode]]
   */
  def cursor(bytes: Array[Byte]): Cursor = cursor(bytes, 0, bytes.length)

  /** The same of the document that stands from one offset to another. */
  def cursor(bytes: Array[Byte], from: Int, to: Int): Cursor = unpacked(bytes, from, to) { (plain, begin, end) =>
    val document = new Document(format, plain, begin, end)
    document.placed(new Cursor(document, Tape.of(format, readDialect, limits, plain, begin, end).root()))
  }

  /** What looks for the values at these paths in documents; the rest of them is read and checked, too.
   *
   * @throws kumihimo.DataException
   *   for a path that is none
   */
  def partial(paths: String*): Parts = partial(Projection.of(paths: _*))

  /** What looks for the values of a projection in documents. */
  def partial(what: Projection, level: Level = Level.STRICT): Parts = new Parts(this, what, level)

  /** Calls visit for each document of a stream: they stand one behind the other, in JSON with white space between them
   * or none. The stream is read piece by piece, and left open. The first error ends it.
   *
   * @throws kumihimo.DataException
   *   as [[decode]], with the place in its document
   */
  def each[A](in: InputStream)(visit: A => Unit)(implicit codec: Codec[A]): Unit = {
    // A stream may be of any length; its documents may not.
    val plain = frame.fold(in)(Frames.unpack(_, new FormReads.Borrowed(in), limits.withSize(Long.MaxValue)))
    try {
      val documents = new Documents(plain, format, limits)
      // Its own: visit may read documents, too.
      val reader = format.reader(readDialect, limits)
      while (documents.next()) {
        val (data, from, to) = (documents.data, documents.from, documents.to)
        reader.reset(data, from, to)
        visit(new Document(format, data, from, to).whole(reader, codec, 0))
      }
    } finally if (frame.isDefined) plain.close()
  }

  /** The same document in another form, without making values; the order of keys and keys that come twice are kept.
   *
   * @throws kumihimo.DataException
   *   for what this form refuses to read, or the other one cannot say
   */
  def convert(bytes: Array[Byte], to: Form): Array[Byte] =
    decode(bytes)(new FormReads.Into(to))

  /** The document's bytes, out of its frame. */
  private[codec] def unpacked[A](bytes: Array[Byte], from: Int, to: Int)(use: (Array[Byte], Int, Int) => A): A =
    frame match {
      case None => use(bytes, from, to)
      case Some(frame) =>
        val plain = Frames.unpack(frame, bytes, from, to, limits)
        use(plain, 0, plain.length)
    }
}

private object FormReads {
  import kumihimo.{Reader, Writer}

  /** Reads a value as a document of a form. */
  private final class Into(form: Form) extends Codec[Array[Byte]] {
    def read(in: Reader): Array[Byte] = form.encode(in)(Fed)
    def write(document: Array[Byte], out: Writer): Unit = out.bin(document, 0, document.length)
  }

  /** Writes what a reader reads next. */
  private object Fed extends Codec[Reader] {
    def write(value: Reader, out: Writer): Unit = value.feed(out)
    def read(in: Reader): Reader = in
  }

  /** A stream that is left open by who reads it. */
  private final class Borrowed(in: InputStream) extends FilterInputStream(in) {
    override def close(): Unit = ()
  }
}
