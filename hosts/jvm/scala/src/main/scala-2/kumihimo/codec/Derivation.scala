package kumihimo.codec

import scala.reflect.macros.blackbox

/**
 * The macro behind `derived`. A record becomes a class with straight-line code: local variables for the fields,
 * a switch over the number of the field that was found, and bits for those that were. Of the fields' types
 * those that have a codec of this library are read and written in place (`Shape`), all others by a call.
 */
final class Derivation(val c: blackbox.Context) extends Annotated with Shapes {
  import c.universe._

  private val codec_ = q"_root_.kumihimo.codec"

  def derive[A: WeakTypeTag]: Tree = codec(weakTypeOf[A].dealias)

  private def codec(tpe: Type): Tree = {
    val symbol = tpe.typeSymbol
    if (isSingleton(tpe)) singleton(tpe)
    else if (symbol.isClass && symbol.asClass.isSealed && symbol.isAbstract) union(tpe)
    else if (symbol.isClass && symbol.asClass.isDerivedValueClass) valueClass(tpe)
    else if (symbol.isClass && symbol.asClass.isCaseClass) record(tpe)
    else abort(s"$tpe is neither a case class nor a sealed trait: write its Codec by hand (Codec.of, imap)")
  }

  private def isSingleton(tpe: Type) = tpe.typeSymbol.isModuleClass || tpe.isInstanceOf[SingleTypeApi]

  private def instance(tpe: Type): Tree = tpe match {
    case SingleType(prefix, symbol) => q"${c.internal.gen.mkAttributedRef(prefix, symbol)}"
    case _ => q"${tpe.typeSymbol.asClass.module}"
  }

  private def singleton(tpe: Type): Tree =
    q"new $codec_.SingletonCodec[$tpe](${instance(tpe)}, ${has(tpe.typeSymbol, "strict")})"

  // ---- value classes --------------------------------------------------------------------------------

  private def valueClass(tpe: Type): Tree = {
    val field = caseFields(tpe).head
    val underlying = field.typeSignatureIn(tpe).finalResultType
    val found = summon(underlying)
    if (found.isEmpty) abort(missing(underlying, nameOf(field), tpe))
    q"$found.imap[$tpe]((v: $underlying) => new $tpe(v))((a: $tpe) => a.${field.name.toTermName})"
  }

  // ---- records --------------------------------------------------------------------------------

  private final class Field(
      val index: Int,
      val symbol: MethodSymbol,
      val name: String,
      val aliases: List[String],
      val tpe: Type,
      val repeated: Boolean,
      val shape: Shape,
      val default: Option[Tree],
      val omit: Boolean,
      val rest: Boolean,
      val elideEmpty: Boolean,
      val elideDefault: Boolean,
      val writeNone: Boolean
  ) {
    val local: TermName = TermName(c.freshName(s"field$index"))
  }

  private def caseFields(tpe: Type): List[MethodSymbol] =
    tpe.typeSymbol.asClass.primaryConstructor.asMethod.paramLists.headOption.getOrElse(Nil).map { p =>
      val member = tpe.member(p.name)
      val accessor = member.alternatives.collectFirst { case m: MethodSymbol if m.paramLists.isEmpty => m }
      accessor.getOrElse(abort(s"the parameter ${p.name} of $tpe is no field"))
    }

  private def fieldsOf(tpe: Type, calls: Calls): List[Field] = {
    val symbol = tpe.typeSymbol.asClass
    symbol.typeSignature // annotations are there once the type is
    val lists = symbol.primaryConstructor.asMethod.paramLists
    if (lists.length > 1) abort(s"$tpe has more than one list of parameters: write its Codec by hand")
    caseFields(tpe).zip(lists.flatten).zipWithIndex.map { case ((field, parameter), index) =>
      val declared = field.typeSignatureIn(tpe).finalResultType.dealias
      val repeated = declared.typeSymbol == definitions.RepeatedParamClass
      val fieldType = if (repeated) appliedType(typeOf[Seq[Any]].typeConstructor, declared.typeArgs) else declared
      val rest = has(parameter, "rest")
      val omit = has(parameter, "omit")
      val default = if (parameter.asTerm.isParamWithDefault) defaultOf(tpe, index) else None
      val name = nameOf(field)
      if (rest && !(fieldType =:= typeOf[Value.Fields]))
        abort(s"the field $name of $tpe is marked @rest, so that its type must be Value.Fields")
      if (omit && default.isEmpty)
        abort(s"the field $name of $tpe is marked @omit, so that it must have a default value")
      new Field(
        index,
        field,
        nameIn(symbol, parameter),
        texts(parameter, "alias"),
        fieldType,
        repeated,
        if (rest || omit) Shape.Kept else shapeOf(fieldType, calls, missing(fieldType, name, tpe)),
        default,
        omit,
        rest,
        has(parameter, "elideEmpty") || has(symbol, "elideEmpty"),
        (has(parameter, "elideDefaults") || has(symbol, "elideDefaults")) && default.isDefined,
        has(parameter, "writeNone") || has(symbol, "writeNone")
      )
    }
  }

