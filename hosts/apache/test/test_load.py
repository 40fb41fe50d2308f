"""The load at which the older mod_mruby ran out of file descriptors and hung: `ab -c 200 -n 5000` on each MPM. Answers right, files, threads and memory flat.

`./dev bench apache --long` has it in full: ten times, then a million requests.
"""

import pytest

import load
from server import MPMS, WIRES

ON = MPMS


def test_200_at_once(make_httpd, mpm):
    if not load.has_ab():
        pytest.skip("not proven: the load needs ab (apache2-utils)")
    httpd = make_httpd(mpm_conf=load.fixed(mpm, 32))
    httpd.page("hello.mrb", load.HELLO)
    httpd.start(load.LISTEN + load.HANDLER)
    # Each worker makes its VM once.
    warm = load.ab(httpd.port, "/hello.mrb", 3000)
    assert (warm.complete, warm.failed, warm.not_2xx) == (3000, 0, 0), warm
    pids, before = httpd.pids(), httpd.usage()
    held = []
    # A worker that had nothing to do before makes its VM now, so memory may grow for some rounds; what leaks, leaks in each.
    while len(held) < 2 or held[-1] - held[-2] > 500_000:
        run = load.ab(httpd.port, "/hello.mrb", 5000)
        assert (run.complete, run.failed, run.not_2xx) == (5000, 0, 0), run
        held.append(httpd.usage().memory)
        assert len(held) < 12, f"memory grows with every 5000 requests: {held}"
    assert httpd.get("/hello.mrb").text == "hello world!"
    # Connections close in their own time.
    httpd.until(lambda: httpd.usage().files <= before.files, f"{before} -> {httpd.usage()}")
    after = httpd.usage()
    assert httpd.pids() == pids and after.threads == before.threads


def test_kept_connections(make_httpd, mpm):
    """A server may close a kept connection between two answers, as event does when it is busy: never within one."""
    from concurrent.futures import ThreadPoolExecutor
    from http.client import HTTPConnection, RemoteDisconnected

    httpd = make_httpd(mpm_conf=load.fixed(mpm, 32))
    httpd.page("hello.mrb", load.HELLO)
    httpd.start(load.LISTEN + load.HANDLER)

    def ask(times):
        connection, closed = HTTPConnection("127.0.0.1", httpd.port, timeout=60), 0
        for _ in range(times):
            while True:
                try:
                    connection.request("GET", "/hello.mrb")
                    answer = connection.getresponse()
                    break
                except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):  # not a byte of the answer
                    closed += 1
                    assert closed < 2 * times, "hardly a connection is kept"
                    connection.close()
            assert (answer.status, answer.read()) == (200, b"hello world!")
        connection.close()

    # Not more at once than there are workers: a kept connection holds one on prefork and worker.
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(ask, [150] * 32))


def test_a_mix(make_httpd, mpm):
    """Answers of all sorts at once: errors, limits, bodies; what is right alone stays right together."""
    from concurrent.futures import ThreadPoolExecutor

    from client import Client

    httpd = make_httpd(workers=16)
    httpd.page("n.mrb", "$n = $n.to_i + 1\nApache.rputs \"#{Apache::Request.new.args}:#{$n}\"")
    httpd.page("json.mrb", "n = Apache::Request.new.args.to_i\nApache.rputs JSON.generate((0..n).map { |i| {'i' => i, 's' => 'x' * i} })")
    httpd.page("body.mrb", "Apache.rputs Apache::Request.new.body.reverse")
    httpd.page("raise.mrb", "raise Apache::Request.new.args")
    httpd.page("bomb.mrb", "a = 'x' * 1000\na += a while true")
    httpd.page("loop.mrb", "while true\nend")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyTimeout 500ms\nMrubyMemoryLimit 8M\n')
    pids, protocols = httpd.pids(), [protocol for on, protocol in WIRES if on == mpm]

    def one(worker: int) -> None:
        import json

        client = Client(httpd.port, protocols[worker % len(protocols)])
        for i in range(40):
            kind = (worker + i) % 6
            tag = f"{worker}x{i}"
            if kind == 0:
                assert client.get(f"/n.mrb?{tag}").text == f"{tag}:1"
            elif kind == 1:
                assert json.loads(client.get(f"/json.mrb?{i}").body) == [{"i": n, "s": "x" * n} for n in range(i + 1)]
            elif kind == 2:
                assert client.post("/body.mrb", tag).text == tag[::-1]
            elif kind == 3:
                assert client.get(f"/raise.mrb?{tag}").status == 500
            elif kind == 4:
                assert client.get("/bomb.mrb").status == 500
            elif i % 12 == 5:
                assert client.get("/loop.mrb").status == 500
        client.close()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(one, range(12)))
    assert httpd.pids() == pids
