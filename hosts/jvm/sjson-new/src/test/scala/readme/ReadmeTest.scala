import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

/** The README shows a program that is compiled (`readme/Program.scala`) and does what the README says. */
class ReadmeTest extends munit.FunSuite {
  private def lines(path: String): List[String] =
    new String(Files.readAllBytes(Paths.get(path)), UTF_8).split('\n').toList

  test("the README's program is the one that is compiled") {
    val shown = lines("README.md").dropWhile(_ != "```scala").drop(1).takeWhile(_ != "```")
    assertEquals(shown, lines("src/test/scala/readme/Program.scala"))
  }

  test("it prints what it says") {
    val out = new ByteArrayOutputStream
    Console.withOut(new PrintStream(out, true, "UTF-8"))(Program.main(Array()))
    val printed = new String(out.toByteArray, UTF_8).linesIterator.toList
    assertEquals(
      printed.take(4),
      List(
        """[{"name":"core","revision":"1.0"},{"name":"io","revision":"1.1"}]""",
        "Success(List(Module(,)))",
        "true",
        "true"
      )
    )
    assertEquals(printed(4).length, 64)
  }
}
