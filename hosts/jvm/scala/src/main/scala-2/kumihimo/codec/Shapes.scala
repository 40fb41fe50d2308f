package kumihimo.codec

/** How a field's type is read and written: in place where its codec is one of this library, else by a call. */
private[codec] sealed abstract class Shape {
  def isOption: Boolean = this.isInstanceOf[Shape.Optional]
}

private[codec] object Shape {
  case object Boolean extends Shape
  case object Byte extends Shape
  case object Short extends Shape
  case object Int extends Shape
  case object Long extends Shape
  case object Float extends Shape
  case object Double extends Shape
  case object Char extends Shape
  case object Str extends Shape

  /** A field that is neither read nor written as such. */
  case object Kept extends Shape

  /** The codec of this number; `elides`: it may leave a field out. */
  final case class Call(number: scala.Int, elides: scala.Boolean) extends Shape
  final case class Optional(value: Shape) extends Shape

  /** A collection of this companion, which has `empty` and `newBuilder`. */
  final case class Items(companion: String, value: Shape) extends Shape
  final case class Tuple(values: List[Shape]) extends Shape
}

private[codec] trait Shapes { self: Annotated =>
  import c.universe._

  /** The codecs that the code calls, in the order of their numbers. */
  final class Calls {
    private var all = List.empty[(Type, Tree)]

    def add(tpe: Type, codec: Tree): Int = all.indexWhere(_._1 =:= tpe) match {
      case -1 =>
        all = all :+ (tpe -> codec)
        all.length - 1
      case number => number
    }

    /** The table of them, where there are any. */
    def definition(name: TermName): List[Tree] = if (all.isEmpty) Nil
    else {
      val cases = all.zipWithIndex.map { case ((_, codec), number) =>
        if (number == all.length - 1) cq"_ => $codec" else cq"$number => $codec"
      }
      val index = TermName(c.freshName("index"))
      val make = q"($index: _root_.scala.Int) => $index match { case ..$cases }"
      List(q"val $name = new _root_.kumihimo.codec.Nested(${all.length}, $make)")
    }
  }

  def shapeOf(tpe: Type, calls: Calls, missing: => String): Shape = {
    val codec = summon(tpe)
    if (codec.isEmpty) abort(missing)
    val symbol = called(codec)
    val own = Known.own(symbol.owner.fullName)
    (own, symbol.name.decodedName.toString.trim) match {
      case ("PrimitiveCodecs", "boolean") => Shape.Boolean
      case ("PrimitiveCodecs", "byte") => Shape.Byte
      case ("PrimitiveCodecs", "short") => Shape.Short
      case ("PrimitiveCodecs", "int") => Shape.Int
      case ("PrimitiveCodecs", "long") => Shape.Long
      case ("PrimitiveCodecs", "float") => Shape.Float
      case ("PrimitiveCodecs", "double") => Shape.Double
      case ("PrimitiveCodecs", "char") => Shape.Char
      case ("PrimitiveCodecs", "string") => Shape.Str
      case ("OptionCodecs", "option") =>
        shapeOf(optionArgument(tpe), calls, missing) match {
          // Some(None) would be read back as None.
          case Shape.Optional(_) => Shape.Call(calls.add(tpe, codec), elides = true)
          case inner => Shape.Optional(inner)
        }
      case ("CollectionCodecs" | "IndexedSeqCodecs" | "SeqCodecs", name) if Shapes.companions.contains(name) =>
        Shape.Items(Shapes.companions(name), shapeOf(tpe.dealias.typeArgs.head, calls, missing))
      case ("TupleCodecs", _) => Shape.Tuple(tpe.dealias.typeArgs.map(shapeOf(_, calls, missing)))
      case (own, _) if Known.neverAbsent(own) =>
        Shape.Call(calls.add(tpe, codec), elides = false)
      case _ => Shape.Call(calls.add(tpe, codec), elides = true)
    }
  }

  private def optionArgument(tpe: Type) = tpe.baseType(typeOf[Option[Any]].typeSymbol).typeArgs.head

  private def called(tree: Tree): Symbol = tree match {
    case Apply(function, _) => called(function)
    case TypeApply(function, _) => called(function)
    case Typed(inner, _) => called(inner)
    case other => other.symbol
  }

  /** Methods of their own for what loops or branches: the compiler of the JVM does not like large ones. */
  final class Methods {
    private var all = List.empty[Tree]

    def trees: List[Tree] = all.reverse

    def reading(tpe: Type, body: Tree): Tree = {
      val name = TermName(c.freshName("read"))
      all = q"def $name(in: _root_.kumihimo.Reader): $tpe = $body" :: all
      q"$name(in)"
    }

    def writing(tpe: Type, value: Tree)(body: Tree => Tree): Tree = {
      val name = TermName(c.freshName("write"))
      val parameter = TermName(c.freshName("items"))
      val written = body(q"$parameter")
      all = q"def $name($parameter: $tpe, out: _root_.kumihimo.Writer): _root_.scala.Unit = $written" :: all
      q"$name($value, out)"
    }
  }

  private def companion(name: String): Tree = c.parse("_root_." + name)

  private def tupleOf(count: Int) = TermName(s"Tuple$count")

  def writeOf(shape: Shape, tpe: Type, value: Tree, nested: TermName, methods: Methods): Tree = shape match {
    case Shape.Boolean => q"out.bool($value)"
    case Shape.Byte | Shape.Short => q"out.i32($value.toInt)"
    case Shape.Int => q"out.i32($value)"
    case Shape.Long => q"out.i64($value)"
    case Shape.Float => q"out.f32($value)"
    case Shape.Double => q"out.f64($value)"
    case Shape.Char => q"out.str(_root_.java.lang.String.valueOf($value))"
    case Shape.Str => q"out.str($value)"
    case Shape.Call(number, _) => q"$nested($number).write($value, out)"
    case Shape.Optional(inner) =>
      val option = TermName(c.freshName("option"))
      val some = TermName(c.freshName("some"))
      q"""{
        val $option = $value
        if ($option.isEmpty) out.nil()
        else { val $some = $option.get; ${writeOf(inner, optionArgument(tpe), q"$some", nested, methods)} }
      }"""
    case Shape.Items(name, inner) =>
      methods.writing(tpe, value) { items =>
        val each = TermName(c.freshName("each"))
        val element = tpe.dealias.typeArgs.head
        if (name == "scala.List")
          q"""{
            if ($items eq _root_.scala.Nil) out.emptyArray()
            else {
              out.array($items.length.toLong)
              var $each = $items
              while ($each ne _root_.scala.Nil) {
                ${writeOf(inner, element, q"$each.head", nested, methods)}
                $each = $each.tail
              }
              out.end()
            }
          }"""
        else {
          val next = TermName(c.freshName("next"))
          val count = TermName(c.freshName("count"))
          val i = TermName(c.freshName("i"))
          q"""{
            val $count = $items.length
            if ($count == 0) out.emptyArray()
            else {
              out.array($count.toLong)
              val $each = _root_.kumihimo.codec.RecordCodec.iterator($items, $count)
              var $i = 0
              while ($i < $count) {
                val $next = if ($each eq null) $items($i) else $each.next()
                ${writeOf(inner, element, q"$next", nested, methods)}
                $i += 1
              }
              out.end()
            }
          }"""
        }
      }
    case Shape.Tuple(shapes) =>
      methods.writing(tpe, value) { tuple =>
        val each = shapes.zip(tpe.dealias.typeArgs).zipWithIndex.map { case ((s, t), i) =>
          writeOf(s, t, q"$tuple.${TermName(s"_${i + 1}")}", nested, methods)
        }
        q"{ out.array(${shapes.length.toLong}); ..$each; out.end() }"
      }
    case Shape.Kept => q"()"
  }

  def readOf(shape: Shape, tpe: Type, nested: TermName, methods: Methods): Tree = shape match {
    case Shape.Boolean => q"in.bool()"
    case Shape.Byte => q"_root_.kumihimo.codec.Scalars.byte(in)"
    case Shape.Short => q"_root_.kumihimo.codec.Scalars.short(in)"
    case Shape.Int => q"in.i32()"
    case Shape.Long => q"in.i64()"
    case Shape.Float => q"in.f32()"
    case Shape.Double => q"in.f64()"
    case Shape.Char => q"_root_.kumihimo.codec.Scalars.char(in)"
    case Shape.Str => q"in.str()"
    case Shape.Call(number, _) => q"$nested($number).read(in).asInstanceOf[$tpe]"
    case Shape.Optional(inner) =>
      val value = optionArgument(tpe)
      q"if (in.tryNil()) _root_.scala.None else _root_.scala.Some[$value](${readOf(inner, value, nested, methods)})"
    case Shape.Items(name, inner) =>
      val element = tpe.dealias.typeArgs.head
      val items = TermName(c.freshName("items"))
      val more = TermName(c.freshName("more"))
      methods.reading(
        tpe,
        q"""{
          in.array()
          if (!in.hasNext()) ${companion(name)}.empty[$element]
          else {
            val $items = ${companion(name)}.newBuilder[$element]
            var $more = true
            while ($more) {
              $items += ${readOf(inner, element, nested, methods)}
              $more = in.hasNext()
            }
            $items.result()
          }
        }"""
      )
    case Shape.Tuple(shapes) =>
      val length = shapes.length
      val at = TermName(c.freshName("at"))
      val locals = shapes.map(_ => TermName(c.freshName("element")))
      val reads = locals.zip(shapes.zip(tpe.dealias.typeArgs)).flatMap { case (local, (s, t)) =>
        List(
          q"_root_.kumihimo.codec.Tuples.next(in, $length, $at)",
          q"val $local: $t = ${readOf(s, t, nested, methods)}"
        )
      }
      methods.reading(
        tpe,
        q"""{
          in.array()
          val $at = _root_.kumihimo.codec.RecordCodec.opened(in)
          ..$reads
          _root_.kumihimo.codec.Tuples.end(in, $length, $at)
          _root_.scala.${tupleOf(length)}[..${tpe.dealias.typeArgs}](..$locals)
        }"""
      )
    case Shape.Kept => q"()"
  }

  /** Whether a value is one that a field is left out with. */
  def absentOf(shape: Shape, value: Tree, nested: TermName): Option[Tree] = shape match {
    case Shape.Optional(_) => Some(q"$value.isEmpty")
    case Shape.Call(number, true) => Some(q"$nested($number).isAbsent($value)")
    case _ => None
  }

  /** The same where empty ones are left out, too. */
  def emptyOf(shape: Shape, value: Tree, nested: TermName): Option[Tree] = shape match {
    case Shape.Str | Shape.Items(_, _) => Some(q"$value.isEmpty")
    case Shape.Call(number, _) => Some(q"$nested($number).isEmpty($value)")
    case _ => absentOf(shape, value, nested)
  }

  /** The empty value of a type that is read in place. */
  def emptyValue(shape: Shape): Option[Tree] = shape match {
    case Shape.Str => Some(q"${""}")
    case Shape.Items(name, _) => Some(q"${companion(name)}.empty")
    case Shape.Optional(_) => Some(q"_root_.scala.None")
    case _ => None
  }

  def zeroOf(tpe: Type): Tree =
    if (tpe =:= typeOf[Boolean]) q"false"
    else if (tpe =:= typeOf[Byte]) q"(0: _root_.scala.Byte)"
    else if (tpe =:= typeOf[Short]) q"(0: _root_.scala.Short)"
    else if (tpe =:= typeOf[Int]) q"0"
    else if (tpe =:= typeOf[Long]) q"0L"
    else if (tpe =:= typeOf[Float]) q"0f"
    else if (tpe =:= typeOf[Double]) q"0d"
    else if (tpe =:= typeOf[Char]) q"'\u0000'"
    else q"null.asInstanceOf[$tpe]"
}

private[codec] object Shapes {

  /** Collections that are read and written in place, by the names of their codecs. */
  val companions = Map(
    "list" -> "scala.List",
    "vector" -> "scala.Vector",
    "seq" -> "scala.Seq",
    "indexedSeq" -> "scala.IndexedSeq"
  )
}
