"""Parquet files that are interrupted, or whose disk is full: the error is told once, and the file is not completed."""

from __future__ import annotations

import gc
import io
import sys
from pathlib import Path
from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")

from kumihimo.row_groups import RowGroups  # noqa: E402


class Struck(Exception):
    pass


class Failing(io.RawIOBase):
    """A file whose write number `fails`, and each after it, raises."""

    def __init__(self, fails: int) -> None:
        self.fails, self.writes = fails, 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.writes += 1
        if self.writes >= self.fails:
            raise Struck
        return len(data)


def test_an_error_at_any_write_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    batch = pyarrow.record_batch({"n": list(range(1000)), "t": ["x" * 20] * 1000})
    fails, struck = 1, True
    while struck:
        file = Failing(fails)
        try:
            with RowGroups(file, batch.schema) as writer:
                writer.write_batch(batch)
            struck = False
        except Struck:
            pass
        gc.collect()
        fails += 1
    assert fails > 3 and ignored == []


def test_nothing_is_completed_after_an_error(tmp_path: Path) -> None:
    batch = pyarrow.record_batch({"n": [1]})
    with pytest.raises(Struck):
        with open(tmp_path / "out.parquet", "wb") as file, RowGroups(file, batch.schema) as writer:
            writer.write_batch(batch)
            writer.flush()
            raise Struck
    del writer
    gc.collect()
    with pytest.raises(pyarrow.ArrowInvalid):
        pyarrow.parquet.read_table(tmp_path / "out.parquet")
