"""Which output a name and the options about it ask for."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from .. import _core
from ..forms import EXISTING, FORMS, NAMES, form_of_ending
from .base import Output


def missing_package(form: str) -> Optional[str]:
    """The sentence about what has to be installed for it; None where all is there."""
    packages = ["pyarrow"] if FORMS[form].engine == "columns" else []
    packages += [FORMS[form].package] if FORMS[form].package else []
    for package in packages:
        try:
            __import__(package)
        except ImportError:
            return f"writing {form} needs {package}: pip install {package}"
    return None


def output_for(
    path: str,
    *,
    to: Optional[str] = None,
    compress: Optional[str] = None,
    compress_level: Optional[int] = None,
    table: Optional[str] = None,
    if_exists: Optional[str] = None,
    split_rows: Optional[int] = None,
    partition_by: Sequence[str] = (),
    row_group_rows: Optional[int] = None,
    live: bool = False,
) -> Output:
    """The output of that name. ValueError for what cannot be, which begins with the parameter's name."""
    frame = _core.frame_of_path(path) if path != "-" else None
    ending = next((row["ending"] for row in _core.frames() if row["name"] == frame), "")
    chosen = to or form_of_ending(path.lower().removesuffix(ending) if path != "-" else "")
    if chosen is None:
        if path != "-" and not os.path.exists(path):
            raise ValueError(f"to names the form, which the ending of {path} does not say: one of {', '.join(NAMES)}")
        chosen = "csv"
    if chosen not in FORMS:
        raise ValueError(f"to is one of {', '.join(NAMES)}")
    form = FORMS[chosen]
    if compress is not None:
        frame = None if compress == "none" else compress
    if frame is not None and not form.framed:
        raise ValueError(f"compress is for streams of bytes (csv, ndjson, ...): {chosen} compresses by itself, or is no stream")
    if compress_level is not None and frame is None:
        raise ValueError("compress_level is the level of what compress names, or the output's ending")
    if frame is not None:
        _core.Packer(frame, compress_level)  # a wrong level, and a library that is missing, are known before the work
    if if_exists is not None and if_exists not in EXISTING:
        raise ValueError(f"if_exists is one of {', '.join(EXISTING)}")
    if if_exists == "append" and not form.table:
        raise ValueError("if_exists append is for tables of databases")
    if row_group_rows is not None and chosen != "parquet":
        raise ValueError("row_group_rows is for parquet")
    if split_rows is not None and split_rows < 1:
        raise ValueError("split_rows is at least 1")
    if row_group_rows is not None and row_group_rows < 1:
        raise ValueError("row_group_rows is at least 1")
    parts = split_rows is not None or len(partition_by) > 0
    named = "partition_by" if len(partition_by) > 0 else "split_rows"
    if form.table:
        if path == "-":
            raise ValueError(f"to {chosen} makes a table in a file: name the file")
        if parts:
            raise ValueError(f"{named} is for files: a table is one")
        return _table(path, chosen, "rows" if table is None else table, if_exists or "fail")
    if table is not None:
        raise ValueError("table is a database's: write to sqlite or duckdb")
    if parts:
        if path == "-":
            raise ValueError(f"{named} makes a folder: name it")
        from .folder import Folder

        packed = next(row["ending"] for row in _core.frames() if row["name"] == frame) if frame is not None else ""
        return Folder(path, chosen, frame, form.endings[0] + packed, compress_level, row_group_rows, split_rows, partition_by, if_exists or "fail")
    from .file import File

    return File(path, chosen, frame, compress_level, row_group_rows, live, if_exists or "replace")


def _table(path: str, form: str, table: str, if_exists: str) -> Any:
    if form == "sqlite":
        from .sqlite import Sqlite

        return Sqlite(path, form, table, if_exists)
    from .duck import Duck

    return Duck(path, form, table, if_exists)
