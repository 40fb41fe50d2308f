"""Tables: what is there already, what another one holds, and what an error leaves."""

from __future__ import annotations

import datetime
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kumihimo

pytest.importorskip("pyarrow")

KINDS = ["sqlite", "duckdb"]


def ndjson(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def asked(kind: str, path: Path, words: str) -> list[tuple[Any, ...]]:
    """What a program of the database's own answers."""
    if kind == "sqlite":
        connection: Any = sqlite3.connect(path)
    else:
        connection = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed").connect(str(path))
    try:
        return [tuple(row) for row in connection.execute(words).fetchall()]
    finally:
        if kind == "sqlite":
            connection.commit()
        connection.close()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "duckdb":
        pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    return request.param


def test_append_replace_and_fail(tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"t.{kind}"
    first, second = ndjson(tmp_path / "1.ndjson", [{"a": 1, "b": "x"}]), ndjson(tmp_path / "2.ndjson", [{"b": "y", "a": 2}, {"a": 3}])
    kumihimo.extract_to(first, out, table="t")
    asked(kind, out, "CREATE TABLE other AS SELECT 7 AS n")
    with pytest.raises(FileExistsError, match="there is a table t already"):
        kumihimo.extract_to(second, out, table="t")
    kumihimo.extract_to(second, out, table="T", if_exists="append")
    assert asked(kind, out, "SELECT a, b FROM t") == [(1, "x"), (2, "y"), (3, None)]
    kumihimo.extract_to(second, out, table="t", if_exists="replace")
    assert asked(kind, out, "SELECT * FROM t") == [("y", 2), (None, 3)]
    kumihimo.extract_to(first, out, table="new", if_exists="append")
    assert asked(kind, out, "SELECT * FROM new") == [(1, "x")] and asked(kind, out, "SELECT * FROM other") == [(7,)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.ndjson", "2.ndjson", out.name]


def test_what_cannot_be_appended_changes_nothing(tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"t.{kind}"
    kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [{"a": 1}]), out)
    asked(kind, out, "CREATE VIEW v AS SELECT 1 AS a")
    with pytest.raises(OSError, match="has no column 'c', 'd'"):
        kumihimo.extract_to(ndjson(tmp_path / "2.ndjson", [{"a": 2, "c": 1, "d": 2}]), out, if_exists="append")
    with pytest.raises(FileExistsError, match="v is a view"):
        kumihimo.extract_to(tmp_path / "1.ndjson", out, table="v", if_exists="replace")
    with pytest.raises(OSError, match="differ in case only"):
        kumihimo.extract_to(ndjson(tmp_path / "3.ndjson", [{"a": 2, "A": 1}]), out, if_exists="replace")
    (tmp_path / "4.ndjson").write_text('{"a":5}\n' * 2000 + '{"a":}\n')
    for how in ("append", "replace"):
        with pytest.raises(kumihimo.ExtractionError):
            kumihimo.extract_to(tmp_path / "4.ndjson", out, ["a:int64"], if_exists=how)
    assert asked(kind, out, "SELECT * FROM rows") == [(1,)]
    with pytest.raises(IsADirectoryError):
        kumihimo.extract_to(tmp_path / "1.ndjson", tmp_path.parent, to=kind)
    with pytest.raises(kumihimo.ExtractionError):
        kumihimo.extract_to(tmp_path / "4.ndjson", tmp_path / f"new.{kind}", ["a:int64"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.ndjson", "2.ndjson", "3.ndjson", "4.ndjson", out.name]


def test_other_files_are_no_databases(tmp_path: Path, kind: str) -> None:
    rows = ndjson(tmp_path / "1.ndjson", [{"a": 1}])
    (tmp_path / "text").write_text("no database, but a text of some length\n" * 1000)
    with pytest.raises(OSError, match="text"):
        kumihimo.extract_to(rows, tmp_path / "text", to=kind, if_exists="replace")
    assert (tmp_path / "text").read_text().startswith("no database")
    with pytest.raises(OSError, match="/dev/null"):
        kumihimo.extract_to(rows, "/dev/null", to=kind)


def test_names_are_quoted(tmp_path: Path, kind: str) -> None:
    out, table = tmp_path / f"t.{kind}", 'x"; DROP TABLE rows; --'
    row = {'a"b': 1, "select": 2, "ü": 3, "with space": 4, "a.b": {"c": 5}}
    kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [row]), out, table=table)
    assert asked(kind, out, 'SELECT * FROM "x""; DROP TABLE rows; --"') == [(1, 2, 3, 4, 5)]
    with pytest.raises(ValueError, match="table is a name"):
        kumihimo.extract_to(tmp_path / "1.ndjson", out, table="")


TIMES = ["2024-03-31T00:59:59.5Z", "2024-03-31T01:00:00Z", "2024-10-27T00:30:00.25Z", "2024-10-27T01:30:00Z", "0001-01-01T12:00:00Z", "9999-12-30T00:00:00Z", "1880-06-01T00:00:00Z"]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "Asia/Kathmandu", "America/St_Johns"])
def test_zones(tmp_path: Path, zone: str) -> None:
    """What SQLite gets is the wall clock of the column's zone and its offset, in the digits of a microsecond, and the same moment."""
    rows = ndjson(tmp_path / "1.ndjson", [{"t": t} for t in TIMES])
    kumihimo.extract_to(rows, tmp_path / "t.sqlite", [f"t:timestamp[{zone}]"])
    kumihimo.extract_to(rows, tmp_path / "t.csv", [f"t:timestamp[{zone}]"])
    found = [row[0] for row in asked("sqlite", tmp_path / "t.sqlite", "SELECT t FROM rows")]
    printed = (tmp_path / "t.csv").read_text().splitlines()[1:]
    for text, csv_text in zip(found, printed, strict=True):
        clock, offset = text[:26], text[26:]
        assert csv_text.startswith(clock.replace(" ", "T")[:19]) and csv_text.endswith(offset if offset != "Z" else "+00:00") and text[10] == " " and text[19] == "."
    moments = ["2024-03-31T00:59:59.500", "2024-03-31T01:00:00.000", "2024-10-27T00:30:00.250", "2024-10-27T01:30:00.000"]
    for text, wanted in zip(found, moments):
        assert datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) == datetime.datetime.fromisoformat(wanted + "+00:00")


