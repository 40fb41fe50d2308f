"""mod_mruby against mod_lua, mod_php and a handler in C: `bench.py [--quick] [TASK...]`, as `./dev bench apache` calls it.

What a request costs is the CPU time of the server, all of its processes; requests per second stand beside it, where the client's
own work on the same cores shows as well. Each contender has a server of its own. All are up at the same time and give their samples
in turn; the first round is not counted. The ratio is the median of the rounds' ratios, in which what disturbs a round cancels.

      ratio<TAB>apache.hello.event<TAB>kumihimo/c_handler<TAB>value<TAB>rounds        above 1: mod_mruby takes less

KUMIHIMO_APACHE   the build: mod_mruby.so, bench/mod_floor.so, mruby/bench/isolation
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from servers import CONNECTIONS, Failed, Measured, Sample  # noqa: E402
from server import BUILD, HTTPD, MODULES  # noqa: E402

PAGES = sorted((HERE / "scripts").iterdir())


@dataclass
class Contender:
    name: str
    suffix: str  # of its scripts
    lines: str  # of its server's configuration
    mpms: tuple[str, ...] = ("prefork", "event")
    share: float = 1  # of a task's requests: the slow need fewer for a sample as long


def files(suffix: str, handler: str) -> str:
    return f'<FilesMatch "\\.{suffix}$">\n  SetHandler {handler}\n</FilesMatch>\n'


LUA = f"LoadModule lua_module {MODULES}/mod_lua.so\n" + files("lua", "lua-script")
MRUBY = f"LoadModule mruby_module {BUILD}/mod_mruby.so\n" + files("mrb", "mruby-script")
# Not safe for threads as Debian builds it, so for prefork alone. The cache of compiled scripts is on, as Debian has it, and does not look at the
# files again; the compiler to machine code (JIT) made all three tasks slower.
PHP_MODULE = max(Path(MODULES).glob("libphp*.so"), default=Path(MODULES) / "libphp.so")
PHP = f"LoadModule php_module {PHP_MODULE}\nphp_admin_value opcache.validate_timestamps 0\nphp_admin_value output_buffering 0\n"
PHP += files("php", "application/x-httpd-php")
FLOOR = f"LoadModule floor_module {BUILD}/bench/mod_floor.so\n" + files("floor", "floor")
CONTENDERS = [
    Contender("c_handler", "floor", FLOOR),
    Contender("mod_lua default", "lua", LUA, share=0.3),
    # Its fastest: scope server is as fast, conn and the cache that asks for the file's time are slower, request is hardly faster than the default.
    Contender("mod_lua best", "lua", LUA + "LuaScope thread\nLuaCodeCache forever\n"),
    Contender("mod_php", "php", PHP, ("prefork",)),
    Contender("kumihimo", "mrb", MRUBY),
    Contender("kumihimo thread", "mrb", MRUBY + "MrubyScope thread\n"),
]


@dataclass
class Task:
    name: str
    requests: int  # of a sample
    posted: bool = False


TASKS = [Task("hello", 8000), Task("json100", 1000), Task("parse100", 1500, posted=True)]


def difference(ours: bytes, theirs: bytes) -> str:
    """Of two answers: empty if they are the same bytes, what is different if they mean the same; else nothing is timed."""
    if ours == theirs:
        return ""
    try:
        same = json.loads(ours) == json.loads(theirs)
    except ValueError:
        same = False
    if not same:
        raise Failed(f"the answers differ:\n  {ours[-300:]!r}\n  {theirs[-300:]!r}")
    return "the same values, members in another order" if sorted(ours) == sorted(theirs) else "the same values in other bytes"


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 4]:.1f}..{ordered[-1 - len(ordered) // 4]:.1f}"


class Bench:
    def __init__(self, mpm: str, rounds: int, scale: float, only: list[str]) -> None:
        self.mpm, self.rounds, self.scale, self.only = mpm, rounds, scale, only
        self.ratios: list[str] = []
        self.servers: dict[str, Measured] = {}

    def run(self, tasks: list[Task], posted: Path) -> None:
        contenders = [c for c in CONTENDERS if self.mpm in c.mpms and (not self.only or c.name in self.only)]
        try:
            for contender in contenders:
                self.servers[contender.name] = Measured(self.mpm, contender.lines, PAGES)
            for task in tasks:
                self.measure(task, contenders, posted)
        finally:
            for server in self.servers.values():
                server.remove()

    def measure(self, task: Task, contenders: list[Contender], posted: Path) -> None:
        notes, samples = {}, {c.name: [] for c in contenders}
        body = posted.read_bytes() if task.posted else None
        first = None
        for c in contenders:
            answer = self.servers[c.name].body(f"{task.name}.{c.suffix}", body)
            first = answer if first is None else first
            notes[c.name] = difference(first, answer)
        for turn in range(self.rounds + 1):
            for c in contenders:
                sample = self.servers[c.name].sample(f"{task.name}.{c.suffix}", int(task.requests * self.scale * c.share), posted if task.posted else None)
                if turn > 0:
                    samples[c.name].append(sample)
        print(f"\n{self.mpm} {task.name}: CPU us per request (middle half of {self.rounds} rounds)     requests/s   page faults", flush=True)
        for c in contenders:
            cpu = [s.cpu * 1e6 for s in samples[c.name]]
            rate, faults = statistics.median(s.rate for s in samples[c.name]), statistics.median(s.faults for s in samples[c.name])
            print(f"    {c.name:18} {statistics.median(cpu):8.1f}  ({spread(cpu)}){'':12} {rate:10,.0f}  {faults:12.2f}  {notes[c.name]}", flush=True)
        if "kumihimo" in samples:
            for c in contenders:
                if not c.name.startswith("kumihimo"):
                    self.ratio(f"apache.{task.name}.{self.mpm}", c.name, samples[c.name], samples["kumihimo"])

    def ratio(self, task: str, rival: str, theirs: list[Sample], ours: list[Sample]) -> None:
        value = statistics.median(t.cpu / o.cpu for t, o in zip(theirs, ours))
        rival = {"mod_lua best": "lua-cjson best", "mod_lua default": "lua-cjson default"}.get(rival, rival) if "hello" not in task else rival
        self.ratios.append(f"ratio\t{task}\tkumihimo/{rival}\t{value:.3f}\t{len(ours)}")


def versions() -> str:
    def said(command: list[str], pattern: str) -> str:
        try:
            out = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            return "?"
        found = re.search(pattern, out.stdout + out.stderr)
        return found[1] if found else "?"

    def package(name: str) -> str:
        return said(["dpkg-query", "-W", "-f", "${Version}", name], "(.+)")

    httpd = said([HTTPD, "-v"], r"Apache/(\S+)")
    return f"httpd {httpd}, mruby {package('libmruby-dev')}, Lua {package('liblua5.3-0')}, lua-cjson {package('lua-cjson')}, PHP {package('libapache2-mod-' + PHP_MODULE.stem.removeprefix('lib'))}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.py")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and requests: ends within a minute")
    parser.add_argument("--mpm", action="append", choices=["prefork", "event"], help="only this one")
    parser.add_argument("--only", action="append", default=[], metavar="CONTENDER", help="only this one")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="hello, json100, parse100; all if none is named")
    options = parser.parse_args()

    print(f"{versions()}; h2load --h1 -c {CONNECTIONS}, keep-alive")
    isolation = BUILD / "mruby" / "bench" / "isolation"
    if isolation.exists() and not options.only:
        subprocess.run([str(isolation)] + (["--quick"] if options.quick else []), check=True)
    tasks = [t for t in TASKS if not options.tasks or t.name in options.tasks]
    ratios: list[str] = []
    with tempfile.NamedTemporaryFile(suffix=".json") as posted:
        floor = Measured("prefork", FLOOR, PAGES)
        try:
            posted.write(floor.body("json100.floor"))
            posted.flush()
        finally:
            floor.remove()
        for mpm in options.mpm or ["prefork", "event"]:
            bench = Bench(mpm, 7 if options.quick else 15, 1 if options.quick else 3, options.only)
            bench.run(tasks, Path(posted.name))
            ratios += bench.ratios
    print("\n".join(ratios), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"bench.py: {failed}")
