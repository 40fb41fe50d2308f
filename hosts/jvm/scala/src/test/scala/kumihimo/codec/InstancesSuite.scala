package kumihimo.codec

import java.time._

import org.scalacheck.Gen
import org.scalacheck.Arbitrary.arbitrary
import org.scalacheck.rng.Seed

import scala.collection.{concurrent, immutable, mutable}
import scala.concurrent.duration.{Duration => ScalaDuration, FiniteDuration}

/** Every instance of the standard libraries, by values by chance and at the edges: what is written comes back. */
class InstancesSuite extends munit.FunSuite {
  private def all[A](name: String, values: Gen[A], forms: List[Form] = Forms.all)(implicit codec: Codec[A]): Unit =
    test(name) {
      // The same values every time.
      (1L to 60L).foreach { seed =>
        val value = values.pureApply(Gen.Parameters.default.withSize(20), Seed(seed))
        forms.foreach(form => assertEquals(plain(form.decode[A](form.encode(value))), plain(value), form.toString))
      }
    }

  /** Arrays by their elements. */
  private def plain(value: Any): Any = value match {
    case array: Array[_] => array.toList.map(plain)
    case other => other
  }

  private val points = Gen.oneOf(Gen.choose(0, 0xd7ff), Gen.choose(0xe000, 0x10ffff))
  private val text: Gen[String] = Gen.listOf(points).map(p => new String(p.toArray, 0, p.length))
  private val letter = Gen.choose('\u0020', '\ud7ff')

  private val ints = Gen.oneOf(arbitrary[Int], Gen.oneOf(Int.MinValue, Int.MaxValue, 0))
  private val longs = Gen.oneOf(arbitrary[Long], Gen.oneOf(Long.MinValue, Long.MaxValue))
  private val doubles = Gen.oneOf(arbitrary[Double], Gen.oneOf(Double.MinPositiveValue, Double.MaxValue, -0.0))
  private val floats = Gen.oneOf(arbitrary[Float], Gen.oneOf(Float.MinPositiveValue, Float.MaxValue, 16777216f))
  private val bytes = Gen.oneOf(arbitrary[Byte], Gen.oneOf(Byte.MinValue, Byte.MaxValue))
  private val shorts = Gen.oneOf(arbitrary[Short], Gen.oneOf(Short.MinValue, Short.MaxValue))
  private val bigs = Gen.zip(longs, Gen.choose(0, 16000), Gen.oneOf(true, false)).map { case (l, bits, negative) =>
    val value = (BigInt(l).abs << bits % 16300) + l
    if (negative) -value else value
  }
  private val decimals = Gen.zip(bigs, Gen.choose(-6176, 6176)).map { case (digits, scale) =>
    new BigDecimal(new java.math.BigDecimal(digits.bigInteger, scale), java.math.MathContext.UNLIMITED)
  }

  all("booleans", arbitrary[Boolean])
  all("bytes", bytes)
  all("shorts", shorts)
  all("ints", ints)
  all("longs", longs)
  all("floats", floats)
  all("doubles", doubles)
  all("characters", letter)
  all("strings", text)
  all("symbols", text.map(Symbol(_)))
  all("big integers", bigs)
  all("big decimals", decimals)
  all("Java's big decimals, with their scale", decimals.map(_.bigDecimal))
  all("Java's big integers", bigs.map(_.bigInteger))
  all("boxes", Gen.zip(ints.map(Int.box), longs.map(Long.box), doubles.map(Double.box), floats.map(Float.box)))
  all("more boxes", Gen.zip(bytes.map(Byte.box), shorts.map(Short.box), letter.map(Char.box)))

  all("options", Gen.option(ints))
  all("eithers", Gen.either(ints, text))
  all("Java's optionals", Gen.option(ints).map(o => o.fold(java.util.Optional.empty[Int])(java.util.Optional.of(_))))
  all("tuples", Gen.zip(ints, text, Gen.option(ints)))

