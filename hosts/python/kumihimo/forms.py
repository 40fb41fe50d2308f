"""The forms that rows are written in: a table, which the help, the completion and the choice by a file's ending read.

Nothing is imported here, because the help reads it.
"""

from __future__ import annotations

from typing import NamedTuple, Optional


class Form(NamedTuple):
    name: str
    endings: tuple[str, ...]
    engine: str  # what the engine is asked for: csv, ndjson or columns
    framed: bool = False  # a stream of bytes that can be compressed as a whole
    table: bool = False  # a table of a database, which has others
    package: Optional[str] = None  # what has to be installed, beyond pyarrow, which all columns need


FORMS = {
    form.name: form
    for form in (
        Form("csv", (".csv",), "csv", framed=True),
        Form("tsv", (".tsv", ".tab"), "csv", framed=True),
        Form("ndjson", (".ndjson", ".jsonl"), "ndjson", framed=True),
        Form("json", (".json",), "ndjson", framed=True),
        Form("msgpack", (".msgpack", ".mpk"), "ndjson", framed=True),
        Form("cbor", (".cbor",), "ndjson", framed=True),
        Form("tagged", (".tagged",), "ndjson", framed=True),
        Form("arrow", (".arrow", ".feather", ".ipc"), "columns"),
        Form("parquet", (".parquet", ".pq"), "columns"),
        Form("sqlite", (".sqlite", ".sqlite3", ".db"), "columns", table=True),
        Form("duckdb", (".duckdb", ".ddb"), "columns", table=True, package="duckdb"),
    )
}
NAMES = tuple(FORMS)
EXISTING = ("fail", "replace", "append")


def form_of_ending(path: str) -> Optional[str]:
    """The form of a file by its ending, in which no frame's ending is left."""
    return next((form.name for form in FORMS.values() if path.lower().endswith(form.endings)), None)
