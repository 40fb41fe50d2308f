addSbtPlugin("com.github.sbt" % "sbt-boilerplate" % "0.7.0")
