"""Columns of Arrow as values that others take: times as text, plain Python objects."""

from __future__ import annotations

import re
from typing import Any, Callable, Optional

import pyarrow
import pyarrow.compute as compute

FIXED = re.compile(r"([+-])(\d\d):?(\d\d)")
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def local(column: Any) -> Any:
    """Times without a zone: what the clock of the column's zone shows."""
    kind = column.type
    if kind.tz is None:
        return column
    plain = column.cast(pyarrow.timestamp(kind.unit))  # in UTC
    if kind.tz in ("UTC", "Etc/UTC", "Z", "+00:00"):
        return plain
    if (fixed := FIXED.fullmatch(kind.tz)) is not None:
        seconds = (1 if fixed[1] == "+" else -1) * (int(fixed[2]) * 3600 + int(fixed[3]) * 60)
        return compute.add(plain.cast(pyarrow.int64()), seconds * PER_SECOND[kind.unit]).cast(plain.type)
    return compute.local_timestamp(column)


def _offset(seconds: int) -> str:
    minutes, rest = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}" + (f":{rest:02}" if rest else "")


def moments(column: Any) -> Any:
    """Times as text: 2016-12-25 01:53:10.602955+09:00, as SQLite writes and reads them; Z is UTC, a column without a zone has nothing there. The
    digits of a second are always the same number, so texts of one offset are in the order of their times."""
    shown = local(column).cast(pyarrow.string())
    if column.type.tz is None:
        return shown
    if column.type.tz in ("UTC", "Etc/UTC", "Z", "+00:00"):
        return compute.binary_join_element_wise(shown, "Z", "")
    apart = compute.subtract(local(column).cast(pyarrow.int64()), column.cast(pyarrow.int64()))
    codes = apart.dictionary_encode()  # a column knows two or three offsets
    per = PER_SECOND[column.type.unit]
    names = pyarrow.array([_offset(ticks // per) for ticks in codes.dictionary.to_pylist()], pyarrow.string())
    return compute.binary_join_element_wise(shown, names.take(codes.indices), "")


def dates(column: Any) -> Any:
    """The days of a column of times, in its zone, as text."""
    return local(column).cast(pyarrow.date32()).cast(pyarrow.string())


def _json(array: Any, field: Any) -> list[str]:
    """The values of a column, or of what is in one, as JSON. Digits stay as they are."""
    from .. import _core

    types, kind = pyarrow.types, array.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        array, kind = array.storage, kind.storage_type
    meta = field.metadata or {}
    if types.is_struct(kind):
        names = [_core.dumps(kind.field(i).name).decode() for i in range(kind.num_fields)]
        members = [_json(array.field(i), kind.field(i)) for i in range(kind.num_fields)]
        rows = zip(array.is_valid().to_pylist(), *members)
        return ["{" + ",".join(f"{name}:{text}" for name, text in zip(names, row)) + "}" if there else "null" for there, *row in rows]
    if types.is_list(kind) or types.is_large_list(kind):
        ends = array.offsets.to_pylist()
        inside = _json(array.values.slice(ends[0], ends[-1] - ends[0]), kind.value_field)
        bounds = zip(array.is_valid().to_pylist(), ends, ends[1:])
        return ["[" + ",".join(inside[begin - ends[0] : end - ends[0]]) + "]" if there else "null" for there, begin, end in bounds]
    is_text = field.type != kind or b"ARROW:extension:name" in meta or meta.get(b"kumihimo:type") == b"decimal"
    if types.is_decimal(kind):
        array, is_text = array.cast(pyarrow.string()), True
    if types.is_timestamp(kind):
        array = moments(array)
    return ["null" if value is None else value if is_text else _core.dumps(value).decode() for value in array.to_pylist()]


def _nested(column: Any) -> list[Optional[str]]:
    texts = _json(column, pyarrow.field("", column.type))
    return [text if there else None for text, there in zip(texts, column.is_valid().to_pylist())]


def _whole(value: Any) -> Any:
    """An integer that SQLite's 64 bits do not hold is its digits."""
    return value if value is None or -(1 << 63) <= value < 1 << 63 else str(value)


def plain_of(kind: Any) -> tuple[str, Callable[[Any], list[Any]]]:
    """What a column of that type is in SQLite: the type's name, and what makes its values out of a piece of the column."""
    types = pyarrow.types
    if types.is_boolean(kind):
        return "BOOLEAN", lambda column: column.to_pylist()
    if types.is_uint64(kind):
        return "", lambda column: [_whole(value) for value in column.to_pylist()]
    if types.is_integer(kind):
        return "INTEGER", lambda column: column.to_pylist()
    if types.is_floating(kind):
        return "REAL", lambda column: column.to_pylist()
    if types.is_string(kind) or types.is_large_string(kind):
        return "TEXT", lambda column: column.to_pylist()
    if types.is_binary(kind) or types.is_large_binary(kind):
        return "BLOB", lambda column: column.to_pylist()
    if types.is_timestamp(kind):
        return "TEXT", lambda column: moments(column).to_pylist()
    if types.is_nested(kind):
        return "TEXT", _nested
    return "TEXT", lambda column: column.cast(pyarrow.string()).to_pylist()  # decimals with all their digits, dates, times of day
