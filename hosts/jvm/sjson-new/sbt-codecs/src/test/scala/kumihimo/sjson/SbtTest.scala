package kumihimo.sjson

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, File}
import java.nio.file.Files
import java.util.{Calendar, GregorianCalendar, TimeZone}

import _root_.sjsonnew.support.scalajson.unsafe.{CompactPrinter, Converter => Genuine}
import sbt.librarymanagement._
import sbt.librarymanagement.LibraryManagementCodec._
import sbt.util.{PlainInput, PlainOutput}

/** sbt's own codecs, compiled against sjson-new, on our backend. */
class SbtTest extends munit.FunSuite {
  private val forms = List(Json, MessagePack, Cbor, Tagged).flatMap(form => List(form, form.gzip))
  private val jar = Files.createTempFile("kumihimo", ".jar")
  Files.write(jar, "a jar".getBytes)

  override def afterAll(): Unit = Files.delete(jar)

  private def published: Calendar = {
    val at = new GregorianCalendar(TimeZone.getTimeZone("UTC"))
    at.setTimeInMillis(1482624000500L)
    at
  }

  private def module(i: Int): ModuleReport = {
    val id = ModuleID(
      "org.example",
      s"library-$i",
      s"1.$i"
    ).withCrossVersion(CrossVersion.binary).withConfigurations(Some("compile"))
    val artifact = Artifact(s"library-$i").withChecksum(Some(Checksum("abc", "sha1")))
    ModuleReport(id, Vector(artifact -> jar.toFile), Vector(Artifact("missing")))
      .withPublicationDate(if (i % 2 == 0) Some(published) else None)
      .withLicenses(Vector("MIT" -> Some("https://example.org/é"), "none" -> None))
      .withExtraAttributes(Map("a" -> "1", "b" -> "2", "c" -> "3", "d" -> "4", "e" -> "5", "f" -> "6"))
      .withConfigurations(Vector(ConfigRef("compile"), ConfigRef("test")))
      .withCallers(Vector(Caller(id, Vector(ConfigRef("compile")), Map("k" -> "v"), false, false, true, false)))
  }

  private val report = UpdateReport(
    new File("/tmp/resolution.xml"),
    Vector(
      ConfigurationReport(
        ConfigRef("compile"),
        Vector.tabulate(40)(module),
        Vector(OrganizationArtifactReport("org.example", "library", Vector(module(1), module(2))))
      )
    ),
    UpdateStats(1, -2, Long.MaxValue, false),
    Map(jar.toFile -> 7L)
  )

  /** Calendars are equal only with their zone's object. */
  private def text(report: UpdateReport): String = CompactPrinter(Genuine.toJsonUnsafe(report))

  test("an UpdateReport comes back as by sjson-new's backend") {
    val expected = text(Genuine.fromJsonUnsafe[UpdateReport](Genuine.toJsonUnsafe(report)))
    assertEquals(Json.text(report), text(report))
    forms.foreach { form =>
      assertEquals(text(form.decode[UpdateReport](form.encode(report))), expected, form.toString)
    }
  }

  test("all kinds of resolver, a union of many types") {
    val resolvers = Vector[Resolver](
      MavenRepository("central", "https://example.org/maven2/"),
      Resolver.file("local", new File("/tmp/repo")),
      Resolver.url("u", new java.net.URI("https://example.org/ivy/").toURL)(Resolver.ivyStylePatterns),
      ChainedResolver("chain", Vector(MavenRepository("a", "https://example.org/a/")))
    )
    forms.foreach { form =>
      assertEquals(
        form.decode[Vector[Resolver]](form.encode(resolvers)).toString,
        resolvers.toString,
        form.toString
      )
    }
  }

  test("sbt's own streams with our converter") {
    val bytes = new ByteArrayOutputStream
    val out = new PlainOutput[Value](bytes, Json)(scalajson.isoString)
    out.write(report)
    out.close()
    val in = new PlainInput[Value](new ByteArrayInputStream(bytes.toByteArray), Json)(scalajson.isoString)
    assertEquals(
      text(in.read[UpdateReport]()),
      text(Genuine.fromJsonUnsafe[UpdateReport](Genuine.toJsonUnsafe(report)))
    )
  }

  test("hashes of reports") {
    assertEquals(Hasher256.hashUnsafe(report), Hasher256.hashUnsafe(report))
    assertNotEquals(
      Hasher256.hashUnsafe(report),
      Hasher256.hashUnsafe(report.withCachedDescriptor(new File("/tmp/other.xml")))
    )
  }
}
