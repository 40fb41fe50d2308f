"""Private Apache servers to measure, and what one sample of requests costs them.

The cost is the CPU time of the server's whole process tree, user and system, as the scheduler has accounted it to every thread
(/proc/PID/task/TID/schedstat: nanoseconds, where /proc/PID/stat has hundredths of a second for each process). No process and no
thread may come or go during a sample, so that nothing is lost: the servers have as many from the start as they ever need.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

HTTPD = os.environ.get("HTTPD", "/usr/sbin/apache2")
MODULES = Path(os.environ.get("KUMIHIMO_APACHE_MODULES", "/usr/lib/apache2/modules"))
CONNECTIONS = 32  # of the client at a time
# The event MPM closes idle connections when all workers of a child are busy: no child has as few as the client has connections.
POOL = {
    "prefork": "StartServers 32\nMinSpareServers 1\nMaxSpareServers 32\nServerLimit 32\nMaxRequestWorkers 32",
    "event": "StartServers 2\nThreadsPerChild 40\nServerLimit 2\nMaxRequestWorkers 80\nMinSpareThreads 1\nMaxSpareThreads 80",
}
POOL["worker"] = POOL["event"]


class Failed(Exception):
    """What was asked cannot be measured; the text says why."""


@dataclass
class Sample:
    cpu: float  # seconds of the server's CPU per request
    rate: float  # requests per second, as the client saw them


class Server:
    """httpd with one MPM and what `lines` load, over copies of `pages`, on a port of its own."""

    def __init__(self, mpm: str, lines: str, pages: Iterable[Path]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="kumihimo-apache-bench-"))
        self.root.chmod(0o755)
        (self.root / "pages").mkdir()
        for page in pages:
            shutil.copy(page, self.root / "pages")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
        (self.root / "httpd.conf").write_text(
            f"ServerRoot {self.root}\nServerName localhost\nListen 127.0.0.1:{self.port}\nPidFile {self.root}/pid\nErrorLog {self.root}/error.log\n"
            f"LogLevel warn\nDefaultRuntimeDir {self.root}\nDocumentRoot {self.root}/pages\n{user}"
            f"LoadModule mpm_{mpm}_module {MODULES}/mod_mpm_{mpm}.so\nLoadModule authz_core_module {MODULES}/mod_authz_core.so\n"
            f"{POOL[mpm]}\nMaxConnectionsPerChild 0\nKeepAlive On\nMaxKeepAliveRequests 0\nKeepAliveTimeout 60\n"
            f"<Directory />\n  AllowOverride None\n  Require all granted\n</Directory>\n{lines}\n"
        )
        # A process group of its own: at its end httpd sends SIGTERM to the whole of it. And none outlives this program.
        command = ["setpriv", "--pdeathsig", "TERM", HTTPD, "-d", str(self.root), "-f", str(self.root / "httpd.conf"), "-DFOREGROUND"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.wait(mpm)

    def wait(self, mpm: str) -> None:
        """Until the server answers, and all of its processes and threads are there."""
        deadline, before, up = time.monotonic() + 20, None, False
        while not up or before != (before := self.threads().keys()):
            time.sleep(0.1)
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                up = True
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    said = self.process.stdout.read() if self.process.poll() is not None else ""
                    self.stop()
                    raise Failed(f"httpd with the {mpm} MPM does not start: {said}{self.errors()}") from None

    def errors(self) -> str:
        log = self.root / "error.log"
        return log.read_text(errors="replace")[-2000:] if log.exists() else ""

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    def body(self, page: str, posted: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Content-Type": kind} if posted else {}
        connection.request("POST" if posted else "GET", f"/{page}", posted, headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise Failed(f"{page} answers {answer.status}: {body[:200]!r}\n{self.errors()}")
        return body

    def threads(self) -> dict[str, int]:
        """Nanoseconds of CPU per thread of the tree."""
        processes, found = [self.process.pid], {}
        for process in processes:
            for task in os.listdir(f"/proc/{process}/task"):
                at = f"/proc/{process}/task/{task}"
                found[at] = int(Path(at, "schedstat").read_text().split()[0])
                processes += [int(child) for child in Path(at, "children").read_text().split()]
        return found

    def sample(self, page: str, requests: int, posted: Path | None = None) -> Sample:
        command = ["h2load", "--h1", "-t", "1", "-c", str(CONNECTIONS), "-n", str(requests)]
        if posted:
            command += ["-d", str(posted), "-H", "Content-Type: application/json"]
        before = self.threads()
        said = subprocess.run([*command, f"http://127.0.0.1:{self.port}/{page}"], capture_output=True, text=True)
        after = self.threads()
        rate = re.search(r"^finished in .*?, ([0-9.]+) req/s", said.stdout, re.M)
        if said.returncode != 0 or not rate or not re.search(rf"^status codes: {requests} 2xx", said.stdout, re.M) or f" {requests} succeeded" not in said.stdout:
            raise Failed(f"{page}: wrong answers\n{said.stdout}{said.stderr}\n{self.errors()}")
        if before.keys() != after.keys():
            raise Failed(f"{page}: a process or a thread of the server came or went\n{self.errors()}")
        return Sample((sum(after.values()) - sum(before.values())) / 1e9 / requests, float(rate[1]))
