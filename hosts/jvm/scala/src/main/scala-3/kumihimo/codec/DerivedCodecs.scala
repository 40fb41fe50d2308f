package kumihimo.codec

import scala.quoted.*

/** Derivation: `case class Person(name: String, age: Option[Int]) derives Codec`. */
trait DerivedCodecs {

  /**
   * The codec of a case class, a sealed trait, an enum or an object, made by the compiler. The annotations of
   * this package change names and shapes.
   */
  inline def derived[A]: Codec[A] = ${ Derivation.derive[A] }
}

/** The macro behind `derived`. */
object Derivation {
  def derive[A: Type](using Quotes): Expr[Codec[A]] = {
    val derivation = new Derivation(summon[Quotes])
    derivation.codec[A]
  }
}

/**
 * One expansion of the macro. A record becomes a class with straight-line code: local variables for the fields,
 * a switch over the number of the field that was found, and bits for those that were. Of the fields' types
 * those that have a codec of this library are read and written in place (`Shape`), all others by a call.
 */
private final class Derivation(val q: Quotes) extends Annotated with Shapes {
  import q.reflect.*

  def codec[A: Type]: Expr[Codec[A]] = {
    val tpe = TypeRepr.of[A].dealias
    val symbol = tpe.typeSymbol
    if (isSingleton(tpe)) singleton[A](tpe)
    else if (
      symbol.isClassDef && symbol.flags.is(
        Flags.Sealed
      ) && (symbol.flags.is(Flags.Trait) || symbol.flags.is(Flags.Abstract))
    )
      union[A](tpe)
    else if (isValueClass(tpe)) valueClass[A](tpe)
    else if (symbol.isClassDef && symbol.flags.is(Flags.Case)) record[A](tpe)
    else report.errorAndAbort(
      s"${tpe.show} is neither a case class nor a sealed trait: write its Codec by hand (Codec.of, imap)"
    )
  }

  private def isSingleton(tpe: TypeRepr) =
    tpe.isSingleton || tpe.typeSymbol.flags.is(Flags.Module)

  private def isValueClass(tpe: TypeRepr) =
    tpe <:< TypeRepr.of[AnyVal] && tpe.typeSymbol.isClassDef && parametersOf(tpe.typeSymbol).length == 1

  private def parametersOf(symbol: Symbol) = symbol.primaryConstructor.paramSymss.flatten.filterNot(_.isTypeParam)

  private def instance(tpe: TypeRepr): Term = tpe match {
    case ref: TermRef => Ref.term(ref)
    case _ if tpe.typeSymbol.flags.is(Flags.Module) => Ref(tpe.typeSymbol.companionModule)
    case _ => Ref(tpe.termSymbol)
  }

  private def singleton[A: Type](tpe: TypeRepr): Expr[Codec[A]] = {
    val strict = has(tpe.typeSymbol, "strict") || has(tpe.termSymbol, "strict")
    '{ new SingletonCodec[A](${ instance(tpe).asExprOf[A] }, ${ Expr(strict) }) }
  }

  // ---- value classes --------------------------------------------------------------------------------

