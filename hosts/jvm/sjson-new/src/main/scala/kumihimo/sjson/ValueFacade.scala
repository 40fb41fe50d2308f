package kumihimo.sjson

import _root_.kumihimo.{Sink, Writer}
import _root_.sjsonnew.{FContext, Facade}

/** sjson-new's facade over values, for code that puts documents together or takes them apart without a codec. The
  * builder and the unbuilder of a [[Form]] do not come by here.
  */
private[sjson] object ValueFacade extends Facade[Value] {
  def jnull(): Value = scalar(_.writeNull())
  def jfalse(): Value = scalar(_.writeBoolean(false))
  def jtrue(): Value = scalar(_.writeBoolean(true))
  def jdouble(d: Double): Value = scalar(_.writeDouble(d))
  def jbigdecimal(d: BigDecimal): Value = scalar(_.writeBigDecimal(d))
  def jnumstring(s: String): Value = jbigdecimal(BigDecimal(s))
  def jintstring(s: String): Value = jbigdecimal(BigDecimal(s))
  def jint(i: Int): Value = scalar(_.writeInt(i))
  def jlong(l: Long): Value = scalar(_.writeLong(l))
  def jstring(s: String): Value = scalar(_.writeString(s))

  /** In CBOR, which says all that codecs can write. */
  private[this] def scalar(write: FormatBuilder[Value] => Unit): Value = {
    val builder = new Tools(Cbor).builder
    write(builder)
    builder.result.get
  }

  def singleContext(): FContext[Value] = new FContext[Value] {
    private[this] var value: Value = null
    def addField(s: String): Unit = value = jstring(s)
    def add(v: Value): Unit = value = v
    def finish: Value = value
    def isObj = false
  }

  def arrayContext(): FContext[Value] = new Context(_.array(Sink.UNKNOWN)) {
    def addField(s: String): Unit = writer.str(s)
    def isObj = false
  }

  def objectContext(): FContext[Value] = new Context(_.map(Sink.UNKNOWN)) {
    private[this] var isKey = true
    def addField(s: String): Unit = {
      if (isKey) writer.key(s) else writer.str(s)
      isKey = !isKey
    }
    override def add(v: Value): Unit = {
      super.add(v)
      isKey = true
    }
    def isObj = true
  }

  private[this] abstract class Context(begin: Writer => Unit) extends FContext[Value] {
    protected val writer: Writer = Cbor.newWriter
    begin(writer)
    def add(v: Value): Unit = KeyedFeed.value(v.tape, v.node, writer)
    def finish: Value = {
      writer.end()
      writer.finish()
      Cbor.document(writer.toByteArray)
    }
  }

  def isJnull(value: Value): Boolean = reader.isJnull(value)
  def isObject(value: Value): Boolean = reader.isObject(value)
  def extractInt(value: Value): Int = reader.readInt(value)
  def extractLong(value: Value): Long = reader.readLong(value)
  def extractFloat(value: Value): Float = reader.readFloat(value)
  def extractDouble(value: Value): Double = reader.readDouble(value)
  def extractBigDecimal(value: Value): BigDecimal = reader.readBigDecimal(value)
  def extractBoolean(value: Value): Boolean = reader.readBoolean(value)
  def extractString(value: Value): String = reader.readString(value)

  def extractArray(value: Value): Vector[Value] = {
    val from = reader
    Vector.fill(from.beginArray(value))(from.nextElement)
  }

  def extractObject(value: Value): (Map[String, Value], Vector[String]) = {
    val from = reader
    val fields = Vector.fill(from.beginObject(value))(from.nextFieldOpt()).collect { case (name, Some(v)) =>
      (name, v)
    }
    (fields.toMap, fields.map(_._1))
  }

  private[this] def reader = new TapeUnbuilder(textNumbers = true, numberedTruth = true, new NumberCache)
}
