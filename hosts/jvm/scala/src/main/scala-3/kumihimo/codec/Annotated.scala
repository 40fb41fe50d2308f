package kumihimo.codec

import scala.quoted.*

/** What the annotations of this package say. */
private trait Annotated {

  /** The macro's expansion. */
  val q: Quotes
  given Quotes = q
  import q.reflect.*

  private def find(symbol: Symbol, name: String): Option[Term] =
    if (symbol.isNoSymbol) None
    else symbol.annotations.find(_.tpe.typeSymbol.fullName == s"kumihimo.codec.$name")

  def has(symbol: Symbol, name: String): Boolean = find(symbol, name).isDefined

  /** The annotation's literals. */
  def texts(symbol: Symbol, name: String): List[String] = find(symbol, name) match {
    case Some(Apply(_, arguments)) => arguments.flatMap(literals(_, name))
    case _ => Nil
  }

  def text(symbol: Symbol, name: String): Option[String] = texts(symbol, name).headOption

  private def literals(argument: Term, name: String): List[String] = argument match {
    case Literal(StringConstant(text)) => List(text)
    case NamedArg(_, value) => literals(value, name)
    case Typed(Repeated(items, _), _) => items.flatMap(literals(_, name))
    case Inlined(_, Nil, value) => literals(value, name)
    case other =>
      other.tpe.widenTermRefByName match {
        case ConstantType(StringConstant(text)) => List(text)
        case _ => report.errorAndAbort(s"the arguments of @$name must be literals")
      }
  }
}
