"""Bytes that are no HTTP, at socket level: httpd's answer or the script's, never a crash, a hang or somebody else's answer."""

import random
import socket

import pytest

from server import MPMS

ON = MPMS
FILES = {"a.mrb": "r = Apache::Request.new\nApache.rputs [r.method, r.uri, r.args, r.path_info, r.headers_in.all, r.hostname, r.unparsed_uri, r.the_request].inspect"}
SETTINGS = {"workers": 4}
CONF = "MrubyMethods GET POST PUT\n"

REQUESTS = {
    "nothing": b"",
    "a byte": b"G",
    "a newline": b"\n",
    "newlines": b"\r\n" * 1000,
    "NULs": b"\0" * 1000,
    "HTTP/0.9": b"GET /a.mrb\r\n",
    "no host": b"GET /a.mrb HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /a.mrb HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "bad host": b"GET /a.mrb HTTP/1.1\r\nHost: a b\\c\r\n\r\n",
    "absolute": b"GET http://other/a.mrb HTTP/1.1\r\nHost: x\r\n\r\n",
    "odd version": b"GET /a.mrb HTTP/9.9\r\nHost: x\r\n\r\n",
    "no version": b"GET /a.mrb FOO\r\nHost: x\r\n\r\n",
    "long line": b"GET /a.mrb?" + b"x" * 20000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "long field": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nX-A: " + b"x" * 20000 + b"\r\n\r\n",
    "many fields": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(500)) + b"\r\n",
    "field without colon": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "empty name": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
    "space in name": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nX A: y\r\n\r\n",
    "folded": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nX-A: y\r\n z\r\n\r\n",
    "bare CR": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nX-A: y\rz\r\n\r\n",
    "bare LF": b"GET /a.mrb HTTP/1.1\nHost: x\n\n",
    "NUL in field": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nX-A: y\0z\r\n\r\n",
    "NUL in path": b"GET /a\0.mrb HTTP/1.1\r\nHost: x\r\n\r\n",
    "encoded NUL": b"GET /a.mrb%00x HTTP/1.1\r\nHost: x\r\n\r\n",
    "bad escapes": b"GET /a.mrb?%zz%&%1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "bad escape in path": b"GET /%zz/a.mrb HTTP/1.1\r\nHost: x\r\n\r\n",
    "high bytes": b"GET /a.mrb?\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\nX-A: \xff\xfe\r\n\r\n",
    "high bytes in path": b"GET /\xff\xfe/a.mrb HTTP/1.1\r\nHost: x\r\n\r\n",
    "out of the root": b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "out of the root encoded": b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "asterisk": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    "connect": b"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "negative length": b"POST /a.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "length no number": b"POST /a.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
    "length huge": b"POST /a.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "unknown coding": b"POST /a.mrb HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n",
    "chunked twice": b"POST /a.mrb HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "long method": b"X" * 5000 + b" /a.mrb HTTP/1.1\r\nHost: x\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x11" * 200,
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100,
    "HTTP/2 frames": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\5\1\5\0\0\0\1\xff\xff\xff\xff\xff",
    "upgrade": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !!!\r\n\r\n",
    "websocket": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "pipelined": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
    "long cookie": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nCookie: " + b"a=b; " * 1500 + b"\r\n\r\n",
    "cookies": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nCookie: =;;;=a;b=\"\";\"c\"=;d=\xff\r\n\r\n",
    "ranges": b"GET /a.mrb HTTP/1.1\r\nHost: x\r\nRange: bytes=" + b",".join(b"%d-" % i for i in range(1000)) + b"\r\n\r\n",
}


def alive(server) -> None:
    for _ in range(4):
        answer = server.get("/a.mrb")
        assert answer.status == 200 and answer.text.startswith('["GET", "/a.mrb"')


def exchange(server, data: bytes) -> bytes:
    with server.raw() as raw:
        try:
            raw.send(data)
            raw.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        return raw.read_all()


@pytest.mark.parametrize("name", REQUESTS)
def test_malformed(file_server, name):
    pids = file_server.pids()
    answer = exchange(file_server, REQUESTS[name])
    assert b"root:" not in answer and b"Apache::Request.new" not in answer
    alive(file_server)
    assert file_server.pids() == pids


def test_random_bytes(file_server):
    """The same ones every time."""
    pids, rng = file_server.pids(), random.Random(7)
    good = b"POST /a.mrb/x?a=b&c=%41 HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\nx=1&y=2"
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(data))
            kind = rng.randrange(4)
            if kind == 0:
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at : at + rng.randint(1, 20)]
            elif kind == 2:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 20)))
            else:
                data[at:at] = rng.choice([b"\r\n", b"\0", b"%00", b"\r\n\r\n", b": ", b"HTTP/1.1", b"\xff"])
            if not data:
                break
        exchange(file_server, bytes(data))
    alive(file_server)
    assert file_server.pids() == pids


def test_pipelined_answers_come_in_order(file_server):
    with file_server.raw() as raw:
        for i in range(30):
            raw.send(f"GET /a.mrb?number={i} HTTP/1.1\r\nHost: x\r\n\r\n")
        for i in range(30):
            assert f'"number={i}"' in raw.response().text


def test_old_http(file_server):
    with file_server.raw() as raw:
        answer = raw.send("GET /a.mrb HTTP/1.0\r\n\r\n").response()
        assert answer.status == 200 and raw.read_all() == b""
