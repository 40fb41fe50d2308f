package kumihimo.codec

import kumihimo.{Reader, Writer}

import scala.quoted.*

/** How a field's type is read and written: in place where its codec is one of this library, else by a call. */
private enum Shape {
  case Boolean, Byte, Short, Int, Long, Float, Double, Char, Str

  /** A field that is neither read nor written as such. */
  case Kept

  /** The codec of this number; `elides`: it may leave a field out. */
  case Call(number: scala.Int, elides: scala.Boolean)
  case Optional(value: Shape)

  /** A collection whose codec has this name. */
  case Items(name: String, value: Shape)
  case Tuple(values: List[Shape])

  def isOption: scala.Boolean = this.isInstanceOf[Optional]
}

private trait Shapes { self: Annotated =>
  import q.reflect.*

  /** The codecs that the code calls, in the order of their numbers. */
  final class Calls {
    private var all = List.empty[(TypeRepr, Expr[Any])]

    def add(tpe: TypeRepr, codec: Expr[Any]): Int = all.indexWhere(_._1 =:= tpe) match {
      case -1 =>
        all = all :+ (tpe -> codec)
        all.length - 1
      case number => number
    }

    def nested(using Quotes): Expr[Nested] = {
      def make(index: Expr[Int])(using Quotes): Expr[Codec[?]] =
        all.zipWithIndex.foldRight[Expr[Codec[?]]]('{ throw new IndexOutOfBoundsException }) {
          case (((_, codec), number), rest) =>
            '{ if ($index == ${ Expr(number) }) ${ codec.asExprOf[Codec[?]] } else $rest }
        }
      '{ new Nested(${ Expr(all.length) }, (index: Int) => ${ make('index) }) }
    }
  }

  def shapeOf(tpe: TypeRepr, calls: Calls, missing: => String): Shape = tpe.asType match {
    case '[t] =>
      Expr.summon[Codec[t]] match {
        case None => report.errorAndAbort(missing)
        case Some(codec) =>
          val symbol = called(codec.asTerm)
          val own = Known.own(symbol.owner.fullName)
          (own, symbol.name) match {
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
              shapeOf(tpe.baseType(TypeRepr.of[Option[Any]].typeSymbol).typeArgs.head, calls, missing) match {
                // Some(None) would be read back as None.
                case Shape.Optional(_) => Shape.Call(calls.add(tpe, codec), elides = true)
                case inner => Shape.Optional(inner)
              }
            case (
                  "CollectionCodecs" | "IndexedSeqCodecs" | "SeqCodecs",
                  name @ ("list" | "vector" | "seq" | "indexedSeq")
                ) =>
              Shape.Items(name, shapeOf(arguments(tpe).head, calls, missing))
            case ("TupleCodecs", _) => Shape.Tuple(arguments(tpe).map(shapeOf(_, calls, missing)))
            case (own, _) if Known.neverAbsent(own) =>
              Shape.Call(calls.add(tpe, codec), elides = false)
            case _ => Shape.Call(calls.add(tpe, codec), elides = true)
          }
      }
  }

  /** Whose result a codec is that was found: a name of this library, or of somebody else. */
  def called(term: Term): Symbol = term match {
    case Inlined(_, _, inner) => called(inner)
    case Typed(inner, _) => called(inner)
    case Apply(function, _) => called(function)
    case TypeApply(function, _) => called(function)
    case Block(_, inner) => called(inner)
    case other => other.symbol
  }

  private def arguments(tpe: TypeRepr) = tpe.dealias.typeArgs

  /** Methods of their own for what loops or branches: the compiler of the JVM does not like large ones. */
  final class Methods(owner: Symbol, nested: Term) {
    private var all = List.empty[DefDef]

    def definitions: List[DefDef] = all.reverse

    def reading(tpe: TypeRepr, in: Expr[Reader])(
        body: (Expr[Reader], Expr[Nested]) => Quotes ?=> Expr[Any]
    ): Term = {
      val symbol = Symbol.newMethod(
        owner,
        s"read${all.length}",
        MethodType(List("in"))(_ => List(TypeRepr.of[Reader]), _ => tpe)
      )
      val method = DefDef(
        symbol,
        {
          case List(List(parameter: Term)) =>
            given Quotes = symbol.asQuotes
            Some(body(parameter.asExprOf[Reader], nested.asExprOf[Nested]).asTerm.changeOwner(symbol))
          case _ => None
        }
      )
      all = method :: all
      Apply(Ref(symbol), List(in.asTerm))
    }

    def writing(tpe: TypeRepr, value: Term, out: Expr[Writer])(
        body: (Term, Expr[Writer], Expr[Nested]) => Quotes ?=> Expr[Unit]
    ): Expr[Unit] = {
      val symbol = Symbol.newMethod(
        owner,
        s"write${all.length}",
        MethodType(List("items", "out"))(_ => List(tpe, TypeRepr.of[Writer]), _ => TypeRepr.of[Unit])
      )
      val method = DefDef(
        symbol,
        {
          case List(List(items: Term, to: Term)) =>
            given Quotes = symbol.asQuotes
            Some(body(items, to.asExprOf[Writer], nested.asExprOf[Nested]).asTerm.changeOwner(symbol))
          case _ => None
        }
      )
      all = method :: all
      Apply(Ref(symbol), List(value, out.asTerm)).asExprOf[Unit]
    }
  }

  def writeOf(
      shape: Shape,
      tpe: TypeRepr,
      value: Term,
      out: Expr[Writer],
      nested: Expr[Nested],
      methods: Methods
  )(using
      Quotes
  ): Expr[Unit] = shape match {
    case Shape.Boolean => '{ $out.bool(${ value.asExprOf[Boolean] }) }
    case Shape.Byte => '{ $out.i32(${ value.asExprOf[Byte] }.toInt) }
    case Shape.Short => '{ $out.i32(${ value.asExprOf[Short] }.toInt) }
    case Shape.Int => '{ $out.i32(${ value.asExprOf[Int] }) }
    case Shape.Long => '{ $out.i64(${ value.asExprOf[Long] }) }
    case Shape.Float => '{ $out.f32(${ value.asExprOf[Float] }) }
    case Shape.Double => '{ $out.f64(${ value.asExprOf[Double] }) }
    case Shape.Char => '{ $out.str(String.valueOf(${ value.asExprOf[Char] })) }
    case Shape.Str => '{ $out.str(${ value.asExprOf[String] }) }
    case Shape.Call(number, _) => '{ $nested(${ Expr(number) }).write(${ value.asExpr }, $out) }
    case Shape.Optional(inner) =>
      val element = tpe.baseType(TypeRepr.of[Option[Any]].typeSymbol).typeArgs.head
      element.asType match {
        case '[t] =>
          '{
            val option = ${ value.asExprOf[Option[t]] }
            if (option.isEmpty) $out.nil()
            else {
              val some = option.get
              ${ writeOf(inner, element, 'some.asTerm, out, nested, methods) }
            }
          }
      }
    case Shape.Items(name, inner) =>
      val element = arguments(tpe).head
      methods.writing(tpe, value, out) { (items, to, nested) =>
        element.asType match {
          case '[t] if name == "list" =>
            '{
              val list = ${ items.asExprOf[List[t]] }
              if (list eq Nil) $to.emptyArray()
              else {
                $to.array(list.length.toLong)
                var each = list
                while (each ne Nil) {
                  val head = each.head
                  ${ writeOf(inner, element, 'head.asTerm, to, nested, methods) }
                  each = each.tail
                }
                $to.end()
              }
            }
          case '[t] =>
            '{
              val seq = ${ items.asExprOf[Seq[t]] }
              val count = seq.length
              if (count == 0) $to.emptyArray()
              else {
                $to.array(count.toLong)
                val each = RecordCodec.iterator(seq, count)
                var i = 0
                while (i < count) {
                  val next = if (each eq null) seq(i) else each.next()
                  ${ writeOf(inner, element, 'next.asTerm, to, nested, methods) }
                  i += 1
                }
                $to.end()
              }
            }
        }
      }
    case Shape.Tuple(shapes) =>
      methods.writing(tpe, value, out) { (tuple, to, nested) =>
        val each = shapes.zip(arguments(tpe)).zipWithIndex.map { case ((s, t), i) =>
          writeOf(s, t, Select.unique(tuple, s"_${i + 1}"), to, nested, methods)
        }
        Expr.block('{ $to.array(${ Expr(shapes.length.toLong) }) } :: each, '{ $to.end() })
      }
    case Shape.Kept => '{ () }
  }

  def readOf(shape: Shape, tpe: TypeRepr, in: Expr[Reader], nested: Expr[Nested], methods: Methods)(using
      Quotes
  ): Term = {
    val read: Expr[Any] = shape match {
      case Shape.Boolean => '{ $in.bool() }
      case Shape.Byte => '{ Scalars.byte($in) }
      case Shape.Short => '{ Scalars.short($in) }
      case Shape.Int => '{ $in.i32() }
      case Shape.Long => '{ $in.i64() }
      case Shape.Float => '{ $in.f32() }
      case Shape.Double => '{ $in.f64() }
      case Shape.Char => '{ Scalars.char($in) }
      case Shape.Str => '{ $in.str() }
      case Shape.Call(number, _) =>
        tpe.asType match { case '[t] => '{ $nested(${ Expr(number) }).read($in).asInstanceOf[t] } }
      case Shape.Optional(inner) =>
        val value = tpe.baseType(TypeRepr.of[Option[Any]].typeSymbol).typeArgs.head
        value.asType match {
          case '[t] =>
            '{ if ($in.tryNil()) None else Some[t](${ readOf(inner, value, in, nested, methods).asExprOf[t] }) }
        }
      case Shape.Items(name, inner) =>
        val element = arguments(tpe).head
        methods
          .reading(tpe, in) { (from, nested) =>
            (element.asType, tpe.asType) match {
              case ('[t], '[c]) =>
                val (empty, builder) = collection[t, c](name)
                '{
                  $from.array()
                  if (! $from.hasNext()) $empty
                  else {
                    val items = $builder
                    var more = true
                    while (more) {
                      items += ${ readOf(inner, element, from, nested, methods).asExprOf[t] }
                      more = $from.hasNext()
                    }
                    items.result()
                  }
                }
            }
          }
          .asExpr
      case Shape.Tuple(shapes) =>
        methods
          .reading(tpe, in) { (from, nested) =>
            def elements(rest: List[(Shape, TypeRepr)], read: List[Term], at: Expr[Int])(using Quotes): Expr[Any] =
              rest match {
                case (s, t) :: more =>
                  t.asType match {
                    case '[t] =>
                      '{
                        Tuples.next($from, ${ Expr(shapes.length) }, $at)
                        val element = ${ readOf(s, TypeRepr.of[t], from, nested, methods).asExprOf[t] }
                        ${ elements(more, 'element.asTerm :: read, at) }
                      }
                  }
                case Nil =>
                  val tuple = tpe.dealias
                  val made = Select(New(Inferred(tuple)), tuple.typeSymbol.primaryConstructor)
                    .appliedToTypes(tuple.typeArgs)
                    .appliedToArgs(read.reverse)
                  '{
                    Tuples.end($from, ${ Expr(shapes.length) }, $at)
                    ${ made.asExpr }
                  }
              }
            '{
              $from.array()
              val at = RecordCodec.opened($from)
              ${ elements(shapes.zip(arguments(tpe)), Nil, 'at) }
            }
          }
          .asExpr
      case Shape.Kept => '{ () }
    }
    read.asTerm
  }

  private def collection[T: Type, C: Type](
      name: String
  )(using Quotes): (Expr[C], Expr[scala.collection.mutable.Builder[T, C]]) = {
    val (empty, builder) = name match {
      case "list" => ('{ List.empty[T] }, '{ List.newBuilder[T] })
      case "vector" => ('{ Vector.empty[T] }, '{ Vector.newBuilder[T] })
      case "seq" => ('{ Seq.empty[T] }, '{ Seq.newBuilder[T] })
      case _ => ('{ IndexedSeq.empty[T] }, '{ IndexedSeq.newBuilder[T] })
    }
    (empty.asExprOf[C], builder.asExprOf[scala.collection.mutable.Builder[T, C]])
  }

  /** Whether `absentOf` says anything of a type. */
  def canBeAbsent(shape: Shape): Boolean = shape match {
    case Shape.Optional(_) | Shape.Call(_, true) => true
    case _ => false
  }

  /** The same of `emptyOf`. */
  def canBeEmpty(shape: Shape): Boolean = shape match {
    case Shape.Str | Shape.Items(_, _) | Shape.Call(_, _) => true
    case _ => canBeAbsent(shape)
  }

  /** Whether a value is one that a field is left out with. */
  def absentOf(shape: Shape, value: Term, nested: Expr[Nested])(using Quotes): Option[Expr[Boolean]] = shape match {
    case Shape.Optional(_) => Some('{ ${ value.asExprOf[Option[Any]] }.isEmpty })
    case Shape.Call(number, true) => Some('{ $nested(${ Expr(number) }).isAbsent(${ value.asExpr }) })
    case _ => None
  }

  /** The same where empty ones are left out, too. */
  def emptyOf(shape: Shape, value: Term, nested: Expr[Nested])(using Quotes): Option[Expr[Boolean]] = shape match {
    case Shape.Str => Some('{ ${ value.asExprOf[String] }.isEmpty })
    case Shape.Items(_, _) => Some('{ ${ value.asExprOf[Iterable[Any]] }.isEmpty })
    case Shape.Call(number, _) => Some('{ $nested(${ Expr(number) }).isEmpty(${ value.asExpr }) })
    case _ => absentOf(shape, value, nested)
  }

  /** The empty value of a type that is read in place. */
  def emptyValue(shape: Shape, tpe: TypeRepr)(using Quotes): Option[Expr[Any]] = shape match {
    case Shape.Str => Some(Expr(""))
    case Shape.Items(name, _) =>
      (arguments(tpe).head.asType, tpe.asType) match { case ('[t], '[c]) => Some(collection[t, c](name)._1) }
    case Shape.Optional(_) => Some('{ None })
    case _ => None
  }

  def zeroOf(tpe: TypeRepr)(using Quotes): Term =
    if (tpe =:= TypeRepr.of[Boolean]) Literal(BooleanConstant(false))
    else if (tpe =:= TypeRepr.of[Byte]) Literal(ByteConstant(0))
    else if (tpe =:= TypeRepr.of[Short]) Literal(ShortConstant(0))
    else if (tpe =:= TypeRepr.of[Int]) Literal(IntConstant(0))
    else if (tpe =:= TypeRepr.of[Long]) Literal(LongConstant(0))
    else if (tpe =:= TypeRepr.of[Float]) Literal(FloatConstant(0))
    else if (tpe =:= TypeRepr.of[Double]) Literal(DoubleConstant(0))
    else if (tpe =:= TypeRepr.of[Char]) Literal(CharConstant(0))
    else tpe.asType match { case '[t] => '{ null.asInstanceOf[t] }.asTerm }
}
