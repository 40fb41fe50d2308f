import kumihimo.codec._

final case class Person(name: String, age: Option[Int])
object Person { implicit val codec: Codec[Person] = Codec.derived[Person] }

object Example {
  def main(args: Array[String]): Unit = {
    println(Json.text(Person("Bob", None)))
    val people = List(Person("Ann", Some(7)), Person("Bob", None))
    val bytes = people.in(MessagePack.gzip)
    println(MessagePack.gzip.decode[List[Person]](bytes) == people)
    try Json.parse[List[Person]]("""[{"name":"Ann"},{"age":7}]""")
    catch { case e: DataException => println(e.getMessage) }
  }
}
