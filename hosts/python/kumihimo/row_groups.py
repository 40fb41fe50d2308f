"""Parquet in row groups of a size that its readers like, whatever the batches are.

A row group costs a piece of the file's directory per column, which the writer keeps until the end: thousands of columns in small groups would
take more memory than the rows. So rows wait until they take half of what the directory does (the other half is their copy while they are
written). Both then grow with the square root of the rows: 25,000 rows of 4,000 columns take 18 groups, 330,000 some seventy.
"""

from __future__ import annotations

from types import TracebackType
from typing import IO, Any, Optional, Type

import pyarrow
import pyarrow.parquet

MOST_BYTES = 16 << 20
MOST_ROWS = 1 << 20
DIRECTORY_ENTRY = 2048  # bytes of memory for one column of one group, as measured with pyarrow


class Writer(pyarrow.parquet.ParquetWriter):
    """Closed by who uses it, or not at all. pyarrow's own __del__ closes, which tells of an error that was told already."""

    def __del__(self) -> None:
        pass


class RowGroups:
    """What pyarrow's ParquetWriter is, for batches of any size. After an error its file is not completed: but close the file before this object
    goes, because pyarrow's own object still writes what it has when it is freed."""

    def __init__(self, file: IO[bytes], schema: Any, group_rows: Optional[int] = None) -> None:
        # pyarrow's usual pool keeps what it once had; a row group's columns come and go.
        self.writer = Writer(file, schema, compression="zstd", memory_pool=pyarrow.system_memory_pool())
        self.group_rows = group_rows  # of every group but the last; None: as many as are good to read
        self.waiting: list[Any] = []
        self.rows = self.bytes = self.directory = 0

    def write_batch(self, batch: Any) -> None:
        if self.group_rows is None:
            self.put(batch)
            if self.bytes >= max(MOST_BYTES, self.directory // 2) or self.rows >= MOST_ROWS:
                self.flush()
            return
        while batch.num_rows:
            self.put(batch.slice(0, self.group_rows - self.rows))
            batch = batch.slice(self.waiting[-1].num_rows)
            if self.rows == self.group_rows:
                self.flush()

    def put(self, batch: Any) -> None:
        self.waiting.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes

    def flush(self) -> None:
        if self.rows:
            self.writer.write_table(pyarrow.Table.from_batches(self.waiting), row_group_size=self.rows)
            self.directory += DIRECTORY_ENTRY * len(self.waiting[0].schema)
        self.waiting = []
        self.rows = self.bytes = 0

    def __enter__(self) -> RowGroups:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.close()

    def close(self) -> None:
        self.flush()
        self.writer.close()
