// sjson-new's own tests against our backend. Nothing in the checkout changes: its sources are compiled from there,
// with Kumihimo's beside them, and of its backends the Converters are ours (shims/), which go to its trees and back
// by way of our bytes.
//
//   sbt -Dpeers.checkout=DIR -Dpeers.kumihimo=hosts/jvm +test

val checkout = file(sys.props("peers.checkout"))
val kumihimo = file(sys.props("peers.kumihimo"))

ThisBuild / scalaVersion := "2.12.20"
ThisBuild / crossScalaVersions := Seq("2.12.20", "2.13.17", "3.3.7")
ThisBuild / publish / skip := true

val common = Seq(
  Test / fork := true,
  Test / baseDirectory := checkout,
  testFrameworks += new TestFramework("verify.runner.Framework"),
  scalacOptions ++= Seq("-deprecation", "-feature", "-language:_", "-unchecked", "-encoding", "utf8"),
  libraryDependencies ++= Seq(
    "com.eed3si9n.verify" %% "verify" % "1.0.0" % Test,
    "org.scalacheck" %% "scalacheck" % "1.15.4" % Test,
    "org.scalatest" %% "scalatest" % "3.2.10" % Test
  )
)

lazy val root = project.in(file(".")).aggregate(sjson, ours, spray, scalajson, msgpack)

/** Theirs, from their sources. */
lazy val sjson = project
  .enablePlugins(BoilerplatePlugin)
  .settings(
    common,
    libraryDependencies += "net.openhft" % "zero-allocation-hashing" % "0.10.1",
    Compile / unmanagedSourceDirectories += checkout / "core" / "src" / "main" / "scala",
    Compile / boilerplateSource := checkout / "core" / "src" / "main" / "boilerplate",
    Test / unmanagedSourceDirectories += checkout / "core" / "src" / "test" / "scala"
  )

/** Ours, from our sources, over theirs. */
lazy val ours = project
  .dependsOn(sjson)
  .settings(
    common,
    // Scala's compilers read the Java sources, too, but know no modules.
    Compile / unmanagedSources / excludeFilter := HiddenFileFilter || "module-info.java",
    Compile / unmanagedSourceDirectories ++= Seq(
      kumihimo / "core" / "src" / "main" / "java",
      kumihimo / "sjson-new" / "src" / "main" / "java",
      kumihimo / "sjson-new" / "src" / "main" / "scala"
    ),
    libraryDependencies += "com.github.luben" % "zstd-jni" % "1.5.7-4" % Optional
  )

def backend(name: String) = Project(name, file(name))
  .dependsOn(ours)
  .settings(
    common,
    Compile / unmanagedSourceDirectories += (ThisBuild / baseDirectory).value / "shims" / name,
    // All of their backend but its Converter.
    Compile / unmanagedSources ++=
      ((checkout / s"support/$name/src/main/scala") ** ("*.scala" -- "Converter.scala")).get,
    Test / unmanagedSourceDirectories += checkout / "support" / name / "src" / "test" / "scala",
    Test / unmanagedResourceDirectories += checkout / "support" / name / "src" / "test" / "resources"
  )

lazy val spray = backend("spray").settings(libraryDependencies += "io.spray" %% "spray-json" % "1.3.6")

lazy val scalajson = backend("scalajson").settings(
  libraryDependencies ++= Seq(
    "com.eed3si9n" %% "shaded-scalajson" % "1.0.0-M4",
    "com.eed3si9n" %% "shaded-jawn-parser" % "1.3.2"
  )
)

lazy val msgpack = backend("msgpack").settings(libraryDependencies += "org.msgpack" % "msgpack-core" % "0.8.17")
