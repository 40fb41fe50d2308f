package kumihimo.bench

import com.alibaba.fastjson2.JSON
import com.fasterxml.jackson.databind.ObjectMapper
import kumihimo.Kumihimo
import org.openjdk.jmh.annotations.Benchmark

/** A corpus as Java's maps and lists, and back. */
abstract class PlainBench(file: String) extends Settings {
  private val bytes = Data.corpus(file)
  private val mapper = new ObjectMapper
  private val value = mapper.readValue(bytes, classOf[AnyRef])

  @Benchmark def readKumihimo(): AnyRef = Kumihimo.load(bytes, "json")
  @Benchmark def readJackson(): AnyRef = mapper.readValue(bytes, classOf[AnyRef])
  @Benchmark def readFastjson(): AnyRef = JSON.parse(bytes).asInstanceOf[AnyRef]

  @Benchmark def writeKumihimo(): Array[Byte] = Kumihimo.dump(value, "json")
  @Benchmark def writeJackson(): Array[Byte] = mapper.writeValueAsBytes(value)
  @Benchmark def writeFastjson(): Array[Byte] = JSON.toJSONBytes(value)

  /** Compared as Jackson's trees: the three have other classes for small integers and for decimals. */
  def check(): Unit = {
    val tree = mapper.readTree(bytes)
    def same(what: String, written: Array[Byte]): Unit = require(close(mapper.readTree(written), tree), s"$file: $what differs")
    same("what Kumihimo reads", mapper.writeValueAsBytes(readKumihimo()))
    same("what fastjson2 reads", mapper.writeValueAsBytes(readFastjson()))
    same("what Kumihimo writes", writeKumihimo())
    same("what fastjson2 writes", writeFastjson())
  }

  private def close(a: com.fasterxml.jackson.databind.JsonNode, b: com.fasterxml.jackson.databind.JsonNode): Boolean =
    a.equals(
      (x, y) => if (x.equals(y) || x.isNumber && y.isNumber && x.doubleValue == y.doubleValue) 0 else 1,
      b
    )
}

class PlainTwitterBench extends PlainBench("twitter.json")
class PlainCitmBench extends PlainBench("citm_catalog.json")
class PlainCanadaBench extends PlainBench("canada.json")
class PlainFilmsBench extends PlainBench("films.json")
