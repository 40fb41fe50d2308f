package kumihimo

/** sjson-new's codecs on the formats of Kumihimo. See [[sjson.Form]]. */
package object sjson {

  /** JSON; numbers are read with all their digits. NaN and the infinities are written as null, which is read as
    * NaN.
    */
  val Json: Form = new Form(Formats.named("json"), "compact", "exact_decimals", Limits.DEFAULT, None)

  /** MessagePack; BigDecimal and BigInt are text, as by sjson-new's own backend. */
  val MessagePack: Form = new Form(Formats.named("msgpack"), "big_text", "", Limits.DEFAULT, None)

  /** CBOR (RFC 8949). */
  val Cbor: Form = new Form(Formats.named("cbor"), "preferred", "", Limits.DEFAULT, None)

  /** The tagged format: field names stand once in a document. */
  val Tagged: Form = new Form(Formats.named("tagged"), "safe", "", Limits.DEFAULT, None)
}
