"""Responses as they grow: small ones with a length, big ones whole and in order, flushed ones at once."""

import pytest

import h2
from server import WIRES

ON = WIRES
FILES = {
    "two.mrb": "Apache.rputs 'one'\nApache::Response.new.flush\nApache::Request.new.body\nApache.rputs 'two'",
    "big.mrb": "i = 0\nwhile i < 300_000\n  Apache.rputs sprintf('%09d', i) + \"\\n\"\n  i += 1\nend",
    "binary.mrb": "Apache::Request.new.content_type = 'application/octet-stream'\ns = (0..255).to_a.pack('C*')\n1000.times { Apache.rputs s }",
    "one.mrb": "Apache.rputs 'x' * 5_000_000",
    "empty.mrb": "",
    "status.mrb": "r = Apache::Request.new\nr.status = 201\nr.headers_out['X-Made'] = 'yes'\nApache.rputs 'made'",
    "none.mrb": "Apache::Request.new.status = 204",
    "not_modified.mrb": "Apache::Request.new.status = 304\nApache.rputs 'not to be sent'",
    "late.mrb": "Apache.rputs 'x'\nApache::Response.new.flush\nbegin\n  Apache::Request.new.headers_out['X-Late'] = '1'\n  Apache::Request.new.status = 404\nrescue => e\n  Apache.rputs e.class\nend",
    "length.mrb": "r = Apache::Request.new\nr.headers_out['Content-Length'] = '3'\nApache.rputs 'abcdef'",
    "puts.mrb": "puts 'a', 1, nil, [2, [3]]\nprint 'b', 'c'\np 'd'",
}
CONF = "MrubyTimeout 20s\n"


def test_flushed_part_comes_before_the_rest(ruby):
    if ruby.protocol == "h2c":
        with h2.Connection(ruby.server.port) as connection:
            stream = connection.open("POST", "/two.mrb")
            stream.until(lambda: stream.body == b"one")
            assert not stream.ended
            assert stream.send(b"x", end=True).response()[2] == b"onetwo"
        return
    with ruby.server.raw() as raw:
        raw.send("POST /two.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\n")
        raw.read_until(b"one")
        raw.send("x")
        raw.read_until(b"two")
        assert raw.read_all() == b"\r\n0\r\n\r\n"


def test_big(ruby):
    answer = ruby.get("/big.mrb")
    assert answer.body == b"".join(b"%09d\n" % i for i in range(300_000))


def test_one_piece(ruby):
    assert ruby.get("/one.mrb").body == b"x" * 5_000_000


def test_binary(ruby):
    answer = ruby.get("/binary.mrb")
    assert answer.body == bytes(range(256)) * 1000 and answer.header("Content-Type") == "application/octet-stream"


def test_empty(ruby):
    answer = ruby.get("/empty.mrb")
    assert (answer.status, answer.body) == (200, b"")


def test_status(ruby):
    answer = ruby.get("/status.mrb")
    assert (answer.status, answer.text, answer.header("X-Made")) == (201, "made", "yes")


@pytest.mark.parametrize(("path", "status"), [("/none.mrb", 204), ("/not_modified.mrb", 304)])
def test_without_body(ruby, path, status):
    for _ in range(2):  # the second on the kept connection: nothing of a body is in it
        answer = ruby.get(path)
        assert (answer.status, answer.body) == (status, b"")


def test_too_late_for_the_head(ruby):
    """It raises, or is left out; the body stays whole."""
    answer = ruby.get("/late.mrb")
    assert answer.status == 200 and answer.header("X-Late") is None and answer.text.startswith("x")


def test_wrong_length_does_not_cut_or_mix(ruby):
    """A length the script made up must not shift the next response of the connection."""
    for _ in range(2):
        try:
            answer = ruby.get("/length.mrb")
            assert answer.body in (b"abc", b"abcdef")
        except (ConnectionError, OSError):
            pass
        assert ruby.get("/status.mrb").text == "made"


def test_puts(ruby):
    assert ruby.get("/puts.mrb").text == 'a\n1\n\n2\n3\nbc"d"\n'


def test_head_of_what_is_streamed(ruby):
    answer = ruby.request("HEAD", "/big.mrb")
    assert answer.status == 200 and answer.body == b""


def test_http_1_0_gets_it_without_chunks(file_server):
    with file_server.raw() as raw:
        answer = raw.send("GET /big.mrb HTTP/1.0\r\n\r\n").response()
    assert answer.header("Transfer-Encoding") is None and len(answer.body) == 3_000_000


def test_puts_to_the_log(httpd):
    httpd.page("a.mrb", "puts 'for the log'\nApache.rputs 'for the client'")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyPutsTo log\n')
    assert httpd.get("/a.mrb").text == "for the client"
    httpd.wait_log("for the log")


def test_deflate_after_it(httpd):
    """httpd's own filters see a script's output as any other."""
    import gzip

    httpd.page("a.mrb", "Apache.rputs 'x' * 100_000")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nSetOutputFilter DEFLATE\n')
    answer = httpd.get("/a.mrb", headers={"Accept-Encoding": "gzip"})
    assert answer.header("Content-Encoding") == "gzip" and gzip.decompress(answer.body) == b"x" * 100_000
