"""Signals that end the command, each by an exception, so that no half-written file stays.

During an import none is raised, and a timer looks again until the import is over. A module in C++ may abort the process if it is interrupted while it
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
_late: list[int] = []  # came within an import, the first one first
_ending: Optional[int] = None  # what the command ends by
_armed = False  # the timer was set: the alarm is ours, also one that struck just before it was stopped


def raise_late() -> None:
    """Ends by a signal that came within an import. Called where work begins, before outputs take their names, and at the command's end: for these
    the timer may come too late."""
    if _late:
        _end(_late[0])


def _end(number: int) -> None:
    """Ends by the signal, or by one that came before it. Later ones are dropped: the command ends already."""
    global _ending
    if _ending is None:
        _ending = _late[0] if _late else number
    number = _ending
    if _late:
        _late.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)  # as of a program that the signal ended


def install(entry: CodeType) -> None:
    """The handlers. `entry` is the code of the command's function: an import that this function lies in itself is not waited for."""
    global _armed, _ending
    _late.clear()
    _armed, _ending = False, None
    before_alarm = signal.getsignal(signal.SIGALRM)

    def importing(frame: Optional[FrameType]) -> bool:
        found = False
        while frame is not None and frame.f_code is not entry:
            found = found or frame.f_code.co_filename == IMPORTING
            frame = frame.f_back
        return found and frame is not None

    def wait() -> None:
        global _armed
        _armed = True
        signal.setitimer(signal.ITIMER_REAL, SOON)  # a thread would need locks, one of which this may have struck in

    def end(number: int, frame: Optional[FrameType]) -> None:
        if importing(frame):
            _late.append(number)
            wait()
        else:
            _end(number)

    def alarm(number: int, frame: Optional[FrameType]) -> None:
        global _armed
        if _late and importing(frame):
            wait()
        elif _armed:
            _armed = False
            raise_late()
        elif callable(before_alarm):
            before_alarm(number, frame)
        elif before_alarm == signal.SIG_DFL:
            end(number, frame)

    for number, before in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is before:  # under nohup it is not
            signal.signal(number, end)
            signal.signal(signal.SIGALRM, alarm)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # behind the end of Python it would kill the process
