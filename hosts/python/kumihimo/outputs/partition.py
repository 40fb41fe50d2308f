"""Which folder a row belongs to: names as Hive has them, `at_date=2024-01-01`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional, Sequence
from urllib.parse import quote

MOST_BYTES = 255  # of a file's name
NULL = "__HIVE_DEFAULT_PARTITION__"
ASKED = re.compile(r"(?:([^=]+)=)?(?:(date)\((.*)\)|(.*))", re.IGNORECASE | re.DOTALL)


class Key(NamedTuple):
    name: str  # of the folders
    column: int
    day: bool  # the date of a time, and not the value itself


def key_of(asked: str, names: Sequence[str], types: Sequence[str]) -> Key:
    """[NAME=]COLUMN or [NAME=]DATE(COLUMN), among the columns that there are. ValueError where there is no such column."""
    if asked in names:
        return Key(asked, names.index(asked), False)
    match = ASKED.fullmatch(asked)
    assert match is not None
    column = match[3] if match[2] else match[4]
    if column not in names:
        raise ValueError(f"partition_by {asked}: there is no column {column!r}; there are {', '.join(map(repr, names[:20]))}")
    index = names.index(column)
    if match[2] and not types[index].startswith("timestamp"):
        raise ValueError(f"partition_by {asked}: the column is of type {types[index]} and not of times; give it a type: -f {column}=PATH:timestamp")
    name = match[1] or (f"{column}_date" if match[2] else column)
    if match[2] and name in names:
        raise ValueError(f"partition_by {asked}: there is a column {name!r} already; name the folders otherwise: NAME={asked}")
    return Key(name, index, bool(match[2]))


def keys_of(asked: Sequence[str], names: Sequence[str], types: Sequence[str]) -> list[Key]:
    keys = [key_of(one, names, types) for one in asked]
    if len({key.name for key in keys}) < len(keys):
        raise ValueError("partition_by names the same folders twice")
    if len([key for key in keys if not key.day]) == len(names):
        raise ValueError("partition_by leaves no column for the files")
    return keys


def part_of(name: str, value: Optional[str]) -> str:
    """One folder's name. What a path cannot hold, or its reader would take for something else, is written as in an URL."""
    text = NULL if value is None else quote(value, safe=" ") if value != NULL else "%5F" + NULL[1:]
    folder = f"{quote(name, safe=' ')}={text}"
    if len(folder) > MOST_BYTES:
        raise ValueError(f"partition_by {name}: the value {(value or '')[:40]!r}... makes a folder's name of {len(folder)} bytes; a file system takes {MOST_BYTES}")
    return folder


class ColumnSplitter:
    """Record batches by their folders. The columns that folders are named by are not in the files."""

    def __init__(self, keys: Sequence[Key], schema: Any) -> None:
        import pyarrow

        self.keys = keys
        for key in keys:
            if pyarrow.types.is_nested(schema.field(key.column).type):
                raise ValueError(f"partition_by {key.name}: a column of {schema.field(key.column).type} names no folders")
        gone = {key.column for key in keys if not key.day}
        self.kept = [i for i in range(len(schema)) if i not in gone]
        self.schema = pyarrow.schema([schema.field(i) for i in self.kept])

    def split(self, batch: Any) -> list[tuple[str, Any]]:
        import pyarrow

        from .positions import positions

        rows: dict[str, list[int]] = {}
        texts = [self.texts(key, batch.column(key.column)) for key in self.keys]
        for row, values in enumerate(zip(*texts)):
            rows.setdefault("/".join(part_of(key.name, value) for key, value in zip(self.keys, values)), []).append(row)
        batch = pyarrow.RecordBatch.from_arrays([batch.column(i) for i in self.kept], schema=self.schema)
        if len(rows) == 1:
            return [(next(iter(rows)), batch)]
        return [(folder, batch.take(positions(of))) for folder, of in rows.items()]

    @staticmethod
    def texts(key: Key, column: Any) -> list[Optional[str]]:
        import pyarrow

        from .cells import dates, moments

        if key.day:
            return dates(column).to_pylist()
        if pyarrow.types.is_timestamp(column.type):
            return moments(column).to_pylist()
        if pyarrow.types.is_floating(column.type):
            return [None if value is None else repr(value) for value in column.to_pylist()]
        return column.cast(pyarrow.string()).to_pylist()


