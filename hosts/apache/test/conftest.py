"""The fixtures of the module's tests: every test talks to a private httpd. `./dev test apache` runs them; by hand, from anywhere:

    KUMIHIMO_APACHE=BUILD .dev/venv/bin/python -m pytest -q hosts/apache/test/test_NAME.py

Which fixture:

    ruby        ruby("Apache.echo 1 + 1").text == "2": runs code as a script of the file's shared server and gives the answer.
                ruby(code, "POST", "?a=1", body="x", headers={...}, name="dir/x.mrb"), ruby.get(path), ruby.post(path, body), ruby.server
                (whose error_log begins with the test).
                What the file sets as CONF (appended to the recommended FilesMatch, or HANDLER), SETTINGS (arguments of Server),
                FILES (pages: {name: text}) and SCRIPTS (the same, outside the document root) holds for its server.
    file_server that server, for tests that write to its sockets themselves
    httpd       a server of the test's own, not started: httpd.page("a.mrb", "..."), httpd.script("hook.rb", "..."), httpd.start(conf),
                httpd.get("/a.mrb"), httpd.raw(), httpd.check(conf), httpd.restart(), httpd.error_log, httpd.pids(), httpd.usage()
    make_httpd  make_httpd(workers=1, ...) for more than one, or for other settings
    mpm, protocol  where the test runs, for what differs
    installed   a folder with what `cmake --install` gives
    package     a folder with Debian's package apache2, unpacked

Where a test runs: a file with ON = WIRES has its tests run on each MPM with each protocol (the requests of ruby and httpd speak it), one with
ON = MPMS on each MPM with `Connection: close`, all others on event. A test's own @pytest.mark.on(MPMS) stands above its file's. Tests that take
only `file_server` are about bytes, so they run once for each MPM that is named. A file has one server for each MPM, one after the other.

In configurations ${ROOT} is the server root and ${PORT} its port. Server, Response and Raw are in server.py and client.py.

A test fails, whatever it asserted, when a child of its server has died or hangs, or a sanitizer spoke; the error log is printed with every failure.
`httpd.deaths_expected = True` is for tests that kill one.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest

from server import BUILD, FILES_MATCH, MODULE, MPMS, Server

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
    config.addinivalue_line("markers", "on(wires): the MPMs, or MPMs with protocols, that a test runs on")
    if not MODULE.exists():
        raise pytest.UsageError(f"{MODULE} is not there: build it (./dev test apache does), or name the folder it is in: KUMIHIMO_APACHE")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        for server in alive:
            report.sections.append((f"{server.root}/logs/error.log ({server.mpm})", server.error_log[-8000:]))


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    at = tmp_path_factory.mktemp("installed")
    done = subprocess.run(["cmake", "--install", str(BUILD)], env={**os.environ, "DESTDIR": str(at)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return at


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """The package apache2, unpacked and not installed: it would start a server."""
    at = tmp_path_factory.mktemp("debian")
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "apache2-bin"], capture_output=True, text=True).stdout
    kept = BUILD / "debian" / version.replace(":", "_")  # it is fetched once
    try:
        kept.mkdir(parents=True, exist_ok=True)
        if not list(kept.glob("apache2_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", "apache2"], cwd=at, capture_output=True, timeout=60, check=True)
            for fetched in at.glob("apache2_*.deb"):
                shutil.copy(fetched, kept / f"{fetched.name}.part{os.getpid()}").rename(kept / fetched.name)
        found = sorted(kept.glob("apache2_*.deb"))
        if not found or subprocess.run(["dpkg", "-x", found[-1], at]).returncode:
            raise OSError
    except (OSError, subprocess.SubprocessError):
        pytest.skip("not proven: Debian's own configuration and a2enmod come from its package apache2, which apt-get cannot download here")
    return at


@pytest.fixture(autouse=True)
def nobody_died():
    yield
    deaths = [line for server in alive for line in server.deaths()]
    assert not deaths, "\n".join(deaths)


def pytest_generate_tests(metafunc) -> None:
    """Each test once for each place that it runs on. Only what it takes is a parameter."""
    marks = [mark.args[0] for mark in metafunc.definition.iter_markers("on")]
    places = (marks or [getattr(metafunc.module, "ON", ("event",))])[0]
    wires = [(place, "close") if isinstance(place, str) else place for place in places]
    names = [name for name in ("mpm", "protocol") if name in metafunc.fixturenames]
    if names and wires != [("event", "close")]:
        values = dict.fromkeys(wire[: len(names)] for wire in wires)
        metafunc.parametrize(names, list(values), indirect=True, scope="module", ids=["-".join(value) for value in values])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items) -> None:
    """One file's tests on one MPM are neighbours, as they share a server; so are those of one protocol."""
    files = list(dict.fromkeys(item.path for item in items))

    def place(item) -> tuple:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        return files.index(item.path), MPMS.index(params.get("mpm", "event")), params.get("protocol", "")

    items.sort(key=place)


@pytest.fixture(scope="module")
def mpm(request) -> str:
    return getattr(request, "param", "event")


@pytest.fixture(scope="module")
def protocol(request) -> str:
    return getattr(request, "param", "close")


@pytest.fixture
def make_httpd(mpm, protocol):
    made: list[Server] = []

    def make(on: str = mpm, **more) -> Server:
        made.append(begin(on, **more))
        made[-1].protocol = protocol
        return made[-1]

    yield make
    for server in made:
        end(server)


@pytest.fixture
def httpd(make_httpd) -> Server:
    return make_httpd()


class Ruby:
    """Scripts on a running server: each piece of code is a file of its own in the document root."""

    numbers = itertools.count(1)

    def __init__(self, server: Server, protocol: str) -> None:
        self.server, self.protocol = server, protocol

    def __call__(self, code: str | bytes, method: str = "GET", query: str = "", *, name: str | None = None, **more):
        return self.request(method, self.page(name or f"code{next(self.numbers)}.mrb", code) + query, **more)

    def page(self, name: str, code: str | bytes) -> str:
        """Its path. As if written long ago: a script of this moment is waited for, somebody may be writing it."""
        seconds = next(self.numbers)
        os.utime(self.server.page(name, code), (seconds, seconds))
        return "/" + name

    def get(self, path: str, **more):
        return self.server.get(path, self.protocol, **more)

    def post(self, path: str, body: bytes | str, **more):
        return self.server.post(path, body, self.protocol, **more)

    def request(self, method: str, path: str, **more):
        return self.server.request(method, path, self.protocol, **more)


@pytest.fixture(scope="module")
def file_server(request, mpm):
    """The file's server, with what the file sets for it."""
    server = begin(mpm, **getattr(request.module, "SETTINGS", {}))
    try:
        for write, files in ((server.page, "FILES"), (server.script, "SCRIPTS")):
            for name, text in getattr(request.module, files, {}).items():
                os.utime(write(name, text), (1, 1))
        yield server.start(getattr(request.module, "HANDLER", FILES_MATCH) + getattr(request.module, "CONF", ""))
    finally:
        end(server)


@pytest.fixture
def ruby(file_server, protocol):
    file_server.close_clients(but=protocol)
    file_server.log_begins = len(file_server.error_log)
    yield Ruby(file_server, protocol)
    file_server.log_begins = 0
