import java.io.File

import scala.sys.process.*

/**
 * The core's tests are plain programs, since it depends on nothing: a class whose name ends in Test, and the
 * vectors.
 */
object Mains {
  def run(mains: Seq[String], classPath: Seq[File], top: File): Unit = {
    val java = new File(System.getProperty("java.home"), "bin/java").getPath
    val tests = mains.filter(_.endsWith("Test")).sorted.map(Seq(_)) :+
      Seq("kumihimo.VectorRunner", new File(top, "tests/vectors").getPath)
    val failed = tests.filter { test =>
      println(s"[info] ${test.head}")
      val command = Seq(java, "-Xmx1g", "-ea", "-cp", classPath.mkString(File.pathSeparator)) ++ test
      Process(command).!(ProcessLogger(line => println("[info]   " + line))) != 0
    }
    if (failed.nonEmpty) sys.error(failed.map(_.head).mkString("failed: ", ", ", ""))
  }
}
