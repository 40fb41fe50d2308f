package kumihimo.codec

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream, OutputStream}
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicReference

import kumihimo.Code
import kumihimo.frame.Frames

/** Streams that break, files that stand there, many threads, and codecs that begin documents of their own. */
class RoughUseSuite extends munit.FunSuite {
  import RoughUseSuite._

  private val frames = Frames.all.toArray(Array.empty[kumihimo.frame.Frame]).toList.filter(_.isAvailable)
  private val forms = List(Json, MessagePack, Cbor, Tagged).flatMap(form => form :: frames.map(form.in))

  test("a stream that is cut anywhere gives the documents before the cut") {
    val one = Person("Bob", Some(7))
    forms.foreach { form =>
      val document = form.encode(one)
      val all = document ++ document ++ document
      for (n <- 0 to all.length) {
        var seen = 0
        val ended =
          try {
            form.each[Person](new ByteArrayInputStream(all, 0, n)) { p =>
              assertEquals(p, one)
              seen += 1
            }
            true
          } catch {
            case e: DataException =>
              assertEquals(e.code, Code.TRUNCATED, s"$form $n: $e")
              false
          }
        // A document may be whole before its frame is.
        val more = if (form.frame.isEmpty || n % document.length == 0) 0 else 1
        assert(seen == n / document.length || seen == n / document.length + more, s"$form $n: $seen")
        // gzip, zstd and lz4 files have a member at least.
        assertEquals(ended, n % document.length == 0 && (n > 0 || form.frame.isEmpty), s"$form $n")
      }
    }
  }

  test("a document of a stream that is cut, or goes on") {
    forms.foreach { form =>
      val document = form.encode(List(1, 2, 3))
      for (n <- 0 until document.length) {
        val e = intercept[DataException](form.decodeFrom[List[Int]](new ByteArrayInputStream(document, 0, n)))
        assertEquals(e.code, Code.TRUNCATED, s"$form $n: $e")
      }
      val more = document ++ document
      val e = intercept[DataException](form.decodeFrom[List[Int]](new ByteArrayInputStream(more)))
      assertEquals(e.code, Code.TRAILING, s"$form: $e")
    }
  }

  test("exceptions of streams are passed on, and what was begun goes on without them") {
    forms.foreach { form =>
      val document = form.encode(Person("Ann", None))
      val broken = new InputStream {
        def read(): Int = throw new IOException("broken")
        override def read(to: Array[Byte], at: Int, count: Int): Int = throw new IOException("broken")
      }
      intercept[IOException](form.decodeFrom[Person](broken))
      intercept[IOException](form.each[Person](broken)(_ => ()))
      intercept[IOException](form.encodeTo(
        Person("Ann", None),
        new OutputStream {
          def write(b: Int): Unit = throw new IOException("full")
        }
      ))
      assertEquals(form.decode[Person](document), Person("Ann", None))
      val closed = Files.newInputStream(temporary(document))
      closed.close()
      intercept[IOException](form.decodeFrom[Person](closed))
    }
  }

  test("a file is replaced by whole documents alone") {
    val failing = Codec.of[Int]((_, _) => throw new IllegalStateException)(_.i32())
    forms.foreach { form =>
      val file = temporary(form.encode(7))
      intercept[DataException](form.save(8, file)(failing))
      assertEquals(form.load[Int](file), 7, form.toString)
      form.save(8, file)
      assertEquals(form.load[Int](file), 8, form.toString)
    }
  }

  test("a frame whose library is not there says what to add, and changes no file") {
    val zstd = Frames.named("zstd")
    assume(!zstd.isAvailable, "it is there")
    val form = Json.in(zstd)
    val file = temporary(Array[Byte](1, 2))
    val packed = Array[Byte](0x28, 0xb5.toByte, 0x2f, 0xfd.toByte, 0, 88, 9, 0, 0, '1')
    def stream = new ByteArrayInputStream(packed)
    val calls = List[() => Any](
      () => form.encode(1),
      () => form.encodeTo(1, new ByteArrayOutputStream),
      () => form.save(1, file),
      () => form.decode[Int](packed),
      () => form.decodeFrom[Int](stream),
      () => form.each[Int](stream)(_ => ()),
      () => form.cursor(packed),
      () => form.partial("a").decode(packed)(_[Option[Int]](0)),
      () => form.convert(packed, Json),
      () => Form.detect(packed)
    )
    calls.foreach { call =>
      val e = intercept[DataException](call())
      assertEquals(e.code, Code.UNSUPPORTED)
      assert(e.getMessage.contains("com.github.luben:zstd-jni"), e.getMessage)
    }
    assertEquals(Files.size(file), 2L)
  }

