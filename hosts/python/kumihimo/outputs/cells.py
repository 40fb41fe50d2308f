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


def _nested(value: Any) -> Optional[str]:
    from .. import _core

    return None if value is None else _core.dumps(value, decimal=True).decode()


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
        return "TEXT", lambda column: [_nested(value) for value in column.to_pylist()]
    return "TEXT", lambda column: column.cast(pyarrow.string()).to_pylist()  # decimals with all their digits, dates, times of day
