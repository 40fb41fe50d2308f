crossScalaVersions := sys.env("EXAMPLE_SCALAS").split(" ").toSeq
resolvers += "published" at file(sys.props("kumihimo.repository")).toURI.toString
libraryDependencies += "org.kumihimo" %% "kumihimo-scala" % "0.1.0"
