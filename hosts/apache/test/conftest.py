"""The fixtures of the module's tests: every test talks to a private httpd. `./dev test apache` runs them; by hand, from anywhere:

    KUMIHIMO_APACHE=BUILD .dev/venv/bin/python -m pytest -q hosts/apache/test/test_NAME.py

Which fixture:

    ruby        ruby("Apache.echo 1 + 1").text == "2": runs code as a script of the file's shared server (event) and gives the answer.
                ruby(code, "POST", "?a=1", body="x", headers={...}, name="dir/x.mrb"); ruby.server is the server. What the file sets as CONF
                (appended to the recommended FilesMatch, or HANDLER), SETTINGS (arguments of Server), FILES (pages: {name: text})
                and SCRIPTS (the same, outside the document root) holds for it. A file with ON = MPMS has its tests run once on each.
    wire        the same for each MPM x {close, keep-alive, h2c}: wire(code), wire.get(path), wire.post(path, body), wire.server. (prefork
                has no h2c in httpd.) One server per MPM and file.
    httpd       a server of the test's own, not started: httpd.page("a.mrb", "..."), httpd.script("hook.rb", "..."), httpd.start(conf),
                httpd.get("/a.mrb"), httpd.raw(), httpd.check(conf), httpd.restart(), httpd.error_log, httpd.pids(), httpd.usage()
    make_httpd  make_httpd("prefork", workers=1, ...) for more than one, or for other settings

In configurations ${ROOT} is the server root and ${PORT} its port. Server, Response and Raw are in server.py and client.py.

A test fails, whatever it asserted, when a child of its server has died or hangs, or a sanitizer spoke; the error log is printed with every failure.
`httpd.deaths_expected = True` is for tests that kill one.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest

from server import FILES_MATCH, MODULE, MPMS, Server

alive: list[Server] = []  # for the error logs of a failing test


def begin(*arguments, **more) -> Server:
    server = Server(*arguments, **more)
    alive.append(server)
    return server


def end(server: Server) -> None:
    alive.remove(server)
    server.stop()
    deaths = server.deaths()
    server.remove()
    assert not deaths, "\n".join(deaths)


def pytest_configure(config) -> None:
    if not MODULE.exists():
        raise pytest.UsageError(f"{MODULE} is not there: build it (./dev test apache does), or name the folder it is in: KUMIHIMO_APACHE")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        for server in alive:
            report.sections.append((f"{server.root}/logs/error.log ({server.mpm})", server.error_log[-8000:]))


@pytest.fixture(autouse=True)
def nobody_died():
    yield
    deaths = [line for server in alive for line in server.deaths()]
    assert not deaths, "\n".join(deaths)


@pytest.fixture
def make_httpd():
    made: list[Server] = []

    def make(mpm: str = "event", **more) -> Server:
        made.append(begin(mpm, **more))
        return made[-1]

    yield make
    for server in made:
        end(server)


@pytest.fixture
def httpd(make_httpd) -> Server:
    return make_httpd()


class Ruby:
    """Scripts on a running server: each piece of code is a file of its own in the document root."""

    def __init__(self, server: Server, protocol: str = "close") -> None:
        self.server, self.protocol, self.count = server, protocol, 0

    def __call__(self, code: str | bytes, method: str = "GET", query: str = "", *, name: str | None = None, **more):
        self.count += 1
        name = name or f"code{self.protocol[0]}{self.count}.mrb"
        # As if written long ago: a script of this moment is waited for, somebody may be writing it.
        os.utime(self.server.page(name, code), (self.count, self.count))
        return self.server.request(method, f"/{name}{query}", self.protocol, **more)

    def get(self, path: str, **more):
        return self.server.get(path, self.protocol, **more)

    def post(self, path: str, body: bytes | str, **more):
        return self.server.post(path, body, self.protocol, **more)

    def request(self, method: str, path: str, **more):
        return self.server.request(method, path, self.protocol, **more)


def of_file(request, mpm: str) -> Server:
    """The file's server, with what the file sets for it."""
    server = begin(mpm, **getattr(request.module, "SETTINGS", {}))
    for name, text in getattr(request.module, "FILES", {}).items():
        server.page(name, text)
    for name, text in getattr(request.module, "SCRIPTS", {}).items():
        server.script(name, text)
    try:
        return server.start(getattr(request.module, "HANDLER", FILES_MATCH) + getattr(request.module, "CONF", ""))
    except RuntimeError:
        end(server)
        raise


def pytest_generate_tests(metafunc) -> None:
    if "file_server" in metafunc.fixturenames and hasattr(metafunc.module, "ON"):
        metafunc.parametrize("file_server", metafunc.module.ON, indirect=True, scope="module")


@pytest.fixture(scope="module")
def file_server(request):
    server = of_file(request, getattr(request, "param", "event"))
    yield server
    end(server)


@pytest.fixture
def ruby(file_server) -> Ruby:
    return _ruby(file_server, "close")


@pytest.fixture(scope="module", params=MPMS)
def each_mpm(request):
    server = of_file(request, request.param)
    yield server
    end(server)


@pytest.fixture(params=("close", "keep-alive", "h2c"))
def wire(each_mpm, request) -> Ruby:
    return _ruby(each_mpm, request.param)


def _ruby(server: Server, protocol: str) -> Ruby:
    # One for each server and protocol: the names of its scripts go on counting.
    made = server.__dict__.setdefault("rubies", {})
    return made.setdefault(protocol, Ruby(server, protocol))


def pytest_collection_modifyitems(items) -> None:
    """prefork has no HTTP/2 in httpd: such a pair is not a test."""
    items[:] = [item for item in items if not re.search(r"\[(?=.*\bprefork\b)(?=.*\bh2c\b)", item.nodeid)]
