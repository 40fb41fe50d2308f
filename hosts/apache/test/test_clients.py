"""Slow clients and those that go away: they cost their own connection, never a child, a descriptor or another's answer."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import h2
import processes
from server import FILES_MATCH, MPMS, WIRES, httpd_version

ON = MPMS
SETTINGS = {"workers": 8}
CONF = "MrubyTimeout 2s\nMrubyMaxBody 10M\nTimeout 3\nKeepAliveTimeout 1\n"
FILES = {
    "endless.mrb": "loop { }",
    "echo.mrb": "$n = $n.to_i + 1\nApache.rputs [Apache.request.args, $n, Apache.request.body].join(':')",
    "hello.mrb": "Apache.rputs 'hello'",
    "big.mrb": "s = 'x' * 65536\n300.times { Apache.rputs s }",
    "huge.mrb": "s = 'x' * 65536\n10000.times { Apache.rputs s }",
    "asks.mrb": "s = 'x' * 65536\n10000.times {\n  Apache.rputs s\n  unless Apache.response.flush\n    Apache.log Apache::APLOG_NOTICE, 'nobody reads'\n"
    "    break\n  end\n}.nil? or Apache.log(Apache::APLOG_NOTICE, 'asked to the end')",
    "body.mrb": "Apache.rputs Apache::Request.new.body.size",
    "flush.mrb": "r = Apache::Response.new\n1000.times { Apache.rputs 'x' * 10000\nr.flush }",
    "pieces.mrb": "r = Apache::Request.new\nn = 0\nwhile s = r.read(100)\n  n += s.size\nend\nApache.rputs n",
}


def head(path: str, more: str = "", method: str = "GET") -> str:
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n"


def test_head_byte_by_byte(file_server):
    with file_server.raw() as raw:
        for byte in head("/hello.mrb"):
            raw.send(byte)
        assert raw.response().text == "hello"


def test_body_byte_by_byte(file_server):
    for path in ("/body.mrb", "/pieces.mrb"):
        with file_server.raw() as raw:
            raw.send(head(path, "Content-Length: 50\r\n", "POST"))
            for _ in range(50):
                raw.send("x")
            assert raw.response().text == "50"


def test_slow_body_is_httpd_s_timeout(file_server):
    """A client that stops in the middle of its body: after httpd's Timeout the script ends, whatever it does about it."""
    with file_server.raw() as raw:
        raw.send(head("/body.mrb", "Content-Length: 50\r\n", "POST") + "x")
        answer = raw.read_all()
    assert not answer or answer.split(b" ")[1] in (b"400", b"408", b"500")
    assert file_server.get("/hello.mrb").text == "hello"


def test_slow_reader(file_server):
    """It gets everything: waiting for it, longer than the script may run, is not the script's time."""
    with file_server.raw() as raw:
        raw.send(head("/big.mrb", "Connection: close\r\n"))
        time.sleep(2.5)
        assert len(raw.response().body) == 300 * 65536


def test_reader_that_stops(file_server):
    """httpd's Timeout ends it, and the script with it."""
    pids = file_server.pids()
    with file_server.raw() as raw:
        raw.send(head("/huge.mrb"))
        file_server.until(lambda: "GET /huge.mrb" in file_server.access_log, "the response without a reader did not end")
    assert file_server.get("/hello.mrb").text == "hello" and file_server.pids() == pids


def test_stalled_for_longer_than_the_script_may_run(make_httpd):
    """A body that stops, a reader that stops: httpd's Timeout ends both, and the workers are free again."""
    httpd = make_httpd(workers=2)
    for name in ("hello", "body", "huge"):
        httpd.page(f"{name}.mrb", FILES[f"{name}.mrb"])
    httpd.start(FILES_MATCH + "MrubyTimeout 200ms\nTimeout 1\n")
    pids = httpd.pids()
    with httpd.raw() as body, httpd.raw() as reader:
        body.send(head("/body.mrb", "Content-Length: 50\r\n", "POST") + "x")
        reader.send(head("/huge.mrb"))
        for path in ("/body.mrb", "/huge.mrb"):
            httpd.until(lambda: f" {path}" in httpd.access_log, f"{path} did not end")
        for _ in range(4):
            assert httpd.get("/hello.mrb").text == "hello"
    assert httpd.pids() == pids


