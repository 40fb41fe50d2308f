"""Graceful restarts and reloads under load: no more requests fail than with a page, children are replaced, nothing stays behind."""

import http.client
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from client import Client
from server import MODULE, MPMS, WIRES

ON = WIRES
HANDLER = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n'


def under_load(httpd, protocol: str, path: str, meanwhile) -> tuple[int, list]:
    """Requests by four clients while something happens: how many, and those that went wrong."""
    stop, done, wrong = threading.Event(), [0], []

    def ask(_: int) -> None:
        client = Client(httpd.port, protocol)
        while not stop.is_set():
            try:
                answer = client.get(path)
                if (answer.status, answer.text) != (200, "the same"):
                    wrong.append(answer)
            except (OSError, http.client.HTTPException) as error:
                wrong.append(error)
            done[0] += 1
            time.sleep(0.002)
        client.close()

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask, i) for i in range(4)]
        try:
            meanwhile()
        finally:
            stop.set()
        for one in asking:
            one.result()
    return done[0], wrong


@pytest.mark.on((*MPMS, ("worker", "h2c"), ("event", "h2c")))
def test_graceful(make_httpd, protocol):
    httpd = make_httpd(workers=8)
    httpd.page("a.mrb", "Apache.rputs 'the same'")
    httpd.page("a.html", "the same")
    httpd.start(HANDLER)
    assert httpd.get("/a.mrb").status == 200
    before, files = httpd.pids(), httpd.usage().files

    def restarts() -> None:
        for _ in range(3):
            httpd.restart(alone=False)
            time.sleep(0.2)

    floor, floor_wrong = under_load(httpd, protocol, "/a.html", restarts)
    count, wrong = under_load(httpd, protocol, "/a.mrb", restarts)
    assert count > 0
    assert len(wrong) <= len(floor_wrong) + 2, f"{len(wrong)} of {count} (a page: {len(floor_wrong)} of {floor}): {wrong[:3]}"
    httpd.until(lambda: not set(httpd.pids()) & set(before), "old children stay")
    assert httpd.get("/a.mrb").text == "the same"
    httpd.until(lambda: httpd.usage().files <= files + 4, f"{files} -> {httpd.usage()}")


@pytest.mark.on(("prefork",))
def test_parent_does_not_grow(make_httpd):
    """Each reload reads the configuration again, with its code: 30 of them leave the parent as it was."""
    import processes

    httpd = make_httpd(workers=1)
    code = "".join(f"<Location /l{i}>\nMrubyHandlerMiddleCode \"Apache.rputs 'x{i}'\"\n</Location>\n" for i in range(50))
    httpd.start(HANDLER + code)
    for _ in range(4):
        httpd.restart(graceful=False)
    parent = httpd.process.pid
    before = processes.memory(parent), len(processes.files(parent))
    for _ in range(20):
        httpd.restart(graceful=False)
    after = processes.memory(parent), len(processes.files(parent))
    assert after[0] - before[0] < 1_500_000 and after[1] == before[1], f"{before} -> {after}"
    assert httpd.get("/l7").text == "x7"


def test_new_configuration_takes_effect(httpd):
    httpd.page("a.mrb", "Apache.rputs Apache::Request.new.headers_out['X-Hook'].inspect")
    for i in range(4):
        conf = HANDLER + f"MrubyFixupsMiddleCode \"Apache::Request.new.headers_out['X-Hook'] = '{i}'\"\n"
        httpd.restart(conf) if httpd.process else httpd.start(conf)
        assert httpd.get("/a.mrb").text == f'"{i}"'
    httpd.restart(HANDLER)
    assert httpd.get("/a.mrb").text == "nil"


def test_running_script_ends_in_peace(httpd, protocol):
    """A graceful restart waits for it."""
    httpd.page("slow.mrb", "Apache.rputs 'begun '\nApache::Response.new.flush\nApache.log 'it has begun'\nsleep 2\nApache.rputs 'ended'")
    httpd.start(HANDLER)
    with ThreadPoolExecutor(1) as pool:
        client = Client(httpd.port, protocol)
        asked = pool.submit(client.get, "/slow.mrb")
        httpd.wait_log("it has begun")
        httpd.restart(alone=False)
        assert asked.result().text == "begun ended"
    client.close()


@pytest.mark.on(MPMS)
def test_stop_breaks_an_endless_one_off(make_httpd):
    """A script that runs and does not end: httpd's stop ends it, or its own limit does; no child is left, none had to be killed."""
    httpd = make_httpd(workers=2)
    httpd.page("loop.mrb", "Apache.rputs 'running'\nApache.response.flush\nbegin\n  while true\n  end\nrescue Exception\n  retry\nend")
    httpd.start(HANDLER + "MrubyTimeout 1s\n")
    pids = httpd.pids()
    with httpd.raw() as raw:
        raw.send("GET /loop.mrb HTTP/1.1\r\nHost: x\r\n\r\n").read_until(b"running")
        httpd.stop()
        raw.read_all()
    assert pids and not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert not httpd.deaths() and "shutting down" in httpd.error_log


@pytest.mark.on(("prefork",))
def test_stopped_wherever_it_is(make_httpd, protocol):
    """prefork ends a child within its signal's handler: what the thread was doing is not waited for, so it must not be waited for by the end itself."""
    httpd = make_httpd(workers=8)
    httpd.page("a.html", "the same")
    httpd.start("MrubyTimeout 2ms\nMrubyLogTransactionMiddleCode '1'\n")  # so short that each run wakes the watchdog

    def stops() -> None:
        for i in range(40):
            httpd.restart(graceful=False)
            time.sleep(i % 10 / 1000)

    under_load(httpd, protocol, "/a.html", stops)
    assert not httpd.deaths() and httpd.get("/a.html").text == "the same"


@pytest.mark.on(MPMS)  # it is connections that are counted
def test_children_come_and_go(make_httpd):
    """MaxConnectionsPerChild: children that end in the middle of the load end cleanly."""
    httpd = make_httpd(workers=4)
    httpd.page("a.mrb", "Apache.rputs 'the same'")
    httpd.start(HANDLER + "MaxConnectionsPerChild 20\n")
    before = httpd.pids()
    for _ in range(100):
        assert httpd.get("/a.mrb").text == "the same"
    httpd.until(lambda: httpd.pids() != before, "no child was replaced")


@pytest.mark.on(MPMS)
def test_killed_child_is_replaced(make_httpd):
    """A child that dies takes nothing with it that the others need (shared memory, a lock)."""
    import os
    import signal

    httpd = make_httpd(workers=2)
    httpd.page("a.mrb", "Apache.rputs 'the same'")
    httpd.start(HANDLER + "<Location /status>\nSetHandler mruby-status\n</Location>\n")
    assert httpd.get("/a.mrb").status == 200
    killed = set(httpd.pids())
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    httpd.deaths_expected = True
    httpd.until(lambda: httpd.pids() and not killed & set(httpd.pids()))
    for _ in range(5):
        assert httpd.get("/a.mrb").text == "the same"
    assert httpd.get("/status?auto").status == 200


def test_no_thread_local_object_has_a_destructor() -> None:
    """exit() in prefork's signal handler would run it in the middle of anything (at_thread_exit.hpp)."""
    wanted = subprocess.run(["nm", "-D", "-u", str(MODULE)], check=True, capture_output=True, text=True).stdout
    assert "pthread_key_create" in wanted and "__cxa_thread_atexit" not in wanted