  private def valueClass[A: Type](tpe: TypeRepr): Expr[Codec[A]] = {
    needConstructor(tpe)
    val field = tpe.typeSymbol.fieldMember(parametersOf(tpe.typeSymbol).head.name)
    tpe.memberType(field).asType match {
      case '[t] =>
        Expr.summon[Codec[t]] match {
          case Some(underlying) =>
            '{
              $underlying.imap[A](v => ${ construct(tpe, List('v.asTerm)).asExprOf[A] })(a =>
                ${ Select('a.asTerm, field).asExprOf[t] }
              )
            }
          case None => report.errorAndAbort(missing(TypeRepr.of[t], field.name, tpe))
        }
    }
  }

  // ---- records --------------------------------------------------------------------------------

  private final case class Field(
      index: Int,
      symbol: Symbol,
      name: String,
      aliases: List[String],
      tpe: TypeRepr,
      repeated: Boolean,
      shape: Shape,
      default: Option[Term],
      omit: Boolean,
      rest: Boolean,
      elideEmpty: Boolean,
      elideDefault: Boolean,
      writeNone: Boolean
  )

  private def fieldsOf(tpe: TypeRepr, calls: Calls): List[Field] = {
    val symbol = tpe.typeSymbol
    val constructor = symbol.primaryConstructor
    val lists = constructor.paramSymss.filterNot(_.exists(_.isTypeParam))
    if (lists.length > 1)
      report.errorAndAbort(s"${tpe.show} has more than one list of parameters: write its Codec by hand")
    val parameters = lists.flatten
    symbol.caseFields.zip(parameters).zipWithIndex.map { case ((field, parameter), index) =>
      val (fieldType, repeated) = unrepeated(tpe.memberType(field).widenByName)
      val rest = has(parameter, "rest")
      val omit = has(parameter, "omit")
      val default = if (parameter.flags.is(Flags.HasDefault)) defaultOf(tpe, index) else None
      if (rest && !(fieldType =:= TypeRepr.of[Value.Fields]))
        report.errorAndAbort(
          s"the field ${field.name} of ${tpe.show} is marked @rest, so that its type must be Value.Fields"
        )
      if (omit && default.isEmpty)
        report.errorAndAbort(
          s"the field ${field.name} of ${tpe.show} is marked @omit, so that it must have a default value"
        )
      Field(
        index,
        field,
        nameIn(symbol, parameter),
        texts(parameter, "alias"),
        fieldType,
        repeated,
        if (rest || omit) Shape.Kept else shapeOf(fieldType, calls, missing(fieldType, field.name, tpe)),
        default,
        omit,
        rest,
        has(parameter, "elideEmpty") || has(symbol, "elideEmpty"),
        (has(parameter, "elideDefaults") || has(symbol, "elideDefaults")) && default.isDefined,
        has(parameter, "writeNone") || has(symbol, "writeNone")
      )
    }
  }

  /** Of the type of a repeated parameter that of its field; and whether it is one. */
  private def unrepeated(tpe: TypeRepr): (TypeRepr, Boolean) = tpe match {
    case AppliedType(type_, List(element)) if type_.typeSymbol == defn.RepeatedParamClass =>
      (TypeRepr.of[Seq].appliedTo(element), true)
    case AnnotatedType(seq, repeated) if repeated.tpe.typeSymbol.name == "Repeated" => (seq, true)
    case other => (other, false)
  }

  /** The name that a field has in documents. */
  private def nameIn(record: Symbol, parameter: Symbol): String = text(parameter, "name").getOrElse {
    val name = parameter.name
    if (has(record, "snakeCase")) Known.snake(name)
    else if (has(record, "kebabCase")) Known.kebab(name)
    else if (has(record, "pascalCase")) Known.pascal(name)
    else name
  }

  private def defaultOf(tpe: TypeRepr, index: Int): Option[Term] = {
    val companion = tpe.typeSymbol.companionModule
    companion.methodMember("$lessinit$greater$default$" + (index + 1)).headOption.map { method =>
      val select = Select(Ref(companion), method)
      if (method.paramSymss.exists(_.exists(_.isTypeParam))) select.appliedToTypes(tpe.typeArgs) else select
    }
  }

  private def missing(tpe: TypeRepr, field: String, of: TypeRepr) =
    s"there is no Codec[${tpe.show}] for the field $field of ${of.show}: derive one (`derives Codec`), " +
      "or write one with Codec.of"

  /** Nobody else looks whether the code of a macro may call a constructor. */
  private def needConstructor(tpe: TypeRepr): Unit = {
    val within = List(tpe.typeSymbol, tpe.typeSymbol.companionModule.moduleClass)
    val around = Iterator.iterate(Symbol.spliceOwner)(_.maybeOwner).takeWhile(!_.isNoSymbol)
    if (tpe.typeSymbol.primaryConstructor.flags.is(Flags.Private) && !around.exists(within.contains))
      report.errorAndAbort(s"the constructor of ${tpe.show} is private: derive its codec in its companion")
  }

  private def construct(tpe: TypeRepr, arguments: List[Term]): Term = {
    val constructor = Select(New(Inferred(tpe)), tpe.typeSymbol.primaryConstructor)
    val applied = if (tpe.typeArgs.isEmpty) constructor else constructor.appliedToTypes(tpe.typeArgs)
    applied.appliedToArgs(arguments)
  }

  private def record[A: Type](tpe: TypeRepr): Expr[Codec[A]] = {
    needConstructor(tpe)
    val calls = new Calls
    val fields = fieldsOf(tpe, calls)
    val strict = has(tpe.typeSymbol, "strict")
    val shown = fields.filterNot(f => f.omit || f.rest)
    val kept = fields.find(_.rest)
    if (fields.count(_.rest) > 1)
      report.errorAndAbort(s"${tpe.show} has more than one field that is marked @rest")
    if (fields.isEmpty) return '{ new SingletonCodec[A](${ construct(tpe, Nil).asExprOf[A] }, ${ Expr(strict) }) }
    val aliases = shown.flatMap(f => f.aliases.map(_ -> f))
    val texts = shown.map(_.name) ++ aliases.map(_._1)
    texts.diff(texts.distinct).foreach(t => report.errorAndAbort(s"the field $t stands twice in ${tpe.show}"))
    '{
      val names = kumihimo.Names.of(${ Varargs(texts.map(Expr(_))) }*)
      val nested = ${ calls.nested }
      val defaults = ${ defaultsOf(shown) }
      val rest: KeptFieldsWriter = ${ if (kept.isEmpty) '{ null } else '{ new KeptFieldsWriter(names) } }
      new RecordCodec[A] {
        def fieldNames: kumihimo.Names = names
        def size(value: A, tag: kumihimo.Name): Int =
          ${ sizeOf(shown, kept, 'value, 'tag, Helpers('nested, 'defaults, 'rest)) }
        def writeFields(value: A, out: kumihimo.Writer, tag: kumihimo.Name): Unit =
          ${ writes(shown, kept, 'value, 'out, 'tag, 'names, Helpers('nested, 'defaults, 'rest)) }
        def readFields(in: kumihimo.Reader, at: Int, tag: kumihimo.Name): A =
          ${ reads[A](tpe, fields, shown, aliases, strict, 'in, 'at, 'tag, 'names, 'nested) }
      }
    }
  }

  /** What the code of a record has besides: codecs, defaults, and what writes unknown fields. */
  private final case class Helpers(nested: Expr[Nested], defaults: Expr[DefaultValues], rest: Expr[KeptFieldsWriter])

  /** The table of the defaults that values are compared with; null where there are none. */
  private def defaultsOf(shown: List[Field])(using Quotes): Expr[DefaultValues] = {
    val compared = shown.filter(f => f.default.isDefined && (f.elideDefault || mayBeEmpty(f)))
    def make(index: Expr[Int])(using Quotes): Expr[Any] =
      compared.foldRight[Expr[Any]]('{ throw new IndexOutOfBoundsException }) { (f, rest) =>
        '{ if ($index == ${ Expr(f.index) }) ${ f.default.get.asExpr } else $rest }
      }
    if (compared.isEmpty) '{ null }
    else '{ new DefaultValues(${ Expr(compared.last.index + 1) }, (index: Int) => ${ make('index) }) }
  }

  private def mayBeEmpty(field: Field): Boolean =
    if (field.elideEmpty) canBeEmpty(field.shape) else !field.writeNone && canBeAbsent(field.shape)

  private def isDefault(field: Field, current: Term, defaults: Expr[DefaultValues])(using Quotes): Expr[Boolean] = {
    val default = '{ $defaults(${ Expr(field.index) }) }
    if (field.tpe =:= TypeRepr.of[Double])
      '{ DefaultValues.same(${ current.asExprOf[Double] }, $default.asInstanceOf[Double]) }
    else if (field.tpe =:= TypeRepr.of[Float])
      '{ DefaultValues.same(${ current.asExprOf[Float] }, $default.asInstanceOf[Float]) }
    else if (field.tpe <:< TypeRepr.of[Array[?]]) '{ DefaultValues.sameArray(${ current.asExpr }, $default) }
    else '{ ${ current.asExpr } == $default }
  }

  /** Whether a field is left out of the document with the value it has, or None where it always stands. */
  private def leftOut(field: Field, value: Expr[Any], helpers: Helpers)(using Quotes): Option[Expr[Boolean]] = {
    val current = Select(value.asTerm, field.symbol)
    def default = isDefault(field, current, helpers.defaults)
    if (field.elideDefault) Some(default)
    else {
      val empty =
        if (field.elideEmpty) emptyOf(field.shape, current, helpers.nested)
        else if (field.writeNone) None
        else absentOf(field.shape, current, helpers.nested)
      // A field that is left out gets its default when it is read.
      if (field.default.isEmpty) empty else empty.map(e => '{ $e && $default })
    }
  }

  private def sizeOf(
      shown: List[Field],
      kept: Option[Field],
      value: Expr[Any],
      tag: Expr[kumihimo.Name],
      helpers: Helpers
  )(using Quotes): Expr[Int] = {
    val all: Expr[Int] = kept.fold(Expr(shown.length)) { field =>
      val fields = Select(value.asTerm, field.symbol).asExprOf[Value.Fields]
      '{ ${ Expr(shown.length) } + ${ helpers.rest }.size($fields, $tag) }
    }
    shown.foldLeft(all) { (sum, field) =>
      leftOut(field, value, helpers).fold(sum)(out => '{ $sum - (if ($out) 1 else 0) })
    }
  }

  private def writes(
      shown: List[Field],
      kept: Option[Field],
      value: Expr[Any],
      out: Expr[kumihimo.Writer],
      tag: Expr[kumihimo.Name],
      names: Expr[kumihimo.Names],
      helpers: Helpers
  )(using inner: Quotes): Expr[Unit] = {
    val nested = helpers.nested
    val methods = new Methods(inner.reflect.Symbol.spliceOwner.asInstanceOf[Symbol], nested.asTerm)
    val each = shown.zipWithIndex.map { (field, number) =>
      val current = Select(value.asTerm, field.symbol)
      val name = '{ $names.get(${ Expr(number) }) }
      val write = field.shape match {
        case Shape.Boolean => '{ $out.field($name, ${ current.asExprOf[Boolean] }) }
        case Shape.Str => '{ $out.field($name, ${ current.asExprOf[String] }) }
        case Shape.Int => '{ $out.field($name, ${ current.asExprOf[Int] }.toLong) }
        case Shape.Long => '{ $out.field($name, ${ current.asExprOf[Long] }) }
        case shape =>
          '{
            $out.key($name)
            ${ writeOf(shape, field.tpe, current, out, nested, methods) }
          }
      }
      leftOut(field, value, helpers).fold(write)(absent => '{ if (! $absent) $write })
    }
    val rest = kept.map(field =>
      '{ ${ helpers.rest }.write(${ Select(value.asTerm, field.symbol).asExprOf[Value.Fields] }, $out, $tag) }
    )
    val body = Expr.block(each ++ rest, '{ () }).asTerm
    Block(methods.definitions, body).asExprOf[Unit]
  }

  private def reads[A: Type](
      tpe: TypeRepr,
      fields: List[Field],
      shown: List[Field],
      aliases: List[(String, Field)],
      strict: Boolean,
      in: Expr[kumihimo.Reader],
      at: Expr[Int],
      tag: Expr[kumihimo.Name],
      names: Expr[kumihimo.Names],
      nested: Expr[Nested]
  )(using inner: Quotes): Expr[A] = {
    val owner = inner.reflect.Symbol.spliceOwner.asInstanceOf[Symbol]
    val methods = new Methods(owner, nested.asTerm)
    def variable(name: String, tpe: TypeRepr, initial: Term): (Symbol, ValDef) = {
      val symbol = Symbol.newVal(owner, name, tpe, Flags.Mutable, Symbol.noSymbol)
      symbol -> ValDef(symbol, Some(initial.changeOwner(symbol)))
    }
    // A field that is None where the document has none needs no bit.
    val counted = shown.filterNot(f => f.default.isEmpty && f.shape.isOption)
    val bits = counted.zipWithIndex.map { case (f, i) => f.index -> (i / 32, 1 << (i % 32)) }.toMap
    val seen = counted.indices.by32.map(i => variable(s"seen$i", TypeRepr.of[Int], Literal(IntConstant(0))))
    val locals = fields.filterNot(f => f.omit || f.rest).map { f =>
      f.index -> variable(s"field${f.index}", f.tpe, initialOf(f))
    }.toMap
    val kept =
      fields.find(_.rest).map(_ => variable("kept", TypeRepr.of[KeptFields], '{ new KeptFields($in.mark()) }.asTerm))
    val found = variable("found", TypeRepr.of[Int], '{ $in.field($names, 0) }.asTerm)

    def assign(f: Field): Term = {
      val set = Assign(Ref(locals(f.index)._1), readOf(f.shape, f.tpe, in, nested, methods))
      bits.get(f.index) match {
        case Some((word, bit)) =>
          val old = Ref(seen(word)._1).asExprOf[Int]
          Block(List(set, Assign(Ref(seen(word)._1), '{ $old | ${ Expr(bit) } }.asTerm)), Literal(UnitConstant()))
        case None => Block(List(set), Literal(UnitConstant()))
      }
    }
    val cases = shown.zipWithIndex.map { (f, number) =>
      val numbers = number :: aliases.zipWithIndex.collect { case ((_, `f`), i) => shown.length + i }
      val pattern = numbers.map(n => Literal(IntConstant(n))) match {
        case one :: Nil => one
        case several => Alternatives(several)
      }
      CaseDef(pattern, None, assign(f))
    }
    val otherwise = kept match {
      case Some((symbol, _)) =>
        '{ ${ Ref(symbol).asExprOf[KeptFields] }.keep($in, $tag) }.asTerm
      case None => '{ RecordCodec.unknown($in, $tag, ${ Expr(strict) }) }.asTerm
    }
    val current = Ref(found._1).asExprOf[Int]
    val choose = Match(Ref(found._1), cases :+ CaseDef(Wildcard(), None, otherwise))
    val next = Assign(Ref(found._1), '{ $in.field($names, $current + 1) }.asTerm)
    val loop = While('{ $current != kumihimo.Names.END }.asTerm, Block(List(choose), next))

    val complete = seen.zipWithIndex.map { case ((symbol, _), word) =>
      val mine = counted.filter(f => bits(f.index)._1 == word)
      val all = mine.map(f => bits(f.index)._2).reduce(_ | _)
      val now = Ref(symbol).asExprOf[Int]
      val fill = mine.map { f =>
        val set = Assign(Ref(locals(f.index)._1), fillOf(f, at, nested))
        If('{ ($now & ${ Expr(bits(f.index)._2) }) == 0 }.asTerm, set, Literal(UnitConstant()))
      }
      If('{ $now != ${ Expr(all) } }.asTerm, Block(fill, Literal(UnitConstant())), Literal(UnitConstant()))
    }
    val arguments = fields.map { f =>
      if (f.omit) f.default.get
      else if (f.rest) '{ ${ Ref(kept.get._1).asExprOf[KeptFields] }.result }.asTerm
      else if (f.repeated)
        Typed(Ref(locals(f.index)._1), Inferred(defn.RepeatedParamClass.typeRef.appliedTo(f.tpe.typeArgs.head)))
      else Ref(locals(f.index)._1)
    }
    val variables = locals.toList.sortBy(_._1).map(_._2._2) ++ seen.map(_._2) ++ kept.map(_._2) :+ found._2
    Block(methods.definitions ++ variables ++ (loop :: complete), construct(tpe, arguments)).asExprOf[A]
  }

  extension (indices: Range) private def by32: List[Int] = (0 until (indices.length + 31) / 32).toList

  private def initialOf(f: Field): Term =
    if (f.shape.isOption && f.default.isEmpty) '{ None }.asTerm else zeroOf(f.tpe)

  /** What a field becomes that the document does not have, or the error. */
  private def fillOf(f: Field, at: Expr[Int], nested: Expr[Nested])(using Quotes): Term =
    f.default.getOrElse {
      val name = Expr(f.name)
      f.tpe.asType match {
        case '[t] =>
          val fill = f.shape match {
            case Shape.Call(i, _) if f.elideEmpty =>
              '{ RecordCodec.empty($nested(${ Expr(i) }).asInstanceOf[Codec[t]], $name, $at) }
            case Shape.Call(i, _) => '{ RecordCodec.absent($nested(${ Expr(i) }).asInstanceOf[Codec[t]], $name, $at) }
            case shape =>
              (if (f.elideEmpty) emptyValue(shape, f.tpe) else None).fold(
                '{ throw RecordCodec.missing($name, $at) }
              )(_.asExprOf[t])
          }
          fill.asTerm
      }
    }

  // ---- sealed traits --------------------------------------------------------------------------------

  private def leaves(symbol: Symbol): List[Symbol] = symbol.children.flatMap { child =>
    if (
      child.isClassDef && child.flags.is(
        Flags.Sealed
      ) && (child.flags.is(Flags.Trait) || child.flags.is(Flags.Abstract))
    ) leaves(child)
    else List(child)
  }.distinct

  private def union[A: Type](tpe: TypeRepr): Expr[Codec[A]] = {
    val symbol = tpe.typeSymbol
    // Where all arguments of the type are known, those of its types count that can have them.
    val (children, types) =
      leaves(symbol).map(child => child -> typeOf(child, tpe)).filter(c => !isKnown(tpe) || c._2 <:< tpe).unzip
    if (children.isEmpty) report.errorAndAbort(s"${tpe.show} has no types that could be told from each other")
    val names = children.map(c => text(c, "name").getOrElse(nameOf(c)) :: texts(c, "alias"))
    val all = names.flatten
    all.diff(all.distinct).foreach(n => report.errorAndAbort(s"the name $n stands for two types of ${tpe.show}"))
    val tagging = text(symbol, "discriminator").map(f => '{ Tagging.Field(${ Expr(f) }) })
      .orElse(if (has(symbol, "wrapped")) Some('{ Tagging.Wrapped }) else None)
      .orElse(texts(symbol, "adjacent") match {
        case List(field, content) => Some('{ Tagging.Adjacent(${ Expr(field) }, ${ Expr(content) }) })
        case _ => None
      })
    texts(symbol, "adjacent") match {
      case List(field, content) if field == content =>
        report.errorAndAbort(s"@adjacent of ${tpe.show} needs two names, one for the type and one for the value")
      case _ => ()
    }
    if (tagging.isEmpty && types.forall(isSingleton)) byName[A](types, names)
    else {
      val field = text(symbol, "discriminator").orElse(if (tagging.isEmpty) Some("type") else None)
      val calls = new Calls
      types.foreach { child =>
        child.asType match {
          case '[t] =>
            val found = Expr.summon[Codec[t]]
            // Of a codec that somebody wrote only UnionCodec can see what fields it has.
            val derived = found.forall(codec => called(codec.asTerm).name.startsWith("derived$"))
            if (derived) field.foreach(refuse(_, child, tpe))
            calls.add(child, found.getOrElse(codec[t]))
        }
      }
      val rows = names.map(n => '{ Array[String](${ Varargs(n.map(Expr(_))) }*) })
      '{
        val nested = ${ calls.nested }
        val table = Array[Array[String]](${ Varargs(rows) }*)
        new UnionCodec[A](table, ${ tagging.getOrElse('{ Tagging.Field("type") }) }, nested) {
          def ordinal(value: A): Int = ${ ordinalOf(types, 'value) }
        }
      }
    }
  }

  /** A field that would stand in the document twice. */
  private def refuse(tag: String, child: TypeRepr, parent: TypeRepr): Unit =
    if (child.typeSymbol.flags.is(Flags.Case) && !isSingleton(child)) {
      val parameters = child.typeSymbol.primaryConstructor.paramSymss.flatten.filterNot(_.isTypeParam)
      val shown = parameters.filterNot(p => has(p, "omit") || has(p, "rest"))
      if (shown.exists(p => nameIn(child.typeSymbol, p) == tag || texts(p, "alias").contains(tag)))
        report.errorAndAbort(
          s"${child.show} has a field $tag, which tells the types of ${parent.show} from each other: name one of " +
            "them otherwise (@name, @discriminator), or use @wrapped or @adjacent"
        )
    }

  /** Objects alone: each is its name. */
  private def byName[A: Type](types: List[TypeRepr], names: List[List[String]]): Expr[Codec[A]] = {
    val aliased = names.zipWithIndex.flatMap { (n, i) => n.tail.map(_ -> i) }
    val texts = names.map(_.head) ++ aliased.map(_._1)
    '{
      new NamedCodec[A](
        Array[String](${ Varargs(texts.map(Expr(_))) }*),
        Array[Any](${ Varargs(types.map(instance(_).asExpr)) }*),
        Array[Int](${ Varargs(aliased.map(a => Expr(a._2))) }*)
      )
    }
  }

  private def nameOf(child: Symbol) = child.name.stripSuffix("$")

  private def isKnown(tpe: TypeRepr): Boolean =
    tpe.typeSymbol.isClassDef && tpe.dealias.typeArgs.forall(isKnown)

  private def typeOf(child: Symbol, parent: TypeRepr): TypeRepr =
    if (child.isTerm) child.termRef
    else if (child.flags.is(Flags.Module)) child.companionModule.termRef
    else {
      val parameters = child.primaryConstructor.paramSymss.flatten.filter(_.isTypeParam)
      if (parameters.isEmpty) child.typeRef
      else {
        val base = child.typeRef.baseType(parent.typeSymbol)
        val known = base.typeArgs.map(_.typeSymbol.name).zip(parent.typeArgs).toMap
        child.typeRef.appliedTo(parameters.map { p =>
          known.getOrElse(
            p.name,
            report.errorAndAbort(s"the type ${p.name} of ${child.name} is not known from ${parent.show}")
          )
        })
      }
    }

  private def ordinalOf(types: List[TypeRepr], value: Expr[Any])(using Quotes): Expr[Int] = {
    val numbered = types.zipWithIndex
    numbered.init.foldRight[Expr[Int]](Expr(numbered.last._2)) { case ((tpe, number), rest) =>
      val is =
        if (isSingleton(tpe)) '{ $value == ${ instance(tpe).asExpr } }
        else
          tpe.typeSymbol.typeRef.asType match {
            case _ if tpe.typeArgs.nonEmpty =>
              val open = tpe.typeSymbol.typeRef.appliedTo(tpe.typeArgs.map(_ => TypeBounds.empty))
              TypeApply(Select.unique(value.asTerm, "isInstanceOf"), List(Inferred(open))).asExprOf[Boolean]
            case '[t] => '{ $value.isInstanceOf[t] }
          }
      '{ if ($is) ${ Expr(number) } else $rest }
    }
  }
}
