package kumihimo.bench

import com.github.plokhotnyuk.jsoniter_scala.core.readFromSubArray
import kumihimo.{Formats, Limits}
import kumihimo.path.{Level, Partial, Projection}
import org.openjdk.jmh.annotations.{Benchmark, OperationsPerInvocation}

/** Two fields of frames of 4 KB; jsoniter by a codec that has no others. Time is that of one frame. */
class PartialBench extends Settings {
  private val frames = Frames.make(PartialBench.Count)
  private val wanted = Projection.of("last_price.price", "timestamp")
  private val strict = new Partial(Formats.named("json"), "", Limits.DEFAULT, Level.STRICT, wanted)
  private val trusted = new Partial(Formats.named("json"), "", Limits.DEFAULT, Level.TRUSTED, wanted)

  private def all(partial: Partial): Double = {
    var sum = 0.0
    var i = 0
    while (i < frames.length) {
      partial.run(frames(i), 0, frames(i).length)
      sum += partial.value(0).f64()
      sum += partial.value(1).str().length
      i += 1
    }
    sum
  }

  @Benchmark @OperationsPerInvocation(PartialBench.Count) def strictKumihimo(): Double = all(strict)
  @Benchmark @OperationsPerInvocation(PartialBench.Count) def trustedKumihimo(): Double = all(trusted)

  @Benchmark @OperationsPerInvocation(PartialBench.Count) def jsoniter(): Double = {
    var sum = 0.0
    var i = 0
    while (i < frames.length) {
      val frame = readFromSubArray(frames(i), 0, frames(i).length)(using Jsoniter.frame)
      sum += frame.last_price.price
      sum += frame.timestamp.length
      i += 1
    }
    sum
  }

  def check(): Unit = {
    val expected = jsoniter()
    require(strictKumihimo() == expected && trustedKumihimo() == expected, "two fields differ")
    println(s"frames have ${frames.map(_.length.toLong).sum / frames.length} bytes")
  }
}

object PartialBench {
  final val Count = 1000
}
