import java.io.{File, FileNotFoundException}
import java.nio.file.{Files, NoSuchFileException}

import kumihimo.sjson.Form
import sbt.internal.util.EmptyCacheError
import sbt.util.{CacheStore, CacheStoreFactory}
import sjsonnew.{JsonReader, JsonWriter}

/** A store of sbt's caches, by any format and frame. */
final class KumihimoStore(file: File, form: Form) extends CacheStore {
  override def read[T: JsonReader](): T =
    try form.load[T](file.toPath)
    catch { case _: NoSuchFileException | _: FileNotFoundException => throw new EmptyCacheError }

  override def write[T: JsonWriter](value: T): Unit = {
    Files.createDirectories(file.toPath.getParent)
    form.save(value, file.toPath)
  }

  override def delete(): Unit = { Files.deleteIfExists(file.toPath); () }
  override def close(): Unit = ()
}

/** Stores in a folder. */
final class KumihimoStores(folder: File, form: Form) extends CacheStoreFactory {
  override def make(name: String): CacheStore = new KumihimoStore(new File(folder, name), form)
  override def sub(name: String): CacheStoreFactory = new KumihimoStores(new File(folder, name), form)
}
