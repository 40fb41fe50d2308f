"""What `kumihimo check` does once the command line is understood (cli.py)."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.command import Job, by_options, size_of, tell
from kumihimo.convert_command import Refused, bytes_of, content, place
from kumihimo.endings import format_of_path
from kumihimo.errors import DecodeError, ExtractionError, JSONDecodeError
from kumihimo.progress import Bar


class Check(Job):
    """`kumihimo check`: every document in full, nothing kept.

    All inputs are an extraction's, which knows where a bad document ends and goes on behind it. A dialect grants or refuses what an extraction's
    reader does not, so where one is named each file is read by that dialect's own reader, to its first bad document.
    """

    def __init__(self, *, inputs: Sequence[str], source: Optional[str], source_dialect: Optional[str], quiet: bool, **common: Any) -> None:
        super().__init__(inputs, quiet=quiet, **common)
        self.source, self.dialect = source, source_dialect
        self.others: list[tuple[str, Optional[str]]] = []
        if source_dialect is not None:
            self.others = [(name, source or (format_of_path(name) if name != "-" else None)) for name in self.inputs]
            if any(form is None for _, form in self.others):
                raise click.UsageError("--from-dialect is a dialect of one format: name that with --from")
            self.inputs = []
        self.documents = self.read = 0
        for form in {form for _, form in self.others} | ({source} if source else set()):
            try:
                _core.Converter.checker(form, source_dialect)
            except ValueError as wrong:
                raise click.UsageError(by_options(wrong)) from None

    def run(self) -> int:
        try:
            with Bar(False if self.quiet else None) as bar:
                if self.inputs:
                    self.extraction(bar)
                total = bytes_of([name for name, _ in self.others])
                for name, form in self.others:
                    self.one(name, str(form), bar, total)
        except ExtractionError as bad:
            return self.fault(bad)
        except KeyboardInterrupt:
            if self.run_ is not None:
                self.run_.cancel()
            raise
        if not self.quiet:
            if self.run_ is not None:
                for note in self.run_.notes:
                    tell(f"note: {note}")
                now = self.run_.progress()
                self.documents += now["documents"]
                self.read += now["bytes"]
            state = f"{self.bad:,} bad" if self.bad else "all valid"
            tell(f"{self.documents:,} documents, {size_of(self.read)} in {time.perf_counter() - self.started:.2f} s: {state}")
        return 1 if self.bad else 0

    def extraction(self, bar: Bar) -> None:
        self.run_ = _core.Extraction(self.inputs, [], form="none", on_error="skip", format=self.source or "", **self.common)
        while self.run_.next_count() is not None:
            self.update(bar)
            self.reports()
        self.reports()

    def one(self, name: str, form: str, bar: Bar, total: Optional[int]) -> None:
        """One file by the dialect's reader, to its end or its first bad document."""
        shown = "standard input" if name == "-" else name
        checker = _core.Converter.checker(form, self.dialect, self.common["depth"], self.common["document_size"])
        with contextlib.ExitStack() as counted:
            counted.callback(lambda: self.add(checker))
            try:
                for chunk in content(name, shown, self.count):
                    checker.feed(chunk)
                    bar.update(self.read, total, self.documents + checker.documents, self.bad)
                checker.finish()
            except (DecodeError, JSONDecodeError) as bad:
                self.report(place(shown, checker.documents + 1, bad))
                self.documents += 1  # the bad one is counted, as an extraction counts it
            except (Refused, OSError, ImportError) as bad:
                self.report(str(bad))

    def add(self, checker: Any) -> None:
        self.documents += checker.documents

    def count(self, size: int) -> None:
        self.read += size

    def report(self, text: str) -> None:
        self.bad += 1
        self.told += 1
        tell(f"bad record: {text}")
