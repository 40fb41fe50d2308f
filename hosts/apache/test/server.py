"""A private httpd: its own server root, port, logs and processes. Nothing of the system's configuration is read."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import processes
from client import PROTOCOLS, TIMEOUT, Client, Raw, Response

HTTPD = os.environ.get("HTTPD", "/usr/sbin/apache2")
MODULES = Path(os.environ.get("KUMIHIMO_APACHE_MODULES", "/usr/lib/apache2/modules"))
HOST = Path(__file__).resolve().parents[1]  # hosts/apache
BUILD = Path(os.environ.get("KUMIHIMO_APACHE", HOST.parents[1] / ".dev/apache")).resolve()
MODULE = BUILD / "mod_mruby.so"
MPMS = ("prefork", "worker", "event")
WIRES = tuple((mpm, protocol) for mpm in MPMS for protocol in PROTOCOLS if (mpm, protocol) != ("prefork", "h2c"))  # httpd has no HTTP/2 under prefork
CORES = os.environ.get("KUMIHIMO_CORES")  # a folder: what dying children leave is kept there (`ulimit -c unlimited` lets them)
DEFAULT_MODULES = (
    "authz_core authz_host authz_user authn_core authn_file auth_basic mime dir alias env setenvif headers rewrite filter status deflate"
).split()
# The recommended form: whole names only, so that foo.mrb.txt and foo.mrb.bak are no scripts.
FILES_MATCH = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n'
# What a server writes when a child has died or hangs, or when a sanitizer or libc has found something.
DEATH = re.compile(r"exit signal|Sanitizer|runtime error:|stack smashing|double free|corrupted|malloc\(\)|free\(\)|sending a SIGKILL|exit, killed|Assertion")


def httpd_version() -> tuple[int, ...]:
    said = subprocess.run([HTTPD, "-v"], capture_output=True, text=True, timeout=TIMEOUT).stdout
    return tuple(map(int, re.search(r"Apache/([\d.]+)", said)[1].split(".")))


class Server:
    """Not running until `start`. As root its children are www-data; files under `root` are made readable for them."""

    def __init__(self, mpm: str = "event", *, workers: int | None = None, children: int | None = None, modules: tuple = (), mruby: bool = True, mpm_conf: str | None = None) -> None:
        self.mpm, self.mruby, self.modules = mpm, mruby, (*DEFAULT_MODULES, *modules)
        self.mpm_conf = self._mpm_conf(workers, children) if mpm_conf is None else mpm_conf
        self.root = Path(tempfile.mkdtemp(prefix="kumihimo-httpd-"))
        self.root.chmod(0o755)
        for name in ("conf", "htdocs", "scripts", "logs", "run"):
            (self.root / name).mkdir(mode=0o755)
        if CORES:  # children write there
            (self.root / "cores").mkdir()
            (self.root / "cores").chmod(0o777)
        self.docroot, self.scripts = self.root / "htdocs", self.root / "scripts"
        self.conf = ""
        # The sanitizers' libraries, for a build with them: httpd has none.
        self.environment = {**os.environ, **({"LD_PRELOAD": os.environ["KUMIHIMO_PRELOAD"]} if os.environ.get("KUMIHIMO_PRELOAD") else {})}
        self.process: subprocess.Popen | None = None
        self.port = 0
        self.protocol = "close"  # of requests that name none
        self._clients: dict[str, Client] = {}
        self.log_begins = 0  # what the error log held before this test, which is none of its business
        self._seen = 0  # of the error log, by deaths
        self.deaths_expected = False

    def _mpm_conf(self, workers: int | None, children: int | None) -> str:
        if self.mpm == "prefork":
            count = children or workers or 4
            # All from the start to the end: `pids` tells of deaths.
            return f"StartServers {count}\nMinSpareServers 1\nMaxSpareServers {count + 1}\nServerLimit {count}\nMaxRequestWorkers {count}\n"
        children = children or 1
        threads = max(1, (workers or 8) // children)
        total = threads * children
        lines = f"StartServers {children}\nServerLimit {children}\nThreadLimit {threads}\nThreadsPerChild {threads}\nMaxRequestWorkers {total}\nMinSpareThreads {total}\nMaxSpareThreads {total}\n"
        # Those of HTTP/2 are threads of their own, as many again.
        return lines + f"H2MinWorkers {threads}\nH2MaxWorkers {threads}\n"

    # ---- files ------------------------------------------------------------------------------------------------------------
    def write(self, name: str | Path, text: str | bytes, mode: int = 0o644) -> Path:
        """A file below the server root, in one step: a server that reads it at this moment sees the old one or the new one."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for parent in path.relative_to(self.root).parents:
            (self.root / parent).chmod(0o755)
        new = path.with_name(path.name + ".new")
        new.write_bytes(text.encode() if isinstance(text, str) else text)
        new.chmod(mode)
        new.replace(path)
        return path

    def page(self, name: str, text: str | bytes, mode: int = 0o644) -> Path:
        """A file (a script too) in the document root."""
        return self.write(self.docroot / name, text, mode)

    def script(self, name: str, text: str | bytes, mode: int = 0o644) -> Path:
        """A script outside the document root: for hooks, and handlers by location. In configurations: ${ROOT}/scripts/NAME."""
        return self.write(self.scripts / name, text, mode)

    # ---- configuration ------------------------------------------------------------------------------------------------------
    def configuration(self, conf: str) -> str:
        lines = [f'Define ROOT "{self.root}"', f"Define PORT {self.port}", 'ServerRoot "${ROOT}"', "ServerName localhost", "Listen 127.0.0.1:${PORT}"]
        lines += ['PidFile "${ROOT}/run/httpd.pid"', 'DefaultRuntimeDir "${ROOT}/run"', 'ErrorLog "${ROOT}/logs/error.log"', "LogLevel info", "Timeout 30", "EnableSendfile Off"]
        lines += ['CoreDumpDirectory "${ROOT}/cores"'] if CORES else []
        names = [f"mpm_{self.mpm}", *self.modules]
        if self.mpm != "prefork":  # there httpd has no HTTP/2
            names.append("http2")
        lines += [f'LoadModule {name}_module "{MODULES}/mod_{name}.so"' for name in names]
        lines += [self.mpm_conf]
        if self.mpm != "prefork":
            lines += ["Protocols h2c http/1.1"]
        lines += ["LoadModule mruby_module " + f'"{MODULE}"'] if self.mruby else []
        if os.getuid() == 0:
            lines += ["User www-data", "Group www-data"]
        self.write("conf/types", "text/html html\ntext/plain txt\nimage/png png\napplication/json json\n")
        lines += ['TypesConfig "${ROOT}/conf/types"', 'DocumentRoot "${ROOT}/htdocs"', "DirectoryIndex index.html", 'CustomLog "${ROOT}/logs/access.log" "%m %U%q %H %>s %B"']
        lines += ["<Directory />\n  AllowOverride None\n  Require all denied\n</Directory>", '<Directory "${ROOT}/htdocs">\n  Require all granted\n</Directory>']
        return "\n".join(lines) + "\n" + conf + "\n"

    def check(self, conf: str, what: str = "-t", timeout: float = TIMEOUT) -> subprocess.CompletedProcess:
        """`apachectl -t`, or another question: returncode, and what it says in stderr. Lines of `conf` are numbered from 1 in a file of its own, conf/tested.conf."""
        self.port = self.port or _free_port()
        self.write("conf/tested.conf", conf)
        self.write("conf/check.conf", self.configuration('Include "${ROOT}/conf/tested.conf"'))
        command = [HTTPD, "-d", str(self.root), "-f", str(self.root / "conf/check.conf"), what]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=self.environment)

    # ---- life ---------------------------------------------------------------------------------------------------------------
    def start(self, conf: str = FILES_MATCH) -> Server:
        """Returns when it answers. A port that somebody else took in the meantime costs another attempt."""
        for attempt in range(5):
            self.port, self.conf = _free_port(), conf
            self.write("conf/httpd.conf", self.configuration(conf))
            # The parent dies with the test run, even a killed one.
            command = ["setpriv", "--pdeathsig", "TERM", HTTPD, "-d", str(self.root), "-f", str(self.root / "conf/httpd.conf"), "-D", "FOREGROUND"]
            self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
            if self._up():
                return self
            said = self.process.stderr.read().decode(errors="replace") + self.error_log
            self.stop()
            if "could not bind" not in said or attempt == 4:
                raise RuntimeError(f"httpd did not start:\n{said}")
        raise AssertionError

    def _up(self) -> bool:
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if self.process.poll() is not None:
                return False
            if "resuming normal operations" in self.error_log:
                return True
            time.sleep(0.01)
        return False

    def restart(self, conf: str | None = None, graceful: bool = True, alone: bool = True) -> None:
        """Reloads the configuration, a new one if given; returns when the new generation serves, and `alone`, if the old one has nothing to finish."""
        self.close_clients()  # the old generation would answer once more over a kept connection
        old = set(self.pids())
        if conf is not None:
            self.conf = conf
            self.write("conf/httpd.conf", self.configuration(conf))
        before = self.error_log.count("resuming normal operations")
        if not graceful:
            self._let_threads_end()
        self.process.send_signal(signal.SIGUSR1 if graceful else signal.SIGHUP)
        self.until(lambda: self.error_log.count("resuming normal operations") > before)
        if alone:  # a child that is to end may accept a connection for a moment yet
            self.until(lambda: not old & set(self.pids()), "old children stay")

    def _let_threads_end(self) -> None:
        """httpd's own race, with any module or none: worker and event, told to end at once, close the sockets of their threads, also of
        one that frees its own at this moment (apr_os_sock_get of freed memory). A client knows the answer a little before the thread is done."""
        if self.mpm != "prefork":
            time.sleep(0.1)

    def stop(self) -> None:
        if self.process is None:
            return
        self.close_clients()
        self._let_threads_end()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            with open(self.root / "logs/error.log", "a") as log:
                log.write("the test run: the server still did not exit, killed\n")
        self.process.stderr.close()
        self.process = None

    def remove(self) -> None:
        self.stop()
        for core in (self.root / "cores").glob("*") if CORES else ():
            core.replace(Path(tempfile.mkdtemp(prefix=f"{self.mpm}-", dir=CORES)) / core.name)
        shutil.rmtree(self.root, ignore_errors=True)

    @staticmethod
    def until(true, what: str = "it did not happen", seconds: float = TIMEOUT) -> None:
        """Waits for what the server does in its own time."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, what
            time.sleep(0.02)

    # ---- what it says -------------------------------------------------------------------------------------------------------
    def _log(self, name: str) -> str:
        path = self.root / "logs" / name
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def error_log(self) -> str:
        return self._log("error.log")[self.log_begins :]

    @property
    def access_log(self) -> str:
        return self._log("access.log")

    def wait_log(self, text: str, seconds: float = TIMEOUT) -> str:
        """The line of the error log that holds `text`, when it comes."""
        self.until(lambda: text in self.error_log, f"not logged: {text}", seconds)
        return next(line for line in self.error_log.splitlines() if text in line)

    def deaths(self) -> list[str]:
        """New lines of the error log that tell of a dead or hanging child."""
        log = self._log("error.log")
        new, self._seen = log[self._seen :], len(log)
        return [] if self.deaths_expected else [line for line in new.splitlines() if DEATH.search(line)]

    def pids(self) -> list[int]:
        """The children's process numbers: the same before and after means that none has died."""
        return processes.children(self.process.pid)

    def usage(self) -> processes.Usage:
        return processes.usage(self.process.pid)

    # ---- requests -----------------------------------------------------------------------------------------------------------
    def client(self, protocol: str = "close") -> Client:
        return self._clients.setdefault(protocol, Client(self.port, protocol))

    def close_clients(self, but: str = "") -> None:
        """A kept connection may hold a worker: tests that speak another protocol do not wait for it."""
        for protocol in list(self._clients):
            if protocol != but:
                self._clients.pop(protocol).close()

    def request(self, method: str, path: str, protocol: str | None = None, **more) -> Response:
        return self.client(protocol or self.protocol).request(method, path, **more)

    def get(self, path: str, protocol: str | None = None, **more) -> Response:
        return self.client(protocol or self.protocol).request("GET", path, **more)

    def post(self, path: str, body: bytes | str, protocol: str | None = None, **more) -> Response:
        return self.client(protocol or self.protocol).request("POST", path, body=body, **more)

    def raw(self, **more) -> Raw:
        return Raw(self.port, **more)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
