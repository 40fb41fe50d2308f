"""Whether rows come in the order of one of their columns, found out while they pass."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import pyarrow
import pyarrow.compute as compute

from .positions import positions


class Sorted(NamedTuple):
    column: int
    descending: bool


class _Column:
    def __init__(self) -> None:
        self.up = self.down = True
        self.last: Any = None

    def look(self, values: Any) -> bool:
        """Whether these values still go on in one direction."""
        if values.null_count:
            return False
        if self.last is not None:
            self.compare(self.last, values[:1])
        self.compare(values[:-1], values[1:])
        self.last = values.take(positions([len(values) - 1]))  # and not a slice, which would keep the batch
        return self.up or self.down

    def compare(self, before: Any, after: Any) -> None:
        if len(before):
            self.up = self.up and compute.all(compute.greater_equal(after, before)).as_py()
            self.down = self.down and compute.all(compute.less_equal(after, before)).as_py()


def _comparable(kind: Any) -> bool:
    types = pyarrow.types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_temporal(kind) or types.is_string(kind) or types.is_decimal(kind)


class Order:
    """A column without nulls whose values only grow, or only shrink, and are not all the same: a column of times if there is one, else the first."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.columns = {i: _Column() for i in range(len(schema)) if _comparable(schema.field(i).type)}

    def look(self, batch: Any) -> None:
        if batch.num_rows and self.columns:
            self.columns = {i: column for i, column in self.columns.items() if column.look(batch.column(i))}

    def found(self) -> Optional[Sorted]:
        moved = [i for i, column in self.columns.items() if column.up != column.down]
        moved.sort(key=lambda i: not pyarrow.types.is_temporal(self.schema.field(i).type))
        return Sorted(moved[0], not self.columns[moved[0]].up) if moved else None
