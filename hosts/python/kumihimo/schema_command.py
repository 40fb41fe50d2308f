"""What `kumihimo schema` does once the command line is understood (cli.py)."""

from __future__ import annotations

import sys
import time
from typing import Any, BinaryIO, Optional, Sequence

import click

from kumihimo.job import Job, refuse, shown, tell
from kumihimo.output import Files, Whole, naming, open_part, write_all
from kumihimo.progress import Bar
from kumihimo.schemas import Schema, read, start
from kumihimo.wording import counted, size_of

ENDINGS = {".schema.json": "json-schema", ".json": "json", ".arrow": "arrow", ".ipc": "arrow", ".feather": "arrow"}


def form_of(output: str, to: Optional[str]) -> str:
    return to or next((form for ending, form in ENDINGS.items() if output.lower().endswith(ending)), "table")


class SchemaJob(Job):
    """`kumihimo schema`, from understood options to an exit status."""

    def __init__(self, *, inputs: Sequence[str], output: str, to: Optional[str], fold: int, source: Optional[str], source_dialect: Optional[str], limit: Optional[int],
                 on_error: str, quarantine: Optional[str], quiet: bool, where: Optional[str], sample_rows: Optional[float], seed: Optional[int], limit_per_archive: Optional[int],
                 nested_types: bool = False, **common: Any) -> None:  # fmt: skip
        super().__init__(inputs, quiet=quiet, **common)
        self.output, self.form, self.on_error, self.quarantine = output, form_of(output, to), on_error, quarantine
        refuse(self.given, self.inputs, [output, quarantine], self.common["match"])
        if self.form == "arrow":
            try:
                import pyarrow  # noqa: F401
            except ImportError:
                raise click.ClickException("--to arrow needs pyarrow: pip install pyarrow") from None
            if output == "-" and sys.stdout.isatty():
                raise click.UsageError("arrow is not for a terminal: name a file with -o")
        self.options: dict[str, Any] = {"fold": fold, "limit": limit, "on_error": on_error, "where": where, "sample_rows": sample_rows, "seed": seed,
                                        "limit_per_archive": limit_per_archive, "nested_types": nested_types, **self.read_by(source, source_dialect)}  # fmt: skip

    def run(self) -> int:
        return self.guarded(self.find)

    def find(self) -> int:
        self.run_ = start(self.sources(), **self.options, **self.common)
        with Files() as files:
            put_aside = files.enter_context(open_part(files.enter_context(Whole(self.quarantine)))) if self.quarantine else None
            part = files.enter_context(Whole(self.output)) if self.output != "-" else None
            with Bar(False if self.quiet else None) as bar:
                read(self.run_, lambda: self.between(put_aside, bar))
            with naming(self.output):
                file: BinaryIO = files.enter_context(open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False))
                write_all(file, memoryview(self.text()))
        if not self.quiet:
            for note in self.run_.notes:
                tell(f"note: {note}")
            if self.run_.progress()["documents"] == 0 and self.options["limit"] != 0:
                tell("note: there was no document")
            self.say()
        return 0

    def text(self) -> bytes:
        found = Schema(self.run_)
        if self.form == "json":
            return found.json().encode()
        if self.form == "json-schema":
            return found.json_schema_text()
        if self.form == "arrow":
            from kumihimo.schema_files import arrow_schema

            return arrow_schema(found)
        return "".join(shown(line) + "\n" for line in str(found).split("\n")).encode()

    def say(self) -> None:
        now, wall = self.run_.progress(), time.perf_counter() - self.started
        bad = f"; {counted(self.bad, 'bad record')}" if self.bad else ""
        tell(f"{counted(now['documents'], 'document')}, {size_of(now['bytes'])} in {wall:.2f} s{bad}")