def test_nanoseconds_and_clocks_without_a_zone(tmp_path: Path, kind: str) -> None:
    rows = ndjson(tmp_path / "1.ndjson", [{"t": "2024-01-01T00:00:00.123456789Z", "n": "2024-01-01 00:00:00.5"}])
    out = tmp_path / f"t.{kind}"
    kumihimo.extract_to(rows, out, ["t:timestamp[ns,Asia/Tokyo]", "n:timestamp[naive]"])
    if kind == "sqlite":
        assert asked(kind, out, "SELECT * FROM rows") == [("2024-01-01 09:00:00.123456789+09:00", "2024-01-01 00:00:00.500000")]
    else:
        assert asked(kind, out, "SELECT CAST(t AS VARCHAR), CAST(n AS VARCHAR), typeof(t), typeof(n) FROM rows") == [("2024-01-01 00:00:00.123456789", "2024-01-01 00:00:00.5", "TIMESTAMP_NS", "TIMESTAMP")]


def test_a_reader_of_the_old_table_is_not_disturbed(tmp_path: Path) -> None:
    """While the rows are written another program sees what was there before; then all of them at once."""
    out = tmp_path / "t.sqlite"
    kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [{"a": 1}]), out)
    asked("sqlite", out, "PRAGMA journal_mode=WAL")
    code = "import sys, kumihimo; kumihimo.extract_to(sys.argv[1], sys.argv[2], ['a:int64'], if_exists='append')"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen([sys.executable, "-c", code, fifo, out]) as process:
        with open(fifo, "w") as file:
            for i in range(30_000):
                file.write(f'{{"a":{i}}}\n')
            file.flush()
            assert asked("sqlite", out, "SELECT * FROM rows") == [(1,)]
        assert process.wait(60) == 0
    assert asked("sqlite", out, "SELECT count(*) FROM rows") == [(30_001,)]


def test_who_writes_to_it_is_waited_for_and_then_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kumihimo.outputs import sqlite

    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    out = tmp_path / "t.sqlite"
    kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [{"a": 1}]), out)
    other = sqlite3.connect(out, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OSError, match="t.sqlite: database is locked"):
        kumihimo.extract_to(tmp_path / "1.ndjson", out, if_exists="append")
    other.execute("ROLLBACK")
    other.close()
    assert asked("sqlite", out, "SELECT * FROM rows") == [(1,)]


def test_more_columns_than_a_table_has(tmp_path: Path) -> None:
    rows = ndjson(tmp_path / "1.ndjson", [{f"k{i}": i for i in range(3000)}])
    with pytest.raises(OSError, match="too many"):
        kumihimo.extract_to(rows, tmp_path / "t.sqlite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.ndjson"]


