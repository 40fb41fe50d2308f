package readme

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import kumihimo.codec._

/** The README shows codecs by hand that are compiled (`readme/Points.scala`) and do what it says. */
class PointsSuite extends munit.FunSuite {
  import Points._

  private def text(path: String) = new String(Files.readAllBytes(Paths.get(path)), UTF_8)

  test("the README's codecs are those that are compiled") {
    val compiled = text("src/test/scala/readme/Points.scala")
    assert(text("../README.md").contains(s"```scala\n${compiled.substring(compiled.indexOf("import"))}```\n"))
  }

  test("they read what they write") {
    for (codec <- List(point, listed)) {
      assertEquals(Json.text(Point(1, 2))(codec), """{"x":1,"y":2}""")
      assertEquals(Json.parse[Point]("""{"y":2,"x":1}""")(codec), Point(1, 2))
    }
    assertEquals(Json.parse[Age]("7")(age), Age(7))
    assert(intercept[DataException](Json.parse[Age]("-7")(age)).getMessage.startsWith("no age"))
    assertEquals(Json.parse[Point](Json.text(Point(1, 2))(joined))(joined), Point(1, 2))
  }
}
