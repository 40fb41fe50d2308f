"""The load of test_load.py in full, on each of httpd's process models: `./dev bench apache --long [--requests N] [MPM...]`.

Ten times `ab -c 200 -n 5000`, then a million requests at 200 at once. Between them the kernel's own accounting of the server's
processes: files, threads and memory must stay as they are once every worker has its VM. Then a million over kept connections, where event
closes connections when it is busy, the more the faster it answers; ab takes a connection that was closed before its next request for a
failure. They are judged by those of the same page from a handler in C.

KUMIHIMO_APACHE   the build: mod_mruby.so, bench/mod_floor.so
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

import load  # noqa: E402
from processes import Usage  # noqa: E402
from server import BUILD, MPMS, Server  # noqa: E402

WORKERS = {"prefork": 128, "worker": 128, "event": 128}
GROWTH = 4_000_000  # bytes that the whole tree may take more after all that: allocators round


def settled(server: Server, files: int) -> Usage:
    """What is in use once the last connections are closed."""
    end = time.monotonic() + 30
    while (now := server.usage()).files > files and time.monotonic() < end:
        time.sleep(0.1)
    return now


def long(mpm: str, requests: int) -> list[str]:
    wrong: list[str] = []
    server = Server(mpm, mpm_conf=load.fixed(mpm, WORKERS[mpm]))
    try:
        server.page("hello.mrb", load.HELLO)
        server.page("hello.floor", "")
        server.start(load.LISTEN + load.HANDLER + f"LoadModule floor_module {BUILD}/bench/mod_floor.so\nAddHandler floor .floor\n")
        idle = server.usage()
        print(f"\n{mpm}: {WORKERS[mpm]} workers\n  before the first request   {idle}", flush=True)
        pids = server.pids()
        load.ab(server.port, "/hello.mrb", 20 * WORKERS[mpm])
        before = settled(server, 0 if mpm == "prefork" else idle.files)
        print(f"  every worker has its VM    {before}", flush=True)

        def check(what: str, run: load.Run, failures: int = 0) -> None:
            now = settled(server, before.files)
            print(f"  {what:26} {run}; {now}", flush=True)
            if run.failed > failures or run.not_2xx:
                wrong.append(f"{mpm}, {what}: {run}")
            if now.files > before.files or now.threads != before.threads or now.memory - before.memory > GROWTH:
                wrong.append(f"{mpm}, {what}: {before} became {now}")

        for i in range(10):
            check(f"5000 at 200, run {i + 1}", load.ab(server.port, "/hello.mrb", 5000))
        check(f"{requests} at 200", load.ab(server.port, "/hello.mrb", requests, timeout=7200))
        floor = load.ab(server.port, "/hello.floor", requests, keep=True, timeout=7200)
        print(f"  {'in C, kept connections':26} {floor}", flush=True)
        check("kept connections", load.ab(server.port, "/hello.mrb", requests, keep=True, timeout=7200), failures=2 * floor.failed + requests // 1000)
        if server.get("/hello.mrb").text != "hello world!":
            wrong.append(f"{mpm}: the last answer is wrong")
        if server.pids() != pids:
            wrong.append(f"{mpm}: children were replaced: {pids} became {server.pids()}")
        wrong += [f"{mpm}: {line}" for line in server.deaths()]
        wrong += [f"{mpm}: {line}" for line in server.error_log.splitlines() if "Too many open files" in line or "scoreboard" in line]
    finally:
        server.remove()
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench apache --long")
    parser.add_argument("mpm", nargs="*", help="prefork, worker, event: all")
    parser.add_argument("--requests", type=int, default=1_000_000)
    options = parser.parse_args()
    wrong = [line for mpm in options.mpm or MPMS for line in long(mpm, options.requests)]
    print("\n" + ("\n".join(wrong) if wrong else "files, threads and memory stayed flat; no run failed more than is said above"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
