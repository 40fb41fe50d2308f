package kumihimo.codec

import java.util.UUID

import kumihimo.{Code, Reader, Writer}

import scala.reflect.ClassTag

/** Types of Java's library that stand as text, its enums, its Optional and its collections. */
trait JavaCodecs {
  implicit val uuid: Codec[UUID] = text[UUID]("a UUID")(_.toString)(Texts.uuid)
  implicit val uri: Codec[java.net.URI] = text[java.net.URI]("a URI")(_.toString)(new java.net.URI(_))
  implicit val url: Codec[java.net.URL] = text[java.net.URL]("a URL")(_.toString)(new java.net.URI(_).toURL)
  implicit val file: Codec[java.io.File] = text[java.io.File]("a file's name")(_.getPath)(new java.io.File(_))
  implicit val path: Codec[java.nio.file.Path] =
    text[java.nio.file.Path]("a file's name")(_.toString)(java.nio.file.Paths.get(_))
  implicit val locale: Codec[java.util.Locale] =
    text[java.util.Locale]("a language")(_.toLanguageTag)(Texts.language)
  implicit val currency: Codec[java.util.Currency] =
    text[java.util.Currency]("a currency")(_.getCurrencyCode)(java.util.Currency.getInstance(_))

  /** The constants of a Java enum by their names. */
  implicit def javaEnum[E <: java.lang.Enum[E]](implicit tag: ClassTag[E]): Codec[E] = {
    val all = tag.runtimeClass.getEnumConstants.asInstanceOf[Array[E]]
    new TextCodec[E](all.map(_.name), all) {
      def text(value: E): String = value.name
    }
  }

  implicit def optional[A](implicit value: Codec[A]): Codec[java.util.Optional[A]] =
    new Codec[java.util.Optional[A]] {
      def write(optional: java.util.Optional[A], out: Writer): Unit =
        if (optional.isPresent) value.write(optional.get, out) else out.nil()
      def read(in: Reader): java.util.Optional[A] =
        if (in.tryNil()) java.util.Optional.empty[A] else java.util.Optional.of(value.read(in))
      override def absent: Option[java.util.Optional[A]] = Some(java.util.Optional.empty[A])
      override def isAbsent(optional: java.util.Optional[A]): Boolean = !optional.isPresent
    }

  implicit def javaList[A](implicit element: Codec[A]): Codec[java.util.List[A]] = new Codec[java.util.List[A]] {
    def write(list: java.util.List[A], out: Writer): Unit = {
      out.array(list.size.toLong)
      val each = list.iterator
      while (each.hasNext) element.write(each.next(), out)
      out.end()
    }
    def read(in: Reader): java.util.List[A] = {
      val list = new java.util.ArrayList[A]
      in.array()
      while (in.hasNext()) list.add(element.read(in))
      list
    }
    override def empty: Option[java.util.List[A]] = Some(new java.util.ArrayList[A])
    override def isEmpty(list: java.util.List[A]): Boolean = list.isEmpty
  }

  implicit def javaMap[K, V](implicit key: KeyCodec[K], value: Codec[V]): Codec[java.util.Map[K, V]] =
    new Codec[java.util.Map[K, V]] {
      def write(map: java.util.Map[K, V], out: Writer): Unit = {
        out.map(map.size.toLong)
        val limits = out.limits
        val each = map.entrySet.iterator
        while (each.hasNext) {
          val entry = each.next()
          out.key(key.encode(entry.getKey, limits))
          value.write(entry.getValue, out)
        }
        out.end()
      }
      def read(in: Reader): java.util.Map[K, V] = {
        in.map()
        val at = RecordCodec.opened(in)
        in.hashBudget.beginMap(true) // numbers with one hash are put into a tree
        try pairs(in, at)
        finally in.hashBudget.endMap()
      }
      private[this] def pairs(in: Reader, at: Int): java.util.Map[K, V] = {
        val map = new java.util.LinkedHashMap[K, V]
        var count = 0
        var more = in.hasNext()
        while (more && count < Hashes.Few) {
          map.put(MapCodec.key(key, in), value.read(in))
          count += 1
          more = in.hasNext()
        }
        if (more) readMany(in, map, at)
        map
      }
      private[this] def readMany(in: Reader, map: java.util.Map[K, V], at: Int): Unit = {
        val keys, values = new java.util.ArrayList[Any]
        val hashes = new Hashes(in.hashBudget, "keys of a map", at)
        var more = true
        while (more) {
          val from = in.consumed()
          val k = MapCodec.key(key, in)
          if (!Hashes.inTrees(k)) hashes.addByHashCode(k, in.consumed() - from)
          keys.add(k)
          values.add(value.read(in))
          more = in.hasNext()
        }
        hashes.checkBuckets()
        var i = 0
        while (i < keys.size) {
          map.put(keys.get(i).asInstanceOf[K], values.get(i).asInstanceOf[V])
          i += 1
        }
      }
      override def empty: Option[java.util.Map[K, V]] = Some(new java.util.LinkedHashMap[K, V])
      override def isEmpty(map: java.util.Map[K, V]): Boolean = map.isEmpty
    }

  /** A codec of what stands as text; `parse` may throw any exception but those of the virtual machine. */
  protected def text[A](what: String)(print: A => String)(parse: String => A): Codec[A] = new Codec[A] {
    def write(value: A, out: Writer): Unit = out.str(print(value))
    def read(in: Reader): A = {
      in.kind()
      val at = in.position()
      val written = in.str()
      try parse(written)
      catch {
        case _: Exception => throw new DataException(Code.TYPE, s"${Scalars.quoted(written)} is not $what", at.toLong)
      }
    }
  }
}
