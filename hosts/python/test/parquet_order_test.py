"""Row groups of a size that was asked for, their statistics, and the note in which column's order the rows are."""

from __future__ import annotations

import datetime
import json
import random
from pathlib import Path
from typing import Any, Optional

import pytest

import kumihimo

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

from kumihimo.outputs.columns import ParquetWriter  # noqa: E402
from kumihimo.outputs.parquet_footer import put_order  # noqa: E402


def noted(path: Path) -> Optional[tuple[str, bool]]:
    """The column of the note, which all row groups have alike, or none of them."""
    about = pyarrow.parquet.ParquetFile(path).metadata
    notes = {about.row_group(i).sorting_columns for i in range(about.num_row_groups)}
    assert len(notes) <= 1
    for note in notes:
        if note:
            assert len(note) == 1 and not note[0].nulls_first
            return about.row_group(0).column(note[0].column_index).path_in_schema, note[0].descending
    return None


def extracted(at: Path, rows: list[Any], fields: list[str], **options: Any) -> Path:
    (at / "in.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kumihimo.extract_to(at / "in.ndjson", at / "t.parquet", fields, **options)
    found = pyarrow.parquet.read_table(at / "t.parquet")
    assert found.num_rows == len(rows)
    return at / "t.parquet"


COUNT = 3000
TIMES = [(datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=i // 3)).isoformat() + "Z" for i in range(COUNT)]


@pytest.mark.parametrize("group", [None, 1, 7, 999, COUNT, COUNT + 1])
def test_groups_and_statistics(tmp_path: Path, group: Optional[int]) -> None:
    count = COUNT if group != 1 else 50
    path = extracted(tmp_path, [{"n": i * 7919 % 1000003, "s": f"{i % 17}", "e": None} for i in range(count)], ["n:int64", "s:string", "e:int64"], row_group_rows=group)
    about = pyarrow.parquet.ParquetFile(path).metadata
    sizes = [about.row_group(i).num_rows for i in range(about.num_row_groups)]
    assert sizes == ([count] if group is None else [group] * (count // group) + ([count % group] if count % group else []))
    at = 0
    for i, size in enumerate(sizes):
        numbers = [k * 7919 % 1000003 for k in range(at, at + size)]
        kept = about.row_group(i).column(0).statistics
        assert (kept.min, kept.max, kept.null_count) == (min(numbers), max(numbers), 0)
        assert about.row_group(i).column(2).statistics.null_count == size
        at += size


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ({"n": list(range(COUNT)), "t": TIMES}, ("t", False)),
        ({"n": list(range(COUNT))}, ("n", False)),
        ({"n": list(range(COUNT, 0, -1)), "m": list(range(COUNT))}, ("n", True)),
        ({"m": [5] * COUNT, "n": [i // 9 for i in range(COUNT)]}, ("n", False)),
        ({"n": [5] * COUNT}, None),
        ({"n": [*range(COUNT - 1), 0]}, None),
        ({"n": [1, 0, *range(2, COUNT)]}, None),
        ({"n": [None, *range(1, COUNT)]}, None),
        ({"s": [f"{i:06}" for i in range(COUNT)]}, ("s", False)),
        ({"s": [*["a"] * (COUNT - 1), "é"]}, ("s", False)),
        ({"x": [i / 7 - 100 for i in range(COUNT)]}, ("x", False)),
        ({"t": TIMES[::-1], "n": list(range(COUNT))}, ("t", True)),
        ({"n": [7]}, None),
    ],
)
def test_the_order_of_a_column(tmp_path: Path, columns: dict[str, list[Any]], wanted: Optional[tuple[str, bool]]) -> None:
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    kinds = {"n": "int64", "m": "int64", "s": "string", "x": "float64", "t": "timestamp"}
    path = extracted(tmp_path, rows, [f"{name}:{kinds[name]}" for name in columns], row_group_rows=700)
    assert noted(path) == wanted
    found = pyarrow.parquet.read_table(path).to_pydict()
    for name, values in columns.items():
        assert [value.replace(tzinfo=None).isoformat() + "Z" if name == "t" else value for value in found[name]] == values
    for module, read in (("polars", lambda m: m.read_parquet(path).height), ("duckdb", lambda m: m.sql(f"SELECT count(*) FROM '{path}'").fetchall()[0][0])):
        reader = pytest.importorskip(module, reason=f"not proven: {module} is not installed")
        assert read(reader) == len(rows)


def test_the_pieces_do_not_matter(tmp_path: Path) -> None:
    """A step down between two pieces, or within one, is found wherever it lies."""
    chance = random.Random(1)
    for _ in range(60):
        values = sorted(chance.randrange(1000) for _ in range(200))
        if broken := chance.random() < 0.5:
            i = chance.randrange(1, 200)
            values[i - 1], values[i] = 1001, -1
        batch = pyarrow.record_batch({"n": values})
        with open(tmp_path / "t.parquet", "wb", buffering=0) as file:
            writer = ParquetWriter(file, batch.schema, tmp_path / "t.parquet", chance.choice([None, 30]))
            at = 0
            while at < 200:
                size = chance.choice([0, 1, 2, 50])
                writer.write(batch.slice(at, size))
                at += size
            writer.close()
        assert noted(tmp_path / "t.parquet") == (None if broken else ("n", False))
        assert pyarrow.parquet.read_table(tmp_path / "t.parquet").column("n").to_pylist() == values


def test_columns_that_are_stored_as_several(tmp_path: Path) -> None:
    """The note counts columns as Parquet stores them: members of objects, each by itself; with numbers of more than one byte."""
    names = {f"c{i}": list(range(5)) for i in range(300)}
    batch = pyarrow.record_batch({"o": [{"a": 1, "b": [{"c": 2, "d": 3}]}] * 5, "l": [[1]] * 5, "z": [3, 1, 2, 2, 1], "n": [1, 2, 3, 4, 5], **names})
    with open(tmp_path / "t.parquet", "wb", buffering=0) as file:
        writer = ParquetWriter(file, batch.schema, tmp_path / "t.parquet", 2)
        writer.write(batch)
        writer.close()
    assert noted(tmp_path / "t.parquet") == ("n", False)
    with open(tmp_path / "u.parquet", "wb") as file:
        pyarrow.parquet.write_table(pyarrow.Table.from_batches([batch]), file)
    put_order(tmp_path / "u.parquet", 305, True)
    assert noted(tmp_path / "u.parquet") == ("c299", True)
    assert pyarrow.parquet.read_table(tmp_path / "u.parquet").equals(pyarrow.parquet.read_table(tmp_path / "t.parquet"))


def test_what_is_no_parquet_file(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"PAR1" + b"\xff" * 30)
    with pytest.raises(ValueError, match="is no Parquet file"):
        put_order(tmp_path / "t", 0, False)