  /** The name that a field has in documents. */
  private def nameIn(record: Symbol, parameter: Symbol): String = text(parameter, "name").getOrElse {
    val name = nameOf(parameter)
    if (has(record, "snakeCase")) Known.snake(name)
    else if (has(record, "kebabCase")) Known.kebab(name)
    else if (has(record, "pascalCase")) Known.pascal(name)
    else name
  }

  /** A class within a method has its companion in its scope alone. */
  private def companionOf(symbol: Symbol): Symbol =
    if (symbol.companion != NoSymbol) symbol.companion
    else {
      val found = c.typecheck(Ident(symbol.name.toTermName), silent = true).symbol
      if (found != null && found != NoSymbol && found.isModule && found.owner == symbol.owner) found else NoSymbol
    }

  private def defaultOf(tpe: Type, index: Int): Option[Tree] = {
    val companion = companionOf(tpe.typeSymbol)
    val name = TermName("$lessinit$greater$default$" + (index + 1))
    if (companion == NoSymbol) abort(s"the default values of $tpe are not known here: move it out of its method")
    else {
      companion.typeSignature // default getters are there once the type is
      val apply = TermName("apply$default$" + (index + 1))
      if (companion.typeSignature.member(name) != NoSymbol) Some(q"$companion.$name")
      else if (companion.typeSignature.member(apply) != NoSymbol) Some(q"$companion.$apply")
      else None
    }
  }

  private def missing(tpe: Type, field: String, of: Type) =
    s"there is no Codec[$tpe] for the field $field of $of: derive one " +
      "(implicit val codec: Codec[...] = Codec.derived), or write one with Codec.of"

  private def record(tpe: Type): Tree = {
    val calls = new Calls
    val fields = fieldsOf(tpe, calls)
    val strict = has(tpe.typeSymbol, "strict")
    if (fields.count(_.rest) > 1) abort(s"$tpe has more than one field that is marked @rest")
    if (fields.isEmpty) q"new $codec_.SingletonCodec[$tpe](new $tpe(), $strict)"
    else {
      val shown = fields.filterNot(f => f.omit || f.rest)
      val kept = fields.find(_.rest)
      val aliases = shown.flatMap(f => f.aliases.map(_ -> f))
      val texts = shown.map(_.name) ++ aliases.map(_._1)
      texts.diff(texts.distinct).foreach(t => abort(s"the field $t stands twice in $tpe"))
      val names = TermName(c.freshName("names"))
      val nested = new Helpers
      q"""{
        val $names = _root_.kumihimo.Names.of(..$texts)
        ..${calls.definition(nested.codecs)}
        ..${defaultsOf(shown, nested.defaults)}
        ..${kept.toList.map(_ => q"val ${nested.rest} = new $codec_.KeptFieldsWriter($names)")}
        new $codec_.RecordCodec[$tpe] {
          def fieldNames: _root_.kumihimo.Names = $names
          def size(value: $tpe, tag: _root_.kumihimo.Name): _root_.scala.Int = ${sizeOf(shown, kept, nested)}
          def writeFields(value: $tpe, out: _root_.kumihimo.Writer, tag: _root_.kumihimo.Name): _root_.scala.Unit = {
            ..${writes(shown, kept, names, nested)}
            ()
          }
          def readFields(in: _root_.kumihimo.Reader, at: _root_.scala.Int, tag: _root_.kumihimo.Name): $tpe =
            ${reads(tpe, fields, shown, aliases, strict, names, nested.codecs)}
        }
      }"""
    }
  }

