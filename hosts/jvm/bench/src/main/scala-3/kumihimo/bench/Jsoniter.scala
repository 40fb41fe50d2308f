package kumihimo.bench

import com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}

/** The rival's codecs for the same types. Like ours they write empty collections, and recurse where the type does. */
object Jsoniter {
  val moduleIds: JsonValueCodec[Vector[ModuleId]] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  val search: JsonValueCodec[Search] =
    JsonCodecMaker.make(
      CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false).withAllowRecursiveTypes(true)
    )
  val catalog: JsonValueCodec[Catalog] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  val collection: JsonValueCodec[Collection] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  val films: JsonValueCodec[Vector[Film]] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  val order: JsonValueCodec[Order] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  val frame: JsonValueCodec[Frame] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
}
