package kumihimo.codec

import scala.reflect.macros.blackbox

/** What the annotations of this package say, and small things that the parts of the macro share. */
private[codec] trait Annotated {
  val c: blackbox.Context
  import c.universe._

  def abort(message: String): Nothing = c.abort(c.enclosingPosition, message)

  def nameOf(symbol: Symbol): String = symbol.name.decodedName.toString.trim

  /** The codec of a type that is in scope, or EmptyTree. */
  def summon(tpe: Type): Tree = c.inferImplicitValue(appliedType(typeOf[Codec[Any]].typeConstructor, tpe))

  private def find(symbol: Symbol, name: String): Option[Annotation] = {
    symbol.typeSignature
    symbol.annotations.find(_.tree.tpe.typeSymbol.fullName == s"kumihimo.codec.$name")
  }

  def has(symbol: Symbol, name: String): Boolean = find(symbol, name).isDefined

  /** The annotation's literals. */
  def texts(symbol: Symbol, name: String): List[String] =
    find(symbol, name).toList.flatMap(_.tree.children.tail).map {
      case Literal(Constant(text: String)) => text
      case other =>
        other.tpe match {
          case ConstantType(Constant(text: String)) => text
          case _ => abort(s"the arguments of @$name must be literals")
        }
    }

  def text(symbol: Symbol, name: String): Option[String] = texts(symbol, name).headOption
}
