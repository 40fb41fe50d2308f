package kumihimo.bench

import java.nio.file.{Files, Path, Paths}

/** Where the corpora are, and where benches may write: ./dev says both. */
object Data {
  private def folder(name: String): Path =
    Paths.get(sys.env.getOrElse(name, throw new IllegalStateException(s"$name is not set")))

  def corpus(name: String): Array[Byte] = Files.readAllBytes(folder("KUMIHIMO_DATA").resolve(name))

  /** A file for what is saved and loaded. */
  def scratch(name: String): Path = {
    val at = folder("KUMIHIMO_WORK").resolve("jvm")
    Files.createDirectories(at)
    at.resolve(name)
  }
}
