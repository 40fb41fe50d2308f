"""The bar on a terminal's standard error: bytes, documents, rate, time left. Elsewhere it is silent and imports nothing."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional

from kumihimo.wording import counted


class Bar:
    """Shown only when standard error is a terminal; update() is cheap and draws at most ten times a second."""

    def __init__(self, show: Optional[bool] = None) -> None:
        self.shown = sys.stderr.isatty() if show is None else show
        self._bar: Any = None
        self._task: Any = None
        self._next = 0.0

    def __enter__(self) -> "Bar":
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn, TransferSpeedColumn

            columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TextColumn("{task.fields[documents]}"), TimeElapsedColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=10)
            self._bar.start()
            self._task = self._bar.add_task("", total=None, documents="")
        return self

    def update(self, done: int, total: Optional[int], documents: int, bad: int, rows: Optional[int] = None) -> None:
        """`done` and `total` are bytes of input as stored; total is None for standard input."""
        if self._bar is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 0.1
        text = counted(documents, "document") + (f", {bad:,} bad" if bad else "")
        self._bar.update(self._task, completed=done, total=total, documents=text)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
