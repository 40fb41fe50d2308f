// The build itself uses Kumihimo, as an sbt plugin would: published, from a Maven repository.
resolvers += "local" at file(sys.props("kumihimo.repository")).toURI.toString
libraryDependencies += "org.kumihimo" %% "kumihimo-sjson-new" % "0.1.0"
