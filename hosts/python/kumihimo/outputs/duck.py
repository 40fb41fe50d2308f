"""Rows as a table of a DuckDB file."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator, Optional

import pyarrow

from .database import Database, quoted
from .duck_connection import Connection
from .keeping import NUMBERS, duck_keeps

MOST_ROWS = 122_880  # what DuckDB stores as one group
MOST_BYTES = 4 << 20


class _Rows:
    """Batches wait until they are worth a statement."""

    def __init__(self, connection: Any, table: str, schema: Any) -> None:
        self.connection, self.schema = connection, schema
        names = ", ".join(quoted(name) for name in schema.names)
        self.name = "kumihimo_rows" if table.lower() != "kumihimo_rows" else "kumihimo_rows_"
        self.insert = f"INSERT INTO {quoted(table)} ({names}) SELECT * FROM {self.name}"
        self.waiting: list[Any] = []
        self.rows = self.bytes = 0

    def write(self, batch: Any) -> None:
        self.waiting.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes
        if self.bytes >= MOST_BYTES or self.rows >= MOST_ROWS:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            self.connection.insert(self.insert, self.name, pyarrow.Table.from_batches([_kept(batch) for batch in self.waiting]))
        self.waiting = []
        self.rows = self.bytes = 0

    def close(self) -> None:
        self.flush()


def _plain(kind: Any) -> Any:
    """DuckDB has no times of a zone in nanoseconds: they are kept in UTC, and no digit is lost."""
    types = pyarrow.types
    if types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is not None:
        return pyarrow.timestamp("ns")
    if types.is_struct(kind):
        return pyarrow.struct([kind.field(i).with_type(_plain(kind.field(i).type)) for i in range(kind.num_fields)])
    if types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_plain(kind.value_type)))
    return kind


def _kept(batch: Any) -> Any:
    for i, field in enumerate(batch.schema):
        if (plain := _plain(field.type)) != field.type:
            batch = batch.set_column(i, field.name, batch.column(i).cast(plain))
    return batch


def type_of(kind: Any) -> str:
    """The SQL type of an Arrow type."""
    types = pyarrow.types
    if types.is_timestamp(kind):
        if kind.unit == "ns":
            return "TIMESTAMP_NS"
        return "TIMESTAMP" if kind.tz is None else "TIMESTAMPTZ"
    if types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if types.is_struct(kind):
        return "STRUCT(" + ", ".join(f"{quoted(kind.field(i).name)} {type_of(kind.field(i).type)}" for i in range(kind.num_fields)) + ")"
    if types.is_list(kind) or types.is_large_list(kind):
        return type_of(kind.value_type) + "[]"
    names = {"bool": "BOOLEAN", "int64": "BIGINT", "uint64": "UBIGINT", "int32": "INTEGER", "double": "DOUBLE", "float": "FLOAT", "date32[day]": "DATE", "binary": "BLOB"}
    return names.get(str(kind), "VARCHAR")


def _of_duckdb(kind: str) -> str:
    """A type's name as DuckDB prints it."""
    return kind.replace("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE")


class Duck(Database):
    beside = (".wal", ".tmp")

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            raise OSError(f"{self.path}: {error}") from None

    def connect(self) -> Any:
        connection = Connection(os.path.abspath(self.file))  # else :memory: and md: mean something else
        try:
            connection.execute("BEGIN")
        except BaseException:
            connection.close()
            raise
        return connection

    def commit(self) -> None:
        self.connection.execute("COMMIT")
        if self.whole is not None:
            self.connection.execute("CHECKPOINT")  # out of the log, which does not come along, into the file
        connection, self.connection = self.connection, None
        connection.close()

    def kind_of_table(self) -> Optional[str]:
        words = "SELECT table_type FROM information_schema.tables WHERE table_schema = current_schema() AND table_catalog = current_database() AND lower(table_name) = lower(?)"
        found = self.connection.execute(words, [self.table])
        return None if not found else "table" if found[0][0] == "BASE TABLE" else "view"

    def columns_of_table(self) -> list[tuple[str, str]]:
        words = "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_catalog = current_database() AND lower(table_name) = lower(?)"
        return [(row[0], _of_duckdb(row[1])) for row in self.connection.execute(words, [self.table])]

    def columns(self, schema: Any) -> list[tuple[str, str]]:
        return [(field.name, type_of(field.type)) for field in schema]

    def keeps(self, kind: Any, given: str, there: str) -> bool:
        return duck_keeps(_of_duckdb(given), there)

    def numbers(self, there: str) -> Optional[Any]:
        return NUMBERS.get(there)

    def writer(self, schema: Any) -> _Rows:
        return _Rows(self.connection, self.table, schema)
