"""Signals that end the command, each by an exception, so that no half-written file stays.

During an import none is raised, and a timer looks again until the import is over. A module in C++ may abort the process if it is interrupted while it
begins (DuckDB's does), Python before 3.12 makes a RuntimeError of an exception in the body of a class, and numpy makes an ImportError of one.
"""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Optional

RETRY = 0.01  # seconds
IMPORT_CODE = "<frozen importlib._bootstrap>"
_late: list[int] = []  # came within an import, the first one first
_ending: Optional[int] = None  # what the command ends by
_armed = False  # the timer was set, and the next alarm is taken for its own
_entry: Optional[CodeType] = None  # None: no command runs
_before_alarm: Any = signal.SIG_DFL


def _in_main_thread() -> bool:
    """Signals come there; a command in another thread has none."""
    return threading.current_thread() is threading.main_thread()


def raise_late() -> None:
    """Ends by a signal that came within an import. Called where work begins, before outputs take their names, and at the command's end: for these
    the timer may come too late."""
    if _late and _in_main_thread():
        _end(_late[0])


def forget() -> None:
    """The command has ended. The handlers stay; a later signal ends the process, or the program around it, by its own number."""
    global _ending, _entry
    if _in_main_thread():
        _ending = _entry = None


def _end(number: int) -> None:
    """Ends by the signal, or by one that came before it to the same command: the first one's status is the command's."""
    global _ending
    if _entry is not None:
        if _ending is None:
            _ending = _late[0] if _late else number
        number = _ending
    if _late:
        _late.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)  # as of a program that the signal ended


def _importing(frame: Optional[FrameType]) -> bool:
    found = False
    while frame is not None and frame.f_code is not _entry:
        found = found or frame.f_code.co_filename == IMPORT_CODE
        frame = frame.f_back
    return found and frame is not None


def _wait() -> None:
    global _armed
    _armed = True
    signal.setitimer(signal.ITIMER_REAL, RETRY)  # no thread: it needs locks, and the signal may have interrupted their holder


def _on_signal(number: int, frame: Optional[FrameType]) -> None:
    if _importing(frame):
        _late.append(number)
        _wait()
    else:
        _end(number)


def _on_alarm(number: int, frame: Optional[FrameType]) -> None:
    global _armed
    if _late and _importing(frame):
        _wait()
    elif _armed:
        _armed = False
        raise_late()
    elif callable(_before_alarm):
        _before_alarm(number, frame)
    elif _before_alarm == signal.SIG_DFL:
        _on_signal(number, frame)


def install(entry: CodeType) -> None:
    """The handlers. `entry` is the code of the command's function: an import that this function lies in itself is not waited for."""
    global _armed, _before_alarm, _ending, _entry
    if not _in_main_thread():
        return
    _late.clear()
    _armed, _ending, _entry = False, None, entry
    ours = False
    for number, before in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) in (before, _on_signal):  # under nohup it is neither
            signal.signal(number, _on_signal)
            ours = True
    if ours and (alarm := signal.getsignal(signal.SIGALRM)) is not _on_alarm:
        _before_alarm = alarm
        signal.signal(signal.SIGALRM, _on_alarm)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # an alarm after Python has gone would kill the process
