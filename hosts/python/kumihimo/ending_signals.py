"""Signals that end the command, each by an exception, so that no half-written file stays.

During an import none is raised, and the signal is sent again when it is over. A module in C++ may abort the process if it is interrupted while it
begins (DuckDB's does), Python before 3.12 makes a RuntimeError of an exception in the body of a class, and numpy makes an ImportError of one.
"""

from __future__ import annotations

import atexit
import signal
import sys
from types import CodeType, FrameType
from typing import Optional

SOON = 0.01  # seconds
IMPORTING = "<frozen importlib._bootstrap>"
_late: list[int] = []  # came within an import


def raise_late() -> None:
    """Ends by a signal that came within an import. For where work begins or is done, which may take less than the time until it is sent again."""
    if _late:
        _end(_late.pop())


def _end(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)  # as of a program that the signal ended


def install(entry: CodeType) -> None:
    """The handlers. `entry` is the code of the command's function: an import that this function lies in itself is not waited for."""
    def importing(frame: Optional[FrameType]) -> bool:
        found = False
        while frame is not None and frame.f_code is not entry:
            found = found or frame.f_code.co_filename == IMPORTING
            frame = frame.f_back
        return found and frame is not None

    def end(number: int, frame: Optional[FrameType]) -> None:
        if importing(frame):
            _late.append(number)
            signal.setitimer(signal.ITIMER_REAL, SOON)  # a thread would need locks, one of which this may have struck in
        else:
            _end(number)

    def again(_: int, frame: Optional[FrameType]) -> None:
        if _late:
            end(_late.pop(), frame)

    for number, before in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is before:  # under nohup it is not
            signal.signal(number, end)
            signal.signal(signal.SIGALRM, again)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # behind the end of Python it would kill the process
