"""Signals that come within an import: they wait for its end, and then the command ends by them, whatever it was about to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Sequence

import pytest

# Sends signals to the process at the end of one module's import, or lists the package's modules that are imported once the command itself is.
HOOK = """
import atexit, importlib.machinery, os, sys
at, numbers = os.environ["AT"], [int(number) for number in os.environ["KILL"].split()]
imported = []

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        found = super().find_spec(name, path, target)
        if found is None or not name.startswith("kumihimo") or not hasattr(found.loader, "exec_module"):
            return found
        execute = found.loader.exec_module
        def run(module):
            execute(module)
            imported.append(name)
            if name == at:
                for number in numbers:
                    os.kill(os.getpid(), number)
        found.loader.exec_module = run
        return found

sys.meta_path.insert(0, Finder)
if not at:
    atexit.register(lambda: print(*imported[imported.index("kumihimo.cli") + 1 :], sep="\\n", file=open(os.environ["LIST"], "w")))
"""

COMMANDS = {
    "text": ["extract", "in.ndjson", "-f", "n", "-o", "out.csv", "--chart", "out.txt", "--chart", "out.html", "--summary", "out.json"],
    "columns": ["extract", "in.ndjson", "-f", "n", "-o", "out.parquet"],
    "folder": ["extract", "in.ndjson", "-f", "n", "-o", "out", "--to", "csv", "--split-rows", "1"],
    "table": ["extract", "in.ndjson", "-f", "n", "-o", "out.sqlite"],
    "resume": ["extract", "in.ndjson", "-f", "n", "-o", "out.csv", "--resume", "kept"],
    "failing": ["extract", "bad.ndjson", "-f", "n", "-o", "out.csv", "--chart", "out.txt", "--summary", "out.json"],
    "quarantine": ["extract", "bad.ndjson", "-f", "n", "-o", "out.csv", "--on-error", "quarantine=out.bad"],
    "refused": ["extract", "in.ndjson", "-o", "out.csv", "--schema", "nowhere.json", "--summary", "out.json"],
    "check": ["check", "in.ndjson"],
    "convert": ["convert", "in.ndjson", "-o", "out.msgpack"],
    "repack": ["repack", "in.ndjson", "-o", "out.msgpack.gz"],
    "schema": ["schema", "in.ndjson", "-o", "out.json"],
    "measure": ["measure", "in.ndjson", "--runs", "1"],
    "man": ["man"],
}


def command(folder: Path, words: Sequence[str], at: str = "", numbers: Sequence[int] = ()) -> subprocess.CompletedProcess[bytes]:
    """The command, which gets these signals at the end of the import of the module `at`; without one it lists its modules."""
    (folder / "hook").mkdir(exist_ok=True)
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    (folder / "in.ndjson").write_text('{"n":1}\n{"n":2}\n')
    (folder / "bad.ndjson").write_text('{"n":1}\nx\n')
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder / "hook"), os.environ.get("PYTHONPATH", ""))), "AT": at,
                   "KILL": " ".join(str(int(number)) for number in numbers), "LIST": str(folder / "hook" / "modules")}  # fmt: skip
    defaults = ["env", *(f"--default-signal={int(number)}" for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM))]
    return subprocess.run([*defaults, sys.executable, "-m", "kumihimo", *words], cwd=folder, env=environment, capture_output=True, timeout=60)


def outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "out" in path.name)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_at_the_end_of_each_import(tmp_path: Path, name: str) -> None:
    """However little is left to be done then: the status is the signal's, and no output has its name."""
    if name in ("columns", "table"):
        pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    whole = tmp_path / "whole"
    whole.mkdir()
    done = command(whole, COMMANDS[name])
    assert done.returncode == {"failing": 1, "refused": 2}.get(name, 0), done.stderr
    modules = (whole / "hook" / "modules").read_text().split()
    assert modules
    for i, module in enumerate(modules):
        folder = tmp_path / module
        folder.mkdir()
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
        done = command(folder, COMMANDS[name], module, [number])
        assert (module, done.returncode) == (module, 128 + number), done.stderr
        assert b"Traceback" not in done.stderr and (b"interrupted" in done.stderr) == (number == signal.SIGINT), (module, done.stderr)
        assert outputs(folder) == [], module


@pytest.mark.parametrize(("numbers", "status"), [((signal.SIGTERM, signal.SIGINT), 143), ((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), 130), ((signal.SIGALRM,), 142)])
def test_the_first_of_several_ends_the_command(tmp_path: Path, numbers: Sequence[int], status: int) -> None:
    """An alarm that no timer of the command's own has sent is a signal like the others."""
    done = command(tmp_path, COMMANDS["text"], "kumihimo.chart_text", numbers)
    assert done.returncode == status and b"Traceback" not in done.stderr, done.stderr
    assert outputs(tmp_path) == []


def test_an_alarm_of_the_program_around_the_command(tmp_path: Path) -> None:
    """It keeps its own handler; and a signal that ended one command is none of the next one's."""
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    script = """
import signal, sys
heard = []
signal.signal(signal.SIGALRM, lambda *_: heard.append("alarm"))
from kumihimo import cli, ending_signals

def status():
    try:
        cli.main(["check", "in.ndjson"])
    except SystemExit as end:
        return end.code

first = status()
signal.raise_signal(signal.SIGALRM)
ending_signals._armed = True  # of a signal that has ended a command: one alarm may still be ours
signal.raise_signal(signal.SIGALRM)
signal.raise_signal(signal.SIGALRM)
ending_signals._late += [signal.SIGTERM]
print(first, status(), *heard)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.stdout == b"0 0 alarm alarm\n", done.stderr


def test_signals_of_the_program_around_the_command(tmp_path: Path) -> None:
    """They are not taken for the one that ended a command; a second command has the alarm that it needs; one in another thread works, too."""
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    script = """
import signal, threading
from kumihimo import check_command, cli, ending_signals

def ended(work):
    try:
        work()
    except (KeyboardInterrupt, SystemExit) as end:
        return getattr(end, "code", type(end).__name__)

check = check_command.Check.check
check_command.Check.check = lambda self: signal.raise_signal(signal.SIGTERM)
said = [ended(lambda: cli.main(["check", "in.ndjson"]))]
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
    said.append(ended(lambda: signal.raise_signal(number)))
check_command.Check.check = check
signal.signal(signal.SIGALRM, signal.SIG_DFL)
said.append(ended(lambda: cli.main(["check", "in.ndjson"])))
thread = threading.Thread(target=lambda: said.append(ended(lambda: cli.main(["check", "in.ndjson"]))))
thread.start()
thread.join()
print(*said, signal.getsignal(signal.SIGALRM) is ending_signals._on_alarm)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.stdout == b"143 KeyboardInterrupt 143 KeyboardInterrupt 0 0 True\n", done.stderr