class CsvSplitter:
    """Records of CSV by their folders."""

    def __init__(self, keys: Sequence[Key], delimiter: str) -> None:
        self.keys = keys
        self.gone = sorted((key.column for key in keys if not key.day), reverse=True)
        self.delimiter = delimiter.encode()
        other = re.escape(self.delimiter)
        self.field = re.compile(rb'("(?:[^"]|"")*"|[^"' + other + rb"][^" + other + rb"]*|)(?:" + other + rb"|\Z)", re.DOTALL)

    def fields(self, record: bytes) -> list[bytes]:
        """The fields as they are written."""
        if b'"' not in record:
            return record.split(self.delimiter)
        found, at = [], 0
        while True:
            match = self.field.match(record, at)
            assert match is not None
            found.append(match[1])
            at = match.end()
            if at == len(record) and not match[0].endswith(self.delimiter):
                return found

    def split(self, records: Sequence[bytes]) -> list[tuple[str, list[bytes]]]:
        rows: dict[str, list[bytes]] = {}
        for record in records:
            fields = self.fields(record[:-1])
            folder = "/".join(part_of(key.name, self.value(fields[key.column], key.day)) for key in self.keys)
            for i in self.gone:
                del fields[i]
            rows.setdefault(folder, []).append(self.delimiter.join(fields) + b"\n")
        return list(rows.items())

    @staticmethod
    def value(field: bytes, day: bool) -> Optional[str]:
        if not field:
            return None
        text = field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field
        return (text[:10] if day else text).decode()

    def header(self, line: bytes) -> bytes:
        """The line of names, of those columns that the files have."""
        fields = self.fields(line[:-1])
        for i in self.gone:
            del fields[i]
        return self.delimiter.join(fields) + b"\n"


class LineSplitter:
    """Lines of NDJSON by their folders. Values are kept as they are written."""

    def __init__(self, keys: Sequence[Key], names: Sequence[str]) -> None:
        from .. import _core
        from ..partial_decoder import partial

        self.keys = keys
        gone = {key.column for key in keys if not key.day}
        self.kept = [(i, _core.dumps(name) + b":") for i, name in enumerate(names) if i not in gone]
        pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
        self.values = partial(pointers, "trusted", raw=True, depth=None)

    def split(self, lines: Sequence[bytes]) -> list[tuple[str, list[bytes]]]:
        rows: dict[str, list[bytes]] = {}
        for values in self.values.many(lines):
            folder = "/".join(part_of(key.name, self.value(values[key.column], key.day)) for key in self.keys)
            rows.setdefault(folder, []).append(b"{" + b",".join(name + (values[i] or b"null") for i, name in self.kept) + b"}\n")
        return list(rows.items())

    @staticmethod
    def value(raw: Optional[bytes], day: bool) -> Optional[str]:
        from .. import _core

        if raw is None or raw == b"null":
            return None
        text = _core.loads(raw) if raw.startswith(b'"') else raw.decode()
        return text[:10] if day else text


def records_of(text: bytes) -> list[bytes]:
    """The records of whole lines of text, with their line ends; in CSV those between quotes belong to a record."""
    lines = text.splitlines(True) if b"\r" not in text else [line + b"\n" for line in text[:-1].split(b"\n")]
    return lines


def csv_records_of(text: bytes) -> list[bytes]:
    lines = records_of(text)
    if b'"' not in text:
        return lines
    records: list[bytes] = []
    waiting: list[bytes] = []
    inside = False
    for line in lines:
        waiting.append(line)
        inside ^= line.count(b'"') % 2 == 1
        if not inside:
            records.append(b"".join(waiting))
            waiting = []
    return records
