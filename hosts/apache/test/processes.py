"""What the kernel says about a server's processes: who they are, and the files, threads, memory and time they hold."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    processes: int
    threads: int
    files: int
    memory: int  # bytes; a page that several processes share counts once (PSS)
    seconds: float  # user and system time, ended children's too

    def __str__(self) -> str:
        return f"{self.processes} processes, {self.threads} threads, {self.files} files, {self.memory / 1e6:.1f} MB, {self.seconds:.2f} s CPU"


def _stat(pid: int) -> list[str]:
    # The program's name may hold spaces and brackets: the numbers begin behind the last one.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def children(pid: int) -> list[int]:
    """A process's own children, in the order of their numbers. Those that have ended and were not waited for are none."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = _stat(int(entry))
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry))
    return sorted(found)


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def files(pid: int) -> list[str]:
    """What a process's file descriptors are."""
    names = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:
            continue
    return sorted(names)


def memory(pid: int) -> int:
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        for line in lines:
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def seconds(pid: int) -> float:
    return sum(int(n) for n in _stat(pid)[11:15]) / TICKS


def usage(pid: int) -> Usage:
    """Of a server's parent and its children together. A child that ends meanwhile is left out."""
    total = [0, 0, 0, 0, 0.0]
    for one in (pid, *children(pid)):
        try:
            counted = (1, threads(one), len(files(one)), memory(one), seconds(one))
        except (FileNotFoundError, ProcessLookupError):
            continue
        total = [a + b for a, b in zip(total, counted)]
    return Usage(*total)
