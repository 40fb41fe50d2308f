"""What `kumihimo repack` does once the command line is understood (cli.py)."""

from __future__ import annotations

import sys
import time
from typing import Any, BinaryIO, Optional, Sequence

import click

from kumihimo.job import Job, refuse, tell
from kumihimo.output import Files, Whole, naming, open_part
from kumihimo.progress import Bar
from kumihimo.repacking import start, target_of, write
from kumihimo.wording import counted, size_of


class Repack(Job):
    """`kumihimo repack`, from understood options to an exit status."""

    def __init__(self, *, inputs: Sequence[str], output: str, source: Optional[str], source_dialect: Optional[str], target: Optional[str], target_dialect: Optional[str], frame: Optional[str],
                 frame_level: Optional[int], block_size: int, limit: Optional[int], on_error: str, quarantine: Optional[str], quiet: bool,
                 where: Optional[str] = None, sample_rows: Optional[float] = None, seed: Optional[int] = None, limit_per_archive: Optional[int] = None, **common: Any) -> None:  # fmt: skip
        super().__init__(inputs, quiet=quiet, **common)
        self.output, self.on_error, self.quarantine = output, on_error, quarantine
        refuse(self.given, self.inputs, [output, quarantine], self.common["match"])
        try:
            self.target = target_of(output, target, frame)
        except ValueError as wrong:
            raise click.UsageError(str(wrong).replace("'to'", "--to")) from None
        if frame_level is not None and self.target[1] is None:
            raise click.UsageError("--frame-level is the level of a frame: name one with --frame, or by the output's ending")
        if output == "-" and sys.stdout.isatty() and (self.target[1] is not None or self.target[0] != "json"):
            raise click.UsageError("blocks are not for a terminal: name a file with -o")
        self.options: dict[str, Any] = {"to_dialect": target_dialect, "level": frame_level, "block_size": block_size, "limit": limit, "on_error": on_error,
                                        "where": where, "sample_rows": sample_rows, "seed": seed, "limit_per_archive": limit_per_archive,
                                        **self.read_by(source, source_dialect)}  # fmt: skip

    def run(self) -> int:
        return self.guarded(self.repack)

    def repack(self) -> int:
        self.run_ = start(self.sources(), self.target, **self.options, **self.common)
        with Files() as files:
            put_aside = files.enter_context(open_part(files.enter_context(Whole(self.quarantine)))) if self.quarantine else None
            part = files.enter_context(Whole(self.output)) if self.output != "-" else None
            file: BinaryIO = files.enter_context(open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False))
            bar = files.enter_context(Bar(None if not self.quiet and (part is not None or not sys.stdout.isatty()) else False))
            with naming(self.output):
                written = write(self.run_, file, lambda: self.between(put_aside, bar))
        if not self.quiet:
            for note in self.run_.notes:
                tell(f"note: {note}")
            self.say(written)
        return 0

    def say(self, written: int) -> None:
        now, wall = self.run_.progress(), time.perf_counter() - self.started
        ratio = now["bytes"] / written if now["rows"] and written else 0
        times = f" ({ratio:{'.1f' if ratio >= 1 else '.2g'}} : 1)" if ratio else ""
        bad = f"; {counted(self.bad, 'bad record')}" if self.bad else ""
        tell(f"{counted(now['rows'], 'document')}, {size_of(now['bytes'])} into {size_of(written)}{times} in {wall:.2f} s{bad}")
