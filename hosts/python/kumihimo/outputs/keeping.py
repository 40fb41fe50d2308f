"""Which types of a table take a column's values as they are, for rows that are appended to it: all values of the column's type, or those that are
the same number in the table's."""

from __future__ import annotations

import re
from typing import Any, Optional

import pyarrow

DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "UTINYINT": 3, "USMALLINT": 5, "UINTEGER": 10, "UBIGINT": 20}
WIDER = {
    "INTEGER": ("BIGINT", "HUGEINT", "DOUBLE"),
    "BIGINT": ("HUGEINT",),
    "UBIGINT": ("HUGEINT", "UHUGEINT"),
    "FLOAT": ("DOUBLE",),
    "DATE": ("TIMESTAMP",),
    "VARCHAR": ("JSON",),  # which keeps the text
}
NUMBERS = {
    "TINYINT": pyarrow.int8(), "SMALLINT": pyarrow.int16(), "INTEGER": pyarrow.int32(), "BIGINT": pyarrow.int64(), "UTINYINT": pyarrow.uint8(),
    "USMALLINT": pyarrow.uint16(), "UINTEGER": pyarrow.uint32(), "UBIGINT": pyarrow.uint64(), "FLOAT": pyarrow.float32(), "DOUBLE": pyarrow.float64(),
}  # fmt: skip
PRINTED = ("BOOLEAN", "INTEGER", "BIGINT", "UBIGINT", "DOUBLE", "FLOAT", "DATE", "TIMESTAMP")  # without loss, as VARCHAR


def duck_keeps(given: str, there: str) -> bool:
    """Whether DuckDB's type `there` holds all values of the type `given`."""
    if given == there or there in WIDER.get(given, ()):
        return True
    whole, room = DECIMAL.fullmatch(given), DECIMAL.fullmatch(there)
    if room is not None:
        before = int(room[1]) - int(room[2])
        if whole is not None:
            return int(room[2]) >= int(whole[2]) and before >= int(whole[1]) - int(whole[2])
        return given in DIGITS and before >= DIGITS[given]
    return there == "VARCHAR" and (given in PRINTED or whole is not None)


def same_numbers(kind: Any, room: Optional[Any]) -> bool:
    """Whether pyarrow's checked cast from `kind` to `room` takes the numbers that are in both, and refuses all others. Among floats it rounds."""
    whole = pyarrow.types.is_integer
    return room is not None and (whole(kind) or (pyarrow.types.is_floating(kind) and whole(room)))


class Exact:
    """A writer before another one, which casts columns to the types of a table. OSError for a number that they do not have."""

    def __init__(self, writer: Any, casts: dict[str, tuple[Any, str]]) -> None:
        self.writer, self.casts = writer, casts

    def write(self, batch: Any) -> None:
        for i, field in enumerate(batch.schema):
            if field.name in self.casts:
                to, refusal = self.casts[field.name]
                try:
                    batch = batch.set_column(i, field.name, batch.column(i).cast(to))
                except pyarrow.ArrowInvalid as error:
                    raise OSError(f"{refusal} ({error})") from None
        self.writer.write(batch)

    def close(self) -> None:
        self.writer.close()


def affinity(declared: str) -> str:
    """What SQLite makes of a declared type, by its rules and in their order."""
    name = declared.upper()
    if "INT" in name:
        return "INTEGER"
    if any(word in name for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in name or not name:
        return "BLOB"
    return "REAL" if any(word in name for word in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


def sqlite_keeps(kind: Any, given: str, there: str) -> bool:
    """Whether a column of SQLite that was declared as `there` keeps what a column of the Arrow type `kind`, `given` in SQLite, is written as."""
    types, room = pyarrow.types, affinity(there)
    if room == "BLOB" or given == "BLOB":
        return True
    if room == "TEXT":
        return given != "REAL"  # of which a text has 15 digits
    if given == "TEXT":  # becomes a number where it looks like one, which these never do
        return types.is_timestamp(kind) or types.is_date(kind) or types.is_nested(kind)
    if given in ("BOOLEAN", "REAL"):
        return True
    return given == "INTEGER" and room != "REAL"