  private val numbers = Gen.listOf(ints)
  all("lists", numbers)
  all("vectors", numbers.map(_.toVector))
  all("sequences", numbers.map(l => l: Seq[Int]))
  all("indexed sequences", numbers.map(l => l.toIndexedSeq))
  all("sets", numbers.map(_.toSet))
  all("hash sets", numbers.map(l => immutable.HashSet(l: _*)))
  all("sorted sets", numbers.map(l => immutable.SortedSet(l: _*)))
  all("tree sets", numbers.map(l => immutable.TreeSet(l: _*)))
  all("bit sets", Gen.listOf(Gen.choose(0, 5000)).map(l => immutable.BitSet(l: _*)))
  all("queues", numbers.map(l => immutable.Queue(l: _*)))
  all("mutable sequences", numbers.map(l => mutable.Seq(l: _*)))
  all("mutable indexed sequences", numbers.map(l => mutable.IndexedSeq(l: _*)))
  all("buffers", numbers.map(l => mutable.Buffer(l: _*)))
  all("array buffers", numbers.map(l => mutable.ArrayBuffer(l: _*)))
  all("list buffers", numbers.map(l => mutable.ListBuffer(l: _*)))
  all("mutable queues", numbers.map(l => mutable.Queue(l: _*)))
  all("mutable sets", numbers.map(l => mutable.Set(l: _*)))
  all("mutable hash sets", numbers.map(l => mutable.HashSet(l: _*)))
  all("linked hash sets", numbers.map(l => mutable.LinkedHashSet(l: _*)))
  all("linear sequences", numbers.map(l => l: immutable.LinearSeq[Int]))
  all("sets of either kind", numbers.map(l => l.toSet: scala.collection.Set[Int]))
  all("mutable bit sets", Gen.listOf(Gen.choose(0, 5000)).map(l => mutable.BitSet(l: _*)))
  all("mutable sorted sets", numbers.map(l => mutable.SortedSet(l: _*)))
  all("mutable tree sets", numbers.map(l => mutable.TreeSet(l: _*)))
  all(
    "Java's sets",
    numbers.map(l => new java.util.LinkedHashSet(java.util.Arrays.asList(l: _*)): java.util.Set[Int])
  )
  all("Java's lists", numbers.map(l => java.util.Arrays.asList(l: _*)))
  all("arrays of bytes", Gen.listOf(bytes).map(_.toArray))
  all("arrays of booleans", Gen.listOf(arbitrary[Boolean]).map(_.toArray))
  all("arrays of shorts", Gen.listOf(shorts).map(_.toArray))
  all("arrays of ints", numbers.map(_.toArray))
  all("arrays of longs", Gen.listOf(longs).map(_.toArray))
  all("arrays of floats", Gen.listOf(floats).map(_.toArray))
  all("arrays of doubles", Gen.listOf(doubles).map(_.toArray))
  all("arrays of objects", Gen.listOf(text).map(_.toArray))

  private def maps[K](keys: Gen[K]): Gen[Map[K, Int]] = Gen.mapOf(Gen.zip(keys, ints))
  all("maps by text", maps(text))
  all("maps by booleans", maps(arbitrary[Boolean]))
  all("maps by bytes", maps(bytes))
  all("maps by shorts", maps(shorts))
  all("maps by longs", maps(longs))
  all("maps by floats", maps(floats))
  all("maps by doubles", maps(doubles))
  all("maps by characters", maps(letter))
  all("maps by symbols", maps(text.map(Symbol(_))))
  all("maps by big integers", maps(bigs))
  all("maps by big decimals", maps(decimals))
  all("maps by UUIDs", maps(Gen.uuid))
  all("maps by days", maps(days))
  all("maps by moments", maps(moments))
  all("maps by years", maps(years))
  all("maps by months", maps(months))
  all("maps by enums", maps(Gen.oneOf(DayOfWeek.values.toList)))
  all("hash maps", maps(ints).map(m => immutable.HashMap(m.toList: _*)))
  all("tree maps", maps(ints).map(m => immutable.TreeMap(m.toList: _*)))
  all("sorted maps", maps(ints).map(m => immutable.SortedMap(m.toList: _*)))
  all("mutable maps", maps(ints).map(m => mutable.Map(m.toList: _*)))
  all("mutable hash maps", maps(ints).map(m => mutable.HashMap(m.toList: _*)))
  all("linked hash maps", maps(ints).map(m => mutable.LinkedHashMap(m.toList: _*)))
  all("maps of either kind", maps(ints).map(m => m: scala.collection.Map[Int, Int]))
  all("int maps", maps(ints).map(m => immutable.IntMap(m.toList: _*)))
  all("long maps", maps(longs).map(m => immutable.LongMap(m.toList: _*)))
  all("concurrent maps", maps(text).map(m => concurrent.TrieMap(m.toList: _*): concurrent.Map[String, Int]))
  all("trie maps", maps(text).map(m => concurrent.TrieMap(m.toList: _*)))
  all("mutable sorted maps", maps(ints).map(m => mutable.SortedMap(m.toList: _*)))
  all("mutable tree maps", maps(ints).map(m => mutable.TreeMap(m.toList: _*)))
  all(
    "Java's maps",
    maps(text).map { m =>
      val map = new java.util.LinkedHashMap[String, Int]
      m.foreach { case (k, v) => map.put(k, v) }
      map: java.util.Map[String, Int]
    }
  )

