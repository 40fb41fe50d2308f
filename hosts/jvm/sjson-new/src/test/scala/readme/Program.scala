import kumihimo.sjson.{Hasher256, Json, MessagePack}
import sjsonnew.BasicJsonProtocol._
import sjsonnew.JsonFormat

object Program {
  final case class Module(name: String, revision: String)

  // A codec as you have it.
  implicit val moduleFormat: JsonFormat[Module] =
    caseClass(Module(_: String, _: String), (m: Module) => Option((m.name, m.revision)))("name", "revision")

  def main(args: Array[String]): Unit = {
    val modules = List(Module("core", "1.0"), Module("io", "1.1"))
    println(Json.text(modules)) // [{"name":"core","revision":"1.0"},...
    println(Json.tryParse[List[Module]]("[{}]")) // Success(List(Module(,)))
    val path = java.nio.file.Files.createTempFile("modules", ".msgpack.gz")
    MessagePack.gzip.save(modules, path) // any format in any frame: gzip, zstd, lz4
    println(MessagePack.gzip.load[List[Module]](path) == modules)
    println(Json.toJson(modules).flatMap(Json.fromJson[List[Module]](_)).isSuccess)
    println(Hasher256.hashUnsafe(modules).hex) // 256 bits; Hasher128: 128
    java.nio.file.Files.delete(path)
  }
}
