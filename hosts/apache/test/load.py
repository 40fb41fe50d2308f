"""Load for the tests and the long run: ab, what it says, and httpd with as many workers as it ever has, so that usage can be compared."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

HELLO = "require 'Apache'\nApache.rputs(\"hello world!\")\n"
HANDLER = "AddHandler mruby-script .mrb\n"
# Connections wait for a worker, when 200 come at once; none is refused.
LISTEN = "ListenBacklog 511\nMaxKeepAliveRequests 0\nKeepAliveTimeout 5\nTimeout 5\nLogLevel notice\n"


@dataclass
class Run:
    complete: int
    failed: int
    not_2xx: int
    rate: float

    def __str__(self) -> str:
        return f"{self.complete} answers, {self.failed} failed, {self.not_2xx} not 2xx, {self.rate:.0f}/s"


def fixed(mpm: str, workers: int) -> str:
    """All workers from the start to the end: no process or thread comes or goes."""
    if mpm == "prefork":
        return f"StartServers {workers}\nMinSpareServers {workers}\nMaxSpareServers {workers + 1}\nServerLimit {workers}\nMaxRequestWorkers {workers}\nMaxConnectionsPerChild 0\n"
    threads = min(workers, 32)
    children = workers // threads
    return (
        f"StartServers {children}\nServerLimit {children}\nThreadLimit {threads}\nThreadsPerChild {threads}\nMaxRequestWorkers {workers}\n"
        f"MinSpareThreads {workers}\nMaxSpareThreads {workers}\nMaxConnectionsPerChild 0\n"
    )


def ab(port: int, path: str, requests: int, at_once: int = 200, keep: bool = False, timeout: float = 600) -> Run:
    command = ["ab", "-q", "-d", "-S", "-r", "-s", "60", *(["-k"] if keep else []), "-c", str(at_once), "-n", str(requests), f"http://127.0.0.1:{port}{path}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr

    def number(name: str) -> float:
        found = re.search(rf"^{name}:\s+([0-9.]+)", done.stdout, re.M)
        return float(found[1]) if found else 0

    return Run(int(number("Complete requests")), int(number("Failed requests")), int(number("Non-2xx responses")), number("Requests per second"))


def has_ab() -> bool:
    return shutil.which("ab") is not None