  test("a thread that was interrupted reads and writes bytes, and stays interrupted") {
    val thread = new Asking({
      Thread.currentThread.interrupt()
      forms.foreach { form =>
        val out = new ByteArrayOutputStream
        form.encodeTo(List(1), out)
        assertEquals(form.decodeFrom[List[Int]](new ByteArrayInputStream(out.toByteArray)), List(1))
        form.each[List[Int]](new ByteArrayInputStream(out.toByteArray))(_ => ())
        assertEquals(form.cursor(form.encode(List(1)))(0).as[Int], 1)
      }
      assert(Thread.currentThread.isInterrupted)
    })
    thread.answer()
  }

  test("one codec and many threads, of which some documents are wrong") {
    val codec = Codec.derived[Order]
    val good = Order("a", List(Person("b", None), Person("c", Some(1))), Some(Order("d", Nil, None)))
    val threads = List.fill(6)(new Asking({
      implicit val order: Codec[Order] = codec
      for (i <- 0 until 300; form <- forms) {
        val bytes = form.encode(good)
        assertEquals(form.decode[Order](bytes), good)
        if (i % 3 == 0) {
          val wrong = form.encode(Map("name" -> List(1)))
          assert(form.tryDecode[Order](wrong).left.exists(_.code == Code.TYPE))
          assert(form.tryDecode[Order](bytes.take(bytes.length - 1)).isLeft)
        }
      }
    }))
    threads.foreach(_.answer())
  }

  test("codecs that read and write documents, parts and hashes while they are at work") {
    forms.foreach { form =>
      implicit val inside: Codec[Person] = busy(form)
      val people = List(Person("a", Some(1)), Person("b", None))
      val bytes = form.encode(people)
      assertEquals(form.decode[List[Person]](bytes), people, form.toString)
      assertEquals(form.cursor(bytes).as[List[Person]], people, form.toString)
      assertEquals(form.partial("[*]").decode(bytes)(_.all[Person](0)), people.toVector, form.toString)
      var seen = List.empty[List[Person]]
      form.each[List[Person]](new ByteArrayInputStream(bytes))(seen ::= _)
      assertEquals(seen, List(people), form.toString)
      assertEquals(Hash.of256(people).toList, Hash.of256(people).toList)
    }
  }

  test("what a codec of its own throws has its place, however it is read") {
    val picky = Codec.int.imap[Int](i => if (i == 3) throw new NoSuchElementException("three") else i)(i => i)
    implicit val inner: Codec[Int] = picky
    List(Json, MessagePack, Cbor).foreach { form =>
      val bytes = form.encode(Map("a" -> List(1, 2), "b" -> List(1, 3)))
      val whole = said(form.decode[Map[String, List[Int]]](bytes))
      assert(
        whole.contains("HOST") && whole.endsWith("$.b[1] the codec failed: NoSuchElementException: three"),
        whole
      )
      assertEquals(said(form.cursor(bytes).as[Map[String, List[Int]]]), whole, form.toString)
      assertEquals(said(form.cursor(bytes)("b")(1).as[Int]), whole, form.toString)
      assertEquals(said(form.partial("b[*]").decode(bytes)(_.all[Int](0))), whole, form.toString)
      assertEquals(said(form.each[Map[String, List[Int]]](new ByteArrayInputStream(bytes))(_ => ())), whole)
    }
  }

