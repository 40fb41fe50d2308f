package kumihimo.bench

import org.openjdk.jmh.annotations.*

import java.util.concurrent.TimeUnit

/** One thread, average time. Forks, warm-up and the heap are the runner's (bench.py). */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
abstract class Settings
