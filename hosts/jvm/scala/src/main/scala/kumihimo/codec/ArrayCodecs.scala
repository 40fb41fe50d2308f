package kumihimo.codec

import kumihimo.{Reader, Writer}

import scala.collection.mutable
import scala.reflect.ClassTag

/** Arrays. Bytes are binary data: base64 text in JSON; those of other primitives are in a source that is generated. */
trait ArrayCodecs extends PrimitiveArrayCodecs {
  implicit val byteArray: Codec[Array[Byte]] = new Codec[Array[Byte]] {
    def write(value: Array[Byte], out: Writer): Unit = out.bin(value, 0, value.length)
    def read(in: Reader): Array[Byte] = in.bin()
    override def empty: Option[Array[Byte]] = Some(new Array[Byte](0))
    override def isEmpty(value: Array[Byte]): Boolean = value.length == 0
  }
}

/** Looked for after those of primitives. */
trait AnyArrayCodecs {

  /** An array of objects. */
  implicit def array[A](implicit element: Codec[A], tag: ClassTag[A]): Codec[Array[A]] = new Codec[Array[A]] {
    def write(value: Array[A], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        element.write(value(i), out)
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[A] = {
      val items = mutable.ArrayBuilder.make[A]
      in.array()
      while (in.hasNext()) items += element.read(in)
      items.result()
    }
    override def empty: Option[Array[A]] = Some(tag.newArray(0))
    override def isEmpty(value: Array[A]): Boolean = value.length == 0
  }
}
