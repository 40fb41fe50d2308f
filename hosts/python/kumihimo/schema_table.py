"""A schema as a table for people: a path a line."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Iterator

HEAD = ("path", "documents", "values", "types", "examples")
RIGHT = (1, 2)  # columns of numbers


class Written(str):
    """A number with its own digits."""


def width(text: str) -> int:
    """Columns of a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def types(one: dict[str, Any]) -> str:
    """`number`, or `integer 5, null 2`; and the column's type where it says more."""
    found = one["types"]
    text = ", ".join(found) if len(found) == 1 else ", ".join(f"{name} {int(count):,}" for name, count in found.items())
    column = one.get("type", "")
    return f"{text} ({column})" if column.startswith(("timestamp", "decimal")) else text


def example(value: Any) -> str:
    return value if isinstance(value, Written) else json.dumps(value, ensure_ascii=False)


def rows(said: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for one in said["paths"]:
        documents = f"{int(one['documents']):,}" if "documents" in one else ""
        yield one["path"], documents, f"{int(one['values']):,}", types(one), ", ".join(map(example, one.get("examples", ())))


def table(text: bytes) -> str:
    """Out of the schema's own JSON."""
    said = json.loads(text, parse_int=Written, parse_float=Written)
    lines = [HEAD, *rows(said)]
    widths = [max(width(line[i]) for line in lines) for i in range(len(HEAD))]
    out = []
    for line in lines:
        cells = []
        for i, cell in enumerate(line):
            blank = " " * (widths[i] - width(cell))
            cells.append(blank + cell if i in RIGHT else cell + blank)
        out.append("  ".join(cells).rstrip())
    return "\n".join(out)
