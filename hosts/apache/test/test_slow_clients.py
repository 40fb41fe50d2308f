"""MrubyMaxTime bounds a run with what it waits for its client; MrubyMaxResponse bounds what it prints."""

import socket
import threading

import pytest

import h2
from server import FILES_MATCH, MPMS

ON = MPMS
# Without an end: a client that takes a little now and then would be served for ever.
# What is only to be served has no limit, as a machine may stand still for longer.
SERVED = '<Files "ok.mrb">\nMrubyTimeout 0\nMrubyMaxTime 0\n</Files>\n'
LIMITS = "Timeout 300\nMrubyTimeout 60\nMrubyMaxTime 1\n" + FILES_MATCH + SERVED
ENDLESS = "loop { Apache.rputs 'x' * 60_000 }"


@pytest.fixture
def one_worker(make_httpd):
    """A server with one thread for everybody: whoever holds it holds up all."""

    def start(conf: str = LIMITS, **pages):
        httpd = make_httpd(workers=1)
        for name, code in ({"endless": ENDLESS, "ok": "Apache.rputs 'ok'", "body": "Apache.rputs Apache.request.body"} | pages).items():
            httpd.page(f"{name}.mrb", code)
        return httpd.start(conf)

    return start


def narrow(port: int, request: str) -> socket.socket:
    """A client that has said what it wants, with hardly any room for the answer."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(("127.0.0.1", port))
    client.sendall(f"{request} HTTP/1.1\r\nHost: x\r\n".encode() + b"\r\n" * request.startswith("GET"))
    return client


SLOW = {
    "endless": ENDLESS,
    "one large piece": "Apache.rputs 'x' * 30_000_000",
    "flushed": "loop { Apache.rputs 'x' * 1000; Apache.response.flush }",
    "rescued": "loop { begin; Apache.rputs 'x' * 60_000; rescue Exception; end }",
    "no limit of its own time": ENDLESS,
    "a subrequest": "Apache.rputs Apache.request.subrequest('/endless.mrb').run",
}


@pytest.mark.parametrize("reads", [0, 512], ids=["nothing", "a little"])
@pytest.mark.parametrize("what", SLOW)
def test_slow_reader(one_worker, what, reads):
    httpd = one_worker(LIMITS.replace("MrubyTimeout 60", "MrubyTimeout 0") if "no limit" in what else LIMITS, slow=SLOW[what])
    stopped = threading.Event()
    with narrow(httpd.port, "GET /slow.mrb") as client:

        def trickle() -> None:
            try:
                while not stopped.wait(0.05) and client.recv(reads):
                    pass
            except OSError:
                pass

        reader = threading.Thread(target=trickle) if reads else None
        if reader:
            reader.start()
        try:
            assert httpd.get("/ok.mrb").text == "ok"
            assert "took longer than its limit of 1 s in all" in httpd.wait_log("in all")
        finally:
            stopped.set()
            if reader:
                reader.join()


def test_slow_body(one_worker):
    httpd = one_worker()
    stopped = threading.Event()
    with narrow(httpd.port, "POST /body.mrb") as client:
        client.sendall(b"Content-Length: 100000\r\n\r\n")

        def trickle() -> None:
            try:
                while not stopped.wait(0.05):
                    client.sendall(b"x")
            except OSError:
                pass

        sender = threading.Thread(target=trickle)
        sender.start()
        try:
            assert httpd.get("/ok.mrb").text == "ok"
            assert "took longer than its limit of 1 s in all" in httpd.wait_log("in all")
        finally:
            stopped.set()
            sender.join()


@pytest.mark.on(["worker", "event"])
@pytest.mark.parametrize("window", [0, 1000])
def test_slow_reader_of_http2(one_worker, window):
    httpd = one_worker()
    with h2.Connection(httpd.port, window=window) as connection:
        connection.open("GET", "/endless.mrb", end=True)
        httpd.wait_log("in all")
        assert httpd.get("/ok.mrb", "h2c").text == "ok"


def test_who_reads_is_served(one_worker):
    """A run that is done in time has all of its response sent, and the worker serves on."""
    httpd = one_worker(LIMITS.replace("MrubyMaxTime 1\n", "MrubyMaxTime 60\n"), large="100.times { Apache.rputs 'x' * 100_000 }")
    for _ in range(3):
        assert len(httpd.get("/large.mrb").body) == 10_000_000
        assert httpd.post("/body.mrb", b"y" * 500_000).body == b"y" * 500_000
    assert "in all" not in httpd.error_log


def test_work_counts(one_worker):
    """Where there is no other limit, and beside one."""
    for time in ("0", "60", "500ms"):
        conf = LIMITS.replace("MrubyTimeout 60", f"MrubyTimeout {time}")
        httpd = one_worker(conf.replace("MrubyMaxTime 1\n", "MrubyMaxTime 60\n") if time == "500ms" else conf, loop="loop {}", sleep="sleep 100")
        for page in ("loop", "sleep"):
            assert httpd.get(f"/{page}.mrb").status == 500
        assert httpd.error_log.count("ran longer than its limit of 500 ms" if time == "500ms" else "took longer than its limit of 1 s in all") == 2
        assert httpd.get("/ok.mrb").text == "ok"


def test_inner_place_s(one_worker):
    httpd = one_worker(LIMITS + '<Files "free.mrb">\nMrubyMaxTime 0\n</Files>\n<Files "short.mrb">\nMrubyMaxTime 100ms\n</Files>\n', free="sleep 1.2\nApache.rputs 'free'", short="loop {}")
    assert httpd.get("/free.mrb").text == "free"
    assert httpd.get("/short.mrb").status == 500 and "limit of 100 ms in all" in httpd.error_log


# ---- the response's size -----------------------------------------------------------------------------------------------------
SIZES = {
    "print": "Apache.rputs 'x' * {}",
    "pieces": "n = {}\n(n / 1000).times { Apache.rputs 'x' * 1000 }\nApache.rputs 'x' * (n % 1000)",
    "flushed": "n = {}\nApache.rputs 'x'\nApache.response.flush\nApache.rputs 'x' * (n - 1)",
    "file": "Apache.response.sendfile(Apache.request.document_root + '/{}.bin')",
    "printed and file": "Apache.rputs 'x' * 100\nApache.response.sendfile(Apache.request.document_root + '/{}.bin')",
}


@pytest.mark.parametrize("how", SIZES)
@pytest.mark.parametrize("limit", [1000, 100_000, 1_000_000])
def test_size(httpd, how, limit):
    before = 100 if how == "printed and file" else 0
    for size in (limit, limit + 1):
        httpd.page(f"{size}.bin", b"x" * (size - before))
        httpd.page(f"{size}.mrb", SIZES[how].replace("{}", str(size)))
    httpd.page("ok.mrb", "Apache.rputs 'ok'")
    httpd.page("free.mrb", f"Apache.rputs 'x' * {limit * 2}")
    httpd.start(FILES_MATCH + f'MrubyMaxResponse {limit}\n<Files "free.mrb">\nMrubyMaxResponse 0\n</Files>\n')
    answer = httpd.get(f"/{limit}.mrb")
    assert (answer.status, len(answer.body)) == (200, limit)
    with httpd.raw() as raw:
        said = raw.send(f"GET /{limit + 1}.mrb HTTP/1.1\r\nHost: x\r\n\r\n").read_all()
    if said.startswith(b"HTTP/1.1 200"):  # a part was sent: it has no end
        assert not said.endswith(b"0\r\n\r\n") and (how == "flushed" or limit > 64_000)
    else:
        assert said.startswith(b"HTTP/1.1 500") and how != "flushed"
    assert "response is larger than its limit" in httpd.error_log
    assert httpd.get("/ok.mrb").text == "ok" and len(httpd.get("/free.mrb").body) == limit * 2


@pytest.mark.parametrize("piece", ["'x' * 60_000", "'x' * 1000; Apache.response.flush"], ids=["printed", "flushed"])
def test_endless(httpd, piece):
    httpd.page("endless.mrb", "loop { begin; Apache.rputs %s; rescue Exception; end }" % piece)
    httpd.start(FILES_MATCH + "MrubyMaxResponse 3M\nMrubyTimeout 0\n")
    with httpd.raw() as raw:
        said = raw.send("GET /endless.mrb HTTP/1.1\r\nHost: x\r\n\r\n").read_all()
    assert said.startswith(b"HTTP/1.1 200") and not said.endswith(b"0\r\n\r\n") and len(said) < 3_500_000
    assert "response is larger than its limit" in httpd.error_log
