"""The forms that rows are written in: a table, which the help, the completion and the choice by a file's ending read.

The engine's formats are in it by themselves: kumihimo.formats() says what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, NamedTuple, Optional

from . import _core

if TYPE_CHECKING:
    from ._core import _FormatDict


class Form(NamedTuple):
    name: str
    endings: tuple[str, ...]
    engine: str  # what the engine is asked for: csv, ndjson or columns
    framed: bool = False  # a stream of bytes that can be compressed as a whole
    text: bool = False  # can be read on a terminal
    table: bool = False  # a table of a database, which has others
    package: Optional[str] = None  # what has to be installed, beyond pyarrow, which all columns need


def forms_of(formats: Iterable[_FormatDict]) -> dict[str, Form]:
    """All forms, of which these formats are some. Rows reach a format as lines of JSON."""
    rows = list(formats)
    lines = tuple(ending for row in rows for ending in row["line_endings"])
    documents = (Form(row["name"], tuple(ending for ending in row["endings"] if ending not in lines), "ndjson", framed=True, text=row["text"]) for row in rows)
    forms = (
        Form("csv", (".csv",), "csv", framed=True, text=True),
        Form("tsv", (".tsv", ".tab"), "csv", framed=True, text=True),
        Form("ndjson", lines, "ndjson", framed=True, text=True),
        *documents,
        Form("arrow", (".arrow", ".feather", ".ipc"), "columns"),
        Form("parquet", (".parquet", ".pq"), "columns"),
        Form("sqlite", (".sqlite", ".sqlite3", ".db"), "columns", table=True),
        Form("duckdb", (".duckdb", ".ddb"), "columns", table=True, package="duckdb"),
    )
    return {form.name: form for form in forms}


FORMS = forms_of(_core.formats())
NAMES = tuple(FORMS)
EXISTING = ("fail", "replace", "append")


def form_of_ending(path: str) -> Optional[str]:
    """The form of a file by its ending, in which no frame's ending is left."""
    return next((form.name for form in FORMS.values() if path.lower().endswith(form.endings)), None)