def abort(server, path: str, method: str, after: str, reset: bool) -> None:
    raw = server.raw()
    raw.send(head(path, "Content-Length: 1000000\r\n" if method == "POST" else "", method) + after)
    if method == "GET":
        try:
            raw.socket.recv(100)
        except OSError:
            pass
    raw.reset() if reset else raw.close()


def test_aborted(file_server):
    """In the head, in the body, in the response; closed and reset; many of them."""
    pids = file_server.pids()
    for path in ("/hello.mrb", "/big.mrb", "/huge.mrb", "/flush.mrb", "/body.mrb", "/pieces.mrb"):
        for reset in (False, True):
            for _ in range(5):
                abort(file_server, path, "POST", "x" * 1000, reset)
                abort(file_server, path, "GET", "", reset)
                with file_server.raw() as raw:
                    raw.send("GET " + path)
    for _ in range(16):
        assert file_server.get("/hello.mrb").text == "hello"
    assert file_server.pids() == pids


def test_aborts_leave_no_descriptors(file_server):
    for _ in range(8):
        assert file_server.get("/big.mrb").status == 200
    child = file_server.pids()[0]

    def count() -> int:
        return len([name for name in processes.files(child) if name.startswith("socket:") or "/htdocs/" in name])

    file_server.until(lambda: count() <= 6, "connections stay open")
    before = len(processes.files(child))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: abort(file_server, "/big.mrb" if i % 2 else "/body.mrb", "GET" if i % 2 else "POST", "x", i % 3 == 0), range(200)))
    file_server.until(lambda: len(processes.files(child)) <= before, f"{processes.files(child)}")


@pytest.mark.parametrize("name", ["huge", "asks"])
def test_script_that_nobody_reads(file_server, name):
    """It ends before httpd's Timeout: what it prints is dropped, and one that asks can stop."""
    before = file_server.access_log.count(f"GET /{name}.mrb")
    with file_server.raw() as raw:
        raw.send(head(f"/{name}.mrb"))
        raw.socket.recv(1000)
        raw.reset()
    file_server.until(lambda: file_server.access_log.count(f"GET /{name}.mrb") > before, "the response without a reader did not end")
    assert "asked to the end" not in file_server.error_log
    assert ("nobody reads" in file_server.error_log) == (name == "asks")
    assert file_server.get("/hello.mrb").text == "hello"


# Over HTTP/2: mod_http2's own threads run the scripts, and what is slow is one stream of a connection ------------------------------


def h2c(test):
    return pytest.mark.on(tuple(wire for wire in WIRES if wire[1] == "h2c"))(test)


@h2c
def test_h2_body_byte_by_byte(file_server, protocol):
    with h2.Connection(file_server.port) as connection:
        for path in ("/body.mrb", "/pieces.mrb"):
            stream = connection.open("POST", path)
            for i in range(50):
                stream.send(b"x", end=i == 49)
            assert stream.response()[2] == b"50"


@h2c
def test_h2_slow_body_holds_nobody_up(file_server, protocol):
    """A stream whose body stops waits for itself; the connection's others are answered. httpd's Timeout ends it."""
    with h2.Connection(file_server.port) as connection:
        slow = connection.open("POST", "/body.mrb", {"content-length": "50"}).send(b"x")
        for _ in range(10):
            assert connection.open("GET", "/hello.mrb", end=True).response()[2] == b"hello"
        try:
            assert slow.response()[0] in (400, 408, 500)
        except ConnectionError:
            pass  # reset, with no answer
    assert file_server.get("/hello.mrb", "h2c").text == "hello"


