"""Rows as a table of an SQLite file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Any, Iterator, Optional

import pyarrow

from .cells import plain_of
from .database import Database, quoted
from .keeping import affinity, sqlite_keeps

PIECE = 1000  # rows that become Python objects at a time
PATIENCE = 5.0  # seconds, for who writes to the file at the moment


class _Rows:
    def __init__(self, connection: Any, table: str, schema: Any) -> None:
        self.connection = connection
        self.makers = [plain_of(field.type)[1] for field in schema]
        names = ", ".join(quoted(name) for name in schema.names)
        self.insert = f"INSERT INTO {quoted(table)} ({names}) VALUES ({', '.join('?' * len(schema))})"

    def write(self, batch: Any) -> None:
        for at in range(0, batch.num_rows, PIECE):
            piece = batch.slice(at, PIECE)
            self.connection.executemany(self.insert, zip(*[make(piece.column(i)) for i, make in enumerate(self.makers)]))

    def close(self) -> None:
        pass


class Sqlite(Database):
    beside = ("-journal", "-wal", "-shm")

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from None

    def connect(self) -> Any:
        connection = sqlite3.connect(os.path.abspath(self.file), timeout=PATIENCE, isolation_level=None)
        if self.whole is not None:
            # Nobody sees the file before it is complete, so there is nothing to undo.
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN IMMEDIATE")
        return connection

    def commit(self) -> None:
        self.connection.execute("COMMIT")

    def kind_of_table(self) -> Optional[str]:
        found = self.execute("SELECT type FROM sqlite_master WHERE lower(name) = lower(%s) AND type IN ('table', 'view')" % _text(self.table)).fetchone()
        return found[0] if found else None

    def columns_of_table(self) -> list[tuple[str, str]]:
        return [(row[1], row[2]) for row in self.execute(f"PRAGMA table_info({quoted(self.table)})")]

    def columns(self, schema: Any) -> list[tuple[str, str]]:
        return [(field.name, plain_of(field.type)[0]) for field in schema]

    def keeps(self, kind: Any, given: str, there: str) -> bool:
        return sqlite_keeps(kind, given, there)

    def numbers(self, there: str) -> Optional[Any]:
        return pyarrow.float64() if affinity(there) == "REAL" else None

    def writer(self, schema: Any) -> _Rows:
        return _Rows(self.connection, self.table, schema)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