  /** The names of what the code of a record has besides: codecs, defaults, and what writes unknown fields. */
  private final class Helpers {
    val codecs: TermName = TermName(c.freshName("nested"))
    val defaults: TermName = TermName(c.freshName("defaults"))
    val rest: TermName = TermName(c.freshName("rest"))
  }

  /** The table of the defaults that values are compared with, where there are any. */
  private def defaultsOf(shown: List[Field], name: TermName): List[Tree] = {
    val cases = shown.filter(isCompared).flatMap(f => f.default.map(d => cq"${f.index} => $d"))
    if (cases.isEmpty) Nil
    else {
      val index = TermName(c.freshName("index"))
      val all = cases :+ cq"_ => throw new _root_.java.lang.IndexOutOfBoundsException"
      val make = q"($index: _root_.scala.Int) => $index match { case ..$all }"
      List(q"val $name = new $codec_.DefaultValues(${shown.map(_.index).max + 1}, $make)")
    }
  }

  private def isCompared(field: Field) =
    field.default.isDefined && (field.elideDefault || isEmpty(field, q"value", TermName("none")).isDefined)

  /** Whether a field has a value that is left out as none or empty, or None where all of its values stand. */
  private def isEmpty(field: Field, current: Tree, nested: TermName): Option[Tree] =
    if (field.elideEmpty) emptyOf(field.shape, current, nested)
    else if (field.writeNone) None
    else absentOf(field.shape, current, nested)

  private def isDefault(field: Field, current: Tree, defaults: TermName): Tree = {
    val default = q"$defaults(${field.index}).asInstanceOf[${field.tpe}]"
    if (field.tpe =:= typeOf[Double] || field.tpe =:= typeOf[Float]) q"$codec_.DefaultValues.same($current, $default)"
    else if (field.tpe.typeSymbol == definitions.ArrayClass) q"$codec_.DefaultValues.sameArray($current, $default)"
    else q"$current == $default"
  }

  /** Whether a field is left out of the document with the value it has, or None where it always stands. */
  private def leftOut(field: Field, nested: Helpers): Option[Tree] = {
    val current = q"value.${field.symbol.name}"
    val default = field.default.map(_ => isDefault(field, current, nested.defaults))
    if (field.elideDefault) default
    else {
      // A field that is left out gets its default when it is read.
      val empty = isEmpty(field, current, nested.codecs)
      default.fold(empty)(d => empty.map(e => q"($e) && $d"))
    }
  }

  private def sizeOf(shown: List[Field], kept: Option[Field], nested: Helpers): Tree = {
    val all = kept.fold[Tree](q"${shown.length}")(field =>
      q"${shown.length} + ${nested.rest}.size(value.${field.symbol.name}, tag)"
    )
    shown.foldLeft(all)((sum, field) => leftOut(field, nested).fold(sum)(out => q"$sum - (if ($out) 1 else 0)"))
  }

  private def writes(shown: List[Field], kept: Option[Field], names: TermName, nested: Helpers): List[Tree] = {
    val methods = new Methods
    val each = shown.zipWithIndex.map { case (field, number) =>
      val name = q"$names.get($number)"
      val current = q"value.${field.symbol.name}"
      val write = field.shape match {
        case Shape.Boolean | Shape.Str | Shape.Long => q"out.field($name, $current)"
        case Shape.Int => q"out.field($name, $current.toLong)"
        case shape => q"{ out.key($name); ${writeOf(shape, field.tpe, current, nested.codecs, methods)} }"
      }
      leftOut(field, nested).fold[Tree](write)(absent => q"if (!($absent)) $write")
    }
    methods.trees ++ each ++ kept.map(field => q"${nested.rest}.write(value.${field.symbol.name}, out, tag)")
  }

