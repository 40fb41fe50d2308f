package kumihimo.codec

import kumihimo.{Reader, Writer}

import scala.collection.mutable
import scala.reflect.ClassTag

/** Arrays of primitives, whose values are never boxed. Bytes are binary data: base64 text in JSON. */
trait ArrayCodecs extends AnyArrayCodecs {
  implicit val byteArray: Codec[Array[Byte]] = new Codec[Array[Byte]] {
    def write(value: Array[Byte], out: Writer): Unit = out.bin(value, 0, value.length)
    def read(in: Reader): Array[Byte] = in.bin()
    override def empty: Option[Array[Byte]] = Some(new Array[Byte](0))
    override def isEmpty(value: Array[Byte]): Boolean = value.length == 0
  }

  implicit val booleanArray: Codec[Array[Boolean]] = new Codec[Array[Boolean]] {
    def write(value: Array[Boolean], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.bool(value(i))
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Boolean] = {
      var items = new Array[Boolean](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = in.bool()
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Boolean]] = Some(new Array[Boolean](0))
    override def isEmpty(value: Array[Boolean]): Boolean = value.length == 0
  }

  implicit val shortArray: Codec[Array[Short]] = new Codec[Array[Short]] {
    def write(value: Array[Short], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.i32(value(i).toInt)
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Short] = {
      var items = new Array[Short](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = Scalars.short(in)
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Short]] = Some(new Array[Short](0))
    override def isEmpty(value: Array[Short]): Boolean = value.length == 0
  }

  implicit val intArray: Codec[Array[Int]] = new Codec[Array[Int]] {
    def write(value: Array[Int], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.i32(value(i))
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Int] = {
      var items = new Array[Int](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = in.i32()
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Int]] = Some(new Array[Int](0))
    override def isEmpty(value: Array[Int]): Boolean = value.length == 0
  }

  implicit val longArray: Codec[Array[Long]] = new Codec[Array[Long]] {
    def write(value: Array[Long], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.i64(value(i))
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Long] = {
      var items = new Array[Long](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = in.i64()
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Long]] = Some(new Array[Long](0))
    override def isEmpty(value: Array[Long]): Boolean = value.length == 0
  }

  implicit val floatArray: Codec[Array[Float]] = new Codec[Array[Float]] {
    def write(value: Array[Float], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.f32(value(i))
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Float] = {
      var items = new Array[Float](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = Scalars.float(in)
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Float]] = Some(new Array[Float](0))
    override def isEmpty(value: Array[Float]): Boolean = value.length == 0
  }

  implicit val doubleArray: Codec[Array[Double]] = new Codec[Array[Double]] {
    def write(value: Array[Double], out: Writer): Unit = {
      out.array(value.length.toLong)
      var i = 0
      while (i < value.length) {
        out.f64(value(i))
        i += 1
      }
      out.end()
    }
    def read(in: Reader): Array[Double] = {
      var items = new Array[Double](8)
      var size = 0
      in.array()
      while (in.hasNext()) {
        if (size == items.length) items = java.util.Arrays.copyOf(items, size << 1)
        items(size) = in.f64()
        size += 1
      }
      if (size == items.length) items else java.util.Arrays.copyOf(items, size)
    }
    override def empty: Option[Array[Double]] = Some(new Array[Double](0))
    override def isEmpty(value: Array[Double]): Boolean = value.length == 0
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
