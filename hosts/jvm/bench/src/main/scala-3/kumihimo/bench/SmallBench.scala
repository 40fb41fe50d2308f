package kumihimo.bench

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, writeToArray}
import kumihimo.codec.Json
import org.openjdk.jmh.annotations.Benchmark

/** A message of about 100 bytes. */
class SmallBench extends Settings {
  private val value = Order(505874924095815700L, "BTC_JPY", "buy", 107910.25, 3, Vector("limit", "day"))
  private val bytes = Json.encode(value)

  @Benchmark def readKumihimo(): Order = Json.decode[Order](bytes)
  @Benchmark def readJsoniter(): Order = readFromArray(bytes)(using Jsoniter.order)
  @Benchmark def writeKumihimo(): Array[Byte] = Json.encode(value)
  @Benchmark def writeJsoniter(): Array[Byte] = writeToArray(value)(using Jsoniter.order)

  def check(): Unit = {
    require(readJsoniter() == value && readKumihimo() == value)
    require(java.util.Arrays.equals(writeJsoniter(), bytes), "jsoniter writes other bytes")
    println(s"the small message has ${bytes.length} bytes")
  }
}
