"""Record batches into a file of Arrow or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, Optional

import pyarrow

from ..row_groups import RowGroups
from .order import Order
from .parquet_footer import put_order


class ArrowWriter:
    def __init__(self, file: IO[bytes], schema: Any) -> None:
        import pyarrow.ipc

        self.writer = pyarrow.ipc.new_file(file, schema)

    def write(self, batch: Any) -> None:
        if batch.num_rows:  # one without comes only so that others come by
            self.writer.write_batch(batch)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.writer.close()


class ParquetWriter:
    """`path`: where the file lies, if it can be written to again at its end; then it says in which column's order its rows are."""

    def __init__(self, file: IO[bytes], schema: Any, path: Optional[Path], group_rows: Optional[int] = None) -> None:
        self.groups, self.path, self.schema = RowGroups(file, schema, group_rows), path, schema
        self.order = Order(schema) if path is not None else None

    def write(self, batch: Any) -> None:
        if self.order is not None:
            self.order.look(batch)
        self.groups.write_batch(batch)

    def flush(self) -> None:
        """What waits for a row group of the usual size is one now."""
        if self.groups.group_rows is None:
            self.groups.flush()

    def close(self) -> None:
        self.groups.close()
        if self.order is not None and self.path is not None and (found := self.order.found()) is not None:
            put_order(self.path, leaves_before(self.schema, found.column), found.descending)


def leaves_before(schema: Any, column: int) -> int:
    """The index of a column among those that Parquet stores: a struct is stored as its members."""
    return sum(_leaves(schema.field(i).type) for i in range(column))


def _leaves(kind: Any) -> int:
    return sum(_leaves(kind.field(i).type) for i in range(kind.num_fields)) if pyarrow.types.is_nested(kind) else 1


def writer_of(form: str, file: IO[bytes], schema: Any, path: Optional[Path], group_rows: Optional[int] = None) -> Any:
    return ArrowWriter(file, schema) if form == "arrow" else ParquetWriter(file, schema, path, group_rows)
