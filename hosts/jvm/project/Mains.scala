import java.io.File

import scala.sys.process.*

/**
 * The core's tests are plain programs, since it depends on nothing: classes whose names end in Test, two of them again
 * where Strings do not show their bytes, the vectors and what mutation makes of them, and a table in docs/formats.md.
 */
object Mains {
  def run(mains: Seq[String], classPath: Seq[File], top: File): Unit = {
    val java = new File(System.getProperty("java.home"), "bin/java").getPath
    val vectors = new File(top, "tests/vectors").getPath
    val tests = mains.filter(_.endsWith("Test")).sorted.map(Seq(_)) :+
      Seq("-Dkumihimo.unsafe=false", "kumihimo.json.JsonWriterTest") :+
      Seq("-Dkumihimo.unsafe=false", "kumihimo.scalar.TextTest") :+
      Seq("kumihimo.plain.FormatsTable", new File(top, "docs/formats.md").getPath) :+
      Seq("kumihimo.VectorRunner", vectors) :+
      Seq("kumihimo.MutationRunner", vectors, "count", "3000")
    val failed = tests.filter { test =>
      println(s"[info] ${test.mkString(" ").take(60)}")
      val command = Seq(java, "-Xmx1g", "-ea", "-cp", classPath.mkString(File.pathSeparator)) ++ test
      Process(command).!(ProcessLogger(line => println("[info]   " + line))) != 0
    }
    if (failed.nonEmpty) sys.error(failed.map(_.head).mkString("failed: ", ", ", ""))
  }
}
