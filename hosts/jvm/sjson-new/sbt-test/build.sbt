import java.io.File
import java.nio.file.Files

import kumihimo.sjson.{Cbor, Form, Json, MessagePack, Tagged}
import sbt.librarymanagement.LibraryManagementCodec._
import sbt.util.{FileInfo, Tracked}
import sjsonnew.support.scalajson.unsafe.{CompactPrinter, Converter => Genuine, Parser}

scalaVersion := "3.3.7"

// Something to resolve.
libraryDependencies ++=
  Seq("org.scalameta" %% "munit" % "1.2.1" % Test, "org.scalacheck" %% "scalacheck" % "1.18.1" % Test)

val reports = taskKey[Unit]("Saves this build's own UpdateReport by each form, and loads it again.")
val counted = taskKey[Unit]("Counts the sources once, and again only when they have changed.")
val another = taskKey[Unit]("Adds a source.")
val broken = taskKey[Unit]("Leaves the cache damaged.")

def milliseconds(times: Int)(work: => Unit): Double = {
  val taken = Vector.fill(times) {
    val begun = System.nanoTime
    work
    (System.nanoTime - begun) / 1e6
  }
  taken.sorted.apply(times / 2)
}

reports := {
  val report = update.value
  val times = sys.props.getOrElse("kumihimo.times", "5").toInt
  val folder = target.value / "reports"
  IO.createDirectory(folder)
  val plain = folder / "report.json"
  val theirSave = milliseconds(times)(IO.write(plain, CompactPrinter(Genuine.toJsonUnsafe(report)), IO.utf8))
  val theirLoad = milliseconds(times)(Genuine.fromJsonUnsafe[UpdateReport](Parser.parseFromFile(plain).get))
  val again = Genuine.fromJsonUnsafe[UpdateReport](Parser.parseFromFile(plain).get)
  val expected = CompactPrinter(Genuine.toJsonUnsafe(again))
  def show(name: String, size: Long, save: Double, load: Double) =
    println(f"report: $name%-32s $size%10d bytes, saved in $save%8.2f ms, loaded in $load%8.2f ms")
  show("sjson-new", Files.size(plain.toPath), theirSave, theirLoad)
  val forms = List(Json, MessagePack, Cbor, Tagged).flatMap(form => List(form, form.gzip))
  for (form <- forms) {
    val file = (folder / s"report.$form").toPath
    val save = milliseconds(times)(form.save(report, file))
    val load = milliseconds(times)(form.load[UpdateReport](file))
    val back = CompactPrinter(Genuine.toJsonUnsafe(form.load[UpdateReport](file)))
    if (back != expected) sys.error(s"$form reads another report")
    show(form.toString, Files.size(file), save, load)
  }
}

counted := {
  val stores = new KumihimoStores(target.value / "counted", MessagePack.gzip)
  val sources = (Compile / unmanagedSources).value
  val count = Tracked.inputChanged[FilesInfo[HashFileInfo], Int](stores.make("input")) { (changed, in) =>
    val last = Tracked.lastOutput[FilesInfo[HashFileInfo], Int](stores.make("output")) {
      case (_, Some(known)) if !changed => println(s"counted: known, $known"); known
      case (now, _)                     => println(s"counted: anew, ${now.files.size}"); now.files.size
    }
    last(in)
  }
  count(FileInfo.hash(sources.toSet))
  ()
}

broken := {
  IO.write(target.value / "counted" / "input", "no cache")
  IO.write(target.value / "counted" / "output", "no cache")
}

another := IO.write((Compile / scalaSource).value / "Another.scala", "object Another")
