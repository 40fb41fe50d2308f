package kumihimo.bench

import com.alibaba.fastjson2.{JSON, JSONWriter}
import com.fasterxml.jackson.databind.ObjectMapper
import kumihimo.Kumihimo
import org.openjdk.jmh.annotations.Benchmark

/** A corpus as Java's maps and lists, and back. */
abstract class PlainBench(file: String) extends Settings {
  private val bytes = Data.corpus(file)
  private val mapper = new ObjectMapper
  private val value = Data.settled(mapper.readValue(bytes, classOf[AnyRef]))

  @Benchmark def readKumihimo(): AnyRef = Kumihimo.load(bytes, "json")
  @Benchmark def readJackson(): AnyRef = mapper.readValue(bytes, classOf[AnyRef])
  @Benchmark def readFastjson(): AnyRef = JSON.parse(bytes).asInstanceOf[AnyRef]

  @Benchmark def writeKumihimo(): Array[Byte] = Kumihimo.dump(value, "json")
  @Benchmark def writeJackson(): Array[Byte] = mapper.writeValueAsBytes(value)
  @Benchmark def writeFastjson(): Array[Byte] = JSON.toJSONBytes(value, JSONWriter.Feature.WriteNulls)

  def check(): Unit = {
    Trees.same(s"$file: what Kumihimo reads", mapper.writeValueAsBytes(readKumihimo()), bytes)
    Trees.same(s"$file: what fastjson2 reads", mapper.writeValueAsBytes(readFastjson()), bytes)
    Trees.same(s"$file: what Kumihimo writes", writeKumihimo(), bytes)
    Trees.same(s"$file: what fastjson2 writes", writeFastjson(), bytes)
  }
}

class PlainTwitterBench extends PlainBench("twitter.json")
class PlainCitmBench extends PlainBench("citm_catalog.json")
class PlainCanadaBench extends PlainBench("canada.json")
class PlainFilmsBench extends PlainBench("films.json")
