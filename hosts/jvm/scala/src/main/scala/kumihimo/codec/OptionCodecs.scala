package kumihimo.codec

import kumihimo.{Code, Reader, Writer}

/** Values that may be missing, and values of one of two types. */
trait OptionCodecs {

  /** `None` is null; a record leaves the field out, and reads `None` where it has none. */
  implicit def option[A](implicit value: Codec[A]): Codec[Option[A]] = new Codec[Option[A]] {
    def write(option: Option[A], out: Writer): Unit = option match {
      case Some(a) => value.write(a, out)
      case None => out.nil()
    }
    def read(in: Reader): Option[A] = if (in.tryNil()) None else Some(value.read(in))
    override def absent: Option[Option[A]] = Codec.SomeNone
    override def isAbsent(option: Option[A]): Boolean = option.isEmpty
  }

  private[codec] val SomeNone: Option[Option[Nothing]] = Some(None)

  implicit def some[A](implicit value: Codec[A]): Codec[Some[A]] = value.imap(Some(_))(_.value)

  implicit val none: Codec[None.type] = new Codec[None.type] {
    def write(value: None.type, out: Writer): Unit = out.nil()
    def read(in: Reader): None.type = {
      in.nil()
      None
    }
    override def absent: Option[None.type] = Some(None)
    override def isAbsent(value: None.type): Boolean = true
  }

  /** `{"Left":1}` or `{"Right":"a"}`: which of the two it is never depends on what their values look like. */
  implicit def either[A, B](implicit left: Codec[A], right: Codec[B]): Codec[Either[A, B]] = new Codec[Either[A, B]] {
    def write(either: Either[A, B], out: Writer): Unit = {
      out.map(1)
      either match {
        case Left(a) =>
          out.key(EitherNames.names.get(0))
          left.write(a, out)
        case Right(b) =>
          out.key(EitherNames.names.get(1))
          right.write(b, out)
      }
      out.end()
    }
    def read(in: Reader): Either[A, B] = {
      in.map()
      val at = RecordCodec.opened(in)
      val either = in.field(EitherNames.names, 0) match {
        case 0 => Left(left.read(in))
        case 1 => Right(right.read(in))
        case _ => throw EitherNames.neither(at)
      }
      if (in.hasNext()) throw EitherNames.neither(at)
      either
    }
  }
}

private object EitherNames {
  val names = kumihimo.Names.of("Left", "Right")
  def neither(at: Int) = new DataException(Code.TYPE, "not a map of Left or Right alone", at.toLong)
}
