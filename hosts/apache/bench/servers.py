"""Private Apache servers to measure, and what one sample of requests costs them.

The cost is the CPU time of the server's whole process tree, user and system, as the scheduler has accounted it to every thread
(/proc/PID/task/TID/schedstat: nanoseconds, where /proc/PID/stat has hundredths of a second for each process). No process and no
thread may come or go during a sample, so that nothing is lost: the servers have as many from the start as they ever need.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

import processes  # noqa: E402
from server import MODULES, Server  # noqa: E402

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
    faults: float  # pages that the system gave it, per request
    rate: float  # requests per second, as the client saw them


class Measured(Server):
    """A server as the tests have it, with no more than the MPM, authz_core and what `lines` load, over copies of `pages`."""

    def __init__(self, mpm: str, lines: str, pages: Iterable[Path]) -> None:
        super().__init__(mpm, mpm_conf=POOL[mpm])
        for page in pages:
            self.page(page.name, page.read_bytes())
        try:
            self.start(lines)
        except RuntimeError as why:
            self.remove()
            raise Failed(f"httpd with the {mpm} MPM: {why}") from None
        looks: list = []
        while len(looks) < 5 or len(set(looks[-5:])) > 1:  # all of its processes and threads are there when their number stays
            time.sleep(0.05)
            looks.append(frozenset(self.threads()))

    def configuration(self, conf: str) -> str:
        user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
        return (
            f"ServerRoot {self.root}\nServerName localhost\nListen 127.0.0.1:{self.port}\nPidFile {self.root}/run/httpd.pid\nErrorLog {self.root}/logs/error.log\n"
            f"LogLevel warn\nDefaultRuntimeDir {self.root}/run\nDocumentRoot {self.docroot}\n{user}"
            f"LoadModule mpm_{self.mpm}_module {MODULES}/mod_mpm_{self.mpm}.so\nLoadModule authz_core_module {MODULES}/mod_authz_core.so\n"
            f"{self.mpm_conf}\nMaxConnectionsPerChild 0\nKeepAlive On\nMaxKeepAliveRequests 0\nKeepAliveTimeout 60\n"
            f"<Directory />\n  AllowOverride None\n  Require all granted\n</Directory>\n{conf}\n"
        )

    def body(self, page: str, posted: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of one answer."""
        answer = self.request("POST" if posted else "GET", f"/{page}", body=posted, headers={"Content-Type": kind} if posted else {})
        if answer.status != 200:
            raise Failed(f"{page} answers {answer.status}: {answer.body[:200]!r}\n{self.error_log[-2000:]}")
        return answer.body

    def threads(self) -> dict[str, int]:
        """Nanoseconds of CPU per thread of the tree. What ends meanwhile is left out."""
        found = {}
        for process in (self.process.pid, *processes.children(self.process.pid)):
            for at in Path(f"/proc/{process}/task").glob("*/schedstat"):
                try:
                    found[str(at)] = int(at.read_text().split()[0])
                except (FileNotFoundError, ProcessLookupError):
                    continue
        return found

    def faults(self) -> int:
        """Minor faults of the tree."""
        return sum(int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[7]) for process in (self.process.pid, *processes.children(self.process.pid)))

    def sample(self, page: str, requests: int, posted: Path | None = None) -> Sample:
        command = ["h2load", "--h1", "-t", "1", "-c", str(CONNECTIONS), "-n", str(requests)]
        if posted:
            command += ["-d", str(posted), "-H", "Content-Type: application/json"]
        before, faults = self.threads(), self.faults()
        said = subprocess.run([*command, f"http://127.0.0.1:{self.port}/{page}"], capture_output=True, text=True)
        after, faults = self.threads(), self.faults() - faults
        rate = re.search(r"^finished in .*?, ([0-9.]+) req/s", said.stdout, re.M)
        if said.returncode != 0 or not rate or not re.search(rf"^status codes: {requests} 2xx", said.stdout, re.M) or f" {requests} succeeded" not in said.stdout:
            raise Failed(f"{page}: wrong answers\n{said.stdout}{said.stderr}\n{self.error_log[-2000:]}")
        if before.keys() != after.keys():
            raise Failed(f"{page}: a process or a thread of the server came or went\n{self.error_log[-2000:]}")
        return Sample((sum(after.values()) - sum(before.values())) / 1e9 / requests, faults / requests, float(rate[1]))
