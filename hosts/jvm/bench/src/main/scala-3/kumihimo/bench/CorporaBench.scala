package kumihimo.bench

import com.fasterxml.jackson.annotation.JsonInclude
import com.fasterxml.jackson.databind.{ObjectMapper, ObjectReader}
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.core.`type`.TypeReference
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import com.github.plokhotnyuk.jsoniter_scala.core.{JsonValueCodec, readFromArray, writeToArray}
import kumihimo.codec.{Codec, Json}
import org.openjdk.jmh.annotations.Benchmark

/** One corpus into its type and back, in memory. */
abstract class CorpusBench[A: Codec](file: String, rival: JsonValueCodec[A], as: Class[?]) extends Settings {
  private val bytes = Data.corpus(file)
  private val value: A = Data.settled(Json.decode[A](bytes))

  protected def reader(mapper: ObjectMapper): ObjectReader = mapper.readerFor(as)
  private val mapper =
    JsonMapper.builder().addModule(DefaultScalaModule).serializationInclusion(JsonInclude.Include.NON_ABSENT).build()
  private val jacksonReader = reader(mapper)

  @Benchmark def readKumihimo(): A = Json.decode[A](bytes)
  @Benchmark def readJsoniter(): A = readFromArray(bytes)(using rival)
  @Benchmark def readJackson(): A = jacksonReader.readValue[A](bytes)

  @Benchmark def writeKumihimo(): Array[Byte] = Json.encode(value)
  @Benchmark def writeJsoniter(): Array[Byte] = writeToArray(value)(using rival)
  @Benchmark def writeJackson(): Array[Byte] = mapper.writeValueAsBytes(value)

  def check(): Unit = {
    require(readJsoniter() == value, s"$file: jsoniter reads something else")
    val written = writeKumihimo()
    // Jackson sees no types within Map[Int, _] and tuples: its keys stay text, its whole numbers integers.
    Trees.same(s"$file: what Jackson reads", mapper.writeValueAsBytes(readJackson()), written)
    Trees.same(s"$file: what jsoniter writes", writeJsoniter(), written)
    Trees.same(s"$file: what Jackson writes", writeJackson(), written)
  }
}

class TwitterBench extends CorpusBench[Search]("twitter.json", Jsoniter.search, classOf[Search])
class CitmBench extends CorpusBench[Catalog]("citm_catalog.json", Jsoniter.catalog, classOf[Catalog])
class CanadaBench extends CorpusBench[Collection]("canada.json", Jsoniter.collection, classOf[Collection])
class FilmsBench extends CorpusBench[Vector[Film]]("films.json", Jsoniter.films, classOf[Film]) {
  override protected def reader(mapper: ObjectMapper): ObjectReader =
    mapper.readerFor(new TypeReference[Vector[Film]] {})
}
