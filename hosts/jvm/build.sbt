// One core in Java, what Scala users see of it, and what users of sjson-new do. ./dev names the folders for all
// that is fetched.

ThisBuild / organization := "org.kumihimo"
ThisBuild / version := "0.1.0"
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / description := "One codec, any format: JSON, MessagePack, CBOR and tagged documents, compressed or not"
ThisBuild / scalaVersion := Shared.scala3

// A local Maven repository, from which the tests use what is published.
ThisBuild / publishTo := sys.props.get("kumihimo.repository").map(path => Resolver.file("published", file(path)))

// Every release is compared with those before it: their numbers go here. 0.1.0 is the first, and has none before it.
val released = Set.empty[String]

lazy val root = project
  .in(file("."))
  .aggregate(core, codecs, sjsonNew)
  .settings(Shared.common)
  .settings(publish / skip := true, crossScalaVersions := Nil)

lazy val core = project
  .in(file("core"))
  .settings(Shared.java)
  .settings(
    name := "kumihimo-core",
    libraryDependencies += "com.github.luben" % "zstd-jni" % "1.5.7-4" % Optional,
    Test / test := Mains.run(
      (Test / discoveredMainClasses).value,
      (Test / fullClasspath).value.files,
      Shared.top.value
    ),
    mimaPreviousArtifacts := released.map(organization.value % name.value % _)
  )

lazy val codecs = Project("scala", file("scala"))
  .dependsOn(core)
  .settings(Shared.cross)
  .settings(Shared.module("kumihimo.codec"))
  .settings(
    name := "kumihimo-scala",
    Compile / sourceGenerators += Def.task {
      val at = (Compile / sourceManaged).value / "kumihimo"
      Seq(
        "TupleCodecs.scala" -> Arities.tuples,
        "RecordCodecs.scala" -> Arities.records,
        "PrimitiveArrayCodecs.scala" -> Arities.arrays
      ).map { case (name, source) =>
        IO.write(at / name, source)
        at / name
      }
    }.taskValue,
    libraryDependencies ++= {
      val macros =
        if (scalaVersion.value.startsWith("2."))
          Seq("org.scala-lang" % "scala-reflect" % scalaVersion.value % Provided)
        else Nil
      macros ++ Seq("org.scalameta" %% "munit" % "1.2.1" % Test, "org.scalacheck" %% "scalacheck" % "1.18.1" % Test)
    },
    mimaPreviousArtifacts := released.map(organization.value %% name.value % _)
  )

lazy val sjsonNew = Project("sjson-new", file("sjson-new"))
  .dependsOn(core)
  .settings(Shared.cross)
  .settings(Shared.module("kumihimo.sjson"))
  .settings(
    name := "kumihimo-sjson-new",
    scalaVersion := Shared.newerScala3,
    crossScalaVersions := Seq(Shared.scala212, Shared.scala213, Shared.newerScala3),
    libraryDependencies ++= {
      // The newest of each that Maven Central has.
      val theirs = scalaBinaryVersion.value match {
        case "2.12" => "0.13.0"
        case "2.13" => "0.10.1"
        case _ => "0.14.0-M5"
      }
      Seq(
        "com.eed3si9n" %% "sjson-new-core" % theirs,
        "com.eed3si9n" %% "sjson-new-scalajson" % theirs % Test,
        "org.scalameta" %% "munit" % "1.2.1" % Test,
        "com.github.luben" % "zstd-jni" % "1.5.7-4" % Test
      )
    },
    mimaPreviousArtifacts := released.map(organization.value %% name.value % _)
  )

/** A test alone: sbt's own codecs, which are compiled against an older sjson-new than ours is. */
lazy val sbtCodecs = Project("sbt-codecs", file("sjson-new/sbt-codecs"))
  .dependsOn(sjsonNew)
  .settings(Shared.common)
  .settings(
    crossScalaVersions := Seq(Shared.scala212),
    publish / skip := true,
    libraryDependencies ++= Seq(
      "org.scala-sbt" %% "librarymanagement-core" % "1.11.5" % Test,
      "org.scala-sbt" %% "util-cache" % "1.11.6" % Test,
      "com.eed3si9n" %% "sjson-new-scalajson" % "0.10.1" % Test,
      "org.scalameta" %% "munit" % "1.2.1" % Test
    ),
    dependencyOverrides += "com.eed3si9n" %% "sjson-new-core" % "0.10.1"
  )

/** Benches, which are not published: JMH, and the rivals. */
lazy val bench = project
  .in(file("bench"))
  .dependsOn(core, codecs, sjsonNew)
  .enablePlugins(JmhPlugin)
  .settings(Shared.common)
  .settings(
    scalaVersion := Shared.newerScala3,
    publish / skip := true,
    libraryDependencies ++= Seq(
      "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-core" % "2.38.9",
      "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-macros" % "2.38.9" % Provided,
      "com.fasterxml.jackson.core" % "jackson-databind" % "2.19.0",
      "com.fasterxml.jackson.module" %% "jackson-module-scala" % "2.19.0",
      "com.alibaba.fastjson2" % "fastjson2" % "2.0.57",
      "com.eed3si9n" %% "sjson-new-scalajson" % "0.14.0-M5",
      "com.github.luben" % "zstd-jni" % "1.5.7-4"
    )
  )
