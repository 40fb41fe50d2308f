package kumihimo.bench

import java.nio.file.{Files, Path, Paths}

/** Where the corpora are, and where benches may write: ./dev says both. */
object Data {
  private def folder(name: String): Path =
    Paths.get(sys.env.getOrElse(name, throw new IllegalStateException(s"$name is not set")))

  def corpus(name: String): Array[Byte] = Files.readAllBytes(folder("KUMIHIMO_DATA").resolve(name))

  /** The value, moved to where objects are that have lived for long. As it was made, its objects lie among what was
    * thrown away, and a walk over them waits for memory; the contender that allocates most would be the first to have
    * them moved.
    */
  def settled[A](value: A): A = {
    System.gc()
    value
  }

  /** A file for what is saved and loaded. */
  def scratch(name: String): Path = {
    val at = folder("KUMIHIMO_WORK").resolve("jvm")
    Files.createDirectories(at)
    at.resolve(name)
  }
}
