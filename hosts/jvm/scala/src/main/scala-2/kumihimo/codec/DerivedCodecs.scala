package kumihimo.codec

import scala.language.experimental.macros

/** Derivation: `implicit val codec: Codec[Person] = Codec.derived[Person]`. */
trait DerivedCodecs {

  /**
   * The codec of a case class, a sealed trait or an object, made by the compiler. The annotations of this
   * package change names and shapes.
   */
  def derived[A]: Codec[A] = macro Derivation.derive[A]
}