  private def reads(
      tpe: Type,
      fields: List[Field],
      shown: List[Field],
      aliases: List[(String, Field)],
      strict: Boolean,
      names: TermName,
      nested: TermName
  ): Tree = {
    // A field that is None where the document has none needs no bit.
    val counted = shown.filterNot(f => f.default.isEmpty && f.shape.isOption)
    val bits = counted.zipWithIndex.map { case (f, i) => f.index -> ((i / 32, 1 << (i % 32))) }.toMap
    val seen = (0 until (counted.length + 31) / 32).toList.map(i => TermName(c.freshName(s"seen$i")))
    val kept = TermName(c.freshName("kept"))
    val keeps = fields.exists(_.rest)
    val found = TermName(c.freshName("found"))
    val variables = shown.map(f => q"var ${f.local}: ${f.tpe} = ${initialOf(f)}") ++
      seen.map(s => q"var $s = 0") ++
      (if (keeps) List(q"val $kept = new $codec_.KeptFields(in.mark())") else Nil)

    val methods = new Methods
    val cases = shown.zipWithIndex.map { case (f, number) =>
      val numbers = number :: aliases.zipWithIndex.collect { case ((_, owner), i) if owner eq f => shown.length + i }
      val set = q"${f.local} = ${readOf(f.shape, f.tpe, nested, methods)}"
      val mark = bits.get(f.index).map { case (word, bit) => q"${seen(word)} = ${seen(word)} | $bit" }
      val pattern = numbers.map(n => pq"$n") match {
        case one :: Nil => one
        case several => Alternative(several)
      }
      cq"$pattern => ..${set :: mark.toList}; ()"
    }
    val otherwise =
      if (keeps) q"$kept.keep(in, tag)"
      else q"$codec_.RecordCodec.unknown(in, tag, $strict)"
    val complete = seen.zipWithIndex.map { case (now, word) =>
      val mine = counted.filter(f => bits(f.index)._1 == word)
      val all = mine.map(f => bits(f.index)._2).reduce(_ | _)
      val fill = mine.map(f => q"if (($now & ${bits(f.index)._2}) == 0) ${f.local} = ${fillOf(f, nested)}")
      q"if ($now != $all) { ..$fill }"
    }
    val arguments = fields.map { f =>
      if (f.omit) f.default.get
      else if (f.rest) q"$kept.result"
      else if (f.repeated) q"${f.local}: _*"
      else q"${f.local}"
    }
    q"""{
      ..${methods.trees}
      ..$variables
      var $found = in.field($names, 0)
      while ($found != -1) {
        ($found: @_root_.scala.annotation.switch) match {
          case ..${cases :+ cq"_ => $otherwise"}
        }
        $found = in.field($names, $found + 1)
      }
      ..$complete
      new $tpe(..$arguments)
    }"""
  }

  private def initialOf(f: Field): Tree =
    if (f.shape.isOption && f.default.isEmpty) q"_root_.scala.None" else zeroOf(f.tpe)

  /** What a field becomes that the document does not have, or the error. */
  private def fillOf(f: Field, nested: TermName): Tree = f.default.getOrElse {
    f.shape match {
      case Shape.Call(i, _) =>
        val fill = TermName(if (f.elideEmpty) "empty" else "absent")
        q"$codec_.RecordCodec.$fill[${f.tpe}]($nested($i).asInstanceOf[$codec_.Codec[${f.tpe}]], ${f.name}, at)"
      case shape =>
        (if (f.elideEmpty) emptyValue(shape) else None).getOrElse(q"throw $codec_.RecordCodec.missing(${f.name}, at)")
    }
  }

  // ---- sealed traits --------------------------------------------------------------------------------

  private def leaves(symbol: ClassSymbol): List[Symbol] = {
    symbol.typeSignature // its subclasses are known once the type is
    symbol.knownDirectSubclasses.toList.sortBy(s => (s.pos.source.path, s.pos.start)).flatMap { child =>
      if (child.isClass && child.asClass.isSealed && child.isAbstract) leaves(child.asClass) else List(child)
    }.distinct
  }