APPENDED = [
    ("duckdb", "BIGINT", [2.5, 3.5], ":float64", False),
    ("duckdb", "BIGINT", [2.0, 1e15, None], ":float64", True),
    ("duckdb", "BIGINT", [1e19], ":float64", False),
    ("duckdb", "HUGEINT", [1, 2], ":int64", True),
    ("duckdb", "DOUBLE", [9007199254740993], ":int64", False),
    ("duckdb", "DOUBLE", [1, -9007199254740992, None], ":int64", True),
    ("duckdb", "FLOAT", [16777217], ":int64", False),
    ("duckdb", "FLOAT", [16777216], ":int64", True),
    ("duckdb", "FLOAT", [0.5], ":float64", False),
    ("duckdb", "SMALLINT", [-32768, 32767], ":int64", True),
    ("duckdb", "SMALLINT", [32768], ":int64", False),
    ("duckdb", "VARCHAR", [1, 2], ":int64", True),
    ("duckdb", "TIMESTAMPTZ", ["2024-01-01 00:00:00"], ":timestamp[naive]", False),
    ("duckdb", "TIMESTAMP", ["2024-01-01T00:00:00Z"], ":timestamp", False),
    ("duckdb", "TIMESTAMPTZ", ["2024-01-01T00:00:00Z"], ":timestamp", True),
    ("duckdb", "DECIMAL(10,2)", ["0.125"], ":decimal(10,3)", False),
    ("duckdb", "DECIMAL(12,3)", ["0.125"], ":decimal(10,3)", True),
    ("sqlite", "INTEGER", ["0012", "1e3"], ":string", False),
    ("sqlite", "VARCHAR(10)", ["0012", "1e3"], ":string", True),
    ("sqlite", "REAL", ["0.12345678901234567891"], ":string", False),
    ("sqlite", "REAL", [9007199254740993], ":int64", False),
    ("sqlite", "REAL", [1, 9007199254740992, None], ":int64", True),
    ("sqlite", "TEXT", [0.1234567890123456], ":float64", False),
    ("sqlite", "INTEGER", [2.5], ":float64", True),
    ("sqlite", "DATETIME", ["2024-01-01T00:00:00Z"], ":timestamp", True),
    ("sqlite", "", ["0012"], ":string", True),
    ("sqlite", "INTEGER", [18446744073709551615], ":uint64", False),
]


@pytest.mark.parametrize(("kind", "declared", "values", "type_of", "kept"), APPENDED)
def test_appending_changes_no_value(tmp_path: Path, kind: str, declared: str, values: list[Any], type_of: str, kept: bool) -> None:
    if kind == "duckdb":
        pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    if type_of == ":uint64":
        values, type_of = [1, *values], ""  # guessed
    out = tmp_path / f"t.{kind}"
    asked(kind, out, f'CREATE TABLE rows ("A" {declared})')
    rows = ndjson(tmp_path / "1.ndjson", [{"a": value} for value in values])
    if kept:
        kumihimo.extract_to(rows, out, ["a" + type_of], if_exists="append")
        assert asked(kind, out, "SELECT count(a), count(*) FROM rows") == [(len([v for v in values if v is not None]), len(values))]
        if all(isinstance(value, (int, float, type(None))) for value in values) and declared != "VARCHAR":
            assert [row[0] for row in asked(kind, out, "SELECT a FROM rows")] == values
    else:
        with pytest.raises(OSError, match=r"the column 'a' of the table rows is .*, which would change values of the rows' type .*-f NAME=PATH:TYPE"):
            kumihimo.extract_to(rows, out, ["a" + type_of], if_exists="append")
        assert asked(kind, out, "SELECT * FROM rows") == []


def test_names_differ_by_the_case_of_ascii_only(tmp_path: Path, kind: str) -> None:
    kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [{"\u00dc": 1, "\u00fc": 2}]), tmp_path / f"t.{kind}")
    assert asked(kind, tmp_path / f"t.{kind}", "SELECT * FROM rows") == [(1, 2)]


def test_a_name_is_a_file_whatever_it_says(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "md:x"):
        for row in ({"a": 1}, {"a": 2}):
            kumihimo.extract_to(ndjson(tmp_path / "1.ndjson", [row]), name, to=kind, if_exists="append")
        assert asked(kind, tmp_path / name, "SELECT a FROM rows ORDER BY a") == [(1,), (2,)]


def test_a_table_may_have_any_name(tmp_path: Path, kind: str) -> None:
    rows = ndjson(tmp_path / "1.ndjson", [{"a": 1}])
    for table in ("kumihimo_rows", "kumihimo_rows_"):
        kumihimo.extract_to(rows, tmp_path / f"t.{kind}", table=table)
        assert asked(kind, tmp_path / f"t.{kind}", f"SELECT a FROM {table}") == [(1,)]
