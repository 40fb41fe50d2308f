package kumihimo.bench

import kumihimo.codec.{Cbor, Json, MessagePack, Tagged}
import kumihimo.frame.Frames
import kumihimo.sjson

import java.nio.file.{Files, Path}

import sjsonnew.BasicJsonProtocol.given

import SjsonFormats.given

/** The table of sjson-new's study, larger: 20,000 ModuleIDs saved to a file and loaded, in every format and frame, by a
  * derived codec and by sjson-new's codecs unchanged, beside sjson-new on Scala JSON. Milliseconds of a call (the
  * median of rounds in which each takes its turn, in one process, after as many rounds of warming up) and bytes of the
  * file.
  */
object StudyTable {
  private final class Entry(
      val codecs: String,
      val form: String,
      save: Path => Unit,
      load: Path => Vector[ModuleId]
  ) {
    private val file = Data.scratch("study." + form.map(c => if (c.isLetterOrDigit) c else '.') + codecs.hashCode)
    val saves, loads = Vector.newBuilder[Double]

    def check(values: Vector[ModuleId]): Unit = {
      save(file)
      require(load(file) == values, s"$codecs, $form: something else is read")
    }
    def run(keep: Boolean): Unit = {
      val start = System.nanoTime
      save(file)
      val saved = System.nanoTime
      load(file)
      val end = System.nanoTime
      if (keep) {
        saves += (saved - start) / 1e6
        loads += (end - saved) / 1e6
      }
    }
    def line: String = {
      val times = f"${median(saves.result())}%.1f\t${median(loads.result())}%.1f"
      s"study\t$codecs\t$form\t$times\t${Files.size(file)}"
    }
  }

  private def median(times: Vector[Double]): Double = times.sorted.apply(times.size / 2)

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments.headOption.fold(21)(_.toInt)
    val values = ModuleIds.make(20000)
    val genuine =
      new Entry("sjson-new's", "Scala JSON", ModuleIdsBench.saveGenuine(values, _), ModuleIdsBench.loadGenuine)
    val derived = for {
      form <- Vector(Json, MessagePack, Cbor, Tagged)
      framed <- form +: Vector("gzip", "zstd", "lz4").map(name => form.in(Frames.named(name)))
    } yield new Entry("derived", framed.toString, framed.save(values, _), framed.load[Vector[ModuleId]](_))
    val unchanged = for {
      form <- Vector(sjson.Json, sjson.MessagePack, sjson.Cbor, sjson.Tagged)
      framed <- Vector(form, form.gzip, form.zstd, form.lz4)
    } yield new Entry("sjson-new's", framed.toString, framed.save(values, _), framed.load[Vector[ModuleId]](_))
    val entries = (genuine +: derived) ++ unchanged
    entries.foreach(_.check(values))
    for (round <- -rounds until rounds; entry <- entries) entry.run(keep = round >= 0)
    entries.foreach(entry => println(entry.line))
  }
}
