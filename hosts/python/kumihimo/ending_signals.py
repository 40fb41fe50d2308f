"""Signals that end the command, each by an exception, so that no half-written file stays.

Inside of an import none is raised: modules in C++ abort the process when one strikes their beginning (those of nanobind do, as DuckDB's), Python
before 3.12 makes a RuntimeError of one that strikes the body of a class, and numpy an ImportError. The signal comes again when the import is over.
"""

from __future__ import annotations

import atexit
import signal
import sys
from types import CodeType, FrameType
from typing import Optional

SOON = 0.01  # seconds
IMPORTING = "<frozen importlib._bootstrap>"


def hear(entry: CodeType) -> None:
    """From now on they are exceptions. `entry`: the code of the function that is the command; an import around it is none that ends before it."""
    late: list[int] = []

    def importing(frame: Optional[FrameType]) -> bool:
        found = False
        while frame is not None and frame.f_code is not entry:
            found = found or frame.f_code.co_filename == IMPORTING
            frame = frame.f_back
        return found and frame is not None

    def end(number: int, frame: Optional[FrameType]) -> None:
        if importing(frame):
            late.append(number)
            signal.setitimer(signal.ITIMER_REAL, SOON)  # a thread would need locks, one of which this may have struck in
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            sys.exit(128 + number)  # as of a program that the signal ended

    def again(_: int, frame: Optional[FrameType]) -> None:
        if late:
            end(late.pop(), frame)

    for number, before in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is before:  # under nohup it is not
            signal.signal(number, end)
            signal.signal(signal.SIGALRM, again)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # behind the end of Python it would kill the process
