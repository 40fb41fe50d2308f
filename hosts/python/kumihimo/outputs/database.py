"""What the databases have in common: a table in one transaction, in a file that is new or has others."""

from __future__ import annotations

import contextlib
import os
import string
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, Iterator, Optional, Sequence, Type

import pyarrow

from ..output import Whole, opened, remove
from .base import Output
from .keeping import Exact, same_numbers

LOWER = {ord(c): c.lower() for c in string.ascii_uppercase}


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


class Database(Output):
    """A new file takes its name at the end, as any other; in one that exists the transaction does the same for the table: until it is committed
    nothing has changed, and a process that is killed leaves what was there."""

    engine = "columns"
    beside: Sequence[str] = ()  # endings of the files that the database puts beside its own

    def __init__(self, path: str, form: str, table: str, if_exists: str) -> None:
        self.path, self.form, self.table, self.if_exists = path, form, table, if_exists
        if "\0" in table or not table:
            raise ValueError("table is a name, which has at least one character")
        self.connection: Any = None
        self.whole: Optional[Whole] = None
        self.file = Path(path)

    def __enter__(self) -> Database:
        if os.path.isdir(self.path):
            raise IsADirectoryError(f"{self.path} is a folder; name a file in it")
        if not os.path.exists(self.path):
            self.whole = Whole(self.path)
            self.whole.sealed = self.sealed
            self.file = self.whole.part
            opened.update(self.others())
            self.whole.__enter__()
        elif not os.path.isfile(self.path):
            raise OSError(f"{self.path} is no file; a database is one")
        return self

    def others(self) -> list[Path]:
        return [self.file.with_name(self.file.name + ending) for ending in self.beside]

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        try:
            if kind is None and self.connection is not None:
                with self.telling():
                    self.commit()
        except BaseException as failed:
            kind, error, trace = type(failed), failed, failed.__traceback__
            raise
        finally:
            self.drop()
            if self.whole is not None:
                if kind is None:
                    self.written = self.file.stat().st_size
                for other in self.others():
                    remove(other)
                    opened.discard(other)
                self.whole.__exit__(kind, error, trace)

    def drop(self) -> None:
        """Ends the connection; what is not committed is undone."""
        if self.connection is not None:
            connection, self.connection = self.connection, None
            with contextlib.suppress(Exception):
                connection.close()

    @contextlib.contextmanager
    def begin(self, run: Any, schema: Any) -> Iterator[Any]:
        self.drop()
        if self.whole is not None:
            for path in (self.file, *self.others()):
                remove(path)
        self.refuse_names(schema.names)
        with self.telling():
            self.connection = self.connect()
            kind = self.kind_of_table()
            if kind is not None and kind != "table":
                raise FileExistsError(f"{self.path}: {self.table} is a {kind} there: name another table")
            if kind is not None and self.if_exists == "fail":
                raise FileExistsError(f"{self.path}: there is a table {self.table} already: append to it or replace it (--if-exists, if_exists)")
            casts = {}
            if kind is not None and self.if_exists == "append":
                casts = self.casts(schema)
            else:
                if kind is not None:
                    self.execute(f"DROP TABLE {quoted(self.table)}")
                self.execute(f"CREATE TABLE {quoted(self.table)} ({', '.join(f'{quoted(name)} {kind}'.rstrip() for name, kind in self.columns(schema))})")
            writer = self.writer(schema) if not casts else Exact(self.writer(schema), casts)
            yield writer
            writer.close()

    @staticmethod
    def folded(name: str) -> str:
        """A name as databases compare it: they know the case of ASCII letters only."""
        return name.translate(LOWER)

    def refuse_names(self, names: Sequence[str]) -> None:
        for name, count in Counter(map(self.folded, names)).items():
            if count > 1:
                same = " and ".join(repr(one) for one in names if self.folded(one) == name)
                raise OSError(f"{self.path}: the columns {same} differ in case only, which is one name in a database: give another with NAME=PATH")

    def casts(self, schema: Any) -> dict[str, tuple[Any, str]]:
        """What is appended must find its columns, and types that change no value: these columns by a cast, which may refuse with this sentence."""
        there = {self.folded(name): kind for name, kind in self.columns_of_table()}
        missing = [name for name in schema.names if self.folded(name) not in there]
        if missing:
            raise OSError(f"{self.path}: the table {self.table} has no column {', '.join(map(repr, missing))}, and appending makes none")
        casts = {}
        for field, (name, kind) in zip(schema, self.columns(schema)):
            declared = there[self.folded(name)]
            if pyarrow.types.is_null(field.type) or self.keeps(field.type, kind, declared):
                continue
            room = self.numbers(declared)
            refusal = f"{self.path}: the column {name!r} of the table {self.table} is {declared}, which would change values of the rows' type {kind or field.type}"
            advice = "give the rows the table's type, -f NAME=PATH:TYPE"
            if not same_numbers(field.type, room):
                raise OSError(f"{refusal}: {advice}")
            casts[name] = (room, f"{refusal}: {advice}, which rounds, or replace the table")
        return casts

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of the database as errors of its file."""
        raise NotImplementedError
        yield

    def connect(self) -> Any:
        """A connection in a transaction."""
        raise NotImplementedError

    def execute(self, words: str) -> Any:
        return self.connection.execute(words)

    def commit(self) -> None:
        raise NotImplementedError

    def kind_of_table(self) -> Optional[str]:
        """table or view, None where there is none of that name."""
        raise NotImplementedError

    def columns_of_table(self) -> list[tuple[str, str]]:
        """Names and types."""
        raise NotImplementedError

    def columns(self, schema: Any) -> list[tuple[str, str]]:
        raise NotImplementedError

    def keeps(self, kind: Any, given: str, there: str) -> bool:
        """Whether a table's type takes all values of an Arrow type, which is `given` here, as they are."""
        raise NotImplementedError

    def numbers(self, there: str) -> Optional[Any]:
        """The Arrow type of the numbers that a table's type has; None: it has others, or none."""
        raise NotImplementedError

    def writer(self, schema: Any) -> Any:
        raise NotImplementedError
