"""What `kumihimo check` does once the command line is understood (cli.py)."""

from __future__ import annotations

import time
from typing import Any, Optional, Sequence

from kumihimo import _core
from kumihimo.job import Job, tell
from kumihimo.progress import Bar
from kumihimo.wording import counted, size_of


class Check(Job):
    """`kumihimo check`: an extraction that reads every document in full and keeps nothing."""

    def __init__(self, *, inputs: Sequence[str], source: Optional[str], source_dialect: Optional[str], quiet: bool, **common: Any) -> None:
        super().__init__(inputs, quiet=quiet, **common)
        self.read = self.read_by(source, source_dialect)

    def run(self) -> int:
        return self.guarded(self.check)

    def check(self) -> int:
        with Bar(False if self.quiet else None) as bar:
            self.run_ = _core.Extraction(self.sources(), [], form="none", on_error="skip", **self.read, **self.common)
            while self.run_.next_count() is not None:
                self.between(None, bar)
            self.between(None, bar)
        if not self.quiet:
            for note in self.run_.notes:
                tell(f"note: {note}")
            now = self.run_.progress()
            state = f"{self.bad:,} bad" if self.bad else "all valid"
            tell(f"{counted(now['documents'], 'document')}, {size_of(now['bytes'])} in {time.perf_counter() - self.started:.2f} s: {state}")
        return 1 if self.bad else 0
