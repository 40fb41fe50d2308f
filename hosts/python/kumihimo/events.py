"""What the command says on standard error: lines for people or, with --progress json, an object a line for programs.

The events: `progress` (at most twice a second), `bad_record`, `note`, `error`, `end`. Each has `event` and `seconds` since the start; the rest
is named as in a summary (run_summary.py).
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Optional

EVERY = 0.5  # seconds between two lines of progress


def text_of(name: str) -> str:
    """A name as text: bytes of it that are none become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace") if not name.isascii() else name


def report_of(report: Any) -> dict[str, Any]:
    """A bad record's place and cause."""
    names = ("scope", "code", "archive", "entry", "document", "offset", "line", "column", "path", "message")
    return {name: text_of(value) if isinstance(value := getattr(report, name), str) else value for name in names}


class Events:
    """Stands where the progress bar does (progress.py)."""

    shown = True

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self._next = 0.0

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def say(self, event: str, **facts: Any) -> None:
        line = {"event": event, "seconds": round(time.perf_counter() - self.started, 3), **facts}
        sys.stderr.write(json.dumps(line) + "\n")
        sys.stderr.flush()

    def update(self, done: int, total: Optional[int], documents: int, bad: int, rows: Optional[int] = None) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY
            self.say("progress", bytes=done, total=total, documents=documents, rows=rows, bad_records=bad)
