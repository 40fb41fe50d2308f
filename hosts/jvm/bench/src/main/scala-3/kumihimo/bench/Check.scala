package kumihimo.bench

/** Compares what the contenders of every bench write and read, before anything is measured. */
object Check {
  def main(names: Array[String]): Unit = {
    val checks = List(
      "ModuleIdsBench" -> (() => new ModuleIdsBench().check()),
      "TwitterBench" -> (() => new TwitterBench().check()),
      "CitmBench" -> (() => new CitmBench().check()),
      "CanadaBench" -> (() => new CanadaBench().check()),
      "FilmsBench" -> (() => new FilmsBench().check()),
      "SmallBench" -> (() => new SmallBench().check()),
      "PartialBench" -> (() => new PartialBench().check()),
      "PlainTwitterBench" -> (() => new PlainTwitterBench().check()),
      "PlainCitmBench" -> (() => new PlainCitmBench().check()),
      "PlainCanadaBench" -> (() => new PlainCanadaBench().check()),
      "PlainFilmsBench" -> (() => new PlainFilmsBench().check())
    )
    for ((name, check) <- checks if names.isEmpty || names.contains(name)) check()
  }
}
