import java.io.ByteArrayInputStream

import kumihimo.codec._

object Places {
  def main(args: Array[String]): Unit = {
    val frame = """{"pair":"btc","trades":[{"tid":1,"price":2.5},{"tid":2,"price":3}]}""".getBytes("UTF-8")

    val at = Json.cursor(frame) // read and checked; nothing is made until it is asked for
    println(at("trades")(0)("price").as[BigDecimal])
    println(at("trades").values.map(_("tid").as[Long]).sum)
    println(at("comment").as[Option[String]])

    val some = Json.partial("pair", "trades[*].price") // made once, for any number of documents and threads
    println(some.decode(frame)(found => (found[String](0), found.all[Double](1))))

    Json.each[Map[String, Int]](new ByteArrayInputStream("""{"a":1} {"a":2}""".getBytes("UTF-8")))(println)

    println(MessagePack.gzip.convert(Json.convert(frame, MessagePack.gzip), Json).length)
  }
}