  test("a value that a codec refuses is the one that is named, also where more come behind it") {
    val picky = Codec.int.imap[Int](i => if (i < 0) throw new NoSuchElementException("less") else i)(i => i)
    implicit val inner: Codec[Int] = picky
    val spaced = "{\"a\": [ 5 , -1 , 7 ], \"b\": [1]}".getBytes("UTF-8")
    List(Json, MessagePack, Cbor, Tagged).foreach { form =>
      val bytes =
        if (form eq Json) spaced
        else form.encode(Map("a" -> List(5, -1, 7), "b" -> List(1)))(Codec.map(implicitly, Codec.list(Codec.int)))
      val whole = said(form.decode[Map[String, List[Int]]](bytes))
      assert(whole.contains(" $.a[1] "), whole)
      assertEquals(said(form.cursor(bytes).as[Map[String, List[Int]]]), whole, form.toString)
      assertEquals(said(form.cursor(bytes)("a").as[List[Int]]), whole, form.toString)
      assertEquals(said(form.partial("a[*]").decode(bytes)(_.all[Int](0))), whole, form.toString)
    }
  }

  test("the place in a document within a value is not that of the document around it, however it is read") {
    implicit val inner: Codec[Int] =
      Codec.string.imap(text => Json.cursor(text.getBytes)(0).as[Int](Codec.int))(i => s"[$i]")
    List(Json, MessagePack, Cbor).foreach { form =>
      val bytes = form.encode(List("[1]", "[\"x\"]"))(Codec.list(Codec.string))
      val whole = said(form.decode[List[Int]](bytes))
      assert(whole.contains(" $[1] ") && whole.contains("at $[0]"), whole)
      assertEquals(said(form.cursor(bytes).as[List[Int]]), whole, form.toString)
      assertEquals(said(form.partial("[*]").decode(bytes)(_.all[Int](0))), whole, form.toString)
      assertEquals(said(form.each[List[Int]](new ByteArrayInputStream(bytes))(_ => ())), whole, form.toString)
    }
  }

  test("a value that is too deep has no hash") {
    val deep = (1 to 1000000).foldLeft(Linked(0, None))((l, i) => Linked(i, Some(l)))
    List(() => Hash.of256(deep), () => Hash.of128(deep)).foreach { hash =>
      assertEquals(intercept[DataException](hash()).code, Code.DEPTH)
    }
    assertEquals(Hash.of128(1).length, 16)
  }

  private def said(reading: => Any)(implicit at: munit.Location): String = {
    val e = intercept[DataException](reading)
    s"${e.code} ${e.offset} ${e.path} ${e.reason}"
  }

  private def temporary(bytes: Array[Byte]): Path = {
    val file = Files.createTempFile("kumihimo", ".bin")
    file.toFile.deleteOnExit()
    Files.write(file, bytes)
  }
}

object RoughUseSuite {
  final case class Order(name: String, by: List[Person], next: Option[Order])
  object Order { implicit val codec: Codec[Order] = Codec.derived[Order] }

  /** A thread whose failure is that of who waits for it. */
  final class Asking(work: => Unit) {
    private[this] val failed = new AtomicReference[Throwable]
    private[this] val thread = new Thread(() =>
      try work
      catch { case e: Throwable => failed.set(e) }
    )
    thread.start()

    def answer(): Unit = {
      thread.join()
      if (failed.get ne null) throw failed.get
    }
  }

  /** A codec that does with other documents of the form all that one can do. */
  def busy(form: Form): Codec[Person] = {
    def work(person: Person): Unit = {
      val bytes = form.encode(person)(Person.codec)
      assert(form.decode[Person](bytes)(Person.codec) == person)
      assert(form.cursor(bytes)("name").as[String] == person.name)
      assert(form.partial("name").decode(bytes)(_[String](0)) == person.name)
      assert(form.tryDecode[Int](bytes).isLeft)
      form.each[Person](new ByteArrayInputStream(bytes))(p => assert(p == person))(Person.codec)
      assert(Hash.of256(person)(Person.codec).length == 32)
      assert(form.convert(bytes, form).length == bytes.length)
    }
    Codec.of[Person] { (person, out) =>
      work(person)
      Person.codec.write(person, out)
      work(person)
    } { in =>
      work(Person("x", None))
      val person = Person.codec.read(in)
      work(person)
      person
    }
  }
}