  // Text by RFC 3339 has years of four digits.
  private lazy val seconds = Gen.choose(-62135596800L, 253402300799L)
  private lazy val nanos = Gen.oneOf(Gen.const(0), Gen.choose(0, 999999999))
  private lazy val moments = Gen.zip(seconds, nanos).map { case (s, n) => Instant.ofEpochSecond(s, n.toLong) }
  private lazy val offsets = Gen.choose(-18 * 60, 18 * 60).map(m => ZoneOffset.ofTotalSeconds(m * 60))
  private lazy val zones = Gen.oneOf(Gen.oneOf("Asia/Tokyo", "Europe/Berlin", "UTC", "Z").map(ZoneId.of(_)), offsets)
  private lazy val days = Gen.choose(-719162L, 2932896L).map(LocalDate.ofEpochDay)
  private lazy val times = Gen.choose(0L, 86399999999999L).map(LocalTime.ofNanoOfDay)
  private lazy val years =
    Gen.oneOf(Gen.choose(Year.MIN_VALUE, Year.MAX_VALUE), Gen.choose(-10, 12000)).map(Year.of(_))
  private lazy val months = Gen.zip(years, Gen.choose(1, 12)).map { case (y, m) => YearMonth.of(y.getValue, m) }

  all("moments", moments)
  all("days", days)
  all("times of day", times)
  all("local moments", Gen.zip(days, times).map { case (d, t) => LocalDateTime.of(d, t) })
  all(
    "moments with an offset",
    Gen.zip(Gen.choose(-719000L, 2932000L).map(LocalDate.ofEpochDay), times, offsets).map { case (d, t, o) =>
      OffsetDateTime.of(d, t, o)
    }
  )
  all("moments of zones", Gen.zip(moments, zones).map { case (m, z) => ZonedDateTime.ofInstant(m, z) })
  all("times with an offset", Gen.zip(times, offsets).map { case (t, o) => OffsetTime.of(t, o) })
  all("durations", Gen.zip(longs, nanos).map { case (s, n) => Duration.ofSeconds(s / 2, n.toLong) })
  all("periods", Gen.zip(ints, ints, ints).map { case (y, m, d) => Period.of(y, m, d) })
  all("years", years)
  all("months of years", months)
  all("days of months", Gen.zip(Gen.choose(1, 12), Gen.choose(1, 28)).map { case (m, d) => MonthDay.of(m, d) })
  all[ZoneId]("zones", zones)
  all("offsets", offsets)
  all("months", Gen.oneOf(Month.values.toList))
  all[FiniteDuration](
    "finite durations",
    Gen.oneOf(
      longs.filter(_ != Long.MinValue).map(ScalaDuration.fromNanos),
      Gen.choose(-9223372036854775L, 9223372036854775L).map(FiniteDuration(_, "microseconds"))
    )
  )
  all[ScalaDuration](
    "Scala's durations",
    Gen.oneOf(
      ScalaDuration.Inf,
      ScalaDuration.MinusInf,
      ScalaDuration(5, "days"),
      ScalaDuration(9007199254740993L, "nanos")
    )
  )
  all("UUIDs", Gen.uuid)

  private val leaf: Gen[Value] = Gen.oneOf(
    Gen.const(Value.Null),
    arbitrary[Boolean].map(Value.Bool(_)),
    longs.map(Value.Integer(_)),
    longs.map(l => Value.Unsigned(l | Long.MinValue)),
    doubles.map(Value.Number(_)),
    text.map(Value.Text(_))
  )
  private def value(depth: Int): Gen[Value] =
    if (depth == 0) leaf
    else Gen.oneOf(
      leaf,
      Gen.resize(4, Gen.listOf(value(depth - 1))).map(l => Value.Items(l.toVector)),
      Gen.resize(4, Gen.listOf(Gen.zip(text.map(Value.Text(_)), value(depth - 1)))).map(l => Value.Fields(l.toVector))
    )
  all("values of any shape", value(4))
}
