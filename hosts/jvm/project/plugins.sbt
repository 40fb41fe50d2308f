addSbtPlugin("com.typesafe" % "sbt-mima-plugin" % "1.1.5")
addSbtPlugin("pl.project13.scala" % "sbt-jmh" % "0.4.8")
