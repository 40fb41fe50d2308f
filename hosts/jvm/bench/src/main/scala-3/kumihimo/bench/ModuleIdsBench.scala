package kumihimo.bench

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromStream, writeToStream}
import kumihimo.codec.{Cbor, Form, Json, MessagePack, Tagged}
import kumihimo.sjson.Form
import org.openjdk.jmh.annotations.{Benchmark, Setup}

import java.io.{BufferedWriter, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import sjsonnew.BasicJsonProtocol.given
import sjsonnew.support.scalajson.unsafe.{CompactPrinter, Converter => Genuine, Parser}

import SjsonFormats.given

/** 20,000 ModuleIDs to a file and back: the study of sjson-new, by our codecs, by sjson-new's codecs on our backend
  * and on its own.
  */
class ModuleIdsBench extends Settings {
  private val values = Data.settled(ModuleIds.make(20000))

  private def saved[A](name: String)(save: Path => A): Path = {
    val file = Data.scratch(name)
    save(file)
    file
  }

  private val json = saved("ids.json")(Json.save(values, _))
  private val messagePack = saved("ids.msgpack")(MessagePack.save(values, _))
  private val tagged = saved("ids.tagged")(Tagged.save(values, _))
  private val cbor = saved("ids.cbor")(Cbor.save(values, _))
  private val zipped = saved("ids.json.gz")(Json.gzip.save(values, _))
  private val scratch = Data.scratch("ids.out")

  private val sjsonJson = kumihimo.sjson.Json
  private val sjsonPack = kumihimo.sjson.MessagePack
  private val sjsonPacked = saved("ids.sjson.msgpack")(sjsonPack.save(values, _))

  @Benchmark def saveKumihimo(): Unit = Json.save(values, scratch)
  @Benchmark def saveMessagePack(): Unit = MessagePack.save(values, scratch)
  @Benchmark def saveTagged(): Unit = Tagged.save(values, scratch)
  @Benchmark def saveCbor(): Unit = Cbor.save(values, scratch)
  @Benchmark def saveGzip(): Unit = Json.gzip.save(values, scratch)
  @Benchmark def saveSjson(): Unit = sjsonJson.save(values, scratch)
  @Benchmark def saveSjsonMessagePack(): Unit = sjsonPack.save(values, scratch)

  @Benchmark def loadKumihimo(): Vector[ModuleId] = Json.load[Vector[ModuleId]](json)
  @Benchmark def loadMessagePack(): Vector[ModuleId] = MessagePack.load[Vector[ModuleId]](messagePack)
  @Benchmark def loadTagged(): Vector[ModuleId] = Tagged.load[Vector[ModuleId]](tagged)
  @Benchmark def loadCbor(): Vector[ModuleId] = Cbor.load[Vector[ModuleId]](cbor)
  @Benchmark def loadGzip(): Vector[ModuleId] = Json.gzip.load[Vector[ModuleId]](zipped)
  @Benchmark def loadSjson(): Vector[ModuleId] = sjsonJson.load[Vector[ModuleId]](json)
  @Benchmark def loadSjsonMessagePack(): Vector[ModuleId] = sjsonPack.load[Vector[ModuleId]](sjsonPacked)

  @Benchmark def saveJsoniter(): Unit = {
    val out = Files.newOutputStream(scratch)
    try writeToStream(values, out)(using Jsoniter.moduleIds)
    finally out.close()
  }

  @Benchmark def loadJsoniter(): Vector[ModuleId] = {
    val in = Files.newInputStream(json)
    try readFromStream(in)(using Jsoniter.moduleIds)
    finally in.close()
  }

  @Benchmark def saveJsoniterGzip(): Unit = {
    val out = new GZIPOutputStream(Files.newOutputStream(scratch), 1 << 16)
    try writeToStream(values, out)(using Jsoniter.moduleIds)
    finally out.close()
  }

  @Benchmark def loadJsoniterGzip(): Vector[ModuleId] = {
    val in = new GZIPInputStream(Files.newInputStream(zipped), 1 << 16)
    try readFromStream(in)(using Jsoniter.moduleIds)
    finally in.close()
  }

  @Benchmark def saveGenuine(): Unit = ModuleIdsBench.saveGenuine(values, scratch)
  @Benchmark def loadGenuine(): Vector[ModuleId] = ModuleIdsBench.loadGenuine(json)

  /** All contenders write the same and read what was there. */
  def check(): Unit = {
    def same(what: String, read: Any): Unit = require(read == values, s"$what reads something else")
    val expected = Files.readAllBytes(json)
    def writes(what: String)(save: => Unit): Unit = {
      save
      require(java.util.Arrays.equals(Files.readAllBytes(scratch), expected), s"$what writes other bytes")
    }
    writes("jsoniter")(saveJsoniter())
    writes("sjson-new")(saveGenuine())
    writes("the sjson-new backend")(saveSjson())
    saveJsoniterGzip()
    require(Json.gzip.load[Vector[ModuleId]](scratch) == values, "jsoniter's gzip holds something else")
    saveGzip()
    val in = new GZIPInputStream(Files.newInputStream(scratch))
    require(java.util.Arrays.equals(in.readAllBytes(), expected), "gzip holds other bytes")
    same("JSON", loadKumihimo())
    same("MessagePack", loadMessagePack())
    same("tagged", loadTagged())
    same("CBOR", loadCbor())
    same("gzip", loadGzip())
    same("sjson-new's codecs", loadSjson())
    same("sjson-new's codecs on MessagePack", loadSjsonMessagePack())
    same("jsoniter", loadJsoniter())
    same("jsoniter with gzip", loadJsoniterGzip())
    same("sjson-new", loadGenuine())
    for (file <- List(json, messagePack, tagged, cbor, zipped))
      println(f"${file.getFileName}%-16s ${Files.size(file)}%10d bytes")
  }
}

object ModuleIdsBench {

  /** As sjson-new's own bench does it: the tree, then its text. */
  def saveGenuine(values: Vector[ModuleId], file: Path): Unit = {
    val writer = Files.newBufferedWriter(file, UTF_8)
    try CompactPrinter.print(Genuine.toJsonUnsafe(values), writer)
    finally writer.close()
  }
  def loadGenuine(file: Path): Vector[ModuleId] =
    Genuine.fromJsonUnsafe[Vector[ModuleId]](Parser.parseFromFile(file.toFile).get)
}
