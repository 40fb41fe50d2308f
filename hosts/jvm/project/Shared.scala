import sbt.*
import sbt.Keys.*
import com.typesafe.tools.mima.plugin.MimaKeys.mimaFailOnNoPrevious

/** What the projects have in common. */
object Shared {
  val scala212 = "2.12.20"
  val scala213 = "2.13.17"
  val scala3 = "3.3.7"

  /** Where sjson-new for Scala 3 is a dependency: what Maven Central has of it is compiled by a newer one than 3.3. */
  val newerScala3 = "3.7.2"

  val java11 = Seq("--release", "11", "-Xlint:all", "-Werror")

  /** The folder of the whole project. */
  val top = Def.setting((ThisBuild / baseDirectory).value.getParentFile.getParentFile)

  private def warnings(version: String) = CrossVersion.partialVersion(version) match {
    case Some((2, 12)) =>
      Seq("-Xfatal-warnings", "-Xlint:_,-unused", "-Ywarn-unused:imports,locals,privates", "-Ywarn-macros:after")
    case Some((2, _)) => Seq(
        "-Werror",
        "-Xlint:_,-unused,-byname-implicit,-implicit-recursion",
        "-Wunused:imports,locals,privates",
        "-Wmacros:after"
      )
    case _ =>
      // A newer Scala 3 than 3.3 would have private[this] written as private, which Scala 2 makes slower code of, and
      // implicit arguments and wildcards with words that Scala 2 does not know.
      val other = Seq(
        "Ignoring .this. qualifier",
        "should be provided with a .using. clause",
        "deprecated for wildcard arguments"
      )
      val newer = if (version == newerScala3) Seq(other.map(m => s"msg=$m:s").mkString("-Wconf:", ",", "")) else Nil
      Seq("-Werror", "-Wunused:imports,locals,privates", "-no-indent") ++ newer
  }

  val common = Seq(
    // Where ./dev says, so that nothing is built in the tree.
    target := sys.props.get("kumihimo.build").fold(baseDirectory.value / "target")(at =>
      file(at) / thisProject.value.id
    ),
    // There is no release yet that this one could break.
    mimaFailOnNoPrevious := false,
    // Scala 2.12 alone asks for it where a type has parameters of its own.
    Test / scalacOptions ++= { if (scalaBinaryVersion.value == "2.12") Seq("-language:higherKinds") else Nil },
    Test / parallelExecution := false,
    Test / fork := true,
    Test / baseDirectory := baseDirectory.value,
    Test / javaOptions ++= Seq("-Xmx1g", s"-Dkumihimo.vectors=${top.value / "tests" / "vectors"}"),
    // Of tests, which name one Scala; what is published in earnest has all.
    Compile / packageDoc / publishArtifact := sys.props.get(
      "kumihimo.documented"
    ).forall(_ == scalaBinaryVersion.value),
    Test / packageDoc / publishArtifact := false,
    Compile / packageBin / mappings += top.value / "LICENSE" -> "META-INF/LICENSE"
  )

  /**
   * The name that other modules require a jar by; it is the package that users import. Scala's compilers make no
   * module-info; core has one.
   */
  def module(name: String) =
    Compile / packageBin / packageOptions += Package.ManifestAttributes("Automatic-Module-Name" -> name)

  /** Java alone: one artifact for every language of the JVM. */
  val java = common ++ Seq(
    crossPaths := false,
    autoScalaLibrary := false,
    javacOptions ++= java11,
    Compile / doc / javacOptions := Seq("--release", "11", "-Xdoclint:all,-missing", "-quiet")
  )

  val cross = common ++ Seq(
    crossScalaVersions := Seq(scala212, scala213, scala3),
    javacOptions ++= java11,
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8", "-release", "11") ++
      warnings(scalaVersion.value),
    Compile / doc / scalacOptions --= Seq("-Werror", "-Xfatal-warnings"),
    // The fuzzer's documents are those of the core's tests, and so is what answers for them.
    Test / unmanagedSources ++= Seq("Mutations", "Differential").map(name =>
      top.value / s"hosts/jvm/core/src/test/java/kumihimo/$name.java"
    ),
    // Beside src/main/scala and src/main/scala-2 (or -3), which sbt knows: what 2.13 and 3 have in common.
    Compile / unmanagedSourceDirectories ++= {
      val at = (Compile / sourceDirectory).value
      if (scalaBinaryVersion.value == "2.12") Nil else Seq(at / "scala-2.13+")
    }
  )
}