@h2c
def test_h2_slow_reader(file_server, protocol):
    """Its window is open for 64 KB at a time, and for longer than the script may run not at all."""
    with h2.Connection(file_server.port, window=65536) as connection:
        stream = connection.open("GET", "/big.mrb", end=True)
        stream.until(lambda: len(stream.body) == 65536)
        time.sleep(2.5)
        for i in range(2, 301):
            stream.take(65536)
            stream.until(lambda: len(stream.body) == i * 65536)
        stream.take(1)  # mod_http2 says the end when there is room for more
        assert stream.response()[2] == b"x" * 300 * 65536


@h2c
def test_h2_reader_that_stops(file_server, protocol):
    pids, before = file_server.pids(), file_server.access_log.count("GET /huge.mrb")
    with h2.Connection(file_server.port, window=65536) as connection:
        stream = connection.open("GET", "/huge.mrb", end=True)
        stream.until(lambda: len(stream.body) == 65536)
        assert connection.open("GET", "/hello.mrb", end=True).response()[2] == b"hello"
        file_server.until(lambda: file_server.access_log.count("GET /huge.mrb") > before, "the response without a reader did not end")
    assert file_server.get("/hello.mrb", "h2c").text == "hello" and file_server.pids() == pids


@h2c
def test_h2_aborted(file_server, protocol):
    """Streams that are reset, and connections that go away, in the body and in the response; more of them than there are threads."""
    if httpd_version() < (2, 4, 71):
        pytest.skip("not proven: streams that are reset need an httpd of 2.4.71, since mod_http2 of 2.4.68 falls over them, with mod_lua too")
    pids = file_server.pids()
    for path in ("/hello.mrb", "/huge.mrb", "/flush.mrb", "/body.mrb", "/pieces.mrb"):
        for gone in ("stream", "connection"):
            for _ in range(10):
                with h2.Connection(file_server.port) as connection:
                    asked = connection.open("GET", path, end=True)
                    posted = connection.open("POST", path).send(b"x" * 1000)
                    asked.until(lambda: asked.heads)
                    if gone == "stream":
                        try:
                            asked.reset()
                            posted.reset()
                            assert connection.open("GET", "/hello.mrb", end=True).response()[2] == b"hello"
                        except ConnectionError:
                            pass  # mod_http2 ends connections that reset much
    for _ in range(16):
        assert file_server.get("/hello.mrb", "h2c").text == "hello"
    assert file_server.pids() == pids


@h2c
def test_h2_streams_side_by_side(file_server, protocol):
    """Many at once on one connection, one of them in an endless loop: each gets its own answer."""
    with h2.Connection(file_server.port) as connection:
        endless = connection.open("GET", "/endless.mrb", end=True)
        streams = [connection.open("POST", f"/echo.mrb?{i}").send(b"%d" % i * 1000, end=True) for i in range(60)]
        for i, stream in enumerate(streams):
            status, _, body = stream.response()
            assert (status, body) == (200, f"{i}:1:".encode() + b"%d" % i * 1000)
        assert endless.response()[0] == 500


@h2c
def test_curl_goes_away(file_server, protocol):
    import subprocess

    pids = file_server.pids()
    for _ in range(5):
        curl = subprocess.Popen(["curl", "-sN", "--http2-prior-knowledge", f"http://127.0.0.1:{file_server.port}/huge.mrb"], stdout=subprocess.PIPE)
        assert curl.stdout.read(100_000) == b"x" * 100_000
        curl.kill()
        curl.communicate()
    for how in ("--http2-prior-knowledge", "--http2"):  # the latter asks for an upgrade
        said = subprocess.run(["curl", "-si", how, f"http://127.0.0.1:{file_server.port}/hello.mrb"], capture_output=True, text=True, timeout=60).stdout
        assert "HTTP/2 200" in said and said.endswith("hello")
    assert file_server.pids() == pids
