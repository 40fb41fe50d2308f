"""Rows into one file, or into standard output."""

from __future__ import annotations

import contextlib
import os
import stat
from types import TracebackType
from typing import Any, BinaryIO, Iterator, Optional, Type

from ..output import Whole, naming, open_part
from .base import Output
from ..forms import FORMS
from .text import TextWriter, shape_of


class File(Output):
    """`path`: - is standard output. `live`: rows leave as they come, also out of a frame."""

    def __init__(self, path: str, form: str, frame: Optional[str] = None, level: Optional[int] = None, group_rows: Optional[int] = None, live: bool = False, if_exists: str = "replace") -> None:
        self.path, self.form, self.frame, self.level, self.group_rows, self.live = path, form, frame, level, group_rows, live
        self.if_exists = if_exists
        self.engine = FORMS[form].engine
        self.delimiter = "\t" if form == "tsv" else ","
        self.whole: Optional[Whole] = None
        # A pipe cannot be written again from its beginning.
        try:
            self.rewritable = path != "-" and stat.S_ISREG(os.stat(path).st_mode)
        except OSError:
            self.rewritable = True

    def __enter__(self) -> File:
        if self.path != "-":
            self.refuse_existing()
            self.whole = Whole(self.path)
            self.whole.sealed = self.sealed
            self.whole.__enter__()
        return self

    def refuse_existing(self) -> None:
        if self.if_exists == "fail" and os.path.exists(self.path):
            raise FileExistsError(f"{self.path} is there already: replace it (--if-exists, if_exists), or name another file")

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self.whole is not None:
            if kind is None and not self.whole.direct:
                self.written = self.whole.part.stat().st_size
            self.whole.__exit__(kind, error, trace)

    @contextlib.contextmanager
    def begin(self, run: Any, schema: Any) -> Iterator[Any]:
        file: BinaryIO = open_part(self.whole.part) if self.whole is not None else open(1, "wb", buffering=0, closefd=False)
        with file, naming(self.path):
            if self.engine == "columns":
                from .columns import writer_of

                writer: Any = writer_of(self.form, file, schema, self.whole.part if self.whole is not None and not self.whole.direct else None, self.group_rows)
            else:
                writer = TextWriter(file, shape_of(self.form, run.header() if self.engine == "csv" else b""), self.frame, self.level, self.live)
            yield writer
            writer.close()
            if self.engine != "columns":
                self.written = writer.written
