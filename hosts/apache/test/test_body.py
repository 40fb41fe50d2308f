"""The request's body: whole or as it comes, with a length or in chunks, limited, and asked for with 100-continue."""

from pathlib import Path

import pytest

from server import FILES_MATCH, WIRES

ON = WIRES
CONF = "MrubyMaxBody 1000000\n"
FILES = {
    "size.mrb": "Apache.rputs Apache::Request.new.body.size",
    "echo.mrb": "r = Apache::Request.new\nr.content_type = 'application/octet-stream'\nApache.rputs r.body",
    "twice.mrb": "r = Apache::Request.new\nApache.rputs(r.body == r.body && r.body == Apache::Request.new.body)",
    "ignore.mrb": "Apache.rputs 'not read'",
    "pieces.mrb": "r = Apache::Request.new\nn = 0\nsum = 0\nwhile s = r.read(1000)\n  n += 1\n  sum += s.size\nend\nApache.rputs sum",
    "rescued.mrb": "begin\n  Apache::Request.new.body\n  Apache.rputs 'read'\nrescue => e\n  Apache.rputs \"rescued #{e.class}\"\nend",
    "some.mrb": "Apache.rputs Apache::Request.new.read(3)",
}


@pytest.mark.parametrize("size", [0, 1, 7999, 8000, 8001, 65535, 65536, 65537, 262_143, 262_144, 262_145, 999_999, 1_000_000])
def test_sizes(ruby, size):
    body = bytes(i * 7 % 256 for i in range(251)) * (size // 251 + 1)
    assert ruby.post("/echo.mrb", body[:size]).body == body[:size]


def test_too_large(ruby):
    assert ruby.post("/size.mrb", b"x" * 1_000_001).status == 413
    assert ruby("Apache.rputs 'next'").text == "next"


def test_too_large_in_pieces(ruby):
    assert ruby.post("/pieces.mrb", b"x" * 1_000_000).text == "1000000"


def test_twice(ruby):
    assert ruby.post("/twice.mrb", b"abc").text == "true"


def test_without_a_body(ruby):
    assert ruby.get("/size.mrb").text == "0"


def test_other_methods_have_bodies_too(ruby):
    ruby.page("put.mrb", "Apache.rputs Apache::Request.new.body")
    assert ruby.request("POST", "/put.mrb", body=b"by post").text == "by post"
    assert ruby.request("GET", "/put.mrb", body=b"by get").text == "by get"


def test_unread_body_does_not_become_a_request(file_server):
    """On a kept connection what the script left is httpd's to throw away."""
    with file_server.raw() as raw:
        body = "GET /evil HTTP/1.1\r\nHost: x\r\n\r\n" * 100
        raw.send(f"POST /ignore.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        assert raw.response().text == "not read"
        raw.send("POST /some.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789")
        assert raw.response().text == "012"
        raw.send("GET /size.mrb HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert raw.response().text == "0"
    assert "/evil" not in file_server.access_log


def chunked(raw, path: str, chunks: list[bytes], end: bytes = b"0\r\n\r\n"):
    raw.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for chunk in chunks:
        raw.send(b"%x\r\n%s\r\n" % (len(chunk), chunk))
    raw.send(end)
    return raw


def test_chunked(file_server):
    with file_server.raw() as raw:
        for chunks in ([b"abc"], [b"a"] * 500, [b"x" * 70000, b"y"], [b"x" * 65536], [b"x" * 65536, b"y" * 196_608], [b"abc" * 100_000] * 3, []):
            assert chunked(raw, "/echo.mrb", chunks).response().body == b"".join(chunks)


def test_chunked_with_trailers(file_server):
    with file_server.raw() as raw:
        assert chunked(raw, "/echo.mrb", [b"abc"], b"0\r\nX-Trailer: 1\r\n\r\n").response().body == b"abc"


def test_chunked_too_large(file_server):
    """Nobody said how long it would be."""
    with file_server.raw() as raw:
        try:
            chunked(raw, "/size.mrb", [b"x" * 100_000] * 11)
        except OSError:
            pass  # answered and closed before all was sent
        assert raw.response().status == 413


def one_child(make_httpd, limits: str):
    """A server whose only child has read a body already."""
    httpd = make_httpd(children=1)
    httpd.page("size.mrb", FILES["size.mrb"])
    httpd.start(FILES_MATCH + limits)
    assert httpd.post("/size.mrb", b"x" * 70_000).text == "70000"
    return httpd


@pytest.mark.on(["prefork"])
def test_said_but_not_sent_takes_no_memory(make_httpd):
    """A client takes memory by what it sends, not by what it announces."""
    httpd = one_child(make_httpd, "MrubyMaxBody 1G\n")
    before = addresses(httpd)
    with httpd.raw() as raw:
        raw.send("POST /size.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n")
        raw.read_until(b"100 Continue")  # the script asks for the body
        assert addresses(httpd) - before < 50_000_000


def addresses(httpd, at_most: bool = False) -> int:
    """Bytes of address space that the only child has, or has had: what was allocated, used or not."""
    (pid,) = httpd.pids()
    name = "VmPeak:" if at_most else "VmSize:"
    return next(int(line.split()[1]) * 1024 for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(name))


@pytest.mark.on(["prefork"])
def test_no_more_room_than_a_body_may_have(make_httpd):
    httpd = one_child(make_httpd, "MrubyMaxBody 68M\nMrubyMemoryLimit 200M\n")
    before = addresses(httpd, at_most=True)
    with httpd.raw() as raw:
        # More than is made room for, four times as much each time, without a look at the limit: 256 MB would be next.
        assert chunked(raw, "/size.mrb", [b"x" * 1_000_000] * 68).response().text == "68000000"
    assert addresses(httpd, at_most=True) - before < 150_000_000


@pytest.mark.on(["event"])
@pytest.mark.parametrize("size", [1, 60_000, 200_000, 400_000])
def test_more_than_was_announced(httpd, size):
    """An input filter lengthens it."""
    httpd.page("echo.mrb", FILES["echo.mrb"])
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nSetInputFilter mruby\nMrubyInputFilterCode "f = Apache::Filter.new; f.body = f.body * 2"\n')
    body = bytes(i * 7 % 256 for i in range(251)) * (size // 251 + 1)
    assert httpd.post("/echo.mrb", body).body == body * 2


def test_said_too_large_is_refused_unread(file_server):
    """What the head says is believed: nobody waits for gigabytes."""
    with file_server.raw() as raw:
        raw.send("POST /size.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
        assert raw.response().status == 413


def test_continue(file_server):
    """It is sent when the script asks for the body, not before, and not when it does not."""
    with file_server.raw() as raw:
        raw.send("POST /echo.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        raw.send("hello")
        assert raw.response().body == b"hello"
    with file_server.raw() as raw:
        raw.send("POST /ignore.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_continue_not_for_what_is_too_large(file_server):
    with file_server.raw() as raw:
        raw.send("POST /size.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n")
        assert raw.response().status == 413


def test_error_is_the_script_s_to_rescue(ruby):
    """It can say something better than 413."""
    answer = ruby.post("/rescued.mrb", b"x" * 1_000_001)
    assert answer.text.startswith("rescued ")


@pytest.mark.parametrize(
    "broken",
    [b"5\r\nab", b"zz\r\nabc\r\n", b"-1\r\nabc\r\n", b"5\r\nabcdefgh\r\n0\r\n\r\n", b"ffffffffffffffff\r\nabc", b"1" * 100 + b"\r\n", b"\r\n", b"3\nabc\n0\n\n", b"3;" + b"x" * 20000 + b"\r\nabc\r\n0\r\n\r\n"],
)
def test_broken_chunks(file_server, broken):
    """Never a 200 with half a body, and nobody hangs when the client has gone."""
    import socket

    pids = file_server.pids()
    with file_server.raw() as raw:
        raw.send(b"POST /size.mrb HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + broken)
        raw.socket.shutdown(socket.SHUT_WR)
        answer = raw.read_all()
    assert not answer or answer.split(b" ")[1] in (b"400", b"408", b"413") or (broken.startswith(b"3\n") and b" 200 " in answer), answer
    assert file_server.post("/size.mrb", b"abc").text == "3"
    assert file_server.pids() == pids


def test_shorter_than_it_said(file_server):
    import socket

    for path in ("/size.mrb", "/pieces.mrb", "/rescued.mrb"):
        with file_server.raw() as raw:
            raw.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this")
            raw.socket.shutdown(socket.SHUT_WR)
            answer = raw.read_all()
        assert b"9" != answer[-1:] and (not answer or answer.split(b" ")[1] == b"400" or b"rescued" in answer), answer


def test_two_lengths(file_server):
    """Request smuggling: httpd's own defence stands in front of the module."""
    with file_server.raw() as raw:
        raw.send("POST /size.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde")
        assert raw.response().status == 400
    with file_server.raw() as raw:
        raw.send("POST /echo.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
        answer = raw.response()
        assert answer.status == 400 or answer.body == b"ab"
        assert "close" in answer.header("Connection")


def test_limit_request_body_of_httpd(httpd):
    httpd.page("a.mrb", FILES["size.mrb"])
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nLimitRequestBody 10\n')
    assert httpd.post("/a.mrb", b"x" * 10).text == "10"
    assert httpd.post("/a.mrb", b"x" * 11).status == 413


def test_no_body_taken(httpd):
    httpd.page("a.mrb", FILES["size.mrb"])
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyMaxBody 0\n')
    assert httpd.post("/a.mrb", b"x").status == 413
    assert httpd.get("/a.mrb").text == "0"


def test_compressed_body(httpd):
    """httpd's own DEFLATE input filter opens it: the limit is on what comes out."""
    import gzip

    httpd.page("a.mrb", FILES["size.mrb"])
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nSetInputFilter DEFLATE\nMrubyMaxBody 100000\nDeflateInflateRatioLimit 100000\n')
    assert httpd.post("/a.mrb", gzip.compress(b"x" * 50_000), headers={"Content-Encoding": "gzip"}).text == "50000"
    assert httpd.post("/a.mrb", gzip.compress(b"x" * 50_000_000), headers={"Content-Encoding": "gzip"}).status == 413


@pytest.mark.parametrize("name", ["raises.mrb", "refuses.mrb", "some-read.mrb", "get-only.mrb"])
def test_error_document_finds_the_body(httpd, name):
    """As much of it as the script has left, whoever carries it. (It asks with GET: the method is that of the page.)"""
    httpd.page("raises.mrb", "raise 'x'")
    httpd.page("refuses.mrb", "Apache.return 503")
    httpd.page("some-read.mrb", "Apache.request.read(2); Apache.return 503")
    httpd.page("get-only.mrb", "")
    conf = "".join(f"ErrorDocument {status} /error\n" for status in (405, 500, 503))
    httpd.start(
        '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n<Files get-only.mrb>\nMrubyMethods GET\n</Files>\n'
        + conf
        + '<Location "/error">\nSetHandler mruby-native-script\nMrubyHandlerCode "Apache.rputs Apache.request.body.inspect"\n</Location>'
    )
    answer = httpd.post("/" + name, b"abcdef")
    assert answer.status in (405, 500, 503)
    assert answer.text == ('"cdef"' if name == "some-read.mrb" else '"abcdef"')