  private def union(tpe: Type): Tree = {
    val symbol = tpe.typeSymbol.asClass
    // Where all arguments of the type are known, those of its types count that can have them.
    val (children, types) =
      leaves(symbol).map(child => child -> childType(child, tpe)).filter(c => !isKnown(tpe) || c._2 <:< tpe).unzip
    if (children.isEmpty)
      abort(s"$tpe has no types that could be told from each other; are they defined behind this place?")
    val names = children.map(s => text(s, "name").getOrElse(nameOf(s)) :: texts(s, "alias"))
    val all = names.flatten
    all.diff(all.distinct).foreach(n => abort(s"the name $n stands for two types of $tpe"))
    val tagging = text(symbol, "discriminator")
      .map(f => q"$codec_.Tagging.Field($f)")
      .orElse(if (has(symbol, "wrapped")) Some(q"$codec_.Tagging.Wrapped") else None)
      .orElse(texts(symbol, "adjacent") match {
        case List(field, content) => Some(q"$codec_.Tagging.Adjacent($field, $content)")
        case _ => None
      })
    texts(symbol, "adjacent") match {
      case List(field, content) if field == content =>
        abort(s"@adjacent of $tpe needs two names, one for the type and one for the value")
      case _ => ()
    }
    if (tagging.isEmpty && types.forall(isSingleton)) byName(tpe, types, names)
    else {
      val field = text(symbol, "discriminator").orElse(if (tagging.isEmpty) Some("type") else None)
      val calls = new Calls
      types.foreach { child =>
        val found = summon(child)
        if (found.isEmpty) field.foreach(refuse(_, child, tpe))
        calls.add(child, if (found.isEmpty) codec(child) else found)
      }
      val table = names.map(n => q"_root_.scala.Array[_root_.java.lang.String](..$n)")
      val ordinal = types.zipWithIndex.init.foldRight[Tree](q"${types.length - 1}") { case ((child, number), rest) =>
        val is =
          if (isSingleton(child)) q"value == ${instance(child)}"
          else {
            val open = if (child.typeArgs.isEmpty) child
            else c.internal.existentialAbstraction(
              child.typeConstructor.typeParams,
              appliedType(child.typeConstructor, child.typeConstructor.typeParams.map(_.asType.toType))
            )
            q"value.isInstanceOf[$open]"
          }
        q"if ($is) $number else $rest"
      }
      val nested = TermName(c.freshName("nested"))
      val style = tagging.getOrElse(q"$codec_.Tagging.Field(${"type"})")
      q"""{
        ..${calls.definition(nested)}
        new $codec_.UnionCodec[$tpe](
          _root_.scala.Array[_root_.scala.Array[_root_.java.lang.String]](..$table), $style, $nested) {
          def ordinal(value: $tpe): _root_.scala.Int = $ordinal
        }
      }"""
    }
  }

  /** A field that would stand in the document twice; of codecs that are there only UnionCodec can see it. */
  private def refuse(tag: String, child: Type, parent: Type): Unit =
    if (child.typeSymbol.isClass && child.typeSymbol.asClass.isCaseClass && !isSingleton(child)) {
      val parameters = child.typeSymbol.asClass.primaryConstructor.asMethod.paramLists.flatten
      val shown = parameters.filterNot(p => has(p, "omit") || has(p, "rest"))
      if (shown.exists(p => nameIn(child.typeSymbol, p) == tag || texts(p, "alias").contains(tag)))
        abort(
          s"$child has a field $tag, which tells the types of $parent from each other: name one of them otherwise " +
            "(@name, @discriminator), or use @wrapped or @adjacent"
        )
    }

  /** Objects alone: each is its name. */
  private def byName(tpe: Type, types: List[Type], names: List[List[String]]): Tree = {
    val aliased = names.zipWithIndex.flatMap { case (n, i) => n.tail.map(_ -> i) }
    val texts = names.map(_.head) ++ aliased.map(_._1)
    q"""new $codec_.NamedCodec[$tpe](
      _root_.scala.Array[_root_.java.lang.String](..$texts),
      _root_.scala.Array[_root_.scala.Any](..${types.map(instance)}),
      _root_.scala.Array[_root_.scala.Int](..${aliased.map(_._2)}))"""
  }

  private def isKnown(tpe: Type): Boolean = tpe.typeSymbol.isClass && tpe.dealias.typeArgs.forall(isKnown)

  private def childType(child: Symbol, parent: Type): Type =
    if (child.isModuleClass) child.asClass.toType
    else {
      val tpe = child.asType.toType
      val parameters = child.asType.typeParams
      if (parameters.isEmpty) tpe
      else {
        val base = tpe.baseType(parent.typeSymbol)
        val known = base.typeArgs.map(_.typeSymbol).zip(parent.typeArgs).toMap
        appliedType(
          tpe.typeConstructor,
          parameters.map(p =>
            known.getOrElse(p, abort(s"the type ${p.name} of ${child.name} is not known from $parent"))
          )
        )
      }
    }
}
